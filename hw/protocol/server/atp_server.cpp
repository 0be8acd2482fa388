// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/server/atp_server.hpp"

#include <utility>

#include "hw/protocol/numeric/saturating_add.hpp"

namespace ina {

AtpServer::AtpServer(const ServerIdentity& identity, const Config& config)
    : ParameterServer(identity, frame_bytes(wire::Format::atp, config.values_per_packet)),
      request_timeout_(config.request_timeout),
      naming_(identity.job, config.addressing, identity.servers, identity.host),
      kept_(config.kept_results),
      floats_(identity.workers) {}

void AtpServer::receive_late(Frame&& frame, Time now) {
  if (!frame.has(flag::resend) || frame.has(flag::collision | flag::answer)) {
    ++statistics_.duplicates;
    return;
  }
  // A worker that retransmits lacks the result. The result goes only to this worker, because all
  // other workers have it or will ask for it.
  if (const Frame* result = kept_.find(frame.psn)) {
    Frame again = *result;
    again.destination = frame.source;
    if (again.aggregator().index != frame.aggregator().index)
      answer_under(frame.aggregator().index, again);
    send(std::move(again));
    return;
  }
  completed_.erase(frame.psn);
  collect(std::move(frame), now);
}

bool AtpServer::accept_sum(Psn psn, Entry& entry, Time now) {
  if (!numeric::any_saturated(entry.values.span())) return true;
  ++statistics_.overflows;
  // The bitmap stays full, so an integer packet that arrives now is a duplicate.
  entry.values.reset();
  entry.backoff.progress();
  floats_.open(psn);
  request_floats(psn, entry);
  if (entry.reminded != now) wait(psn, entry, now);
  return false;
}

void AtpServer::receive_floats(Frame&& frame, Time now) {
  // Floats are accepted only for a task for which they were requested, because a restarted server
  // begins with integers.
  const std::uint16_t rank = frame.worker;
  const bool is_of_one_worker = rank < identity_.workers &&
                                Branches::names(frame, identity_.paths[rank]) &&
                                branches_.overlap(frame, {}).named == 1;
  if (!is_of_one_worker ||
      !floats_.add(frame.psn, rank, identity_.paths[rank], std::move(frame.values))) {
    ++statistics_.duplicates;
    return;
  }
  const auto found = entries_.find(frame.psn);
  Entry& entry = found->second;
  if (frame.has(flag::ecn)) branches_.add(frame, entry.marked);
  entry.sent_again = true;
  if (!has_everyone(floats_.workers(frame.psn))) return progressed(frame.psn, entry, now);
  entry.values = floats_.take_sum(frame.psn);
  complete(found, flag::floats, now);
}

void AtpServer::receive_control(const Frame& frame, Time now) {
  if (frame.kind == FrameKind::release) floats_.close(frame.psn);
  ParameterServer::receive_control(frame, now);
}

void AtpServer::request_floats(Psn psn, const Entry& entry) {
  request(psn, entry, floats_.workers(psn), flag::floats);
}

/// Sends the result to the aggregator that may hold packets of the worker, to free this aggregator.
void AtpServer::answer_under(std::uint32_t aggregator_index, Frame& result) const {
  result.aggregator().index = aggregator_index;
  if (naming_.is_of_psn()) return;
  result.clear(flag::new_index);
  result.aggregator().next_index = 0;
}

void AtpServer::entry_incomplete(const Frame& frame, Entry& entry, Merge merged, Time) {
  // A resend flushes an aggregator together with its own contribution. The entry may already
  // contain this contribution.
  if (merged == Merge::overlap) request(frame.psn, entry, entry.workers);
}

void AtpServer::timed_out(Psn psn, Entry& entry, Time now) {
  if (floats_.collects(psn)) {
    request_floats(psn, entry);
  } else {
    request(psn, entry, entry.workers);
  }
  wait(psn, entry, now);
}

void AtpServer::entry_completed(Entry& entry, Frame& result, Time) {
  result.aggregator().bitmap0 = 0;
  naming_.name(result, entry.collision);
  kept_.keep(result);
}

}  // namespace ina
