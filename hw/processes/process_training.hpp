// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/cluster/random_stream.hpp"
#include "hw/cluster/training/training_worker.hpp"
#include "hw/cluster/training/worker_report.hpp"
#include "hw/processes/members.hpp"
#include "hw/protocol/numeric/synthetic_tensor.hpp"

namespace ina::processes {

/// A training worker in a process of its own, by the clock of the run. It knows nothing of the
/// job's other workers: waiting for one counts as what else explains the gap, the window or
/// queues.
class ProcessTraining final : private cluster::TrainingWorld {
 public:
  /// `cluster` must outlive it.
  ProcessTraining(const Spec& cluster, WorkerId self);

  /// What the transport delivers to.
  ResultSink& sink() { return worker_; }
  /// From now on it submits to `transport`, which must outlive it.
  void begin(WorkerTransport& transport);

  /// Begins with this iteration now, for the job has been registered again.
  void begin_again(std::uint32_t iteration, Time now) { worker_.begin(iteration, now); }

  Time deadline() const { return worker_.deadline(); }
  /// To be called at the deadline or soon after it; what it is late by counts for nothing.
  void advance(Time now);
  bool done() const { return worker_.done(); }
  /// Those that have ended.
  const std::vector<cluster::WorkerIteration>& iterations() const { return iterations_; }
  /// When the present one began; nothing if it has not, or all have ended.
  std::optional<Time> iteration_start() const { return iteration_start_; }

 private:
  void submit(const Tensor& tensor, Time) override { transport_->submit(tensor, now_); }
  Time serialisation(std::uint32_t bytes) const override;
  Time draw(Time low, Time high) override;
  void iteration_started(std::uint32_t, Time now) override { iteration_start_ = now; }
  void partition_submitted(std::uint32_t, std::size_t, Time) override {}
  Time last_submitted(std::uint32_t, std::size_t) const override { return {}; }
  void iteration_ended(std::uint32_t iteration, const cluster::WorkerIteration& ended) override;

  const JobSpec& job_;
  numeric::SyntheticTable table_;
  cluster::JobGradients gradients_;
  cluster::RandomStream random_;
  cluster::TrainingWorker worker_;
  WorkerTransport* transport_ = nullptr;
  Time now_{};
  std::vector<cluster::WorkerIteration> iterations_;
  std::optional<Time> iteration_start_;
};

}  // namespace ina::processes
