// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/switchml_worker.hpp"

#include <algorithm>

namespace ina {

namespace {

CongestionWindow::Config window_of(const SwitchmlWorker::Config& config) {
  if (!config.congestion_control) return {config.slots, config.slots, false};
  CongestionWindow::Config window = *config.congestion_control;
  if (window.max_packets == 0) window.max_packets = config.slots;
  window.max_packets = std::min(window.max_packets, config.slots);
  return window;
}

}  // namespace

SwitchmlWorker::SwitchmlWorker(const WorkerIdentity& identity, const Config& config,
                               ValuePool& pool, ResultSink& sink)
    : WorkerBase(identity, frame_bytes(wire::Protocol::switchml, config.values_per_packet), pool,
                 sink),
      config_(config),
      window_(window_of(config)),
      rto_(config.rto) {}

void SwitchmlWorker::submit(const Tensor& tensor, Time) {
  tracker_.submit(tensor);
  if (config_.congestion_control) return;
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
  const bool expected = tracker_.oldest_in_flight() == frame.psn;
  const FragmentTracker::Done done = deliver(frame, now);
  if (!done.first) return;
  backoff_.progress();
  if (config_.adaptive_rto && done.transmissions == 1) rto_.sample(now - done.sent);
  if (config_.congestion_control) return follow_congestion(frame, expected);
  const Psn next_in_slot = frame.psn + config_.slots;
  if (tracker_.is_unsent(next_in_slot)) ready_.emplace_back(next_in_slot);
}

void SwitchmlWorker::follow_congestion(const Frame& result, bool expected) {
  window_.acknowledged(result.has(flag::ecn), tracker_.in_flight() + 1);
  if (!out_of_order_.tell_of_a_loss(expected)) return;
  window_.lost();
  if (const auto psn = tracker_.take_oldest()) queue_retransmission(*psn);
}

bool SwitchmlWorker::slot_is_free(Psn psn) const {
  return psn < config_.slots || tracker_.is_done(psn - config_.slots);
}

std::optional<Psn> SwitchmlWorker::next_in_order() const {
  if (tracker_.in_flight() >= window_.packets()) return std::nullopt;
  const auto psn = tracker_.next_unsent();
  return psn && slot_is_free(*psn) ? psn : std::nullopt;
}

std::optional<Psn> SwitchmlWorker::take_ready() {
  if (ready_.empty()) return std::nullopt;
  const Psn psn = ready_.front();
  ready_.pop_front();
  return psn;
}

bool SwitchmlWorker::next(Frame& out, Time now) {
  if (next_errand(out, now)) return true;
  const auto psn = config_.congestion_control ? next_in_order() : take_ready();
  if (!psn) return false;
  make_update(*psn, out, now);
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
  return sent == kNever ? kNever : sent + rto_.timeout(backoff_.doublings());
}

void SwitchmlWorker::expire(Time now) {
  bool expired = false;
  tracker_.take_sent_until(now - rto_.timeout(backoff_.doublings()), [&](Psn psn) {
    queue_retransmission(psn);
    expired = true;
  });
  if (expired) backoff_.expired();
}

}  // namespace ina
