// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/peer_worker.hpp"

#include <algorithm>
#include <utility>

#include "hw/protocol/numeric/saturating_add.hpp"

namespace ina {

namespace {

/// Limit per peer. One acknowledgement of 62 bytes for this many frames of an MTU costs 1 % of the
/// line.
constexpr std::uint32_t kMostUnacknowledged = 4;
/// One of this many frames of a flow belongs to the last tensor. Fragments of the last tensor then
/// wait for few others at each hop, and the first tensor takes hardly longer.
constexpr std::uint32_t kTurnOfLast = 8;

constexpr std::uint8_t resent(const Frame& frame) {
  return static_cast<std::uint8_t>(frame.flags & flag::resend);
}

}  // namespace

PeerWorker::PeerWorker(const WorkerIdentity& identity, PeerSchedule schedule, const Config& config,
                       ValuePool& pool, ResultSink& sink)
    : identity_(identity),
      schedule_(std::move(schedule)),
      peer_of_rank_(identity.workers, PeerSchedule::kNoPeer),
      receive_buffer_(config.receive_buffer),
      data_bytes_(frame_bytes(wire::Format::flow, config.values_per_packet)),
      longest_silence_(longest_silence(config.min_rto)),
      pool_(pool),
      sink_(sink),
      awake_(schedule_.ranks.size()) {
  peers_.reserve(schedule_.ranks.size());
  for (const std::uint16_t rank : schedule_.ranks) {
    peer_of_rank_[rank] = static_cast<Index>(peers_.size());
    peers_.push_back(
        {.host = identity.members[rank],
         .sender = {config.window, config.min_rto, config.first_rto, config.receive_buffer},
         .receiver = FlowReceiver(config.receive_buffer + 1),
         .forwards = {},
         .unacknowledged = {}});
    window_ += peers_.back().sender.window();
  }
}

PeerWorker::Active* PeerWorker::find(Psn psn) {
  const auto after = std::ranges::upper_bound(
      active_, psn, wire::is_before, [](const Active& active) { return active.tensor.first_psn; });
  if (after == active_.begin()) return nullptr;
  Active& active = *std::prev(after);
  return active.holds(psn) ? &active : nullptr;
}

/// PSNs may wrap around to 0 within a tensor, which does not affect its chunks.
const PeerSchedule::Route& PeerWorker::route_of(Psn psn, const Tensor& tensor) const {
  const auto chunks = static_cast<std::uint32_t>(schedule_.routes.size());
  return schedule_.routes[(tensor.first_psn % chunks + (psn - tensor.first_psn)) % chunks];
}

template <class Use>
auto PeerWorker::with_sender(Index index, Use&& use) {
  FlowSender& sender = peers_[index].sender;
  in_flight_ -= sender.in_flight();
  window_ -= sender.window();
  const auto result = use(sender);
  in_flight_ += sender.in_flight();
  window_ += sender.window();
  earliest_ = std::min(earliest_, sender.deadline());
  return result;
}

// ---- tensors

void PeerWorker::submit(const Tensor& tensor, Time now) {
  const auto position =
      std::ranges::upper_bound(active_, tensor.first_psn, wire::is_before,
                               [](const Active& active) { return active.tensor.first_psn; });
  Active& active = *active_.insert(
      position, {tensor, tensor.fragments, std::vector<std::uint32_t>(peers_.size())});
  const auto peers = static_cast<Index>(peers_.size());
  for (Index index = 0; index < peers; ++index) {
    active.begun[index] = first_place_from(0, index, tensor);
    if (active.begun[index] == places_of(index, tensor)) continue;
    ++peers_[index].yet_to_begin;
    wake(index);
  }
  if (!held_.empty()) take_held(now);
}

void PeerWorker::take_held(Time now) {
  boost::dynamic_bitset<> have_room(peers_.size());
  for (std::size_t left = held_.size(); left > 0; --left) {
    const Held held = std::move(held_.front());
    held_.pop_front();
    if (Active* const active = find(held.frame.psn)) {
      --peers_[held.peer].held;
      have_room.set(held.peer);
      process(held.frame, held.peer, *active, now);
    } else {
      held_.emplace_back(held);
    }
  }
  for (auto peer = have_room.find_first(); peer != have_room.npos;
       peer = have_room.find_next(peer)) {
    tell_of_room(static_cast<Index>(peer));
  }
}

// ---- fragments that begin here; per peer, they have places 0, 1, ... in the order of sending

/// Number of places, counted to the end of the last round. Places of this round may belong to
/// chunks with one fragment less.
std::uint32_t PeerWorker::places_of(Index index, const Tensor& tensor) const {
  const auto chunks = static_cast<std::uint32_t>(schedule_.routes.size());
  const auto in_a_round = static_cast<std::uint32_t>(schedule_.begins[index].size());
  return (tensor.fragments + chunks - 1) / chunks * in_a_round;
}

std::uint32_t PeerWorker::fragment_at(std::uint32_t place, Index index,
                                      const Tensor& tensor) const {
  const std::vector<std::uint16_t>& begins = schedule_.begins[index];
  const auto chunks = static_cast<std::uint32_t>(schedule_.routes.size());
  const auto in_a_round = static_cast<std::uint32_t>(begins.size());
  const std::uint32_t chunk = begins[place % in_a_round];
  const std::uint32_t chunk_of_first = tensor.first_psn % chunks;
  return place / in_a_round * chunks + (chunk + chunks - chunk_of_first) % chunks;
}

std::uint32_t PeerWorker::first_place_from(std::uint32_t place, Index index,
                                           const Tensor& tensor) const {
  const std::uint32_t places = places_of(index, tensor);
  while (place < places && fragment_at(place, index, tensor) >= tensor.fragments) ++place;
  return place;
}

bool PeerWorker::has_to_begin(const Active& active, Index index) const {
  return active.begun[index] < places_of(index, active.tensor);
}

PeerWorker::Active* PeerWorker::first_to_begin(Index index) {
  if (peers_[index].yet_to_begin == 0) return nullptr;
  return &*std::ranges::find_if(
      active_, [index, this](const Active& active) { return has_to_begin(active, index); });
}

PeerWorker::Active* PeerWorker::last_to_begin(Index index) {
  if (peers_[index].yet_to_begin == 0) return nullptr;
  return &*std::find_if(active_.rbegin(), active_.rend(), [index, this](const Active& active) {
    return has_to_begin(active, index);
  });
}

PeerWorker::Forward PeerWorker::begin(Active& active, Index index) {
  const Tensor& tensor = active.tensor;
  std::uint32_t& begun = active.begun[index];
  const Psn psn = tensor.first_psn + fragment_at(begun, index, tensor);
  begun = first_place_from(begun + 1, index, tensor);
  if (begun == places_of(index, tensor)) --peers_[index].yet_to_begin;
  return {read(psn, tensor), psn, FrameKind::gradient, 0};
}

// ---- from peers

void PeerWorker::receive(const Frame& frame, Time now) {
  const auto index = sender_of(frame);
  const bool answers = index && with_sender(*index, [&](FlowSender& sender) {
                         return sender.receive(Acknowledgement::of(frame), now);
                       });
  if (!answers) {
    ++statistics_.rejected_frames;
    return;
  }
  wake(*index);
  if (frame.kind != FrameKind::acknowledgement) receive_data(frame, *index, now);
}

std::optional<PeerWorker::Index> PeerWorker::sender_of(const Frame& frame) const {
  const bool of_a_flow = frame.kind == FrameKind::gradient || frame.kind == FrameKind::result ||
                         frame.kind == FrameKind::acknowledgement;
  if (frame.job != identity_.job || !of_a_flow || frame.worker >= identity_.workers ||
      frame.source != identity_.members[frame.worker]) {
    return std::nullopt;
  }
  const Index index = peer_of_rank_[frame.worker];
  return index == PeerSchedule::kNoPeer ? std::nullopt : std::optional(index);
}

/// Refused frames are answered too, because the sender waits for an answer.
void PeerWorker::receive_data(const Frame& frame, Index index, Time now) {
  Peer& peer = peers_[index];
  const std::uint32_t sequence = frame.flow().sequence;
  const bool marked = frame.has(flag::ecn);
  if (peer.receiver.has(sequence)) {
    ++statistics_.duplicate_results;
    return answer(index, sequence, marked);
  }
  Active* const active = find(frame.psn);
  const bool has_room = active != nullptr || peer.held < receive_buffer_;
  if (!has_room || !peer.receiver.reaches(sequence)) return tell_of_room(index);
  take(frame, index, now);
  if (active != nullptr) {
    process(frame, index, *active, now);
  } else {
    ++peer.held;
    held_.emplace_back(frame, index);
  }
}

void PeerWorker::process(const Frame& frame, Index index, Active& active, Time now) {
  const PeerSchedule::Route& route = route_of(frame.psn, active.tensor);
  if (frame.kind == FrameKind::gradient && route.parts_from.contains(index)) {
    return add_part(frame, route, active, now);
  }
  if (frame.kind == FrameKind::result && route.result_from == index) {
    return hand_out({frame.values, frame.psn, FrameKind::result, resent(frame)}, route, active,
                    now);
  }
  ++statistics_.rejected_frames;
}

/// Adds into a separate buffer, because the sender keeps the frame's values until the frame is
/// acknowledged.
void PeerWorker::add_part(const Frame& frame, const PeerSchedule::Route& route, Active& active,
                          Time now) {
  const auto [sum, is_first] = partial_sums_.try_emplace(frame.psn);
  PartialSum& partial = sum->second;
  if (is_first) partial = {read(frame.psn, active.tensor), route.parts_from.count(), 0};
  if (partial.values) {
    numeric::add_sticky(partial.values.data(), frame.values.data(), partial.values.size());
  }
  partial.flags = static_cast<std::uint8_t>(partial.flags | resent(frame));
  if (--partial.missing > 0) return sink_.part_came(frame.bytes, now);
  Forward forward{std::move(partial.values), frame.psn, FrameKind::gradient, partial.flags};
  partial_sums_.erase(sum);
  if (route.sum_to != PeerSchedule::kNoPeer) {
    push(route.sum_to, forward, active.tensor);
    return sink_.part_came(frame.bytes, now);
  }
  forward.kind = FrameKind::result;
  hand_out(forward, route, active, now);
}

void PeerWorker::hand_out(const Forward& result, const PeerSchedule::Route& route, Active& active,
                          Time now) {
  for (Index peer = route.result_to.begin; peer < route.result_to.end; ++peer) {
    push(peer, result, active.tensor);
  }
  Frame frame;
  frame.values = result.values;
  frame.psn = result.psn;
  frame.kind = result.kind;
  frame.flags = result.flags;
  frame.bytes = data_bytes_;  // also if the last part completed the sum
  ++statistics_.results;
  const Hold hold = holding_back_ > 0 ? Hold::window : Hold::none;
  sink_.fragment_complete(frame, {.hold = hold, .held_since = held_since_}, now);
  if (--active.remaining != 0) return;
  const Psn first_psn = active.tensor.first_psn;
  forget(active);
  sink_.tensor_complete(first_psn, now);
}

/// Removes a tensor. A member that sends parts twice can complete a tensor of which not all
/// fragments have begun here.
void PeerWorker::forget(Active& active) {
  const auto peers = static_cast<Index>(peers_.size());
  for (Index index = 0; index < peers; ++index) {
    if (has_to_begin(active, index)) --peers_[index].yet_to_begin;
  }
  active_.erase(active_.begin() + (&active - active_.data()));
}

Values PeerWorker::read(Psn psn, const Tensor& tensor) const {
  Values values = pool_.take();
  if (values) tensor.source->read(psn, {values.data(), pool_.count()});
  return values;
}

// ---- acknowledgements: with the next frame to the peer, for several frames at once, or when the
// peer waits for one or has waited for a long time

void PeerWorker::take(const Frame& frame, Index index, Time now) {
  Peer& peer = peers_[index];
  const std::uint32_t sequence = frame.flow().sequence;
  const bool marked = frame.has(flag::ecn);
  const bool was_next = sequence == peer.receiver.next();
  // RFC 8257 3.2, RFC 5681 4.2: one acknowledgement covers frames with equal marks; a missing frame
  // is reported at once.
  if (!was_next || peer.unacknowledged.marked != marked) answer_what_came(index);
  peer.receiver.take(sequence);
  if (!was_next || peer.receiver.next() != sequence + 1) return answer(index, sequence, marked);
  Unacknowledged& unacknowledged = peer.unacknowledged;
  if (unacknowledged.frames == 0) {
    unacknowledged.since = now;
    unacknowledged.marked = marked;
    waiting_.emplace_back(index, now);
  }
  ++unacknowledged.frames;
  if (unacknowledged.frames == kMostUnacknowledged || frame.flow().acknowledge_now) {
    answer_what_came(index);
  }
}

Acknowledgement PeerWorker::acknowledgement_of(const Peer& peer, std::uint32_t sequence,
                                               bool marked) const {
  return {sequence, peer.receiver.next(), static_cast<std::uint16_t>(receive_buffer_ - peer.held),
          marked};
}

void PeerWorker::answer(Index index, std::uint32_t sequence, bool marked) {
  answers_.emplace_back(acknowledgement_of(peers_[index], sequence, marked), index);
}

void PeerWorker::tell_of_room(Index index) {
  answer(index, peers_[index].receiver.next() - 1, false);
}

void PeerWorker::answer_what_came(Index index) {
  Peer& peer = peers_[index];
  if (peer.unacknowledged.frames == 0) return;
  answer(index, peer.receiver.next() - 1, peer.unacknowledged.marked);
  peer.unacknowledged.frames = 0;
  forget_answered();
}

void PeerWorker::forget_answered() {
  while (!waiting_.empty()) {
    const Waiting& waiting = waiting_.front();
    const Unacknowledged& unacknowledged = peers_[waiting.peer].unacknowledged;
    if (unacknowledged.frames > 0 && unacknowledged.since == waiting.since) return;
    waiting_.pop_front();
  }
}

Time PeerWorker::deadline() const {
  const Time silent_until = waiting_.empty() ? kNever : waiting_.front().since + longest_silence_;
  return std::min(earliest_, silent_until);
}

void PeerWorker::expire(Time now) {
  while (!waiting_.empty() && waiting_.front().since + longest_silence_ <= now) {
    answer_what_came(waiting_.front().peer);
  }
  if (earliest_ > now) return;
  earliest_ = kNever;
  const auto peers = static_cast<Index>(peers_.size());
  for (Index index = 0; index < peers; ++index) {
    const bool expired = with_sender(index, [now](FlowSender& sender) {
      const bool is_due = sender.deadline() <= now;
      if (is_due) sender.expire(now);
      return is_due;
    });
    if (expired) wake(index);
  }
}

// ---- to peers

void PeerWorker::push(Index peer, const Forward& forward, const Tensor& tensor) {
  peers_[peer].forwards.push(tensor.first_psn, forward);
  wake(peer);
}

bool PeerWorker::next(Frame& out, Time now) { return next_answer(out) || next_data(out, now); }

bool PeerWorker::next_answer(Frame& out) {
  if (answers_.empty()) return false;
  const Answer answer = answers_.front();
  answers_.pop_front();
  out = frame_to(answer.peer, FrameKind::acknowledgement, wire::kAcknowledgementBytes);
  out.flow().sequence = answer.acknowledgement.sequence;
  answer.acknowledgement.write(out);
  return true;
}

bool PeerWorker::next_data(Frame& out, Time now) {
  while (awake_.any()) {
    auto peer = turn_ == 0 ? awake_.find_first() : awake_.find_next(turn_ - 1U);
    if (peer == awake_.npos) peer = awake_.find_first();
    const auto index = static_cast<Index>(peer);
    turn_ = static_cast<Index>((index + 1U) % peers_.size());
    if (next_data_to(index, out, now)) return true;
    awake_.reset(index);
  }
  return false;
}

bool PeerWorker::next_data_to(Index index, Frame& out, Time now) {
  const bool sent = with_sender(index, [&](FlowSender& sender) {
    return send_again(sender, out, now) || send_next(index, out, now);
  });
  if (!sent) return false;
  ++statistics_.packets_sent;
  Peer& peer = peers_[index];
  const bool marked = peer.unacknowledged.frames > 0 && peer.unacknowledged.marked;
  acknowledgement_of(peer, 0, marked).write(out);
  peer.unacknowledged.frames = 0;
  forget_answered();
  return true;
}

void PeerWorker::hold_back(Peer& peer, Time now) {
  const bool has_something = peer.yet_to_begin > 0 || !peer.forwards.empty();
  if (!has_something || peer.holds_back) return;
  peer.holds_back = true;
  if (holding_back_++ == 0) held_since_ = now;
}

void PeerWorker::let_go(Peer& peer) {
  if (std::exchange(peer.holds_back, false)) --holding_back_;
}

bool PeerWorker::send_again(FlowSender& sender, Frame& out, Time now) {
  if (!sender.resend(out, now)) return false;
  ++statistics_.retransmissions;
  return true;
}

bool PeerWorker::send_next(Index index, Frame& out, Time now) {
  FlowSender& sender = peers_[index].sender;
  if (!sender.may_send()) {
    hold_back(peers_[index], now);
    return false;
  }
  let_go(peers_[index]);
  const bool last_has_turn = sender.next_sequence() % kTurnOfLast == kTurnOfLast - 1 &&
                             sender.has_room_beyond((receive_buffer_ + 1) / 2);
  const auto forward = last_has_turn ? next_of_last(index) : next_of_first(index);
  if (!forward) return false;
  out = frame_to(index, forward->kind, data_bytes_);
  out.values = forward->values;
  out.psn = forward->psn;
  out.flags = forward->flags;
  sender.send(out, now);
  return true;
}

std::optional<PeerWorker::Forward> PeerWorker::next_of_first(Index index) {
  auto& forwards = peers_[index].forwards;
  Active* const active = first_to_begin(index);
  const bool begins =
      active != nullptr &&
      (forwards.empty() || !wire::is_before(forwards.first(), active->tensor.first_psn));
  if (begins) return begin(*active, index);
  if (forwards.empty()) return std::nullopt;
  return forwards.pop_first();
}

std::optional<PeerWorker::Forward> PeerWorker::next_of_last(Index index) {
  auto& forwards = peers_[index].forwards;
  Active* const active = last_to_begin(index);
  const bool begins =
      active != nullptr &&
      (forwards.empty() || !wire::is_before(active->tensor.first_psn, forwards.last()));
  if (begins) return begin(*active, index);
  if (forwards.empty()) return std::nullopt;
  return forwards.pop_last();
}

Frame PeerWorker::frame_to(Index index, FrameKind kind, std::uint16_t bytes) const {
  Frame frame;
  frame.fields = FlowFields{};
  frame.job = identity_.job;
  frame.worker = identity_.rank;
  frame.source = identity_.host;
  frame.destination = peers_[index].host;
  frame.bytes = bytes;
  frame.kind = kind;
  return frame;
}

}  // namespace ina
