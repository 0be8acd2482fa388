// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/worker_base.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace ina {

WorkerBase::WorkerBase(const WorkerIdentity& identity, const FormatFields& fields,
                       std::uint16_t gradient_bytes, const RtoEstimator& rto, ValuePool& pool,
                       ResultSink& sink)
    : identity_(identity), pool_(pool), sink_(sink), rto_(rto) {
  header_.job = identity.job;
  header_.worker = identity.rank;
  header_.source = identity.host;
  header_.bytes = gradient_bytes;
  header_.flags = identity.path.flags;
  header_.fields = fields;
}

void WorkerBase::fetch_ahead(unsigned step) const {
  if (step == 0) {
    fetch_between(&identity_.path, this + 1);
  } else if (step == 1) {
    tracker_.fetch();
    fetch_line(&sink_);
  } else if (sink_fetches_ != nullptr) {
    sink_fetches_->fetch_ahead(step - 2);
  }
}

void WorkerBase::expire(Time now) {
  if (deadline() > now) return;
  const Time sent = tracker_.oldest_sent();
  while (deadline() <= now) timed_out(*tracker_.take_oldest(), now);
  rto_.expired(sent, now);
}

void WorkerBase::got_lost(std::optional<Psn> oldest) {
  if (oldest) queue_retransmission(*oldest);
}

Values WorkerBase::read_floats(Psn psn, const Tensor& tensor) {
  Values bits = pool_.take();
  floats_.resize(bits.size());
  if (bits) tensor.source->read_floats(psn, floats_);
  std::ranges::transform(floats_, bits.data(),
                         [](float value) { return std::bit_cast<std::int32_t>(value); });
  return bits;
}

void WorkerBase::receive_request(const Frame& request) {
  const Psn psn = request.psn;
  const wire::AggregationPath& path = identity_.path;
  const AggregatorFields& asked = request.aggregator();
  if ((asked.bitmap0 & wire::place_bit(path)) != 0 || asked.bitmap1 != path.bitmap1) return;
  const bool floats = request.has(flag::floats);
  if (tracker_.is_in_flight(psn) || tracker_.is_done(psn)) {
    if (pending_.size() >= kMostRequests) return;
    queue({floats ? PendingTransmission::Kind::float_answer : PendingTransmission::Kind::answer,
           psn, asked.index});
  } else if (!floats) {
    ask_ahead(psn);
  }
}

void WorkerBase::ask_ahead(Psn psn) {
  const auto found = std::ranges::lower_bound(asked_ahead_, psn);
  const bool known = found != asked_ahead_.end() && *found == psn;
  if (!known && asked_ahead_.size() < kMostRequests) asked_ahead_.insert(found, psn);
}

bool WorkerBase::take_asked_ahead(Psn psn) {
  const auto found = std::ranges::lower_bound(asked_ahead_, psn);
  if (found == asked_ahead_.end() || *found != psn) return false;
  asked_ahead_.erase(found);
  return true;
}

void WorkerBase::queue_notification(Psn psn, std::uint32_t aggregator_index) {
  queue({PendingTransmission::Kind::notification, psn, aggregator_index});
  ++statistics_.notifications;
}

void WorkerBase::queue(const PendingTransmission& pending) { pending_.emplace_back(pending); }

bool WorkerBase::send_pending(Frame& out, Time now) {
  while (!pending_.empty()) {
    const PendingTransmission pending = pending_.front();
    pending_.pop_front();
    switch (pending.kind) {
      case PendingTransmission::Kind::retransmission:
        if (!tracker_.is_in_flight(pending.psn)) break;
        make_retransmission(pending.psn, out, now);
        ++statistics_.retransmissions;
        return true;
      case PendingTransmission::Kind::answer:
      case PendingTransmission::Kind::float_answer:
        make_answer(pending, out, now);
        return true;
      case PendingTransmission::Kind::notification:
        make_control(FrameKind::notification, pending.psn, pending.aggregator_index, out);
        return true;
    }
  }
  return false;
}

void WorkerBase::make_answer(const PendingTransmission& pending, Frame& out, Time now) {
  const Tensor* tensor = tracker_.find(pending.psn);
  if (tensor == nullptr) {
    make_control(FrameKind::release, pending.psn, pending.aggregator_index, out);
    return;
  }
  if (pending.kind == PendingTransmission::Kind::float_answer) {
    make_header(pending.psn, *tensor, out, now);
    out.values = read_floats(pending.psn, *tensor);
    out.set(flag::floats);
    // The result of this fragment follows the floats. Results that overtake it therefore do not
    // indicate a loss.
    if (tracker_.is_in_flight(pending.psn)) tracker_.restart_time(pending.psn, now);
  } else {
    make_gradient(pending.psn, *tensor, out, now);
  }
  // The answer frees the aggregator that the first transmission may have reserved. The server may
  // know another aggregator.
  const FragmentTracker::Fragment* in_flight = tracker_.fragment(pending.psn);
  out.aggregator().index =
      in_flight != nullptr ? in_flight->aggregator_index : pending.aggregator_index;
  out.set(flag::resend | flag::answer);
  ++statistics_.packets_sent;
  ++statistics_.answered_requests;
}

void WorkerBase::make_control(FrameKind kind, Psn psn, std::uint32_t aggregator_index,
                              Frame& out) const {
  out = Frame{};
  out.kind = kind;
  out.psn = psn;
  out.fields = AggregatorFields{.index = aggregator_index,
                                .bitmap0 = identity_.path.bitmap0,
                                .bitmap1 = identity_.path.bitmap1};
  out.job = identity_.job;
  out.worker = identity_.rank;
  out.source = identity_.host;
  out.destination = identity_.servers.of(psn);
  out.bytes = wire::kControlFrameBytes;
}

}  // namespace ina
