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
    : WorkerBase(identity, frame_bytes(wire::Protocol::switchml, config.values_per_packet),
                 window_of(config), config.rto, pool, sink),
      config_(config) {}

void SwitchmlWorker::submit(const Tensor& tensor, Time) {
  tracker_.submit(tensor);
  if (tensor.exponent_lead != 0) exponents_.submit(tensor);
  if (config_.congestion_control) return;
  const std::uint32_t first_round =
      tensor.exponent_lead != 0 ? tensor.exponent_lead : config_.slots;
  const Psn end = tensor.first_psn + std::min(tensor.fragments, first_round);
  for (Psn psn = tensor.first_psn; psn != end; ++psn) {
    if (slot_is_free(psn)) ready_.emplace_back(psn);
  }
}

void SwitchmlWorker::receive(const Frame& frame, Time now) {
  if (frame.kind != FrameKind::result || frame.job != identity_.job) {
    ++statistics_.rejected_frames;
    return;
  }
  const bool expected = config_.congestion_control && tracker_.oldest_in_flight() == frame.psn;
  const std::uint32_t lead = exponents_.empty() ? 0 : exponents_.lead(frame.psn);
  const FragmentTracker::Done done = lead == 0 ? deliver(frame, now) : deliver_block(frame, now);
  if (!done.first) return;
  backoff_.progress();
  if (config_.adaptive_rto && done.transmissions == 1) rto_.sample(now - done.sent);
  if (config_.congestion_control) return follow_congestion(frame, expected);
  const Psn next_in_slot = frame.psn + config_.slots;
  if (tracker_.is_unsent(next_in_slot) && exponent_is_known(next_in_slot)) {
    ready_.emplace_back(next_in_slot);
  }
  if (lead == 0 || lead == config_.slots) return;
  const Psn next_in_row = frame.psn + lead;  // in another slot
  if (exponents_.has_next(frame.psn) && slot_is_free(next_in_row)) {
    ready_.emplace_back(next_in_row);
  }
}

FragmentTracker::Done SwitchmlWorker::deliver_block(const Frame& result, Time now) {
  Frame sum = result;
  sum.exponents = exponents_.of(result.psn);
  const FragmentTracker::Done done = deliver(sum, now);
  if (done.first) exponents_.agree(result.psn, result.exponents);
  if (done.tensor_complete) exponents_.complete(done.tensor_first_psn);
  return done;
}

bool SwitchmlWorker::exponent_is_known(Psn psn) const {
  const std::uint32_t lead = exponents_.empty() ? 0 : exponents_.lead(psn);
  return lead == 0 || exponents_.leads(psn) || tracker_.is_done(psn - lead);
}

void SwitchmlWorker::follow_congestion(const Frame& result, bool expected) {
  window_.acknowledged(result.has(flag::ecn), tracker_.in_flight() + 1);
  if (out_of_order_.tell_of_a_loss(expected)) got_lost(tracker_.take_oldest());
}

bool SwitchmlWorker::slot_is_free(Psn psn) const {
  return psn < config_.slots || tracker_.is_done(psn - config_.slots);
}

bool SwitchmlWorker::may_send_next() const {
  const Psn psn = tracker_.next_psn();
  return tracker_.in_flight() < window_.packets() && tracker_.next_tensor() != nullptr &&
         slot_is_free(psn) && exponent_is_known(psn);
}

bool SwitchmlWorker::next(Frame& out, Time now) {
  may_have_another_ = true;
  if (next_pending(out, now)) return true;
  if (config_.congestion_control) {
    if (!may_send_next()) return false;
    make_update(tracker_.next_psn(), out, now);
    return true;
  }
  if (ready_.empty()) return false;
  const Psn psn = ready_.front();
  ready_.pop_front();
  make_update(psn, out, now);
  may_have_another_ = !ready_.empty();
  return true;
}

void SwitchmlWorker::make_update(Psn psn, Frame& out, Time now) {
  send_gradient(psn, out, now);
  out.worker = wire::place_at_first_switch(identity_.path);
  out.aggregator_index = psn % config_.slots;
  if ((psn / config_.slots) % 2 != 0) out.set(flag::version);
  out.destination = identity_.host;  // an update that no switch takes must not disturb others
}

void SwitchmlWorker::make_block(Psn psn, const Tensor& tensor, Frame& out) const {
  const Psn offset = psn - tensor.first_psn;
  const Psn next = psn + tensor.exponent_lead;
  if (next - tensor.first_psn < tensor.fragments) out.exponents = tensor.source->exponent(next);
  if (!out.values) return;
  const std::span<std::int32_t> values(out.values.data(), out.values.size());
  if (offset < tensor.exponent_lead) {
    std::ranges::fill(values, 0);
  } else {
    tensor.source->read_block(psn, exponents_.of(psn), values);
  }
}

}  // namespace ina
