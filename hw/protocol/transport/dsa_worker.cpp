// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/dsa_worker.hpp"

namespace ina {

namespace {

constexpr int kRetransmissionsBeforeNotification = 3;  // DSA IV.B
/// Number of time-outs between notifications. After the first notification, the server repeats its
/// reminder on its own.
constexpr int kTimeoutsOfANotification = 2;

}  // namespace

DsaWorker::DsaWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                     ResultSink& sink)
    : HashedWorker(wire::Format::dsa, config.values_per_packet, identity, config.addressing,
                   config.window, RtoEstimator(config.min_rto, config.first_rto), pool, sink) {}

void DsaWorker::make_retransmission(Psn psn, Frame& out, Time now) {
  out.aggregator().index = send_gradient(psn, out, now).aggregator_index;
  out.set(flag::resend);
}

void DsaWorker::timed_out(Psn psn, Time now) {
  const FragmentTracker::Fragment& fragment = *tracker_.fragment(psn);
  if (fragment.transmissions <= kRetransmissionsBeforeNotification) {
    queue_retransmission(psn);
  } else {
    const bool notifies = tracker_.postpone(psn, now) % kTimeoutsOfANotification == 1;
    if (notifies) queue_notification(psn, fragment.aggregator_index);
  }
}

}  // namespace ina
