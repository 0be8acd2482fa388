// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/backoff.hpp"

namespace ina {

/// Retransmission time-out from smoothed round trips (RFC 6298: EWMA of the mean and of the
/// deviation), never below a floor or two round trips. It doubles when it expires, and stays
/// doubled until sample() or end_doubling() (5.5 to 5.7). A sender that uses sample() must not call
/// end_doubling() itself: if round trips exceeded the time-out, it would send every packet twice
/// and never get a sample. DSA VI has a floor of 1 ms at workers and servers.
class RtoEstimator {
 public:
  /// `first`: time-out before the first sample, if larger than the floor.
  explicit RtoEstimator(Time floor, Time first = Time::zero())
      : floor_(floor),
        undoubled_(std::max(floor, first)),
        // A round trip ends after the last worker's packet, and so includes time-outs of other
        // workers. Without a limit, the workers would drive each other's time-outs up.
        longest_(Backoff::doubled(undoubled_, Backoff::kMostDoublings)),
        timeout_(undoubled_) {}

  /// Adds the round trip of a packet that was sent only once (Karn's rule).
  void sample(Time round_trip) {
    if (smoothed_ == Time::zero()) {
      smoothed_ = round_trip;
      deviation_ = round_trip / 2;
    } else {
      deviation_ += (std::chrono::abs(smoothed_ - round_trip) - deviation_) / 4;
      smoothed_ += (round_trip - smoothed_) / 8;
    }
    // The margin is at least one round trip, not RFC 6298's clock granularity (2.3). Even if the
    // deviation is 0, a sum may wait one round trip for a worker whose window was full.
    const Time timeout = smoothed_ + std::max(4 * deviation_, smoothed_);
    undoubled_ = std::min(std::max(timeout, floor_), longest_);
    end_doubling();
  }
  /// Call this at each result if the time-out is fixed, so that there is no sample().
  void end_doubling() {
    backoff_.progress();
    timeout_ = undoubled_;
    doubled_at_ = Time::zero();
  }
  /// Call this when a packet that was sent at `sent` has expired. It does not double the time-out
  /// if the packet was sent before the last doubling: one loss of several packets counts once.
  void expired(Time sent, Time now) {
    if (sent < doubled_at_) return;
    backoff_.expired();
    before_ = timeout_;
    timeout_ = timeout(backoff_.doublings());
    doubled_at_ = now;
  }

  /// Time-out of a packet that is sent now.
  Time timeout() const { return timeout_; }
  /// Time at which a packet expires. If it was sent before the last doubling, the time-out from
  /// before that doubling applies, otherwise the current one. Earlier time-outs are not kept.
  Time deadline(Time sent) const { return sent + (sent < doubled_at_ ? before_ : timeout_); }
  /// The time-out after `doublings` doublings, at most 64 times the initial time-out. It is for
  /// callers that count doublings themselves.
  Time timeout(std::size_t doublings) const {
    return std::min(Backoff::doubled(undoubled_, doublings), longest_);
  }
  /// Lower bound of timeout().
  Time floor() const { return floor_; }
  Time smoothed() const { return smoothed_; }

 private:
  Time floor_;
  Time undoubled_;
  Time longest_;
  Time timeout_;
  Time before_{};  // time-out until the last doubling, at doubled_at_
  Time doubled_at_{};
  Time smoothed_{};
  Time deviation_{};
  Backoff backoff_;
};

}  // namespace ina
