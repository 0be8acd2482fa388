// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/transport/windowed_worker.hpp"
#include "hw/protocol/transport/worker_addressing.hpp"

namespace ina {

/// Base class of ATP's and DSA's workers. Both use ATP's window and the same choice of aggregators.
class HashedWorker : public WindowedWorker {
 public:
  void fetch_ahead(unsigned step) const final {
    if (step == 0) fetch_between(&window_, &addressing_ + 1);
    WindowedWorker::fetch_ahead(step);
  }
  std::uint32_t window() const final { return window_.packets(); }
  bool next(Frame& out, Time now) final {
    may_have_another_ = true;
    if (next_pending(out, now)) return true;
    const Tensor* const tensor = next_within(window_.packets());
    if (tensor == nullptr || !is_in_range(tracker_.next_psn())) return false;
    FragmentTracker::Fragment& fragment = send_next(*tensor, out, now);
    fragment.aggregator_index = out.aggregator().index = addressing_.index(out.psn);
    may_have_another_ = next_within(window_.packets()) != nullptr;
    return true;
  }

 protected:
  HashedWorker(wire::Format format, std::uint32_t values_per_packet, const WorkerIdentity& identity,
               const wire::AddressingConfig& addressing, const CongestionWindow::Config& window,
               const RtoEstimator& rto, ValuePool& pool, ResultSink& sink)
      : WindowedWorker(identity, frame_bytes(format, values_per_packet), rto, pool, sink),
        window_(window),
        addressing_(identity.job, addressing) {}

  /// Whether the packet in flight has another aggregator index than the result. If so, the result
  /// did not free the packet's aggregator.
  bool missed_own_aggregator(const Frame& result) {
    const FragmentTracker::Fragment* in_flight = tracker_.fragment(result.psn);
    return in_flight != nullptr && in_flight->aggregator_index != result.aggregator().index;
  }

  /// Reason why no new fragment is sent. If both the table of aggregators and the window are full,
  /// it is the table.
  Hold hold() const {
    if (is_in_range(tracker_.next_psn())) [[likely]]
      return hold_of(window_.packets());
    return tracker_.next_tensor() == nullptr ? Hold::none : Hold::memory;
  }

  CongestionWindow window_;
  WorkerAddressing addressing_;

 private:
  bool is_in_range(Psn psn) const { return psn - tracker_.first_not_done() < addressing_.range(); }

  BOOST_DESCRIBE_CLASS(HashedWorker, (WindowedWorker), (), (window_, addressing_), ())
};

}  // namespace ina
