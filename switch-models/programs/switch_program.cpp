// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/switch_program.hpp"

#include <algorithm>

namespace ina::programs {

void SwitchProgram::install_job(JobId job, const JobEntry& entry) {
  if (job >= jobs_.size()) {
    jobs_.resize(job + std::size_t{1});
    counters_.resize(job + std::size_t{1});
  }
  jobs_[job] = entry;
}

std::uint64_t SwitchProgram::remove_job(JobId job) {
  if (job_entry(job).workers == 0) return 0;
  const std::uint64_t freed = free_aggregators(job);
  jobs_[job] = JobEntry{};
  return freed;
}

JobId SwitchProgram::job_of_slot(std::uint32_t slot) const {
  const auto owner = std::find_if(jobs_.begin(), jobs_.end(), [slot](const JobEntry& job) {
    return slot - job.first_slot < job.slots;
  });
  return static_cast<JobId>(owner - jobs_.begin());
}

rmt::Verdict SwitchProgram::all_passes(Frame& frame, Time now) {
  rmt::Carry carry;
  rmt::Verdict all;
  for (;;) {
    const rmt::Verdict one = pass(frame, carry, now);
    all.exit = one.exit;
    if (!one.continues()) return all;
    all.resubmits += one.resubmits;
    all.recirculations += one.recirculations;
    all.recirculated_bytes += one.recirculated_bytes;
  }
}

std::uint64_t SwitchProgram::cells_in_use() const {
  std::uint64_t cells = 0;
  visit_occupied([&cells](const OccupiedAggregator&) { ++cells; });
  return cells;
}

std::uint64_t SwitchProgram::occupied() const {
  std::uint64_t total = 0;
  for (const AggregatorCounters& counters : counters_) total += counters.occupied();
  return total;
}

}  // namespace ina::programs
