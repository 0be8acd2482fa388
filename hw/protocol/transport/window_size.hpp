// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>
#include <limits>

namespace ina {

/// Of a window, in packets, as TCP changes it (RFC 5681): it grows fast up to a threshold, which
/// the last cut set, and slowly above. The limit is also the first threshold.
class WindowSize {
 public:
  /// `max_packets`: 0 for no limit.
  WindowSize(std::uint32_t initial_packets, std::uint32_t max_packets)
      : max_(max_packets == 0 ? std::numeric_limits<std::uint32_t>::max() : max_packets),
        packets_(std::min(initial_packets, max_)),
        threshold_(max_) {}

  std::uint32_t packets() const { return packets_; }

  /// By `step` packets below the threshold, and by one above it whenever the `credits` make a
  /// window.
  void grow(std::uint32_t step, std::uint32_t credits) {
    if (packets_ == max_) return;
    if (packets_ < threshold_) {
      packets_ += std::min(step, threshold_ - packets_);
    } else {
      credit_ += credits;
      if (credit_ >= packets_) {
        credit_ -= packets_;
        ++packets_;
      }
    }
    packets_ = std::min(packets_, max_);
  }

  void cut_to(std::uint32_t packets) {
    packets_ = std::max(packets, 1U);
    threshold_ = packets_;
    credit_ = 0;
  }

  /// With one packet, and half of what it was as the threshold.
  void begin_again() {
    threshold_ = std::max(packets_ / 2, 2U);
    packets_ = 1;
    credit_ = 0;
  }

 private:
  std::uint32_t max_;
  std::uint32_t packets_;
  std::uint32_t threshold_;
  std::uint32_t credit_ = 0;  ///< packets of a window, spread over its acknowledgements

  BOOST_DESCRIBE_CLASS(WindowSize, (), (), (), (packets_, threshold_, credit_))
};

}  // namespace ina
