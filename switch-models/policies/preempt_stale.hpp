// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// A policy that is not in the paper: if an aggregator has received no packet of its own task for
/// longer than `after`, the next packet of another task preempts it. Otherwise the task keeps the
/// aggregator, and the priority stays. If a late copy has reserved an aggregator for a task that is
/// already complete, the first collision after that time thus frees the aggregator.
class PreemptStale {
 public:
  static constexpr std::string_view kName = "preempt-stale";
  static constexpr unsigned kComparisons = 1;  // of the age, in the stage of the priority

  struct Config {
    /// Ten base RTTs of the papers' clusters. Workers of equal speed contribute within a few RTTs.
    /// The minimum time-out, after which the server recovers a task, is ten times as long as this.
    Time after = std::chrono::microseconds(100);
  };
  /// The upper bound fits a chip's time stamps, which count microseconds in 32 bits.
  template <class Visitor, class AnyConfig>
  static constexpr void visit(Visitor& visitor, AnyConfig& config) {
    visitor.time("after", config.after, std::chrono::microseconds(1), std::chrono::hours(1),
                 "Time without packets of its own task after which an aggregator is taken by the "
                 "next packet of another task");
  }

  explicit PreemptStale(const Config& config) : config_(config) {}

  Decision collide(const CollisionWith<Age>& collision) {
    if (collision.age > config_.after) return {true, collision.packet_priority};
    return {false, collision.aggregator_priority};
  }

 private:
  Config config_;
};

}  // namespace ina::policies
