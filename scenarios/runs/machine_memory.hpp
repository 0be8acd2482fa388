// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/reader/experiment.hpp"

namespace ina::runs {

/// Throws InputError if a run of the experiment takes more memory than this computer has.
void check_machine_memory(const std::string& file, const scenarios::Experiment& experiment);

/// Number of these runs that fit into this computer's memory at the same time, at least 1.
unsigned runs_in_memory(const std::vector<const scenarios::ExperimentPoint*>& points);

/// Peak resident memory of this process so far.
std::uint64_t peak_resident_bytes();

/// Error message for a run whose memory allocation failed.
std::string describe_lack_of_memory(const scenarios::ExperimentPoint& point);

}  // namespace ina::runs
