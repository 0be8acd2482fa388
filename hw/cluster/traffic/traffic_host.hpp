// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "hw/cluster/traffic/flow_schedule.hpp"
#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/flow.hpp"
#include "hw/protocol/transport/tcp_window.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::cluster::traffic {

/// Payload of a TCP segment that fills Ethernet's MTU of 1500 bytes, without TCP options.
inline constexpr std::uint64_t kSegmentBytes = 1460;

/// Is told what the flows of background traffic deliver.
class FlowObserver {
 public:
  virtual ~FlowObserver() = default;
  /// `bytes` more of the flow have arrived in order.
  virtual void received(std::uint64_t flow, std::uint64_t bytes, Time now) = 0;
};

/// The background traffic of one host: flows like those of TCP, and datagrams at a rate. Its frames
/// belong to no job (kNoJob), have no values, and are as large as TCP's or UDP's packets in
/// Ethernet. Frame::psn is the number of the flow.
///
/// A flow begins with a frame without payload and the acknowledgement of that frame, as TCP begins
/// with its handshake. The receiver acknowledges each second segment, and at once each segment that
/// is out of order, that is marked differently from the one before, or whose sender asks for it.
/// Frames wait in a queue of the host in the order in which the windows allowed them. While the
/// queue is full, flows wait, and datagrams are dropped.
class TrafficHost {
 public:
  struct Config {
    TcpWindow::Config window;  ///< without max_packets, which follows from buffer_bytes
    Time min_rto = std::chrono::milliseconds(1);
    Time first_rto = std::chrono::milliseconds(1);  ///< time-out before the first round trip
    std::uint64_t buffer_bytes = 4'000'000;         ///< send buffer and receive buffer of a flow
  };
  /// Datagrams of `bytes` of payload at a rate, during phases with pauses between them.
  struct OnOff {
    Time interval{};  ///< between two datagrams
    Time on{};
    Time off{};
    std::uint16_t bytes = 0;
  };

  TrafficHost(HostId address, const Config& config, FlowObserver& observer);

  /// Starts a flow from this host.
  void start(const Flow& flow, Time now);
  /// Starts sending datagrams from this host.
  void start(const Flow& flow, const OnOff& on_off, Time now);
  /// Prepares for a flow to this host. Call this before its first frame arrives.
  void expect(const Flow& flow);

  void receive(const Frame& frame, Time now);
  /// Writes the next frame to `out`. Returns false if there is none.
  bool next(Frame& out, Time now);
  /// A lower bound of the time at which expire() is due; kNever if nothing is.
  Time deadline() const { return deadline_; }
  void expire(Time now);

  /// Drops the queued frames, and sends none any more.
  void stop();

 private:
  struct Sending {
    Flow flow;
    TcpSender sender;
    std::uint64_t segments;  ///< number of frames, including the first one
    bool is_held_up = false;
  };
  struct Receiving {
    HostId from;
    FlowReceiver receiver;
    std::uint64_t segments;
    std::uint64_t bytes;
    std::uint32_t unacknowledged = 0;  ///< segments in order
    bool marked = false;               ///< whether these have marks
    Time since{};                      ///< arrival of the first of these
  };
  struct Datagrams {
    Flow flow;
    OnOff on_off;
    Time next;
    Time phase_end;
  };
  /// A segment whose acknowledgement is delayed.
  struct Delayed {
    std::uint32_t flow;
    Time since;
  };

  Frame frame_to(std::uint32_t host, std::uint64_t flow, FrameKind kind, std::uint64_t bytes) const;
  bool is_full() const;
  void enqueue(const Frame& frame);
  void send_held_up(Time now);
  void send_allowed(Sending& sending, Time now);
  void acknowledged(const Frame& frame, Time now);
  void take(const Frame& frame, Receiving& flow, Time now);
  void deliver(std::uint64_t number, const Receiving& flow, std::uint32_t before, Time now);
  void answer(HostId host, std::uint32_t flow, const Acknowledgement& acknowledgement);
  void answer_waiting(std::uint32_t number, Receiving& flow);
  void send_datagrams(Datagrams& datagrams, Time now);
  void expire_delayed(Time now);
  std::uint16_t credit() const;

  HostId address_;
  Config config_;
  Time longest_silence_;
  FlowObserver& observer_;
  boost::unordered_flat_map<std::uint32_t, Sending> sending_;      // by number of the flow
  boost::unordered_flat_map<std::uint32_t, Receiving> receiving_;  // by number of the flow
  std::vector<Datagrams> datagrams_;
  GrowingRing<Delayed> delayed_;  // ordered by time
  GrowingRing<Frame> queue_;
  GrowingRing<std::uint32_t> held_up_;  // flows that wait for room in the queue
  Time deadline_ = kNever;
  bool stopped_ = false;
};

}  // namespace ina::cluster::traffic
