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

    bool operator==(const Config&) const = default;
  };

  DsaWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
            ResultSink& sink);

 private:
  void receive_result(const Frame& frame, Time now) override;
  void timed_out(Psn psn, Time now) override;
  void make_retransmission(Psn psn, Frame& out, Time now) override;

  BOOST_DESCRIBE_CLASS(DsaWorker, (HashedWorker), (), (), ())
};

}  // namespace ina
