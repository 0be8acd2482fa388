// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/atp_worker.hpp"

namespace ina {

AtpWorker::AtpWorker(const WorkerIdentity& identity, const Config& config, ValuePool& pool,
                     ResultSink& sink)
    : HashedWorker(wire::Protocol::atp, identity, config.addressing, config.window, config.min_rto,
                   pool, sink),
      order_(identity.servers.count()) {}

void AtpWorker::receive_result(const Frame& frame, Time now) {
  if (frame.source != identity_.servers.of(frame.psn)) {
    ++statistics_.rejected_frames;
    return;
  }
  addressing_.result_came(frame);
  if (leaves_a_sum(frame)) return queue_retransmission(frame.psn);
  const bool expected = order_.is_expected(frame.psn, identity_.servers, tracker_);
  const FragmentTracker::Done done = deliver(frame, now);
  if (!done.first) return;
  addressing_.delivered(frame);
  backoff_.progress();
  sample_round_trip(done, frame, now);
  window_.acknowledged(frame.has(flag::ecn), tracker_.in_flight() + 1);
  if (order_.tells_of_a_loss(frame.psn, identity_.servers, expected)) {
    got_lost(order_.take_oldest(frame.psn, identity_.servers, tracker_));
  }
}

/// Workers learn of a rehash at different times, and a rack's sum may have stood under another
/// index than the others': the result then passes what its switch holds. To send again frees that,
/// and the server answers under the index of what it gets.
bool AtpWorker::leaves_a_sum(const Frame& result) {
  const bool others_have_another_switch = identity_.path.fan_in_degree0 < identity_.workers;
  return others_have_another_switch && missed_own_aggregator(result);
}

void AtpWorker::make_retransmission(Psn psn, Frame& out, Time now) {
  // The index of the first sending: the partial aggregate that the resend has to flush stands
  // there.
  out.aggregator_index = send_gradient(psn, out, now).aggregator_index;
  out.set(flag::resend);
}

}  // namespace ina
