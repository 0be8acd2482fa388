// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/fields/strict_json.hpp"

namespace ina::runs {

/// Groups the findings of all runs by kind and key for the experiment's manifest: an array of
/// {what, key, runs, text}, sorted by the number of runs, most first. The text is that of the run
/// with the largest amount. `manifests`: an array of the runs' manifests; those of old builds lack
/// findings.
fields::Json group_findings(const fields::Json& manifests);

}  // namespace ina::runs
