// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <random>

namespace ina::faults {

/// To which frames something happens that happens to each with the same probability, whatever
/// happens to others. What is drawn is the number of the next one (the frames between two have a
/// geometric distribution), not an answer for each frame: rare faults cost what they cause.
class Chance {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  /// Frames have numbers; `first` is that of the first that it may happen to.
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
