// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hw/protocol/transport/results_out_of_order.hpp"
#include "hw/protocol/transport/windowed_worker.hpp"

namespace ina {

/// ATP 3.6 and 3.7, the worker: a window of gradient packets addressed by hash, collisions remapped
/// as the parameter packets say, a fragment sent again with `resend` after three results out of
/// order or a tail time-out.
class AtpWorker final : public WindowedWorker {
 public:
  struct Config {
    std::uint32_t aggregators = 1;
    CongestionWindow::Config window;
    Time min_rto = std::chrono::milliseconds(1);
  };

  AtpWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
            ResultSink& sink);

  bool next(Frame& out, Time now) override;

 private:
  void receive_result(const Frame& frame, Time now) override;
  void timed_out(Psn psn, Time now) override;
  bool misses_own_aggregator(const Frame& result);
  void remap(std::uint32_t from, std::uint32_t to);
  std::uint32_t index_of(Psn psn);
  void loss_by_order();
  void make_retransmission(Psn psn, Frame& out, Time now) override;

  BOOST_DESCRIBE_CLASS(AtpWorker, (WindowedWorker), (), (), (out_of_order_, remapped_))

  std::uint32_t aggregators_;
  ResultsOutOfOrder out_of_order_;
  std::vector<std::uint32_t>
      remapped_;  // next index by the one that collided; empty until the first rehash
};

}  // namespace ina
