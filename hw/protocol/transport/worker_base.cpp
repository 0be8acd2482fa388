// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/worker_base.hpp"

#include <span>
#include <utility>

#include "hw/protocol/push_growing.hpp"

namespace ina {

void WorkerBase::make_gradient(Psn psn, const Tensor& tensor, Frame& out) const {
  out.values = pool_.take();
  if (out.values) tensor.source->read(psn, {out.values.data(), pool_.count()});
  out.psn = psn;
  out.aggregator_index = 0;
  out.bitmap0 = own_bit();
  out.bitmap1 = 0;
  out.job = identity_.job;
  out.worker = identity_.rank;
  out.source = identity_.host;
  out.destination = identity_.server;
  out.priority = tensor.priority;
  out.exponents = 0;
  out.bytes = gradient_bytes_;
  out.kind = FrameKind::gradient;
  out.flags = 0;
  out.fan_in_degree0 = static_cast<std::uint8_t>(identity_.workers);
  out.fan_in_degree1 = 0;
}

FragmentTracker::Fragment& WorkerBase::record_sent(Psn psn, Time now) {
  ++statistics_.packets_sent;
  return tracker_.sent(psn, now);
}

FragmentTracker::Done WorkerBase::deliver(const Frame& result, Time now) {
  const FragmentTracker::Done done = tracker_.done(result.psn);
  if (!done.first) {
    ++statistics_.duplicate_results;
    return done;
  }
  ++statistics_.results;
  sink_.fragment_complete(result, done.transmissions > 1, now);
  if (done.tensor_complete) sink_.tensor_complete(done.tensor_first_psn, now);
  return done;
}

void WorkerBase::receive_request(const Frame& request) {
  const bool has_mine = (request.bitmap0 & own_bit()) != 0;
  if (!has_mine && (tracker_.is_in_flight(request.psn) || tracker_.is_done(request.psn))) {
    push_growing(requested_, Request{request.psn, request.aggregator_index});
  }
}

bool WorkerBase::next_answer(Frame& out) {
  if (requested_.empty()) return false;
  const auto [psn, aggregator_index] = requested_.front();
  requested_.pop_front();
  if (const Tensor* tensor = tracker_.find(psn)) {
    make_gradient(psn, *tensor, out);
    // On its way the answer frees what the first sending may have left in an aggregator, which need
    // not be the one that the server knows of.
    const bool in_flight = tracker_.is_in_flight(psn);
    out.aggregator_index = in_flight ? tracker_.fragment(psn)->aggregator_index : aggregator_index;
    out.set(flag::resend | flag::answer);
    ++statistics_.packets_sent;
    ++statistics_.answered_requests;
  } else {
    make_control(FrameKind::release, psn, aggregator_index, out);
  }
  return true;
}

void WorkerBase::make_control(FrameKind kind, Psn psn, std::uint32_t aggregator_index,
                              Frame& out) const {
  out = Frame{};
  out.kind = kind;
  out.psn = psn;
  out.aggregator_index = aggregator_index;
  out.bitmap0 = own_bit();
  out.job = identity_.job;
  out.worker = identity_.rank;
  out.source = identity_.host;
  out.destination = identity_.server;
  out.bytes = frame_bytes(wire::Protocol::dsa, 0);
}

void WorkerBase::queue_retransmission(Psn psn) { push_growing(retransmissions_, psn); }

std::optional<Psn> WorkerBase::next_retransmission() {
  while (!retransmissions_.empty()) {
    const Psn psn = retransmissions_.front();
    retransmissions_.pop_front();
    if (tracker_.is_in_flight(psn)) return psn;
  }
  return std::nullopt;
}

}  // namespace ina
