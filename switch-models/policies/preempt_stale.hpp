// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// An aggregator that no packet of its task came to for longer than `after` goes to any packet; a
/// younger one is kept, and its priority is not halved. Not in the paper. What a late copy reserved
/// for a task that is complete is free so with the next collision after that time.
class PreemptStale {
 public:
  static constexpr std::string_view kName = "preempt-stale";
  static constexpr unsigned kComparisons = 1;  // of the age, where the priority stands

  struct Config {
    /// Ten base RTTs of the papers' clusters: workers that compute alike contribute within a few of
    /// them, and the least time-out, after which the server recovers a task, is ten times as long.
    Time after = std::chrono::microseconds(100);
  };
  /// In 32 bits of microseconds, as a chip's time stamps are.
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
