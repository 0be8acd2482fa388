// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/protocol/wire/frame.hpp"

namespace ina::testing {

/// Fragments of a job in one value of which the workers' contributions are so large that the sum
/// overflows in most of them, or a contribution does itself; of either sign, so that whether some
/// sums overflow on their way depends on the order. They are multiples of 256 below 2^32, hence
/// exact as floats, and so are their sums as doubles.
class Overflow {
 public:
  Overflow(std::uint64_t seed, std::uint32_t percent) : seed_(seed), percent_(percent) {}

  bool strikes(Psn psn) const { return percent_ != 0 && hash(psn, kWhether) % 100 < percent_; }
  /// Which of `count` values it is.
  std::size_t place(Psn psn, std::size_t count) const { return hash(psn, kWhere) % count; }
  double contribution(Psn psn, std::uint16_t rank) const;
  double sum(Psn psn, std::uint16_t workers) const;
  /// The contribution as its worker quantises it.
  std::int32_t quantised(Psn psn, std::uint16_t rank) const;

 private:
  // What a number is drawn for; ranks follow.
  static constexpr std::uint64_t kWhether = 0;
  static constexpr std::uint64_t kWhere = 1;
  static constexpr std::uint64_t kRanks = 2;
  std::uint64_t hash(Psn psn, std::uint64_t what) const;

  std::uint64_t seed_;
  std::uint32_t percent_;
};

}  // namespace ina::testing
