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
    : WorkerBase(identity, SwitchmlFields(),
                 frame_bytes(wire::Format::switchml, config.values_per_packet),
                 RtoEstimator(config.rto, config.first_rto), pool, sink),
      config_(config),
      window_(window_of(config)) {}

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

FragmentTracker::Done SwitchmlWorker::deliver_block(const Frame& result, Time now) {
  Frame sum = result;
  sum.switchml().exponents = exponents_.of(result.psn);
  const FragmentTracker::Done done = deliver(sum, hold(), now);
  if (done.first) exponents_.agree(result.psn, result.switchml().exponents);
  if (done.tensor_complete) exponents_.complete(done.tensor_first_psn);
  return done;
}

void SwitchmlWorker::follow_congestion(const Frame& result, bool expected) {
  window_.acknowledged(result.has(flag::ecn), tracker_.in_flight() + 1);
  if (!out_of_order_.tell_of_a_loss(expected)) return;
  window_.lost();
  got_lost(tracker_.take_oldest());
}

void SwitchmlWorker::make_block(Psn psn, const Tensor& tensor, Frame& out) const {
  const Psn offset = psn - tensor.first_psn;
  const Psn next = psn + tensor.exponent_lead;
  if (next - tensor.first_psn < tensor.fragments)
    out.switchml().exponents = tensor.source->exponent(next);
  if (!out.values) return;
  const std::span<std::int32_t> values(out.values.data(), out.values.size());
  if (offset < tensor.exponent_lead) {
    std::ranges::fill(values, 0);
  } else {
    tensor.source->read_block(psn, exponents_.of(psn), values);
  }
}

}  // namespace ina
