// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/dsa_worker.hpp"

#include "hw/protocol/push_growing.hpp"

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
  if (!notifications_.empty()) {
    const Psn psn = notifications_.front();
    notifications_.pop_front();
    make_control(FrameKind::notification, psn, addressing_.index(psn), out);
    return true;
  }
  if (next_answer(out)) return true;
  if (const auto psn = next_retransmission()) {
    ++statistics_.retransmissions;
    send(*psn, out, now);
    return true;
  }
  const auto psn = next_in_window();
  if (!psn) return false;
  send(*psn, out, now);
  return true;
}

void DsaWorker::send(Psn psn, Frame& out, Time now) {
  make_gradient(psn, *tracker_.find(psn), out);
  out.aggregator_index = addressing_.index(psn);
  FragmentTracker::Fragment& fragment = record_sent(psn, now);
  fragment.aggregator_index = out.aggregator_index;
  if (fragment.transmissions > 1) out.set(flag::resend);
}

void DsaWorker::queue_notification(Psn psn) {
  push_growing(notifications_, psn);
  ++statistics_.notifications;
}

void DsaWorker::timed_out(Psn psn, Time now) {
  if (tracker_.fragment(psn)->transmissions <= kRetransmissionsBeforeNotification) {
    queue_retransmission(psn);
  } else {
    queue_notification(psn);
    tracker_.postpone(psn, now);
  }
}

}  // namespace ina
