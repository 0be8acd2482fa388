// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <limits>

namespace ina {

/// Size of a window in packets, as in TCP (RFC 5681). It grows fast below a threshold and slowly
/// above. Each cut sets the threshold. The initial threshold is the window's limit.
///
/// A window grows only if it is in use, since otherwise nothing shows that the network carries more
/// (RFC 7661). Above the threshold, all of it must be in flight. Below the threshold, half
/// suffices, as in Linux (tcp_is_cwnd_limited()): a host's interface queues few packets, so even a
/// sender with plenty of data fills a window that has grown only after a round trip.
class WindowSize {
 public:
  /// `max_packets`: 0 for no limit.
  WindowSize(std::uint32_t initial_packets, std::uint32_t max_packets)
      : max_(max_packets == 0 ? std::numeric_limits<std::uint32_t>::max() : max_packets),
        packets_(std::min(initial_packets, max_)),
        threshold_(max_) {}

  std::uint32_t packets() const { return packets_; }
  bool is_below_threshold() const { return packets_ < threshold_; }

  /// Grows the window after an acknowledgement. `in_flight` includes the acknowledged packets.
  /// Below the threshold, the window grows by `step` packets. Above it, the window grows by one
  /// packet whenever the sum of `credits` reaches the window.
  void grow(std::uint32_t step, std::uint32_t credits, std::uint32_t in_flight) {
    if (packets_ == max_) return;
    if (is_below_threshold()) {
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
