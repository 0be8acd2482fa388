// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/hashed_worker.hpp"

namespace ina {

/// DSA III to VI, the worker: a window of gradient packets with priorities; results come from the
/// switch or from the server, in any order; after three retransmissions it asks the server to run
/// its reminder. A retransmission is marked with `resend` and reserves no aggregator: it may be
/// late, and would keep one if nothing collided there (the paper's memory leak).
class DsaWorker final : public HashedWorker {
 public:
  struct Config {
    wire::AddressingConfig addressing{.scheme = wire::AddressingScheme::hash};
    /// Results come from the switch, over links that are the worker's own: 5 us of packets, and
    /// 16 kB before the line. Who waits for the server shares its link with the other workers.
    CongestionWindow::Config window{196, 256, true};
    Time min_rto = std::chrono::milliseconds(1);
    Time first_rto{};  ///< before any round trip, if that is above min_rto

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

// What every packet needs stands here: who knows the class compiles it into one function.

inline void DsaWorker::receive_result(const Frame& frame, Time now) {
  const bool of_server = frame.source == identity_.servers.of(frame.psn);
  // Nobody else knows of the aggregator: the server sends the result again, on the way through it.
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
