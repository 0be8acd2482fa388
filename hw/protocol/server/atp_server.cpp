// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/server/atp_server.hpp"

#include <utility>

#include "hw/protocol/wire/addressing.hpp"

namespace ina {

AtpServer::AtpServer(const ServerIdentity& identity, const Config& config)
    : ParameterServer(identity, frame_bytes(wire::Protocol::atp, wire::kFragmentValues)),
      config_(config),
      kept_(config.kept_results) {}

void AtpServer::receive_late(Frame&& frame, Time now) {
  if (!frame.has(flag::resend) || frame.has(flag::collision | flag::answer)) {
    ++statistics_.duplicates;
    return;
  }
  // A worker that sends again has no result. To it alone: the others have theirs, or ask as well.
  const Kept& latest = kept(frame.psn);
  if (latest.psn == frame.psn && latest.result.bytes != 0) {
    Frame again = latest.result;
    again.destination = frame.source;
    send(std::move(again));
    return;
  }
  completed_.erase(frame.psn);
  const Psn psn = frame.psn;
  Entry& entry = open(psn, frame.aggregator_index, now);
  entry.reopened = true;
  wait(psn, entry, now);
  collect(std::move(frame), now);
  if (const auto found = entries_.find(psn); found != entries_.end()) request(psn, found->second);
}

void AtpServer::entry_incomplete(const Frame& frame, Entry& entry, Merge merged) {
  // A resend flushes an aggregator together with its own contribution, which the entry may have
  // from another way.
  const bool dropped = merged == Merge::overlap;
  // The workers that have the result do not send by themselves: whoever lacks it has to ask until
  // they did.
  const bool stuck = entry.reopened && merged == Merge::duplicate && !frame.has(flag::answer);
  if (dropped || stuck) request(frame.psn, entry);
}

void AtpServer::timed_out(Psn psn, Entry& entry, Time now) {
  request(psn, entry);
  wait(psn, entry, now);
}

void AtpServer::request(Psn psn, const Entry& entry) {
  ++statistics_.requests;
  send(control(FrameKind::fragment_request, psn, entry));
}

void AtpServer::entry_completed(const Frame&, Entry& entry, Frame& result, Time) {
  result.bitmap0 = 0;
  if (entry.collision && config_.rehash) {
    result.set(flag::new_index);
    result.bitmap0 = wire::rehash(entry.aggregator_index, config_.aggregators);
  }
  kept(result.psn) = {result.psn, result};
}

}  // namespace ina
