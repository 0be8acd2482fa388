// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/hashed_worker.hpp"
#include "hw/protocol/transport/result_order.hpp"

namespace ina {

/// The worker of ATP (3.6 and 3.7). It sends a window of gradient packets. After a collision, a
/// parameter packet (result) names another aggregator for later fragments. After three results out
/// of order or a time-out, the worker sends a fragment again, with `resend`.
class AtpWorker final : public HashedWorker {
 public:
  struct Config {
    wire::AddressingConfig addressing{.scheme = wire::AddressingScheme::table, .rehash = true};
    CongestionWindow::Config window;
    Time min_rto = std::chrono::milliseconds(1);
    Time first_rto{};  ///< time-out before the first round trip, if larger than min_rto
    std::uint32_t values_per_packet = wire::kFragmentValues;
    /// Whether a float result halves the window, as an ECN mark does. The default follows ATP,
    /// where overflows of less than 0.1 % cost nothing (3.8).
    bool overflow_is_congestion = false;

    bool operator==(const Config&) const = default;
  };

  AtpWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
            ResultSink& sink);

  void receive(const Frame& frame, Time now) override {
    receive_by_kind(frame, [this, &frame, now] { receive_result(frame, now); });
  }

 private:
  void receive_result(const Frame& frame, Time now);
  bool leaves_a_sum(const Frame& result);
  void make_retransmission(Psn psn, Frame& out, Time now) override;
  bool tells_of_congestion(const Frame& result) const {
    return result.has(flag::ecn) || (overflow_is_congestion_ && result.has(flag::floats));
  }

  BOOST_DESCRIBE_CLASS(AtpWorker, (HashedWorker), (), (), (order_))

  bool overflow_is_congestion_;
  ResultOrder order_;
};

// The fast path is defined here: callers that know the concrete class inline it into one function.

inline void AtpWorker::receive_result(const Frame& frame, Time now) {
  if (frame.source != identity_.servers.of(frame.psn)) {
    ++statistics_.rejected_frames;
    return;
  }
  addressing_.result_came(frame);
  if (leaves_a_sum(frame)) return queue_retransmission(frame.psn);
  const bool expected = order_.is_expected(frame.psn, identity_.servers, tracker_);
  const FragmentTracker::Done done = deliver(frame, hold(), now);
  if (!done.first) return;
  addressing_.delivered(frame);
  sample_round_trip(done, frame, now);
  window_.acknowledged(tells_of_congestion(frame), tracker_.in_flight() + 1);
  if (order_.tells_of_a_loss(frame.psn, identity_.servers, expected)) {
    window_.lost();
    got_lost(order_.take_oldest(frame.psn, identity_.servers, tracker_));
  }
}

/// Whether the result may leave this worker's packet in an aggregator. Workers learn of a rehash at
/// different times, so racks may use different indices for one task. A result frees only
/// aggregators with its own index. The answer to a retransmission has the worker's index.
inline bool AtpWorker::leaves_a_sum(const Frame& result) {
  const bool others_have_another_switch = identity_.path.fan_in_degree0 < identity_.workers;
  return others_have_another_switch && missed_own_aggregator(result);
}

}  // namespace ina
