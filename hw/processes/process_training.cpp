// SPDX-License-Identifier: BSD-3-Clause
#include "hw/processes/process_training.hpp"

#include "hw/protocol/units.hpp"

namespace ina::processes {

namespace {

cluster::JobGradients::Config gradients_of(const Spec& cluster, JobId job) {
  return {.job = job,
          .workers = static_cast<std::uint32_t>(cluster.jobs[job].workers.size()),
          .carried_values = cluster.values_per_packet(),
          .overflow = cluster.system->overflow(),
          .in_blocks = cluster.in_blocks()};
}

}  // namespace

ProcessTraining::ProcessTraining(const Spec& cluster, WorkerId self)
    : job_(cluster.jobs[self.job]),
      gradients_(table_, job_.training.partitions, gradients_of(cluster, self.job),
                 job_.seed_of_gradients()),
      random_(job_.first_stream + self.rank, cluster.environment.seed),
      worker_(job_.training, gradients_, *this, self.rank) {
  worker_.begin(0, job_.start);
}

void ProcessTraining::begin(WorkerTransport& transport) { transport_ = &transport; }

void ProcessTraining::advance(Time now) {
  now_ = now;
  while (worker_.deadline() <= now) worker_.advance(worker_.deadline());
}

Time ProcessTraining::serialisation(std::uint32_t bytes) const {
  const auto rate_bps = static_cast<double>(job_.training.line_rates_bps.front());
  const auto bits = static_cast<double>(bytes * kBitsPerByte);
  return Time(static_cast<std::int64_t>(bits * kPsPerS / rate_bps));
}

Time ProcessTraining::draw(Time low, Time high) { return random_.between(low, high); }

void ProcessTraining::iteration_ended(std::uint32_t, const cluster::WorkerIteration& ended) {
  iterations_.push_back(ended);
  iteration_start_.reset();
}

}  // namespace ina::processes
