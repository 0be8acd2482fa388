// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <random>

namespace ina::faults {

/// Selects frames with a fixed probability, independently of each other (a Bernoulli process). It
/// draws a random number only for the gap to the next selected frame, which is geometrically
/// distributed. Most frames therefore cost only one comparison.
class Chance {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  /// `first` is the number of the first frame that may be selected. The probability is from 0 to 1.
  Chance(double probability, std::uint64_t first, std::mt19937_64& random);

  /// Number of the next selected frame, or kNever.
  std::uint64_t next() const { return next_; }

  /// Whether frame `number`, at most next(), is selected. If so, draws a new next().
  bool happens_to(std::uint64_t number, std::mt19937_64& random);

 private:
  void draw(std::uint64_t first, std::mt19937_64& random);

  double probability_;
  std::uint64_t next_ = kNever;
};

}  // namespace ina::faults
