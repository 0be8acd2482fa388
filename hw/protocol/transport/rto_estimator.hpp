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
/// doubled until a round trip was measured (5.5 to 5.7). If any progress ended the doubling, a
/// sender whose round trips exceed its time-out would send all packets twice and never measure one.
/// DSA VI uses it for the workers' packets and for the server's entries, both with a floor of 1 ms.
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

  /// Adds a round trip of a packet that was sent once (Karn: others are ambiguous).
  void sample(Time round_trip) {
    if (smoothed_ == Time::zero()) {
      smoothed_ = round_trip;
      deviation_ = round_trip / 2;
    } else {
      deviation_ += (std::chrono::abs(smoothed_ - round_trip) - deviation_) / 4;
      smoothed_ += (round_trip - smoothed_) / 8;
    }
    // RFC 6298 2.3 has a margin of at least G. In a network that does not change, the deviation is
    // 0. A sum may then wait for a worker whose window delays its packet by a round trip.
    const Time timeout = smoothed_ + std::max(4 * deviation_, smoothed_);
    undoubled_ = std::min(std::max(timeout, floor_), longest_);
    end_doubling();
  }
  /// A result arrived; used if the time-out does not follow round trips.
  void end_doubling() {
    backoff_.progress();
    timeout_ = undoubled_;
    doubled_at_ = Time::zero();
  }
  /// A packet that was sent at `sent` got no answer. Packets that were sent before the last
  /// doubling were lost together with others, and do not double the time-out again.
  void expired(Time sent, Time now) {
    if (sent < doubled_at_) return;
    backoff_.expired();
    before_ = timeout_;
    timeout_ = timeout(backoff_.doublings());
    doubled_at_ = now;
  }

  /// Time-out of a packet that is sent now.
  Time timeout() const { return timeout_; }
  /// Time at which a packet that was sent at `sent` expires: by the time-out of that time, unless a
  /// sample has changed it since.
  Time deadline(Time sent) const { return sent + (sent < doubled_at_ ? before_ : timeout_); }
  /// The time-out after this many doublings, at most 64 times the first one, for callers that count
  /// by themselves.
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
  Time before_{};  // time-out before the last doubling, at doubled_at_
  Time doubled_at_{};
  Time smoothed_{};
  Time deviation_{};
  Backoff backoff_;
};

}  // namespace ina
