// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>

#include "hw/protocol/transport/window_size.hpp"

namespace ina {

/// ATP 3.7: AIMD over packets in flight. The window grows by one MTU (5 packets) per ACK below the
/// slow-start threshold, and by one MTU per window above, if enough of it is used (WindowSize). It
/// halves at most once per window of ACKs. The limit is also the first threshold. A limit is
/// needed, because a worker that waits for a slower one sees no mark, and its window would grow
/// until all its packets are in the switch.
class CongestionWindow {
 public:
  struct Config {
    std::uint32_t initial_packets = 200;
    /// Packets that the network holds at 100 Gbps with frames of 306 bytes: 10 us of packets on
    /// their way to the server and back, plus 60 KB in a queue, which is where marks begin. 0: no
    /// limit.
    std::uint32_t max_packets = 604;
    bool enabled = true;  ///< false: the window stays constant

    bool operator==(const Config&) const = default;
  };

  explicit CongestionWindow(const Config& config)
      : enabled_(config.enabled), size_(config.initial_packets, config.max_packets) {}

  std::uint32_t packets() const { return size_.packets(); }

  /// A result arrived for one of `in_flight` packets. `congested`: it indicates congestion, as an
  /// ECN mark does.
  void acknowledged(bool congested, std::uint32_t in_flight) {
    if (!enabled_) return;
    if (acks_until_next_halving_ > 0) --acks_until_next_halving_;
    if (congested) {
      halve();
    } else {
      size_.grow(kMtuPackets, kMtuPackets, in_flight);
    }
  }

  /// A loss was detected (three out-of-order ACKs).
  void lost() {
    if (enabled_) halve();
  }

 private:
  static constexpr std::uint32_t kMtuPackets = 5;

  void halve() {
    if (acks_until_next_halving_ > 0) return;
    // The packets that are now in flight can only report the same congestion again.
    acks_until_next_halving_ = packets();
    size_.cut_to(packets() / 2);
  }

  BOOST_DESCRIBE_CLASS(CongestionWindow, (), (), (), (size_, acks_until_next_halving_))

  bool enabled_;
  WindowSize size_;
  std::uint32_t acks_until_next_halving_ = 0;
};

}  // namespace ina
