// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/switch_program.hpp"

namespace ina::programs {

void SwitchProgram::install_job(JobId job, const JobEntry& entry) {
  if (job >= jobs_.size()) {
    jobs_.resize(job + std::size_t{1});
    counters_.resize(job + std::size_t{1});
  }
  jobs_[job] = entry;
}

std::uint64_t SwitchProgram::occupied() const {
  std::uint64_t total = 0;
  for (const AggregatorCounters& counters : counters_) total += counters.occupied();
  return total;
}

}  // namespace ina::programs
