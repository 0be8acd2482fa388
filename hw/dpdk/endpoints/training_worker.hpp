// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "hw/dpdk/endpoints/cluster.hpp"
#include "hw/protocol/numeric/synthetic_blocks.hpp"
#include "hw/protocol/numeric/synthetic_tensor.hpp"
#include "hw/protocol/server/psn_set.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina::endpoints {

/// A result that is not what the protocol owes; names job, worker and PSN.
class ProofViolation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A worker that trains by the clock as a simulated one does: backward layer by layer, partitions
/// handed in as their layer is ready, the forward of a layer as soon as its results are in. Its
/// gradients are synthetic, and it proves every sum that it gets.
class TrainingWorker final : public GradientSource, public ResultSink {
 public:
  struct Iteration {
    Time start{};
    Time end{};
    Time computation{};
  };

  /// `cluster` must outlive it.
  TrainingWorker(const Cluster& cluster, Seat seat);

  /// When advance() wants to be called, beside after every frame that the transport received;
  /// kNever if it waits for results or has ended.
  Time deadline() const;
  /// Does what is due: hands in partitions, goes on to the next layer or iteration.
  void advance(WorkerTransport& transport, Time now);
  bool done() const { return iterations_.size() == plan_.iterations; }
  /// Those that have ended.
  const std::vector<Iteration>& iterations() const { return iterations_; }

  void read(Psn psn, std::span<std::int32_t> out) const override;
  numeric::ExponentCode exponent(Psn psn) const override;
  void read_block(Psn psn, numeric::ExponentCode agreed,
                  std::span<std::int32_t> out) const override;
  /// Throws ProofViolation.
  void fragment_complete(const Frame& result, bool resent, Time now) override;
  void tensor_complete(Psn first_psn, Time now) override;

 private:
  struct HandIn {
    Time at;
    std::size_t partition;
  };

  Psn first_psn() const;
  Time compute_time(Time nominal) const;
  Time draw_jitter();
  void start_iteration(Time now);
  void plan_hand_ins(const std::vector<Time>& layer_ready);
  void hand_in(WorkerTransport& transport, Time now);
  void compute_until(Time end, Time now);
  void try_forward(Time now);
  void end_iteration(Time now);
  /// The partition that holds a fragment of the present iteration.
  const TrainingPlan::Partition& partition_of(Psn fragment) const;
  /// The coefficients of the sum that a result has to be.
  numeric::SyntheticGradient sum_of(const Frame& result) const;
  [[noreturn]] void fail(Psn psn, const std::string& what) const;

  const TrainingPlan& plan_;
  Seat seat_;
  numeric::SyntheticTable table_;
  numeric::SyntheticGradient gradient_;
  numeric::SyntheticGradient sum_;
  std::uint64_t key_;
  numeric::SyntheticBlocks blocks_;
  std::mt19937_64 random_;
  PriorityEstimates estimates_;
  RecentPsnSet proved_;
  std::vector<Iteration> iterations_;

  // Of the iteration.
  bool started_ = false;
  Time start_{};
  Time computation_{};
  Time worker_jitter_{};
  std::vector<HandIn> hand_ins_;  // in the order of time
  std::size_t next_hand_in_ = 0;
  bool computing_ = false;
  Time compute_end_{};
  std::size_t next_forward_ = 0;
  std::vector<std::uint32_t> partitions_missing_;  // by layer
};

}  // namespace ina::endpoints
