// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/hashed_worker.hpp"

namespace ina {

/// The worker of DSA (III to VI). It sends a window of gradient packets with priorities. Results
/// come from the switch or from the server, in any order. After three retransmissions of a packet
/// it asks the server to send its reminder. A retransmission is marked `resend` and reserves no
/// aggregator, since a late one would occupy it until a collision (the paper's memory leak).
class DsaWorker final : public HashedWorker {
 public:
  struct Config {
    wire::AddressingConfig addressing{.scheme = wire::AddressingScheme::hash};
    /// Since results come from the switch over the worker's own links: 5 us of packets, plus 16 kB
    /// that the host queues. Packets to the server share its link with those of other workers.
    CongestionWindow::Config window{196, 256, true};
    Time min_rto = std::chrono::milliseconds(1);
    Time first_rto{};  ///< time-out before the first round trip, if larger than min_rto

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

// The fast path is defined here: callers that know the class compile it into one function.

inline void DsaWorker::receive_result(const Frame& frame, Time now) {
  const bool of_server = frame.source == identity_.servers.of(frame.psn);
  // The packet is in an aggregator that only this worker uses. The notification makes the server
  // send the result again with that index, which frees it.
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
