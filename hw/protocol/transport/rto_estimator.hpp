// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/backoff.hpp"

namespace ina {

/// Retransmission time-out from smoothed round trips (RFC 6298: EWMA of the mean and of the
/// deviation), never below a floor. DSA VI uses it for the workers' packets and for the server's
/// entries, both with a floor of 1 ms.
class RtoEstimator {
 public:
  /// `least_margin`: for what an answer may be late beside the deviation (RFC 6298 2.3: G), as is
  /// one that the receiver keeps back; the deviation of a network that does not change is 0.
  explicit RtoEstimator(Time floor, Time least_margin = Time::zero())
      : floor_(floor),
        // A round trip ends when the last worker's packet is in, hence holds the time-outs of the
        // others: without a limit the workers' time-outs would drive each other up.
        longest_(Backoff::doubled(floor, Backoff::kMostDoublings)),
        least_margin_(least_margin),
        undoubled_(floor) {}

  /// A round trip of a packet that was sent once (Karn: others are ambiguous).
  void sample(Time round_trip) {
    if (smoothed_ == Time::zero()) {
      smoothed_ = round_trip;
      deviation_ = round_trip / 2;
    } else {
      deviation_ += (std::chrono::abs(smoothed_ - round_trip) - deviation_) / 4;
      smoothed_ += (round_trip - smoothed_) / 8;
    }
    const Time timeout = smoothed_ + std::max(4 * deviation_, least_margin_);
    undoubled_ = std::min(std::max(timeout, floor_), longest_);
  }
  /// Doubled so often, and never more than 64 floors.
  Time timeout(std::size_t doublings = 0) const {
    if (doublings == 0) [[likely]]
      return undoubled_;
    return std::min(Backoff::doubled(undoubled_, doublings), longest_);
  }
  /// timeout() is never less.
  Time floor() const { return floor_; }
  Time smoothed() const { return smoothed_; }

 private:
  Time floor_;
  Time longest_;
  Time least_margin_;
  Time undoubled_;
  Time smoothed_{};
  Time deviation_{};
};

}  // namespace ina
