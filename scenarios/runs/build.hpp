// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hw/fields/strict_json.hpp"

namespace ina::runs {

/// Returns the first difference between two builds that may change results, such as "program
/// 0a1b2c3d there, 4e5f6789 here"; "" if there is none. Arguments: their records in manifests.
using BuildDifference = std::string (*)(const fields::Json& there, const fields::Json& here);

/// The program that makes results.
struct Build {
  fields::Json info;  ///< its record in manifests
  BuildDifference difference;
};

}  // namespace ina::runs
