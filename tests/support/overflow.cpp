// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/overflow.hpp"

#include <algorithm>
#include <limits>

#include "hw/protocol/numeric/synthetic_tensor.hpp"

namespace ina::testing {

std::uint64_t Overflow::hash(Psn psn, std::uint64_t what) const {
  constexpr std::uint64_t kMostWhats = 64;
  return numeric::synthetic_key(seed_ ^ (psn * kMostWhats + what));
}

double Overflow::contribution(Psn psn, std::uint16_t rank) const {
  constexpr std::uint64_t kMagnitudes = 1 << 24;
  constexpr double kUnit = 256;
  const std::uint64_t bits = hash(psn, kRanks + rank);
  const double magnitude = kUnit * static_cast<double>(bits % kMagnitudes);
  return (bits >> 63) != 0 ? -magnitude : magnitude;
}

double Overflow::sum(Psn psn, std::uint16_t workers) const {
  double sum = 0;
  for (std::uint16_t rank = 0; rank < workers; ++rank) sum += contribution(psn, rank);
  return sum;
}

std::int32_t Overflow::quantised(Psn psn, std::uint16_t rank) const {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(
      std::clamp<double>(contribution(psn, rank), Limits::min(), Limits::max()));
}

}  // namespace ina::testing
