// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hw/protocol/numeric/synthetic_blocks.hpp"
#include "hw/protocol/numeric/synthetic_tensor.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "tests/support/overflow.hpp"
#include "tests/support/star_network.hpp"

namespace ina::testing {

/// What the workers of one job all-reduce: the same tensors in every iteration.
struct JobPlan {
  JobId job = 0;
  std::uint16_t workers = 1;
  std::uint32_t iterations = 1;
  std::vector<std::uint32_t> tensors;  ///< fragments of each, with values
  std::uint64_t seed = 0;
  bool any_order = false;  ///< a worker may hand in its tensors in another order than the others
  std::uint32_t overflow_percent = 0;   ///< ATP: fragments that overflow, in most orders
  std::uint32_t exponent_slots = 0;     ///< SwitchML's block floating point: its slots; 0: integers
  std::uint32_t straggler_percent = 0;  ///< chance that a worker computes up to `straggle` longer
  Time compute = std::chrono::microseconds(50);
  Time straggle = std::chrono::milliseconds(5);

  std::uint32_t exponent_lead(std::uint32_t fragments) const {
    return exponent_lead_of(fragments, exponent_slots);
  }
  std::uint32_t psns_per_iteration() const;
  /// Whether the fragment carries values, and not exponents alone.
  bool carries_values(Psn psn) const;
  std::uint32_t psns() const { return psns_per_iteration() * iterations; }
  Overflow overflow() const { return {seed, overflow_percent}; }
};

/// The table that all synthetic gradients of tests are made of.
const numeric::SyntheticTable& synthetic_table();

/// The synthetic gradient of one worker, with the job's overflows in it; or as floats.
class SyntheticSource final : public GradientSource {
 public:
  SyntheticSource(const numeric::SyntheticTable& table, const JobPlan& plan, std::uint16_t rank)
      : table_(table),
        gradient_(numeric::synthetic_gradient(plan.seed, rank)),
        key_(numeric::synthetic_key(plan.seed)),
        overflow_(plan.overflow()),
        blocks_(table, plan.seed, plan.workers),
        rank_(rank) {}
  void read(Psn psn, std::span<std::int32_t> out) const override {
    numeric::generate(table_, gradient_, key_, psn, out.data(), out.size());
    if (overflow_.strikes(psn)) {
      out[overflow_.place(psn, out.size())] = overflow_.quantised(psn, rank_);
    }
  }
  void read_floats(Psn psn, std::span<float> out) const override {
    GradientSource::read_floats(psn, out);
    if (overflow_.strikes(psn)) {
      out[overflow_.place(psn, out.size())] =
          static_cast<float>(overflow_.contribution(psn, rank_));
    }
  }
  numeric::ExponentCode exponent(Psn psn) const override { return blocks_.exponent(rank_, psn); }
  void read_block(Psn psn, numeric::ExponentCode agreed,
                  std::span<std::int32_t> out) const override {
    blocks_.read(rank_, psn, agreed, out);
  }
  const numeric::SyntheticBlocks& blocks() const { return blocks_; }

 private:
  const numeric::SyntheticTable& table_;
  numeric::SyntheticGradient gradient_;
  std::uint64_t key_;
  Overflow overflow_;
  numeric::SyntheticBlocks blocks_;
  std::uint16_t rank_;
};

/// A worker that computes, all-reduces, and checks every sum that it gets.
class TrainingWorker final : public Host, public ResultSink {
 public:
  using MakeTransport = std::function<std::unique_ptr<WorkerTransport>(ResultSink&)>;

  TrainingWorker(const numeric::SyntheticTable& table, const JobPlan& plan, std::uint16_t rank,
                 StarNetwork& network, Random& random, const MakeTransport& make);

  /// Begins the first iteration.
  void start(HostId self, Time now);
  /// Calls `finished` when the last iteration is done.
  void when_finished(std::function<void()> finished) { finished_ = std::move(finished); }
  std::uint32_t iterations_done() const { return iteration_; }

  void receive(Frame&& frame, Time now) override;
  bool next(Frame& out, Time now) override { return transport_->next(out, now); }
  Time deadline() const override { return transport_->deadline(); }
  void expire(Time now) override { transport_->expire(now); }
  void wake(Time now) override;

  void fragment_complete(const Frame& result, bool resent, Time now) override;
  void tensor_complete(Psn first_psn, Time now) override;

  /// What went wrong so far, or nothing.
  const std::string& complaint() const { return complaint_; }
  /// What this worker has to complain of at the end, or nothing.
  std::string verdict() const;
  const WorkerStatistics& statistics() const { return transport_->statistics(); }

 private:
  void begin_iteration(Time now);
  /// The first value of a result that is wrong.
  std::optional<std::size_t> first_difference(const Frame& result) const;
  std::optional<std::size_t> first_difference_of_overflow(const Frame& result) const;
  std::optional<std::size_t> first_difference_of_block(const Frame& result) const;
  void complain(const std::string& what);

  const numeric::SyntheticTable& table_;
  const JobPlan& plan_;
  StarNetwork& network_;
  Random& random_;
  SyntheticSource source_;
  numeric::SyntheticGradient sum_;
  std::uint64_t key_;
  std::unique_ptr<WorkerTransport> transport_;
  std::uint16_t rank_;
  HostId self_ = 0;
  std::uint32_t iteration_ = 0;
  std::vector<Tensor> to_submit_;  // of the iteration, the next one last
  std::uint32_t tensors_left_ = 0;
  bool iteration_done_ = false;
  std::function<void()> finished_ = [] {};
  std::vector<std::uint8_t> received_;
  std::string complaint_;
};

}  // namespace ina::testing
