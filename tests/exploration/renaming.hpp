// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "hw/protocol/wire/frame.hpp"

namespace ina::exploration {

/// Permutation of the workers' ranks, the same for every job. Workers differ only in their ranks,
/// so a property holds in a state if and only if it holds in the renamed state.
class Renaming {
 public:
  static constexpr std::size_t kMostWorkers = 4;

  Renaming(std::uint16_t workers, std::uint16_t jobs) : workers_(workers), jobs_(jobs) {
    for (std::uint16_t rank = 0; rank < kMostWorkers; ++rank) to_[rank] = rank;
  }
  /// All permutations. The first one is the identity.
  static std::vector<Renaming> all(std::uint16_t workers, std::uint16_t jobs) {
    std::vector<Renaming> renamings{Renaming(workers, jobs)};
    for (Renaming next = renamings.front();
         std::next_permutation(next.to_.begin(), next.to_.begin() + workers);) {
      renamings.push_back(next);
    }
    return renamings;
  }

  std::uint16_t rank(std::uint16_t rank) const { return to_[rank]; }
  /// The worker whose new rank is `renamed`.
  std::uint16_t worker_of(std::uint16_t renamed) const {
    return static_cast<std::uint16_t>(std::ranges::find(to_, renamed) - to_.begin());
  }
  HostId host(HostId host) const {
    if (host >= workers_ * jobs_) return host;
    const std::uint16_t rank = host % workers_;
    return static_cast<HostId>(host - rank + to_[rank]);
  }
  std::uint32_t bitmap(std::uint32_t bits) const { return moved(bits, 1); }
  /// Renames a sum of contributions, in which each worker has one byte.
  std::uint32_t sum(std::uint32_t value) const { return moved(value, 8); }

 private:
  std::uint32_t moved(std::uint32_t x, unsigned width) const {
    const std::uint32_t lane = (1U << width) - 1;
    // The bytes of four workers take all 32 bits.
    const std::uint64_t lanes = (std::uint64_t{1} << (width * workers_)) - 1;
    auto result = static_cast<std::uint32_t>(x & ~lanes);
    for (std::uint16_t rank = 0; rank < workers_; ++rank) {
      result |= (x >> (width * rank) & lane) << (width * to_[rank]);
    }
    return result;
  }

  std::uint16_t workers_;
  std::uint16_t jobs_;
  std::array<std::uint16_t, kMostWorkers> to_{};
};

}  // namespace ina::exploration
