// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/dsa_worker.hpp"

namespace ina {

namespace {

constexpr int kRetransmissionsBeforeNotification = 3;  // DSA IV.B

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
  send(*psn, out, now);
  return true;
}

void DsaWorker::send(Psn psn, Frame& out, Time now) {
  FragmentTracker::Fragment& fragment = send_gradient(psn, out, now);
  fragment.aggregator_index = out.aggregator_index = addressing_.index(psn);
}

void DsaWorker::make_retransmission(Psn psn, Frame& out, Time now) {
  send(psn, out, now);
  out.set(flag::resend);
}

void DsaWorker::timed_out(Psn psn, Time now) {
  if (tracker_.fragment(psn)->transmissions <= kRetransmissionsBeforeNotification) {
    queue_retransmission(psn);
  } else {
    queue_notification(psn, addressing_.index(psn));
    tracker_.postpone(psn, now);
  }
}

}  // namespace ina
