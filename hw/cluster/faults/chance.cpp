// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/faults/chance.hpp"

#include <cmath>

namespace ina::faults {
namespace {

/// Larger than the number of frames of any run.
constexpr double kMostFrames = 0x1p62;

}  // namespace

Chance::Chance(double probability, std::uint64_t first, std::mt19937_64& random)
    : probability_(probability) {
  draw(first, random);
}

bool Chance::happens_to(std::uint64_t number, std::mt19937_64& random) {
  if (number != next_) return false;
  draw(number + 1, random);
  return true;
}

/// Draws the gap by the inverse of its distribution, P(n frames are spared) = p (1 - p)^n, at a
/// uniform number.
void Chance::draw(std::uint64_t first, std::mt19937_64& random) {
  if (!(probability_ > 0)) return;
  const double uniform = std::generate_canonical<double, 53>(random);  // below 1 in libstdc++
  const double spared = std::log1p(-uniform) / std::log1p(-probability_);
  next_ = spared < kMostFrames ? first + static_cast<std::uint64_t>(spared) : kNever;
}

}  // namespace ina::faults
