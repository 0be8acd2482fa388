// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/protocol/wire/frame.hpp"

namespace ina::testing {

/// Makes some fragments of a job overflow. For one value of such a fragment, the contributions are
/// so large that most sums overflow, and some contributions overflow by themselves. Contributions
/// have either sign, so the order of additions may decide whether a partial sum overflows. They are
/// multiples of 256 below 2^32, and therefore exact as floats; their sums are exact as doubles.
class Overflow {
 public:
  Overflow(std::uint64_t seed, std::uint32_t percent) : seed_(seed), percent_(percent) {}

  bool strikes(Psn psn) const { return percent_ != 0 && hash(psn, kWhether) % 100 < percent_; }
  /// Index of the large value among `count` values.
  std::size_t place(Psn psn, std::size_t count) const { return hash(psn, kWhere) % count; }
  double contribution(Psn psn, std::uint16_t rank) const;
  double sum(Psn psn, std::uint16_t workers) const;
  /// The contribution as its worker quantises it.
  std::int32_t quantised(Psn psn, std::uint16_t rank) const;

 private:
  // Purposes of a hash. kRanks + rank is for the contribution of that rank.
  static constexpr std::uint64_t kWhether = 0;
  static constexpr std::uint64_t kWhere = 1;
  static constexpr std::uint64_t kRanks = 2;
  std::uint64_t hash(Psn psn, std::uint64_t what) const;

  std::uint64_t seed_;
  std::uint32_t percent_;
};

}  // namespace ina::testing
