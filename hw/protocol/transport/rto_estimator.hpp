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
/// doubled until sample() or end_doubling() (5.5 to 5.7). A sender that measures round trips must
/// not call end_doubling() on other progress: if its round trips exceeded its time-out, it would
/// send all packets twice and never measure one. DSA VI has a floor of 1 ms at workers and servers.
class RtoEstimator {
 public:
  /// `first`: time-out before any sample, if larger than the floor.
  explicit RtoEstimator(Time floor, Time first = Time::zero())
      : floor_(floor),
        undoubled_(std::max(floor, first)),
        // A round trip ends when the last worker's packet has arrived, so it includes the time-outs
        // of the others. Without a limit the workers' time-outs would drive each other up.
        longest_(Backoff::doubled(undoubled_, Backoff::kMostDoublings)),
        timeout_(undoubled_) {}

  /// Adds a round trip of a packet that was sent a single time (Karn: others are ambiguous).
  void sample(Time round_trip) {
    if (smoothed_ == Time::zero()) {
      smoothed_ = round_trip;
      deviation_ = round_trip / 2;
    } else {
      deviation_ += (std::chrono::abs(smoothed_ - round_trip) - deviation_) / 4;
      smoothed_ += (round_trip - smoothed_) / 8;
    }
    // The margin is at least one round trip, not RFC 6298's G (2.3): the deviation may be 0, but a
    // sum may still wait for a worker whose window delays its packet by a round trip.
    const Time timeout = smoothed_ + std::max(4 * deviation_, smoothed_);
    undoubled_ = std::min(std::max(timeout, floor_), longest_);
    end_doubling();
  }
  /// Call this when a result arrives, if the time-out does not follow round trips.
  void end_doubling() {
    backoff_.progress();
    timeout_ = undoubled_;
    doubled_at_ = Time::zero();
  }
  /// Call this when a packet that was sent at `sent` has expired. It does not double the time-out
  /// if the packet was sent before the last doubling, since it was lost together with others.
  void expired(Time sent, Time now) {
    if (sent < doubled_at_) return;
    backoff_.expired();
    before_ = timeout_;
    timeout_ = timeout(backoff_.doublings());
    doubled_at_ = now;
  }

  /// Time-out of a packet that is sent now.
  Time timeout() const { return timeout_; }
  /// Time at which a packet that was sent at `sent` expires, by the current time-out, or by the one
  /// before the last doubling if it was sent before that. Earlier time-outs are not kept.
  Time deadline(Time sent) const { return sent + (sent < doubled_at_ ? before_ : timeout_); }
  /// The time-out after this many doublings, at most 64 times the initial one, for callers that
  /// count doublings themselves.
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
