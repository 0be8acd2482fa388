// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <random>

namespace ina::faults {

/// Which frames something happens to that happens to each with the same probability, independently
/// (a Bernoulli process). Drawn is the gap to the next one, which has a geometric distribution,
/// not an answer for each frame: most frames cost a comparison.
class Chance {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  /// Frames have numbers; `first` is that of the first that it may happen to.
  /// The probability is 0 to 1.
  Chance(double probability, std::uint64_t first, std::mt19937_64& random);

  /// The number of the next frame to which it happens, or kNever.
  std::uint64_t next() const { return next_; }

  /// Whether it happens to frame `number`, which is at most next(); if so, next() moves on.
  bool happens_to(std::uint64_t number, std::mt19937_64& random);

 private:
  void draw(std::uint64_t first, std::mt19937_64& random);

  double probability_;
  std::uint64_t next_ = kNever;
};

}  // namespace ina::faults
