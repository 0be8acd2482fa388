// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/atp_worker.hpp"

#include <numeric>

namespace ina {

namespace {

constexpr int kOutOfOrderResultsOfALoss = 3;  // ATP 3.7
constexpr int kMaxRehashes = 8;               // rehashing may run in a circle

}  // namespace

AtpWorker::AtpWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                     ResultSink& sink)
    : WorkerBase(identity, frame_bytes(wire::Protocol::atp, wire::kFragmentValues), pool, sink),
      config_(config),
      addressing_(identity.job, config.aggregators),
      window_(config.window),
      rto_(config.min_rto) {}

void AtpWorker::receive(const Frame& frame, Time now) {
  const bool mine = frame.job == identity_.job;
  if (mine && frame.kind == FrameKind::result) {
    receive_result(frame, now);
  } else if (mine && frame.kind == FrameKind::fragment_request) {
    receive_request(frame);
  } else {
    ++statistics_.foreign_frames;
  }
}

void AtpWorker::receive_result(const Frame& frame, Time now) {
  if (frame.has(flag::new_index)) remap(frame.aggregator_index, frame.bitmap0);
  const bool expected = tracker_.oldest_in_flight() == frame.psn;
  const FragmentTracker::Done done = deliver(frame, now);
  if (!done.first) return;
  backoff_.progress();
  if (done.transmissions == 1) rto_.sample(now - done.sent);
  window_.acknowledged(frame.has(flag::ecn), tracker_.in_flight() + 1);
  if (expected) {
    out_of_order_ = 0;
  } else if (++out_of_order_ == kOutOfOrderResultsOfALoss) {
    loss_by_order();
  }
}

void AtpWorker::remap(std::uint32_t from, std::uint32_t to) {
  if (from >= config_.aggregators || to >= config_.aggregators) return;
  if (remapped_.empty()) {
    remapped_.resize(config_.aggregators);
    std::iota(remapped_.begin(), remapped_.end(), 0U);
  }
  remapped_[from] = to;
}

std::uint32_t AtpWorker::index_of(Psn psn) {
  std::uint32_t index = addressing_.index(psn);
  if (remapped_.empty()) return index;
  // A new index may have collided in its turn.
  for (int i = 0; i < kMaxRehashes && remapped_[index] != index; ++i) index = remapped_[index];
  return index;
}

void AtpWorker::loss_by_order() {
  out_of_order_ = 0;
  window_.lost();
  if (const auto psn = tracker_.take_oldest()) queue_retransmission(*psn);
}

bool AtpWorker::next(Frame& out, Time now) {
  if (next_answer(out)) return true;
  if (const auto psn = next_retransmission()) {
    send_again(*psn, out, now);
    return true;
  }
  const auto psn = tracker_.next_unsent();
  if (!psn || tracker_.in_flight() >= window_.packets()) return false;
  send_first(*psn, out, now);
  return true;
}

void AtpWorker::send_first(Psn psn, Frame& out, Time now) {
  make_gradient(psn, *tracker_.find(psn), out);
  out.aggregator_index = index_of(psn);
  record_sent(psn, now).aggregator_index = out.aggregator_index;
}

void AtpWorker::send_again(Psn psn, Frame& out, Time now) {
  make_gradient(psn, *tracker_.find(psn), out);
  // The index of the first sending: the partial aggregate that the resend has to flush stands
  // there.
  out.aggregator_index = tracker_.fragment(psn)->aggregator_index;
  out.set(flag::resend);
  record_sent(psn, now);
  ++statistics_.retransmissions;
}

Time AtpWorker::deadline() const {
  if (!tracker_.oldest_in_flight()) return kNever;
  return tracker_.oldest_sent() + backoff_.apply(rto_.timeout());
}

void AtpWorker::expire(Time now) {
  bool expired = false;
  tracker_.take_sent_until(now - backoff_.apply(rto_.timeout()), [&](Psn psn) {
    queue_retransmission(psn);
    expired = true;
  });
  if (expired) backoff_.expired();
}

}  // namespace ina
