// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "hw/protocol/time.hpp"

namespace ina::cluster {

/// Generates the same numbers as ns-3's UniformRandomVariable for a stream and a run, with ns-3's
/// seed 1. A worker process thus uses the same random numbers as a simulated worker. The generator
/// is MRG32k3a (L'Ecuyer, Operations Research 47(1), 1999). Streams are 2^127 numbers apart, and
/// runs are 2^76 numbers apart (L'Ecuyer, Simard, Chen, Kelton, Operations Research 50(6), 2002).
class RandomStream {
 public:
  RandomStream(std::uint64_t stream, std::uint64_t run);

  /// A number between 0 and 1, both excluded.
  double uniform();
  /// A number from 1 to 2^32 - 2, for use as the seed of another generator.
  std::uint64_t seed();
  /// A uniform time in [low, high], rounded. Uses no random number if `low` equals `high`.
  Time between(Time low, Time high);

 private:
  using State = std::array<std::uint64_t, 3>;
  State first_;
  State second_;
};

}  // namespace ina::cluster
