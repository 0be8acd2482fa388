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

/// A training worker in a process of its own, on the clock of the run. It does not know what the
/// job's other workers do. Time that it spends waiting for another worker is therefore attributed
/// to other causes: the window or queues.
class ProcessTraining final : private cluster::TrainingWorld {
 public:
  /// `cluster` must outlive it.
  ProcessTraining(const Spec& cluster, WorkerId self);

  /// Sink for the transport's results.
  ResultSink& sink() { return worker_; }
  /// Begins to submit to `transport`, which must outlive this.
  void begin(WorkerTransport& transport);

  /// Begins again, now and with the given iteration, because the job was registered again.
  void begin_again(std::uint32_t iteration, Time now) { worker_.begin(iteration, now); }

  Time deadline() const { return worker_.deadline(); }
  /// Call this at the deadline or soon afterwards. A late call does not delay later deadlines.
  void advance(Time now);
  bool done() const { return worker_.done(); }
  /// Iterations that have ended.
  const std::vector<cluster::WorkerIteration>& iterations() const { return iterations_; }
  /// Start of the current iteration; nothing if none has begun, or all have ended.
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
