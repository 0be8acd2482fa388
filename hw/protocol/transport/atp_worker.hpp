// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/hashed_worker.hpp"
#include "hw/protocol/transport/result_order.hpp"

namespace ina {

/// ATP 3.6 and 3.7, the worker: a window of gradient packets, whose aggregators change after
/// collisions as the parameter packets say, a fragment sent again with `resend` after three results
/// out of order or a tail time-out.
class AtpWorker final : public HashedWorker {
 public:
  struct Config {
    wire::AddressingConfig addressing{.scheme = wire::AddressingScheme::table, .rehash = true};
    CongestionWindow::Config window;
    Time min_rto = std::chrono::milliseconds(1);

    bool operator==(const Config&) const = default;
  };

  AtpWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
            ResultSink& sink);

 private:
  void receive_result(const Frame& frame, Time now) override;
  bool leaves_a_sum(const Frame& result);
  void make_retransmission(Psn psn, Frame& out, Time now) override;

  BOOST_DESCRIBE_CLASS(AtpWorker, (HashedWorker), (), (), (order_))

  ResultOrder order_;
};

}  // namespace ina
