// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/fields/strict_json.hpp"

namespace ina::runs {

/// Groups the findings of all runs (docs/reference/findings.md) by kind and key for the
/// experiment's manifest. Returns an array of {what, key, runs, text}, sorted by descending number
/// of runs. The text is from the run with the largest amount. `manifests`: array of the runs'
/// manifests; manifests of old builds have no findings.
fields::Json group_findings(const fields::Json& manifests);

}  // namespace ina::runs
