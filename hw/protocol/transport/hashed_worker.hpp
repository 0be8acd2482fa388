// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/transport/windowed_worker.hpp"
#include "hw/protocol/transport/worker_addressing.hpp"

namespace ina {

/// What ATP's and DSA's workers share: the aggregators of their packets.
class HashedWorker : public WindowedWorker {
 protected:
  HashedWorker(wire::Protocol protocol, const WorkerIdentity& identity,
               const wire::AddressingConfig& addressing, const CongestionWindow::Config& window,
               Time min_rto, ValuePool& pool, ResultSink& sink)
      : WindowedWorker(protocol, identity, window, min_rto, pool, sink),
        addressing_(identity.job, addressing) {}

  /// The fragment is in flight, under another aggregator than the result's: the result passed by
  /// what its packet may stand in.
  bool missed_own_aggregator(const Frame& result) {
    const FragmentTracker::Fragment* in_flight = tracker_.fragment(result.psn);
    return in_flight != nullptr && in_flight->aggregator_index != result.aggregator_index;
  }

  /// The fragment to send for the first time, if window and addressing let one go.
  std::optional<Psn> next_addressed() const {
    const auto psn = next_in_window();
    if (psn && *psn - tracker_.first_not_done() >= addressing_.range()) return std::nullopt;
    return psn;
  }

  WorkerAddressing addressing_;

 private:
  BOOST_DESCRIBE_CLASS(HashedWorker, (WindowedWorker), (), (addressing_), ())
};

}  // namespace ina
