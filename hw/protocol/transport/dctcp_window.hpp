// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>

#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/transport/window_size.hpp"

namespace ina {

/// A window in packets that reacts to ECN marks and losses like DCTCP (SIGCOMM 2010, 3.3; RFC
/// 8257). F is the share of marked packets in a window:
///
///     alpha <- (1 - g) alpha + g F         once a window, g = 1/16         (1)
///     window <- window (1 - alpha / 2)     if there were marks, once a window (2)
///
/// In all other respects it is TCP's window (RFC 5681). If enough of it is in use (WindowSize), it
/// grows: below the slow-start threshold by one packet per acknowledged packet, above it by one
/// segment per window. A loss halves it, at most once per window. A time-out cuts it to one packet.
class DctcpWindow {
 public:
  using Config = CongestionWindow::Config;
  /// Whether acknowledgements out of order reveal the loss of all packets that were sent before the
  /// acknowledged ones (RFC 6675), or only of the oldest one.
  static constexpr bool kFindsAllLosses = false;

  /// `segment`: growth per window, in packets. For small packets, pass the number that fits an MTU.
  /// Otherwise the window recovers from a cut several times more slowly than TCP's.
  explicit DctcpWindow(const Config& config, std::uint32_t segment = 1)
      : enabled_(config.enabled),
        segment_(segment),
        size_(config.initial_packets, config.max_packets),
        window_end_(packets()) {}

  std::uint32_t packets() const { return size_.packets(); }
  /// Smoothed share of marked packets. It starts at 1 (RFC 8257, 4.2).
  double alpha() const { return alpha_; }

  /// Handles an acknowledgement of `packets` of the `in_flight` packets. `marked`: whether the
  /// acknowledged packets had ECN marks.
  void acknowledged(std::uint32_t packets, bool marked, std::uint32_t in_flight) {
    if (!enabled_) return;
    until_next_cut_ -= std::min(packets, until_next_cut_);
    observe(packets, marked, in_flight);
    if (marked) {
      cut(1 - alpha_ / 2, in_flight);
    } else {
      size_.grow(packets, packets * segment_, in_flight);
    }
  }

  /// Handles a loss that acknowledgements of later packets revealed.
  void lost(std::uint32_t in_flight) {
    if (enabled_) cut(kHalf, in_flight);
  }

  /// A time-out expired.
  void timed_out() {
    if (enabled_ && packets() > 1) size_.begin_again();
  }

 private:
  static constexpr double kGain = 1.0 / 16;
  static constexpr double kHalf = 0.5;

  void observe(std::uint32_t packets, bool marked, std::uint32_t in_flight) {
    acknowledged_ += packets;
    if (marked) marked_ += packets;
    if (acknowledged_ < window_end_) return;
    alpha_ = (1 - kGain) * alpha_ + kGain * marked_ / acknowledged_;
    acknowledged_ = marked_ = 0;
    window_end_ = in_flight;
  }

  /// Does nothing until all packets that were in flight at the last cut are acknowledged.
  void cut(double factor, std::uint32_t in_flight) {
    if (until_next_cut_ > 0) return;
    until_next_cut_ = in_flight;
    size_.cut_to(static_cast<std::uint32_t>(packets() * factor));
  }

  BOOST_DESCRIBE_CLASS(DctcpWindow, (), (), (),
                       (size_, alpha_, acknowledged_, marked_, window_end_, until_next_cut_))

  bool enabled_;
  std::uint32_t segment_;
  WindowSize size_;
  double alpha_ = 1;
  std::uint32_t acknowledged_ = 0;    ///< packets since alpha was last updated
  std::uint32_t marked_ = 0;          ///< number of marked packets among these
  std::uint32_t window_end_;          ///< number of packets after which alpha is updated
  std::uint32_t until_next_cut_ = 0;  ///< packets to acknowledge before the next cut
};

}  // namespace ina
