// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/transport/result_order.hpp"
#include "hw/protocol/transport/windowed_worker.hpp"

namespace ina {

/// The worker of a plain parameter server: a window of gradient packets that go to the server,
/// which answers each with the sum. Losses are recovered as ATP 3.7 has it: three results out of
/// order, or a time-out.
class PsWorker final : public WindowedWorker {
 public:
  struct Config {
    CongestionWindow::Config window;
    Time min_rto = std::chrono::milliseconds(1);

    bool operator==(const Config&) const = default;
  };

  PsWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool, ResultSink& sink)
      : WindowedWorker(wire::Protocol::ps, identity, config.window, config.min_rto, pool, sink),
        order_(identity.servers.count()) {}

  void receive(const Frame& frame, Time now) override {
    receive_by_kind(frame, [this, &frame, now] { receive_result(frame, now); });
  }

  bool next(Frame& out, Time now) override {
    if (next_pending(out, now)) return true;
    const Tensor* const tensor = next_of_window();
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
    const FragmentTracker::Done done = deliver(frame, now);
    if (!done.first) return;
    backoff_.progress();
    sample_round_trip(done, frame, now);
    window_.acknowledged(frame.has(flag::ecn), tracker_.in_flight() + 1);
    if (order_.tells_of_a_loss(frame.psn, identity_.servers, expected)) {
      got_lost(order_.take_oldest(frame.psn, identity_.servers, tracker_));
    }
  }

  void make_retransmission(Psn psn, Frame& out, Time now) override {
    send_gradient(psn, out, now);
    out.set(flag::resend);
  }

  BOOST_DESCRIBE_CLASS(PsWorker, (WindowedWorker), (), (), (order_))

  ResultOrder order_;
};

}  // namespace ina
