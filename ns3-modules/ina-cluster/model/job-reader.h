/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_JOB_READER_H
#define INA_JOB_READER_H

#include "object-reader.h"
#include "scenario.h"
#include "trace-files.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads the key "jobs": an object for a group of jobs, or an array of them, each with a "count".
 * Fills the jobs of the scenario, whose topology must have been read, and returns for each job the
 * pointer to the object that describes it. Throws ScenarioError.
 */
std::vector<std::string> ReadJobs(ObjectReader& root, Scenario& scenario, TraceFiles& files);

/// The job as ReadJobs() takes it, with its profile and its speeds in place of names of files.
Json JobToJson(const JobScenario& job);

} // namespace ns3

#endif // INA_JOB_READER_H
