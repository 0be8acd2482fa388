// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <string_view>

#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/dctcp_window.hpp"
#include "hw/protocol/transport/window_size.hpp"

namespace ina {

/// Congestion control of a TCP flow.
enum class FlowControl : std::uint8_t {
  cubic,
  dctcp,
  linux_reno,
  new_reno,
};
/// Names in the order of FlowControl.
inline constexpr std::array<std::string_view, 4> kFlowControlNames = {"cubic", "dctcp",
                                                                      "linux_reno", "new_reno"};

/// The growth of CUBIC's window between two cuts (RFC 9438, 4), in packets and seconds. In networks
/// with round trips of microseconds, the window nearly always follows the estimate of Reno's (4.3).
class CubicGrowth {
 public:
  /// Share of the window that remains after a cut.
  static constexpr double kBeta = 0.7;

  /// Number of acknowledged packets per packet of growth. `packets`: the window.
  double acknowledged_per_packet(std::uint32_t packets, std::uint32_t acknowledged, Time now,
                                 Time round_trip);
  /// The window of `packets` is cut.
  void cut(std::uint32_t packets);
  /// A time-out expired: the next epoch begins with the next growth.
  void begin_again() { epoch_begins_ = true; }

 private:
  void begin_epoch(std::uint32_t packets, Time now);

  BOOST_DESCRIBE_CLASS(CubicGrowth, (), (), (),
                       (largest_, origin_, plateau_s_, reno_, epoch_, epoch_begins_))

  double largest_ = 0;  // window before the last cut; 0 before the first one
  double origin_ = 0;   // window at which the cubic function has its plateau
  double plateau_s_ = 0;
  double reno_ = 0;  // estimate of Reno's window
  Time epoch_{};
  bool epoch_begins_ = true;
};

/// Ends slow start before the window overflows a queue: once the acknowledgements of a round come
/// for longer than half of the shortest round trip, the window nearly fills the network (HyStart's
/// detection by packet trains, as in Linux since 5.6). ns-3.37 compares the first acknowledgement
/// of a round with the begin of the round before, and so ends slow start at 16 segments.
class TrainDetector {
 public:
  /// Handles the acknowledgement of `packets` of `in_flight` ones. Returns whether slow start ends.
  bool ends_slow_start(std::uint32_t packets, std::uint32_t in_flight, std::uint32_t window,
                       Time now, Time round_trip);

 private:
  static constexpr std::uint32_t kLeastWindow = 16;

  BOOST_DESCRIBE_CLASS(TrainDetector, (), (), (), (shortest_, round_start_, until_round_end_))

  Time shortest_ = kNever;
  Time round_start_{};
  std::uint32_t until_round_end_ = 0;  // packets
};

/// The window of a TCP flow in segments, with one of several congestion controls. RFC 5681 and, for
/// marks, RFC 3168 apply, except where a control differs:
/// - dctcp: DctcpWindow.
/// - linux_reno: the window grows with each acknowledged segment, as in Linux.
/// - new_reno: the window grows with each acknowledgement, so more slowly if each of them stands
/// for
///   two segments, as in ns-3.
/// - cubic: CubicGrowth, TrainDetector.
class TcpWindow {
 public:
  struct Config {
    FlowControl control = FlowControl::dctcp;
    bool ecn = true;  ///< whether marks cut the window; always with dctcp
    std::uint32_t initial_packets = 10;
    std::uint32_t max_packets = 0;  ///< 0: no limit

    bool reacts_to_marks() const { return ecn || control == FlowControl::dctcp; }
  };

  static constexpr bool kFindsAllLosses = true;  ///< as in DctcpWindow

  explicit TcpWindow(const Config& config);

  std::uint32_t packets() const { return is_dctcp() ? dctcp_.packets() : size_.packets(); }

  /// Call this before acknowledged(). `round_trip`: of one of the acknowledged packets; zero if it
  /// is not known.
  void observe(Time now, Time round_trip) {
    now_ = now;
    round_trip_ = round_trip;
  }
  /// These are as in DctcpWindow.
  void acknowledged(std::uint32_t packets, bool marked, std::uint32_t in_flight);
  void lost(std::uint32_t in_flight);
  void timed_out();

 private:
  bool is_dctcp() const { return control_ == FlowControl::dctcp; }
  void grow(std::uint32_t packets, std::uint32_t in_flight);
  void grow_by_cubic(std::uint32_t packets, std::uint32_t in_flight);
  void cut(std::uint32_t in_flight);

  BOOST_DESCRIBE_CLASS(TcpWindow, (), (), (),
                       (dctcp_, size_, until_next_cut_, credit_, cubic_, train_))

  FlowControl control_;
  bool reacts_to_marks_;
  DctcpWindow dctcp_;
  WindowSize size_;
  std::uint32_t until_next_cut_ = 0;  // packets to acknowledge before the next cut
  double credit_ = 0;                 // acknowledged packets since cubic's last growth
  CubicGrowth cubic_;
  TrainDetector train_;
  Time now_{};  // of the last acknowledgement
  Time round_trip_{};
};

}  // namespace ina
