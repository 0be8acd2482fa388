// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// Any packet takes an aggregator that no packet of its task has reached for longer than `after`. A
/// younger aggregator is kept, and its priority is not halved. Not in the paper. An aggregator that
/// a late copy reserved for a complete task is therefore freed by the next collision after that
/// time.
class PreemptStale {
 public:
  static constexpr std::string_view kName = "preempt-stale";
  static constexpr unsigned kComparisons = 1;  // of the age, in the stage of the priority

  struct Config {
    /// Ten base RTTs of the papers' clusters. Workers of equal speed contribute within a few RTTs,
    /// and the least time-out, after which the server recovers a task, is ten times as long.
    Time after = std::chrono::microseconds(100);
  };
  /// The range is 32 bits of microseconds, as in a chip's time stamps.
  template <class Visitor, class AnyConfig>
  static constexpr void visit(Visitor& visitor, AnyConfig& config) {
    visitor.time(
        "after", config.after, std::chrono::microseconds(1), std::chrono::hours(1),
        "Age from which any packet takes an aggregator: since a packet of its own task came "
        "to it last");
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
