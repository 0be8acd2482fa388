// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// DSA VII.C, the second strawman: a collision preempts with probability 1/2.
class CoinFlip {
 public:
  static constexpr std::string_view kName = "coin-flip";
  static constexpr unsigned kComparisons = 0;
  static constexpr bool kDraws = true;

  explicit CoinFlip(std::uint64_t seed)
      : random_(static_cast<std::uint32_t>(seed ^ (seed >> 32))) {}

  Decision collide(const Collision& collision) {
    if ((random_() & 1U) != 0) return {true, collision.packet_priority};
    return {false, collision.aggregator_priority};
  }

 private:
  std::mt19937 random_;
};

}  // namespace ina::policies
