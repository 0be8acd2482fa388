// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/dsa_worker.hpp"

namespace ina {

namespace {

constexpr int kRetransmissionsBeforeNotification = 3;  // DSA IV.B
/// Until the next one: the server goes on by itself from the first that it gets.
constexpr int kTimeoutsOfANotification = 2;

}  // namespace

DsaWorker::DsaWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                     ResultSink& sink)
    : WindowedWorker(wire::Protocol::dsa, identity, config.aggregators, config.window,
                     config.min_rto, pool, sink) {}

void DsaWorker::receive_result(const Frame& frame, Time now) {
  const FragmentTracker::Done done = deliver(frame, now);
  if (!done.first) return;
  backoff_.progress();
  sample_round_trip(done, frame, now);
  window_.acknowledged(frame.has(flag::ecn), tracker_.in_flight() + 1);
}

bool DsaWorker::next(Frame& out, Time now) {
  if (next_errand(out, now)) return true;
  const auto psn = next_in_window();
  if (!psn) return false;
  FragmentTracker::Fragment& fragment = send_first(*psn, out, now);
  fragment.aggregator_index = out.aggregator_index = addressing_.index(*psn);
  return true;
}

void DsaWorker::make_retransmission(Psn psn, Frame& out, Time now) {
  out.aggregator_index = send_gradient(psn, out, now).aggregator_index;
  out.set(flag::resend);
}

void DsaWorker::timed_out(Psn psn, Time now) {
  if (tracker_.fragment(psn)->transmissions <= kRetransmissionsBeforeNotification) {
    queue_retransmission(psn);
  } else {
    const bool notifies = tracker_.postpone(psn, now) % kTimeoutsOfANotification == 1;
    if (notifies) queue_notification(psn, addressing_.index(psn));
  }
}

}  // namespace ina
