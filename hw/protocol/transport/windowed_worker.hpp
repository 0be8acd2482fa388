// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/worker_addressing.hpp"
#include "hw/protocol/transport/worker_base.hpp"

namespace ina {

/// What ATP's and DSA's workers share: the aggregators of their packets, round trips as the measure
/// of the time-out, and requests of the server for fragments.
class WindowedWorker : public WorkerBase {
 public:
  void receive(const Frame& frame, Time now) final;

 protected:
  WindowedWorker(wire::Protocol protocol, const WorkerIdentity& identity,
                 const wire::AddressingConfig& addressing, const CongestionWindow::Config& window,
                 Time min_rto, ValuePool& pool, ResultSink& sink)
      : WorkerBase(identity, frame_bytes(protocol, wire::kFragmentValues), window, min_rto, pool,
                   sink),
        addressing_(identity.job, addressing) {}

  virtual void receive_result(const Frame& frame, Time now) = 0;

  /// Karn's rule, for all workers: a result that somebody's retransmission completed says nothing
  /// of the network, but would drive the others' time-outs up.
  void sample_round_trip(const FragmentTracker::Done& done, const Frame& result, Time now) {
    if (done.transmissions == 1 && !result.has(flag::resend)) rto_.sample(now - done.sent);
  }

  /// The fragment is in flight, under another aggregator than the result's: the result passed by
  /// what its packet may stand in.
  bool missed_own_aggregator(const Frame& result) {
    const FragmentTracker::Fragment* in_flight = tracker_.fragment(result.psn);
    return in_flight != nullptr && in_flight->aggregator_index != result.aggregator_index;
  }

  /// The fragment to send for the first time, if the window lets one go.
  std::optional<Psn> next_in_window() const {
    if (tracker_.in_flight() >= window_.packets()) return std::nullopt;
    const auto psn = tracker_.next_unsent();
    if (psn && *psn - tracker_.first_not_done() >= addressing_.range()) return std::nullopt;
    return psn;
  }

  WorkerAddressing addressing_;

 private:
  BOOST_DESCRIBE_CLASS(WindowedWorker, (WorkerBase), (), (addressing_), ())
};

}  // namespace ina
