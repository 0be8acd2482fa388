// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/fields/strict_json.hpp"
#include "scenarios/results/rows.hpp"

namespace ina::runs {

/// Values of a run's jobs that the printed table needs. The run's manifest stores them as
/// "summary", so that jobs.csv need not be read again.
struct RunSummary {
  std::vector<std::int64_t> jcts_ps;             ///< JCTs of the jobs that finished
  std::vector<std::int64_t> iteration_means_ps;  ///< mean iteration period of each of these jobs
  std::uint64_t most_iterations = 0;             ///< maximum number of iterations of any job
  std::uint64_t failed_jobs = 0;
  // Sums over all jobs.
  std::uint64_t packets_sent = 0;
  std::uint64_t fallbacks = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t retransmissions = 0;
};

/// A counter of jobs whose sum the printed table shows.
struct SummedCounter {
  const char* name;
  std::uint64_t results::JobRow::*of_job;
  std::uint64_t RunSummary::*of_run;
};
inline constexpr std::array<SummedCounter, 4> kSummedCounters{
    {{"packets_sent", &results::JobRow::packets_sent, &RunSummary::packets_sent},
     {"fallbacks", &results::JobRow::fallbacks, &RunSummary::fallbacks},
     {"preemptions", &results::JobRow::preemptions, &RunSummary::preemptions},
     {"retransmissions", &results::JobRow::retransmissions, &RunSummary::retransmissions}}};

RunSummary summary_of(std::span<const results::JobRow> jobs);

fields::Json to_json(const RunSummary& summary);

/// Reads the summary in a run's manifest. Throws std::exception if it is missing or damaged.
RunSummary summary_in(const fields::Json& manifest);

}  // namespace ina::runs
