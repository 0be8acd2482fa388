// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/atp_worker.hpp"

#include <numeric>

namespace ina {

namespace {

constexpr int kMaxRehashes = 8;  // rehashing may run in a circle

}  // namespace

AtpWorker::AtpWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                     ResultSink& sink)
    : WindowedWorker(wire::Protocol::atp, identity, config.aggregators, config.window,
                     config.min_rto, pool, sink),
      aggregators_(config.aggregators) {}

void AtpWorker::receive_result(const Frame& frame, Time now) {
  if (frame.source != identity_.server) {
    ++statistics_.foreign_frames;
    return;
  }
  if (frame.has(flag::new_index)) remap(frame.aggregator_index, frame.bitmap0);
  if (misses_own_aggregator(frame)) return queue_retransmission(frame.psn);
  const bool expected = tracker_.oldest_in_flight() == frame.psn;
  const FragmentTracker::Done done = deliver(frame, now);
  if (!done.first) return;
  backoff_.progress();
  sample_round_trip(done, frame, now);
  window_.acknowledged(frame.has(flag::ecn), tracker_.in_flight() + 1);
  if (out_of_order_.tell_of_a_loss(expected)) loss_by_order();
}

/// Workers learn of a rehash at different times, and a rack's sum may have stood under another
/// index than the others': the result then passes what its switch holds. To send again frees that,
/// and the server answers under the index of what it gets.
bool AtpWorker::misses_own_aggregator(const Frame& result) {
  const bool others_have_another_switch = identity_.path.fan_in_degree0 < identity_.workers;
  if (!others_have_another_switch) return false;
  const FragmentTracker::Fragment* in_flight = tracker_.fragment(result.psn);
  return in_flight != nullptr && in_flight->aggregator_index != result.aggregator_index;
}

void AtpWorker::remap(std::uint32_t from, std::uint32_t to) {
  if (from >= aggregators_ || to >= aggregators_) return;
  if (remapped_.empty()) {
    remapped_.resize(aggregators_);
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
  window_.lost();
  if (const auto psn = tracker_.take_oldest()) queue_retransmission(*psn);
}

bool AtpWorker::next(Frame& out, Time now) {
  if (next_errand(out, now)) return true;
  const auto psn = next_in_window();
  if (!psn) return false;
  FragmentTracker::Fragment& fragment = send_first(*psn, out, now);
  fragment.aggregator_index = out.aggregator_index = index_of(*psn);
  return true;
}

void AtpWorker::make_retransmission(Psn psn, Frame& out, Time now) {
  // The index of the first sending: the partial aggregate that the resend has to flush stands
  // there.
  out.aggregator_index = send_gradient(psn, out, now).aggregator_index;
  out.set(flag::resend);
}

void AtpWorker::timed_out(Psn psn, Time) { queue_retransmission(psn); }

}  // namespace ina
