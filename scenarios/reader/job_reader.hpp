// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "hw/fields/object_reader.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/reader/trace_files.hpp"

namespace ina::scenarios {

/// Reads the key "jobs": an object for a group of jobs, or an array of such objects, each with a
/// "count". Adds the jobs to the scenario, whose topology must have been read. Returns for each job
/// the pointer to the object that describes it. Throws InputError.
std::vector<std::string> read_jobs(ObjectReader& root, Scenario& scenario, TraceFiles& files);

/// Writes a job in the form that read_jobs() accepts, with the profile and the compute-time factors
/// themselves instead of file names.
Json job_to_json(const JobScenario& job);

}  // namespace ina::scenarios
