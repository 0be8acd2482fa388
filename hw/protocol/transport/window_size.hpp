// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <limits>

namespace ina {

/// Size of a window in packets, as in TCP (RFC 5681). It grows fast up to a threshold, which the
/// last cut has set, and slowly above. The window's limit is also the initial threshold.
///
/// A window grows only if it is used, since otherwise nothing shows that a larger one would do (RFC
/// 7661). Below the threshold, half of it must be in flight, as in Linux (tcp_is_cwnd_limited()):
/// a host's interface queues few packets, so even a sender with plenty of data fills a window only
/// after a round trip. Above the threshold, all of it must be in flight.
class WindowSize {
 public:
  /// `max_packets`: 0 for no limit.
  WindowSize(std::uint32_t initial_packets, std::uint32_t max_packets)
      : max_(max_packets == 0 ? std::numeric_limits<std::uint32_t>::max() : max_packets),
        packets_(std::min(initial_packets, max_)),
        threshold_(max_) {}

  std::uint32_t packets() const { return packets_; }

  /// Grows the window for an acknowledgement. `in_flight` includes the packets that it
  /// acknowledges. Below the threshold the window grows by `step` packets, and above it by one
  /// packet whenever the sum of `credits` reaches the window.
  void grow(std::uint32_t step, std::uint32_t credits, std::uint32_t in_flight) {
    if (packets_ == max_) return;
    if (packets_ < threshold_) {
      const std::uint32_t most = std::min(threshold_, std::max(2 * in_flight, packets_));
      packets_ += std::min(step, most - packets_);
    } else if (in_flight >= packets_) {
      credit_ += credits;
      if (credit_ < packets_) return;
      credit_ -= packets_;
      ++packets_;
    }
  }

  void cut_to(std::uint32_t packets) {
    packets_ = std::max(packets, 1U);
    threshold_ = packets_;
    credit_ = 0;
  }

  /// Reduces the window to one packet, and sets the threshold to half of the previous size.
  void begin_again() {
    threshold_ = std::max(packets_ / 2, 2U);
    packets_ = 1;
    credit_ = 0;
  }

 private:
  std::uint32_t max_;
  std::uint32_t packets_;
  std::uint32_t threshold_;
  std::uint32_t credit_ = 0;  ///< sum of `credits` since the last growth above the threshold

  BOOST_DESCRIBE_CLASS(WindowSize, (), (), (), (packets_, threshold_, credit_))
};

}  // namespace ina
