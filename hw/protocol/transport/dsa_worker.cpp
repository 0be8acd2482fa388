// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/dsa_worker.hpp"

namespace ina {

namespace {

constexpr int kRetransmissionsBeforeNotification = 3;  // DSA IV.B

}  // namespace

DsaWorker::DsaWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                     ResultSink& sink)
    : WorkerBase(identity, frame_bytes(wire::Protocol::dsa, wire::kFragmentValues), pool, sink),
      config_(config),
      addressing_(identity.job, config.aggregators),
      window_(config.window),
      rto_(config.min_rto) {}

void DsaWorker::receive(const Frame& frame, Time now) {
  const bool mine = frame.job == identity_.job;
  if (mine && frame.kind == FrameKind::result) {
    receive_result(frame, now);
  } else if (mine && frame.kind == FrameKind::fragment_request) {
    receive_request(frame);
  } else {
    ++statistics_.foreign_frames;
  }
}

void DsaWorker::receive_result(const Frame& frame, Time now) {
  const FragmentTracker::Done done = deliver(frame, now);
  if (!done.first) return;
  backoff_.progress();
  if (done.transmissions == 1) {
    rto_.sample(now - done.sent);
  } else {
    queue_control({FrameKind::release, frame.psn});
  }
  window_.acknowledged(frame.has(flag::ecn), tracker_.in_flight() + 1);
}

bool DsaWorker::next(Frame& out, Time now) {
  if (!controls_.empty()) {
    const auto [kind, psn] = controls_.front();
    controls_.pop_front();
    make_control(kind, psn, addressing_.index(psn), out);
    return true;
  }
  if (next_answer(out)) return true;
  if (const auto psn = next_retransmission()) {
    ++statistics_.retransmissions;
    send(*psn, out, now);
    return true;
  }
  const auto psn = tracker_.next_unsent();
  if (!psn || tracker_.in_flight() >= window_.packets()) return false;
  send(*psn, out, now);
  return true;
}

void DsaWorker::send(Psn psn, Frame& out, Time now) {
  make_gradient(psn, *tracker_.find(psn), out);
  out.aggregator_index = addressing_.index(psn);
  record_sent(psn, now).aggregator_index = out.aggregator_index;
}

void DsaWorker::queue_control(Control control) {
  if (controls_.full()) controls_.set_capacity(controls_.capacity() * 2);
  controls_.push_back(control);
  if (control.kind == FrameKind::notification) ++statistics_.notifications;
}

Time DsaWorker::deadline() const {
  if (!tracker_.oldest_in_flight()) return kNever;
  return tracker_.oldest_sent() + backoff_.apply(rto_.timeout());
}

void DsaWorker::expire(Time now) {
  bool expired = false;
  tracker_.take_sent_until(now - backoff_.apply(rto_.timeout()), [&](Psn psn) {
    expired = true;
    if (tracker_.fragment(psn)->transmissions <= kRetransmissionsBeforeNotification) {
      queue_retransmission(psn);
    } else {
      queue_control({FrameKind::notification, psn});
      tracker_.postpone(psn, now);
    }
  });
  if (expired) backoff_.expired();
}

}  // namespace ina
