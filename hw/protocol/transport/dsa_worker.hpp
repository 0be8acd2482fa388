// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/hashed_worker.hpp"

namespace ina {

/// Worker of DSA (sections III to VI of the paper). It sends a window of gradient packets with
/// priorities. Results come from the switch or from the server, in any order. After three
/// retransmissions of a packet, it asks the server to send a reminder. A retransmission is marked
/// `resend` and never reserves an aggregator. Otherwise, a late retransmission would occupy an
/// aggregator until a collision (the paper's memory leak).
class DsaWorker final : public HashedWorker {
 public:
  struct Config {
    wire::AddressingConfig addressing{.scheme = wire::AddressingScheme::hash};
    /// The maximum fills the path to the switch and back (5 us at 100 Gbps) and a queue of 16 kB at
    /// the host. The path to the server does not count: all workers share the server's link.
    CongestionWindow::Config window{196, 256, true};
    Time min_rto = std::chrono::milliseconds(1);
    Time first_rto{};  ///< time-out before the first round trip, if larger than min_rto
    std::uint32_t values_per_packet = wire::kFragmentValues;

    bool operator==(const Config&) const = default;
  };

  DsaWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
            ResultSink& sink);

  void receive(const Frame& frame, Time now) override {
    receive_by_kind(frame, [this, &frame, now] { receive_result(frame, now); });
  }

 private:
  void receive_result(const Frame& frame, Time now);
  void timed_out(Psn psn, Time now) override;
  void make_retransmission(Psn psn, Frame& out, Time now) override;

  BOOST_DESCRIBE_CLASS(DsaWorker, (HashedWorker), (), (), ())
};

// The fast path is defined here: callers that know the concrete class inline it into one function.

inline void DsaWorker::receive_result(const Frame& frame, Time now) {
  const bool of_server = frame.source == identity_.servers.of(frame.psn);
  // This worker's packet is in an aggregator with another index than the result's. The notification
  // makes the server send the result again with the packet's index, which frees the aggregator.
  if (of_server && missed_own_aggregator(frame)) {
    return queue_notification(frame.psn, tracker_.fragment(frame.psn)->aggregator_index);
  }
  const FragmentTracker::Done done = deliver(frame, hold(), now);
  if (!done.first) return;
  if (of_server) addressing_.delivered(frame);
  sample_round_trip(done, frame, now);
  window_.acknowledged(frame.has(flag::ecn), tracker_.in_flight() + 1);
}

}  // namespace ina
