// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "hw/fields/object_reader.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/reader/trace_files.hpp"

namespace ina::scenarios {

/// Reads the key "jobs": an object for a group of jobs, or an array of them, each with a "count".
/// Fills the jobs of the scenario, whose topology must have been read, and returns for each job the
/// pointer to the object that describes it. Throws InputError.
std::vector<std::string> read_jobs(ObjectReader& root, Scenario& scenario, TraceFiles& files);

/// The job as read_jobs() takes it, with its profile and its compute-time factors in place of names
/// of files.
Json job_to_json(const JobScenario& job);

}  // namespace ina::scenarios
