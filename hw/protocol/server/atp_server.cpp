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
  collect(std::move(frame), now);
}

void AtpServer::entry_incomplete(const Frame& frame, Entry& entry, Merge merged) {
  // A resend flushes an aggregator together with its own contribution, which the entry may have
  // from another way.
  if (merged == Merge::overlap) request(frame.psn, entry);
}

void AtpServer::timed_out(Psn psn, Entry& entry, Time now) {
  request(psn, entry);
  wait(psn, entry, now);
}

void AtpServer::entry_completed(Entry& entry, Frame& result, Time) {
  result.bitmap0 = 0;
  if (entry.collision && config_.rehash) {
    result.set(flag::new_index);
    result.bitmap0 = wire::rehash(entry.aggregator_index, config_.aggregators);
  }
  kept(result.psn) = {result.psn, result};
}

}  // namespace ina
