// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>

#include "hw/protocol/transport/window_size.hpp"

namespace ina {

/// ATP's congestion window (3.7), AIMD on the number of packets in flight. If enough of it is in
/// use (WindowSize), it grows: below the slow-start threshold by one MTU (5 packets) per ACK, above
/// the threshold by one MTU per window. It halves at most once per window of ACKs. max_packets
/// limits it, and is also the initial threshold. The limit is needed because a worker that waits
/// for slower ones sees no marks: its packets would fill the switch.
class CongestionWindow {
 public:
  struct Config {
    std::uint32_t initial_packets = 200;
    /// 0: no limit. The default is the number of 306-byte packets that the network holds at 100
    /// Gbps: those sent in 10 us, the round trip to the server, plus 60 KB in a queue, the
    /// threshold of ECN marks.
    std::uint32_t max_packets = 604;
    bool enabled = true;  ///< false: the window stays constant

    bool operator==(const Config&) const = default;
  };

  explicit CongestionWindow(const Config& config)
      : enabled_(config.enabled), size_(config.initial_packets, config.max_packets) {}

  std::uint32_t packets() const { return size_.packets(); }

  /// Handles the result of one of `in_flight` packets. `congested`: whether the result indicates
  /// congestion, for example by an ECN mark.
  void acknowledged(bool congested, std::uint32_t in_flight) {
    if (!enabled_) return;
    if (acks_until_next_halving_ > 0) --acks_until_next_halving_;
    if (congested) {
      halve();
    } else {
      size_.grow(kMtuPackets, kMtuPackets, in_flight);
    }
  }

  /// Handles a loss that three out-of-order ACKs revealed.
  void lost() {
    if (enabled_) halve();
  }

 private:
  static constexpr std::uint32_t kMtuPackets = 5;

  void halve() {
    if (acks_until_next_halving_ > 0) return;
    // Packets that are already in flight can only report the same congestion again.
    acks_until_next_halving_ = packets();
    size_.cut_to(packets() / 2);
  }

  BOOST_DESCRIBE_CLASS(CongestionWindow, (), (), (), (size_, acks_until_next_halving_))

  bool enabled_;
  WindowSize size_;
  std::uint32_t acks_until_next_halving_ = 0;
};

}  // namespace ina
