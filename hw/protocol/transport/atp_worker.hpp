// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/transport/rto_estimator.hpp"
#include "hw/protocol/transport/worker_base.hpp"
#include "hw/protocol/wire/addressing.hpp"

namespace ina {

/// ATP 3.6 and 3.7, the worker: a window of gradient packets addressed by hash, collisions remapped
/// as the parameter packets say, a fragment sent again with `resend` after three results out of
/// order or a tail time-out.
class AtpWorker final : public WorkerBase {
 public:
  struct Config {
    std::uint32_t aggregators = 1;
    CongestionWindow::Config window;
    Time min_rto = std::chrono::milliseconds(1);
  };

  AtpWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
            ResultSink& sink);

  void receive(const Frame& frame, Time now) override;
  bool next(Frame& out, Time now) override;
  Time deadline() const override;
  void expire(Time now) override;
  std::uint32_t window() const override { return window_.packets(); }

 private:
  void receive_result(const Frame& frame, Time now);
  void remap(std::uint32_t from, std::uint32_t to);
  std::uint32_t index_of(Psn psn);
  void loss_by_order();
  void send_again(Psn psn, Frame& out, Time now);
  void send_first(Psn psn, Frame& out, Time now);

  Config config_;
  wire::AggregatorAddressing addressing_;
  CongestionWindow window_;
  RtoEstimator rto_;
  Backoff backoff_;
  int out_of_order_ = 0;
  std::vector<std::uint32_t>
      remapped_;  // next index by the one that collided; empty until the first rehash
};

}  // namespace ina
