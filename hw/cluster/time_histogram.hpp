// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "hw/protocol/time.hpp"

namespace ina::cluster {

/// Histogram of times with logarithmic bins, sixteen per doubling. The width of a bin is thus at
/// most a sixteenth of its times. Times below 32 ps are exact.
class TimeHistogram {
 public:
  struct Bin {
    Time from;
    Time until;  ///< upper end, exclusive
    std::uint64_t count;
    Time mean;  ///< mean of the times in the bin, rounded down
  };

  /// `time`: 0 or more.
  void add(Time time) {
    Sum& sum = sums_[bin_of(static_cast<std::uint64_t>(time.count()))];
    ++sum.count;
    sum.ps += static_cast<std::uint64_t>(time.count());
  }

  /// Non-empty bins, in ascending order.
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

  /// Number and sum of the times in a bin. A sum of 64 bits would overflow after half a year.
  struct Sum {
    std::uint64_t count = 0;
    __extension__ unsigned __int128 ps = 0;
  };

  /// Number of a time's bin. Below kPerDoubling it is the time itself. Otherwise it is composed of
  /// the time's exponent and the bits after the leading one.
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

  std::map<std::uint64_t, Sum> sums_;  // by bin
};

}  // namespace ina::cluster
