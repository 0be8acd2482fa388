// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/flow.hpp"

#include <algorithm>
#include <bit>

namespace ina {

template <class Window>
void FlowSenderWith<Window>::send(Frame& frame, Time now) {
  frame.flow().sequence = next_;
  outstanding_.emplace_back(frame, now);
  transmissions_.emplace_back(next_, now);
  ++next_;
  ++in_flight_;
  ++unasked_;
  if (may_send() && unasked_ < window_.packets() / 2) return;
  frame.flow().acknowledge_now = true;
  unasked_ = 0;
}

template <class Window>
bool FlowSenderWith<Window>::resend(Frame& out, Time now) {
  for (; !lost_.empty(); lost_.pop_front()) {
    const auto [sequence, at_once] = lost_.front();
    Outstanding* const outstanding = find(sequence);
    if (outstanding == nullptr || outstanding->state != State::lost) continue;
    if (!at_once && in_flight_ >= window_.packets()) return false;
    lost_.pop_front();
    outstanding->frame.set(flag::resend);
    outstanding->frame.flow().acknowledge_now = true;
    outstanding->sent = now;
    outstanding->state = State::in_flight;
    outstanding->sent_once = false;
    ++in_flight_;
    transmissions_.emplace_back(sequence, now);
    out = outstanding->frame;
    return true;
  }
  return false;
}

template <class Window>
bool FlowSenderWith<Window>::receive(const Acknowledgement& acknowledgement, Time now) {
  const auto [sequence, before, credit, marked] = acknowledgement;
  if (wire::is_before(next_, before) || !wire::is_before(sequence, next_)) return false;
  const std::uint32_t limit = before + credit;
  const bool asked_for_room = asks_for_room();
  if (wire::is_before(limit_, limit)) limit_ = limit;

  const Outstanding* const answered = find(sequence);
  const bool samples =
      answered != nullptr && answered->state == State::in_flight && answered->sent_once;
  const Time answered_sent = answered != nullptr ? answered->sent : Time::zero();
  const Time round_trip = samples ? now - answered->sent : Time::zero();
  if (samples) rto_.sample(round_trip);
  const bool expected = wire::is_before(sequence, before) ||
                        (!transmissions_.empty() && transmissions_.front().sequence == sequence);

  const std::uint32_t were_in_flight = in_flight_;
  std::uint32_t settled = settle(sequence);
  for (std::uint32_t s = first_; wire::is_before(s, before); ++s) settled += settle(s);
  if (settled == 0) {
    if (asked_for_room && !asks_for_room()) lose_oldest(true);  // the request was refused
    return true;
  }
  forget_settled();
  if constexpr (requires { window_.observe(now, round_trip); }) window_.observe(now, round_trip);
  window_.acknowledged(settled, marked, were_in_flight);
  if (order_.tell_of_a_loss(expected) && !transmissions_.empty()) {
    window_.lost(in_flight_);
    lose_oldest(true);
    if constexpr (Window::kFindsAllLosses) lose_sent_before(answered_sent);
  }
  return true;
}

/// Returns the number of frames that are newly acknowledged.
template <class Window>
std::uint32_t FlowSenderWith<Window>::settle(std::uint32_t sequence) {
  Outstanding* const outstanding = find(sequence);
  if (outstanding == nullptr || outstanding->state == State::acknowledged) return 0;
  if (outstanding->state == State::in_flight) --in_flight_;
  outstanding->state = State::acknowledged;
  outstanding->frame.values.reset();
  return 1;
}

template <class Window>
void FlowSenderWith<Window>::forget_settled() {
  for (; !outstanding_.empty() && outstanding_.front().state == State::acknowledged; ++first_) {
    outstanding_.pop_front();
  }
  drop_stale();
}

template <class Window>
void FlowSenderWith<Window>::drop_stale() {
  while (!transmissions_.empty()) {
    const Transmission& transmission = transmissions_.front();
    const Outstanding* const outstanding = find(transmission.sequence);
    if (outstanding != nullptr && outstanding->state == State::in_flight &&
        outstanding->sent == transmission.sent) {
      return;
    }
    transmissions_.pop_front();
  }
}

template <class Window>
void FlowSenderWith<Window>::lose_oldest(bool at_once) {
  const std::uint32_t sequence = transmissions_.front().sequence;
  find(sequence)->state = State::lost;
  --in_flight_;
  lost_.emplace_back(sequence, at_once);
  drop_stale();
}

template <class Window>
void FlowSenderWith<Window>::lose_sent_before(Time sent) {
  while (!transmissions_.empty() && transmissions_.front().sent < sent) lose_oldest(false);
}

template <class Window>
void FlowSenderWith<Window>::expire(Time now) {
  if (deadline() > now) return;
  const bool asked_for_room = asks_for_room();
  rto_.expired(transmissions_.front().sent, now);
  while (!transmissions_.empty()) lose_oldest(false);
  if (!asked_for_room) window_.timed_out();
}

template class FlowSenderWith<DctcpWindow>;
template class FlowSenderWith<TcpWindow>;

FlowReceiver::FlowReceiver(std::uint32_t span)
    : span_(std::bit_ceil(std::max(span, kBits))), words_(span_ / kBits) {}

bool FlowReceiver::has(std::uint32_t sequence) const {
  if (wire::is_before(sequence, next_)) return true;
  return reaches(sequence) && (word(sequence) & bit(sequence)) != 0;
}

void FlowReceiver::take(std::uint32_t sequence) {
  word(sequence) |= bit(sequence);
  for (; (word(next_) & bit(next_)) != 0; ++next_) word(next_) &= ~bit(next_);
}

}  // namespace ina
