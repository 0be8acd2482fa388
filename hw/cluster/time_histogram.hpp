// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "hw/protocol/time.hpp"

namespace ina::cluster {

/// How many times fall into bins whose lengths grow with them: sixteen to each doubling, so that a
/// time is known to a sixteenth whatever it is, and a picosecond up to sixteen of these.
class TimeHistogram {
 public:
  struct Bin {
    Time from;
    Time until;  ///< not in it
    std::uint64_t count;
    Time mean;  ///< of those in it, rounded down
  };

  /// `time`: 0 or more.
  void add(Time time) {
    Sum& sum = sums_[bin_of(static_cast<std::uint64_t>(time.count()))];
    ++sum.count;
    sum.ps += static_cast<std::uint64_t>(time.count());
  }

  /// Those with something in them, the shortest times first.
  std::vector<Bin> bins() const {
    std::vector<Bin> bins;
    for (const auto& [bin, sum] : sums_) {
      bins.push_back({Time(from(bin)), Time(from(bin + 1)), sum.count,
                      Time(static_cast<std::int64_t>(sum.ps / sum.count))});
    }
    return bins;
  }

 private:
  static constexpr unsigned kBits = 4;
  static constexpr std::uint64_t kPerDoubling = 1U << kBits;

  /// Of all times in a bin, of which 64 bits would hold half a year.
  struct Sum {
    std::uint64_t count = 0;
    __extension__ unsigned __int128 ps = 0;
  };

  /// Below kPerDoubling the time itself, then the exponent with the bits behind the first one.
  static std::uint64_t bin_of(std::uint64_t ps) {
    if (ps < kPerDoubling) return ps;
    const auto shift = static_cast<unsigned>(std::bit_width(ps)) - kBits - 1;
    return (ps >> shift) + shift * kPerDoubling;
  }
  static std::int64_t from(std::uint64_t bin) {
    if (bin < 2 * kPerDoubling) return static_cast<std::int64_t>(bin);
    const std::uint64_t shift = bin / kPerDoubling - 1;
    return static_cast<std::int64_t>((bin - shift * kPerDoubling) << shift);
  }

  std::map<std::uint64_t, Sum> sums_;  // by number of the bin
};

}  // namespace ina::cluster
