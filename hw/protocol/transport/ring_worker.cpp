// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/ring_worker.hpp"

#include <algorithm>
#include <utility>

#include "hw/protocol/numeric/saturating_add.hpp"

namespace ina {

RingWorker::RingWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                       ResultSink& sink)
    : identity_(identity),
      schedule_(identity.rank, identity.workers),
      previous_(identity.members[schedule_.previous()]),
      next_(identity.members[schedule_.next()]),
      receive_buffer_(config.receive_buffer),
      data_bytes_(frame_bytes(wire::Protocol::ring, config.values_per_packet)),
      pool_(pool),
      sink_(sink),
      sender_(config.window, config.min_rto, config.receive_buffer),
      receiver_(config.receive_buffer + 1) {}

RingWorker::Active* RingWorker::find(Psn psn) {
  const auto found =
      std::ranges::find_if(active_, [psn](const Active& active) { return active.holds(psn); });
  return found == active_.end() ? nullptr : &*found;
}

// ---- tensors

void RingWorker::submit(const Tensor& tensor, Time now) {
  const auto position = std::ranges::upper_bound(
      active_, tensor.first_psn, {}, [](const Active& active) { return active.tensor.first_psn; });
  active_.insert(position, {tensor, tensor.fragments, schedule_.own_chunk(tensor.fragments)});
  if (!held_.empty()) take_held(now);
}

void RingWorker::take_held(Time now) {
  const std::size_t before = held_.size();
  for (std::size_t left = before; left > 0; --left) {
    const Frame frame = std::move(held_.front());
    held_.pop_front();
    if (Active* const active = find(frame.psn)) {
      process(frame, *active, now);
    } else {
      held_.emplace_back(frame);
    }
  }
  if (held_.size() != before) acknowledge_nothing();  // but there is room now
}

// ---- from the worker before this one

void RingWorker::receive(const Frame& frame, Time now) {
  const bool mine = frame.job == identity_.job;
  if (mine && frame.kind == FrameKind::acknowledgement && frame.source == next_ &&
      sender_.receive(frame, now)) {
    return;
  }
  const bool is_data = frame.kind == FrameKind::gradient || frame.kind == FrameKind::result;
  if (mine && is_data && frame.source == previous_) return receive_data(frame, now);
  ++statistics_.rejected_frames;
}

/// What cannot be taken is answered too: who sends it waits for an answer.
void RingWorker::receive_data(const Frame& frame, Time now) {
  const std::uint32_t sequence = wire::sequence_of(frame);
  if (receiver_.has(sequence)) {
    ++statistics_.duplicate_results;
    return acknowledge(sequence, frame.has(flag::ecn));
  }
  Active* const active = find(frame.psn);
  const bool has_room = active != nullptr || held_.size() < receive_buffer_;
  if (!has_room || !receiver_.reaches(sequence)) return acknowledge_nothing();
  receiver_.take(sequence);
  acknowledge(sequence, frame.has(flag::ecn));
  if (active != nullptr) {
    process(frame, *active, now);
  } else {
    held_.emplace_back(frame);
  }
}

void RingWorker::process(const Frame& frame, Active& active, Time now) {
  const Tensor& tensor = active.tensor;
  const std::uint32_t added =
      schedule_.added_before(frame.psn - tensor.first_psn, tensor.fragments);
  const bool is_sum = frame.kind == FrameKind::result;
  if (is_sum ? schedule_.completes(added) : added == 0) {  // neither comes here any more
    ++statistics_.rejected_frames;
    return;
  }
  const bool completes = !is_sum && schedule_.completes(added);
  const Forward forward{is_sum ? frame.values : add_own(frame, tensor), frame.psn,
                        completes ? FrameKind::result : frame.kind,
                        static_cast<std::uint8_t>(frame.flags & flag::resend)};
  if (!is_sum || !schedule_.ends(added)) forwards_.emplace_back(forward);
  if (is_sum || completes) complete(forward, active, now);
}

Values RingWorker::read(Psn psn, const Tensor& tensor) const {
  Values values = pool_.take();
  if (values) tensor.source->read(psn, {values.data(), pool_.count()});
  return values;
}

/// Into a buffer of its own: who sent the frame keeps its values until it is acknowledged.
Values RingWorker::add_own(const Frame& frame, const Tensor& tensor) const {
  Values sum = read(frame.psn, tensor);
  if (sum) numeric::add_sticky(sum.data(), frame.values.data(), sum.size());
  return sum;
}

void RingWorker::complete(const Forward& sum, Active& active, Time now) {
  Frame result;
  make(sum, result);
  ++statistics_.results;
  sink_.fragment_complete(result, false, now);
  if (--active.remaining != 0) return;
  const Psn first_psn = active.tensor.first_psn;
  active_.erase(active_.begin() + (&active - active_.data()));
  sink_.tensor_complete(first_psn, now);
}

// ---- to the others

bool RingWorker::next(Frame& out, Time now) {
  if (!acknowledgements_.empty()) {
    make_acknowledgement(out);
    return true;
  }
  if (sender_.resend(out, now)) {
    ++statistics_.packets_sent;
    ++statistics_.retransmissions;
    return true;
  }
  if (!sender_.may_send()) return false;
  const auto forward = next_forward();
  if (!forward) return false;
  make(*forward, out);
  sender_.send(out, now);
  ++statistics_.packets_sent;
  return true;
}

std::optional<RingWorker::Forward> RingWorker::next_forward() {
  const auto own = std::ranges::find_if(
      active_, [](const Active& active) { return active.own.begin != active.own.end; });
  const bool begins =
      own != active_.end() && (forwards_.empty() || forwards_.front().psn >= own->tensor.first_psn);
  if (begins) {
    const Psn psn = own->tensor.first_psn + own->own.begin++;
    return Forward{read(psn, own->tensor), psn, FrameKind::gradient, 0};
  }
  if (forwards_.empty()) return std::nullopt;
  Forward forward = std::move(forwards_.front());
  forwards_.pop_front();
  return forward;
}

Frame RingWorker::frame_to(HostId destination, FrameKind kind, std::uint16_t bytes) const {
  Frame frame;
  frame.job = identity_.job;
  frame.worker = identity_.rank;
  frame.source = identity_.host;
  frame.destination = destination;
  frame.bytes = bytes;
  frame.kind = kind;
  return frame;
}

void RingWorker::make(const Forward& forward, Frame& out) const {
  out = frame_to(next_, forward.kind, data_bytes_);
  out.values = forward.values;
  out.psn = forward.psn;
  out.flags = forward.flags;
}

void RingWorker::make_acknowledgement(Frame& out) {
  const Acknowledgement acknowledgement = acknowledgements_.front();
  acknowledgements_.pop_front();
  out = frame_to(previous_, FrameKind::acknowledgement, wire::kControlFrameBytes);
  wire::set_sequence(out, acknowledgement.sequence);
  wire::set_acknowledged_before(out, receiver_.next());
  wire::set_credit(out, static_cast<std::uint16_t>(receive_buffer_ - held_.size()));
  if (acknowledgement.marked) out.set(flag::ecn_echo);
}

}  // namespace ina
