// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/switchml_worker.hpp"

#include <algorithm>

namespace ina {

SwitchmlWorker::SwitchmlWorker(const WorkerIdentity& identity, const Config& config,
                               ValuePool& pool, ResultSink& sink)
    : WorkerBase(identity, frame_bytes(wire::Protocol::switchml, config.values_per_packet), pool,
                 sink),
      config_(config) {}

void SwitchmlWorker::submit(const Tensor& tensor, Time) {
  tracker_.submit(tensor);
  const Psn end = tensor.first_psn + std::min(tensor.fragments, config_.slots);
  for (Psn psn = tensor.first_psn; psn != end; ++psn) {
    if (slot_is_free(psn)) ready_.emplace_back(psn);
  }
}

void SwitchmlWorker::receive(const Frame& frame, Time now) {
  if (frame.kind != FrameKind::result || frame.job != identity_.job) {
    ++statistics_.foreign_frames;
    return;
  }
  if (!deliver(frame, now).first) return;
  backoff_.progress();
  const Psn next_in_slot = frame.psn + config_.slots;
  if (tracker_.is_unsent(next_in_slot)) ready_.emplace_back(next_in_slot);
}

bool SwitchmlWorker::slot_is_free(Psn psn) const {
  return psn < config_.slots || tracker_.is_done(psn - config_.slots);
}

bool SwitchmlWorker::next(Frame& out, Time now) {
  if (next_errand(out, now)) return true;
  if (ready_.empty()) return false;
  const Psn psn = ready_.front();
  ready_.pop_front();
  make_update(psn, out, now);
  return true;
}

void SwitchmlWorker::make_update(Psn psn, Frame& out, Time now) {
  send_gradient(psn, out, now);
  out.aggregator_index = psn % config_.slots;
  if ((psn / config_.slots) % 2 != 0) out.set(flag::version);
  out.destination = identity_.host;  // an update that no switch takes must not disturb others
}

Time SwitchmlWorker::deadline() const {
  const Time sent = tracker_.oldest_sent();
  return sent == kNever ? kNever : sent + backoff_.apply(config_.rto);
}

void SwitchmlWorker::expire(Time now) {
  bool expired = false;
  tracker_.take_sent_until(now - backoff_.apply(config_.rto), [&](Psn psn) {
    queue_retransmission(psn);
    expired = true;
  });
  if (expired) backoff_.expired();
}

}  // namespace ina
