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
/// doubled until a round trip was measured (5.5 to 5.7): a sender whose round trips are longer than
/// its time-out sends all packets twice, and would measure none if any progress ended that. DSA VI
/// uses it for the workers' packets and for the server's entries, both with a floor of 1 ms.
class RtoEstimator {
 public:
  /// `first`: the time-out before any sample, if that is above the floor.
  explicit RtoEstimator(Time floor, Time first = Time::zero())
      : floor_(floor),
        undoubled_(std::max(floor, first)),
        // A round trip ends when the last worker's packet is in, hence holds the time-outs of the
        // others: without a limit the workers' time-outs would drive each other up.
        longest_(Backoff::doubled(undoubled_, Backoff::kMostDoublings)),
        timeout_(undoubled_) {}

  /// A round trip of a packet that was sent once (Karn: others are ambiguous).
  void sample(Time round_trip) {
    if (smoothed_ == Time::zero()) {
      smoothed_ = round_trip;
      deviation_ = round_trip / 2;
    } else {
      deviation_ += (std::chrono::abs(smoothed_ - round_trip) - deviation_) / 4;
      smoothed_ += (round_trip - smoothed_) / 8;
    }
    // RFC 6298 2.3 has a margin of G at least. The deviation of a network that does not change is
    // 0; then a sum waits for a worker whose window lets its packet go a round trip later.
    const Time timeout = smoothed_ + std::max(4 * deviation_, smoothed_);
    undoubled_ = std::min(std::max(timeout, floor_), longest_);
    end_doubling();
  }
  /// A result has come, where the time-out does not follow round trips.
  void end_doubling() {
    backoff_.progress();
    timeout_ = undoubled_;
    doubled_at_ = Time::zero();
  }
  /// A packet that was sent at `sent` had no answer. Those that were sent before the time-out
  /// doubled last, and got lost with others then, do not double it once more.
  void expired(Time sent, Time now) {
    if (sent < doubled_at_) return;
    backoff_.expired();
    before_ = timeout_;
    timeout_ = timeout(backoff_.doublings());
    doubled_at_ = now;
  }

  /// The time-out of a packet that is sent now.
  Time timeout() const { return timeout_; }
  /// When a packet expires that was sent at `sent`: by the time-out of that time, unless a sample
  /// has changed it since.
  Time deadline(Time sent) const { return sent + (sent < doubled_at_ ? before_ : timeout_); }
  /// Doubled so often, and never more than 64 first ones: for those who count on their own.
  Time timeout(std::size_t doublings) const {
    return std::min(Backoff::doubled(undoubled_, doublings), longest_);
  }
  /// timeout() is never less.
  Time floor() const { return floor_; }
  Time smoothed() const { return smoothed_; }

 private:
  Time floor_;
  Time undoubled_;
  Time longest_;
  Time timeout_;
  Time before_{};  // it doubled last, at doubled_at_
  Time doubled_at_{};
  Time smoothed_{};
  Time deviation_{};
  Backoff backoff_;
};

}  // namespace ina
