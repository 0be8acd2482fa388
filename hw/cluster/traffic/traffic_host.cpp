// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/traffic/traffic_host.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "hw/protocol/wire/headers.hpp"

namespace ina::cluster::traffic {

namespace {

constexpr std::uint64_t kTcpHeaderBytes = 20;  // RFC 9293, without options
constexpr std::uint64_t kTcpBytes =
    sizeof(wire::EthernetHeader) + sizeof(wire::Ipv4Header) + kTcpHeaderBytes;
constexpr std::uint64_t kUdpBytes =
    sizeof(wire::EthernetHeader) + sizeof(wire::Ipv4Header) + sizeof(wire::UdpHeader);
constexpr std::uint64_t kMostCredit = 65'535;  // of FlowFields::credit
constexpr std::size_t kMostQueued = 1000;      // frames, as in Linux (txqueuelen)
constexpr std::uint32_t kSegmentsPerAcknowledgement = 2;

/// Number of frames that carry a flow: its first one is without payload. A flow without end never
/// reaches it.
std::uint64_t segments_of(std::uint64_t bytes) {
  if (bytes == 0) return std::numeric_limits<std::uint64_t>::max();
  return 1 + (bytes + kSegmentBytes - 1) / kSegmentBytes;
}

/// Bytes of payload in the frames before number `before` of a flow.
std::uint64_t bytes_before(std::uint64_t before, std::uint64_t bytes) {
  const std::uint64_t whole = before == 0 ? 0 : (before - 1) * kSegmentBytes;
  return bytes == 0 ? whole : std::min(whole, bytes);
}

}  // namespace

TrafficHost::TrafficHost(HostId address, const Config& config, FlowObserver& observer)
    : address_(address),
      config_(config),
      longest_silence_(longest_silence(config.min_rto)),
      observer_(observer) {
  config_.window.max_packets = credit();
}

/// Number of segments that fit in a flow's buffer.
std::uint16_t TrafficHost::credit() const {
  return static_cast<std::uint16_t>(
      std::clamp(config_.buffer_bytes / kSegmentBytes, std::uint64_t{1}, kMostCredit));
}

void TrafficHost::start(const Flow& flow, Time now) {
  constexpr std::uint32_t kOnlyTheFirst = 1;  // until the receiver tells how much it has room for
  const auto [place, _] = sending_.try_emplace(
      static_cast<std::uint32_t>(flow.number),
      Sending{flow, TcpSender(config_.window, config_.min_rto, config_.first_rto, kOnlyTheFirst),
              segments_of(flow.bytes)});
  send_allowed(place->second, now);
}

void TrafficHost::start(const Flow& flow, const OnOff& on_off, Time now) {
  datagrams_.push_back({flow, on_off, now + on_off.interval, now + on_off.on});
  send_datagrams(datagrams_.back(), now);
}

void TrafficHost::expect(const Flow& flow) {
  const std::uint64_t segments = segments_of(flow.bytes);
  const auto span =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(segments, std::uint64_t{credit()} + 1));
  receiving_.try_emplace(
      static_cast<std::uint32_t>(flow.number),
      Receiving{static_cast<HostId>(flow.from), FlowReceiver(span), segments, flow.bytes});
}

Frame TrafficHost::frame_to(std::uint32_t host, std::uint64_t flow, FrameKind kind,
                            std::uint64_t bytes) const {
  Frame frame;
  frame.psn = static_cast<Psn>(flow);
  frame.job = kNoJob;
  frame.source = address_;
  frame.destination = static_cast<HostId>(host);
  frame.bytes = static_cast<std::uint16_t>(bytes);
  frame.kind = kind;
  frame.fields = FlowFields();
  return frame;
}

bool TrafficHost::is_full() const { return queue_.size() >= kMostQueued; }

void TrafficHost::enqueue(const Frame& frame) { queue_.emplace_back(frame); }

bool TrafficHost::next(Frame& out, Time now) {
  if (queue_.empty()) return false;
  out = std::move(queue_.front());
  queue_.pop_front();
  if (!held_up_.empty()) send_held_up(now);
  return true;
}

void TrafficHost::send_held_up(Time now) {
  const auto found = sending_.find(held_up_.front());
  held_up_.pop_front();
  if (found == sending_.end()) return;
  found->second.is_held_up = false;
  send_allowed(found->second, now);
}

void TrafficHost::stop() {
  stopped_ = true;
  queue_.clear();
  sending_.clear();
  datagrams_.clear();
  delayed_.clear();
  held_up_.clear();
  deadline_ = kNever;
}

// ---- sending

void TrafficHost::send_allowed(Sending& sending, Time now) {
  TcpSender& sender = sending.sender;
  const Flow& flow = sending.flow;
  for (Frame again; !is_full() && sender.resend(again, now);) enqueue(again);
  while (!is_full() && sender.next_sequence() < sending.segments && sender.may_send()) {
    const std::uint64_t number = sender.next_sequence();
    const std::uint64_t payload =
        bytes_before(number + 1, flow.bytes) - bytes_before(number, flow.bytes);
    Frame frame = frame_to(flow.to, flow.number, FrameKind::segment, kTcpBytes + payload);
    frame.flow().may_be_marked = payload > 0 && config_.window.reacts_to_marks();
    sender.send(frame, now);
    enqueue(frame);
  }
  if (is_full() && !std::exchange(sending.is_held_up, true)) {
    held_up_.emplace_back(static_cast<std::uint32_t>(flow.number));
  }
  deadline_ = std::min(deadline_, sender.deadline());
}

void TrafficHost::acknowledged(const Frame& frame, Time now) {
  const auto found = sending_.find(frame.psn);
  if (found == sending_.end()) return;
  Sending& sending = found->second;
  sending.sender.receive(Acknowledgement::of(frame), now);
  if (sending.sender.is_settled() && sending.sender.next_sequence() == sending.segments) {
    sending_.erase(found);
    return;
  }
  send_allowed(sending, now);
}

/// Sends a datagram at the end of each interval. An interval continues after a pause, so that the
/// phases together have the rate.
void TrafficHost::send_datagrams(Datagrams& datagrams, Time now) {
  const OnOff& on_off = datagrams.on_off;
  const Flow& flow = datagrams.flow;
  for (; datagrams.next <= now; datagrams.next += on_off.interval) {
    while (datagrams.next > datagrams.phase_end) {
      datagrams.next += on_off.off;
      datagrams.phase_end += on_off.off + on_off.on;
    }
    if (datagrams.next > now) break;
    if (is_full()) continue;
    enqueue(frame_to(flow.to, flow.number, FrameKind::datagram, kUdpBytes + on_off.bytes));
  }
  deadline_ = std::min(deadline_, datagrams.next);
}

// ---- receiving

void TrafficHost::receive(const Frame& frame, Time now) {
  if (stopped_) return;
  if (frame.kind == FrameKind::acknowledgement) {
    acknowledged(frame, now);
    return;
  }
  if (frame.kind == FrameKind::datagram) {
    observer_.received(frame.psn, frame.bytes - kUdpBytes, now);
    return;
  }
  const auto found = receiving_.find(frame.psn);
  if (found != receiving_.end()) {
    take(frame, found->second, now);
  } else {  // all of the flow has arrived
    const std::uint32_t sequence = frame.flow().sequence;
    answer(frame.source, frame.psn, {sequence, sequence + 1, credit(), false});
  }
}

void TrafficHost::take(const Frame& frame, Receiving& flow, Time now) {
  const std::uint32_t sequence = frame.flow().sequence;
  const bool marked = frame.has(flag::ecn) && config_.window.reacts_to_marks();
  if (!flow.receiver.reaches(sequence) || flow.receiver.has(sequence)) {
    answer(flow.from, frame.psn, {sequence, flow.receiver.next(), credit(), marked});
    return;
  }
  if (flow.unacknowledged > 0 && marked != flow.marked) answer_waiting(frame.psn, flow);
  const std::uint32_t before = flow.receiver.next();
  flow.receiver.take(sequence);
  deliver(frame.psn, flow, before, now);
  if (flow.receiver.next() == flow.segments) {
    answer(flow.from, frame.psn, {sequence, sequence + 1, credit(), marked});
    receiving_.erase(frame.psn);
    return;
  }
  const bool in_order = flow.receiver.next() == sequence + 1 && before == sequence;
  flow.marked = marked;
  if (flow.unacknowledged++ == 0) flow.since = now;
  if (!in_order || frame.flow().acknowledge_now ||
      flow.unacknowledged == kSegmentsPerAcknowledgement) {
    flow.unacknowledged = 0;
    answer(flow.from, frame.psn, {sequence, flow.receiver.next(), credit(), marked});
    return;
  }
  delayed_.emplace_back(frame.psn, now);
  deadline_ = std::min(deadline_, now + longest_silence_);
}

/// Tells of the payload that is now in order. `before`: the first missing frame until now.
void TrafficHost::deliver(std::uint64_t number, const Receiving& flow, std::uint32_t before,
                          Time now) {
  const std::uint64_t bytes =
      bytes_before(flow.receiver.next(), flow.bytes) - bytes_before(before, flow.bytes);
  if (bytes > 0) observer_.received(number, bytes, now);
}

void TrafficHost::answer(HostId host, std::uint32_t flow, const Acknowledgement& acknowledgement) {
  Frame out = frame_to(host, flow, FrameKind::acknowledgement, kTcpBytes);
  out.flow().sequence = acknowledgement.sequence;
  acknowledgement.write(out);
  enqueue(out);
}

/// Acknowledges the segments in order whose acknowledgement was delayed.
void TrafficHost::answer_waiting(std::uint32_t number, Receiving& flow) {
  const std::uint32_t before = flow.receiver.next();
  flow.unacknowledged = 0;
  answer(flow.from, number, {before - 1, before, credit(), flow.marked});
}

// ---- timers

void TrafficHost::expire(Time now) {
  if (deadline_ > now) return;
  deadline_ = kNever;
  expire_delayed(now);
  for (auto& [number, sending] : sending_) {
    if (sending.sender.deadline() <= now) {
      sending.sender.expire(now);
      send_allowed(sending, now);
    }
    deadline_ = std::min(deadline_, sending.sender.deadline());
  }
  for (Datagrams& datagrams : datagrams_) send_datagrams(datagrams, now);
}

void TrafficHost::expire_delayed(Time now) {
  for (; !delayed_.empty(); delayed_.pop_front()) {
    const auto [number, since] = delayed_.front();
    const auto found = receiving_.find(number);
    if (found == receiving_.end() || found->second.unacknowledged == 0 ||
        found->second.since != since) {
      continue;  // answered
    }
    if (since + longest_silence_ > now) {
      deadline_ = std::min(deadline_, since + longest_silence_);
      return;
    }
    answer_waiting(number, found->second);
  }
}

}  // namespace ina::cluster::traffic
