// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "hw/protocol/transport/dctcp_window.hpp"
#include "hw/protocol/transport/result_order.hpp"
#include "hw/protocol/transport/windowed_worker.hpp"

namespace ina {

/// The worker of a plain parameter server. It sends a window of gradient packets to the server,
/// which answers each with the sum. As in ATP 3.7, it sends a packet again after three results out
/// of order, or after a time-out. The window reacts to marks and losses as in DCTCP, but not to
/// time-outs: most of these expire only because the sum waits for another worker.
class PsWorker final : public WindowedWorker {
 public:
  struct Config {
    CongestionWindow::Config window;
    Time min_rto = std::chrono::milliseconds(1);
    std::uint32_t values_per_packet = wire::kFragmentValues;
    Time first_rto{};  ///< time-out before the first round trip, if larger than min_rto

    bool operator==(const Config&) const = default;
  };

  PsWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool, ResultSink& sink)
      : WindowedWorker(identity, frame_bytes(wire::Format::ps, config.values_per_packet),
                       RtoEstimator(config.min_rto, config.first_rto), pool, sink),
        window_(window_of(identity, config), packets_of_an_mtu(config.values_per_packet)),
        order_(identity.servers.count()) {}

  std::uint32_t window() const override { return window_.packets(); }

  void receive(const Frame& frame, Time now) override {
    receive_by_kind(frame, [this, &frame, now] { receive_result(frame, now); });
  }

  bool next(Frame& out, Time now) override {
    if (next_pending(out, now)) return true;
    const Tensor* const tensor = next_within(window_.packets());
    if (tensor == nullptr) return false;
    send_next(*tensor, out, now);
    return true;
  }

 private:
  void receive_result(const Frame& frame, Time now) {
    if (frame.source != identity_.servers.of(frame.psn)) {
      ++statistics_.rejected_frames;
      return;
    }
    const bool expected = order_.is_expected(frame.psn, identity_.servers, tracker_);
    const FragmentTracker::Done done = deliver(frame, hold_of(window_.packets()), now);
    if (!done.first) return;
    sample_round_trip(done, frame, now);
    window_.acknowledged(1, frame.has(flag::ecn), tracker_.in_flight() + 1);
    if (order_.tells_of_a_loss(frame.psn, identity_.servers, expected)) {
      window_.lost(tracker_.in_flight());
      got_lost(order_.take_oldest(frame.psn, identity_.servers, tracker_));
    }
  }

  void make_retransmission(Psn psn, Frame& out, Time now) override {
    send_gradient(psn, out, now);
    out.set(flag::resend);
  }

  /// The window of a worker. If it reacts to marks, the workers share initial_packets per server at
  /// first. If each began with that many, a thousand workers would overflow a switch's buffer.
  static CongestionWindow::Config window_of(const WorkerIdentity& identity, const Config& config) {
    CongestionWindow::Config window = config.window;
    const auto servers = static_cast<std::uint32_t>(identity.servers.count());
    if (window.enabled && servers < identity.workers) {
      window.initial_packets =
          std::max(window.initial_packets * servers / identity.workers, std::uint32_t{1});
    }
    return window;
  }

  static std::uint32_t packets_of_an_mtu(std::uint32_t values_per_packet) {
    const auto most = static_cast<std::uint32_t>(wire::kMtuPsValues);
    const std::uint32_t rounded = (most + values_per_packet / 2) / values_per_packet;
    return std::max(rounded, std::uint32_t{1});  // a jumbo frame counts as one
  }

  BOOST_DESCRIBE_CLASS(PsWorker, (WindowedWorker), (), (), (window_, order_))

  DctcpWindow window_;
  ResultOrder order_;
};

}  // namespace ina
