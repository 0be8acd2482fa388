// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/server/dsa_server.hpp"

#include <algorithm>
#include <utility>

namespace ina {

DsaServer::DsaServer(const ServerIdentity& identity, const Config& config, ValuePool& pool)
    : ParameterServer(identity, frame_bytes(wire::Protocol::dsa, wire::kFragmentValues)),
      pool_(pool),
      timeout_(config.reminder_min_timeout) {}

void DsaServer::receive_late(Frame&&, Time) { ++statistics_.duplicates; }

void DsaServer::receive_control(const Frame& frame, Time now) {
  switch (frame.kind) {
    case FrameKind::notification:
      receive_notification(frame, now);
      break;
    case FrameKind::reminder:  // came back: the switch holds nothing
      if (const auto found = entries_.find(frame.psn); found != entries_.end()) {
        request(frame.psn, found->second);
      }
      break;
    default:
      ParameterServer::receive_control(frame, now);
  }
}

void DsaServer::receive_notification(const Frame& frame, Time now) {
  completed_.erase(frame.psn);
  remind(frame.psn, open(frame.psn, frame.aggregator_index, now), now);
}

void DsaServer::entry_completed(Entry& entry, Frame& result, Time now) {
  result.bitmap0 = everyone_;
  // As Karn for round trips: an entry that a time-out had to complete, the server's or a worker's,
  // would only stretch the next time-out.
  const bool undisturbed = entry.reminded == entry.created && !entry.sent_again;
  if (undisturbed) timeout_.sample(now - entry.created);
}

void DsaServer::entry_incomplete(const Frame& frame, Entry& entry, Merge) {
  const bool fetched = frame.has(flag::partial) && frame.has(flag::resend);
  if (fetched) request(frame.psn, entry);
}

void DsaServer::remind(Psn psn, Entry& entry, Time now) {
  ++statistics_.reminders;
  Frame frame = control(FrameKind::reminder, psn, entry);
  frame.destination =
      identity_.host;  // the switch turns it round, with its partial aggregate in place of zeros
  frame.bytes = frame_bytes(wire::Protocol::dsa, wire::kFragmentValues);
  frame.values = pool_.take();
  if (frame.values) std::fill_n(frame.values.data(), frame.values.size(), 0);
  send(std::move(frame));
  if (entry.reminded != now) wait(psn, entry, now);
}

}  // namespace ina
