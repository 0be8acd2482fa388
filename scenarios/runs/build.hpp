// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hw/fields/strict_json.hpp"

namespace ina::runs {

/// Compares two builds by their records in manifests. Returns the first difference that may change
/// results, such as "program 0a1b2c3d there, 4e5f6789 here", or "" if there is no difference.
using BuildDifference = std::string (*)(const fields::Json& there, const fields::Json& here);

/// The build of the program that produces results.
struct Build {
  fields::Json info;  ///< its record in manifests
  BuildDifference difference;
};

}  // namespace ina::runs
