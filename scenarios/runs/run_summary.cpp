// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/runs/run_summary.hpp"

#include <algorithm>

namespace ina::runs {

RunSummary summary_of(std::span<const results::JobRow> jobs) {
  RunSummary summary;
  for (const results::JobRow& job : jobs) {
    if (const auto jct = job.jct()) {
      summary.jcts_ps.push_back(*jct);
      summary.iteration_means_ps.push_back(job.times.mean());
    } else {
      ++summary.failed_jobs;
    }
    summary.most_iterations = std::max(summary.most_iterations, job.times.count);
    for (const SummedCounter& counter : kSummedCounters) {
      summary.*counter.of_run += job.*counter.of_job;
    }
  }
  return summary;
}

fields::Json to_json(const RunSummary& summary) {
  fields::Json json{{"jcts_ps", summary.jcts_ps},
                    {"iteration_means_ps", summary.iteration_means_ps},
                    {"most_iterations", summary.most_iterations},
                    {"failed_jobs", summary.failed_jobs}};
  for (const SummedCounter& counter : kSummedCounters) {
    json[counter.name] = summary.*counter.of_run;
  }
  return json;
}

RunSummary summary_in(const fields::Json& manifest) {
  const fields::Json& json = manifest.at("summary");
  RunSummary summary;
  json.at("jcts_ps").get_to(summary.jcts_ps);
  json.at("iteration_means_ps").get_to(summary.iteration_means_ps);
  json.at("most_iterations").get_to(summary.most_iterations);
  json.at("failed_jobs").get_to(summary.failed_jobs);
  for (const SummedCounter& counter : kSummedCounters) {
    json.at(counter.name).get_to(summary.*counter.of_run);
  }
  return summary;
}

}  // namespace ina::runs
