// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/server/dsa_server.hpp"

#include <algorithm>
#include <utility>

namespace ina {

namespace {

/// A worker had no result when it sent this, unasked.
bool is_retransmission(const Frame& frame) {
  return frame.has(flag::resend) && !frame.has(flag::partial | flag::answer);
}

}  // namespace

DsaServer::DsaServer(const ServerIdentity& identity, const Config& config, ValuePool& pool)
    : ParameterServer(identity, frame_bytes(wire::Protocol::dsa, wire::kFragmentValues)),
      pool_(pool),
      timeout_(config.reminder_min_timeout),
      naming_(identity.job, config.addressing),
      kept_(config.kept_results) {}

void DsaServer::receive_late(Frame&& frame, Time) {
  if (!is_retransmission(frame) || !answer(frame)) ++statistics_.duplicates;
}

bool DsaServer::answer(const Frame& frame) {
  const Frame* result = kept_.find(frame.psn);
  if (result == nullptr) return false;
  // To it alone: the others have theirs, or ask as well.
  Frame again = *result;
  again.destination = frame.source;
  again.aggregator_index = frame.aggregator_index;
  send(std::move(again));
  return true;
}

void DsaServer::receive_control(const Frame& frame, Time now) {
  switch (frame.kind) {
    case FrameKind::notification:
      receive_notification(frame, now);
      break;
    case FrameKind::reminder:  // came back as it went: the switch holds nothing
      if (const auto found = entries_.find(frame.psn); found != entries_.end()) {
        fetched(frame, found->second);
      }
      break;
    default:
      ParameterServer::receive_control(frame, now);
  }
}

void DsaServer::receive_notification(const Frame& frame, Time now) {
  if (answer(frame)) return;
  completed_.erase(frame.psn);
  Entry& entry = open(frame.psn, frame.aggregator_index, now);
  if (entry.need != Need::certain) return remind(frame.psn, entry, now);
  // Its part is in the switch or lost. What the entry has, others wait for.
  const bool lacks_sender = (entry.bitmap & frame.bitmap0) == 0;
  if (lacks_sender && entry.patience.doublings() > 0) {
    progressed(frame.psn, entry, now);
    remind(frame.psn, entry, now);
  }
}

void DsaServer::entry_completed(Entry& entry, Frame& result, Time now) {
  result.bitmap0 = everyone_;
  naming_.name(result, entry.collision);
  // As Karn for round trips: an entry that a time-out had to complete, the server's or a worker's,
  // or that would have waited for one except for an eviction, would only stretch the next time-out.
  const bool undisturbed = entry.reminded == entry.created && !entry.sent_again;
  if (undisturbed) timeout_.sample(now - entry.created);
  kept_.keep(result);
}

void DsaServer::entry_incomplete(const Frame& frame, Entry& entry, Merge merged, Time now) {
  if (!is_retransmission(frame)) {
    entry.need = Need::certain;
  } else if (merged == Merge::duplicate && entry.need != Need::certain) {
    remind(frame.psn, entry, now);
  }
  if (frame.has(flag::partial) && frame.has(flag::resend)) fetched(frame, entry);
}

void DsaServer::timed_out(Psn psn, Entry& entry, Time now) {
  switch (entry.need) {
    case Need::unknown:  // by the second time-out a worker that lacks the result has sent once more
      entry.need = Need::doubtful;
      return wait(psn, entry, now);
    case Need::doubtful:
      entries_.erase(psn);
      return;
    case Need::certain:
      remind(psn, entry, now);
  }
}

void DsaServer::remind(Psn psn, Entry& entry, Time now) {
  entry.need = Need::certain;
  entry.leaves_due = leaves_to_ask(entry);
  if (entry.leaves_due == 0) send_reminder(psn, entry, identity_.host);
  for (std::size_t leaf = 0; leaf < identity_.leaves.size(); ++leaf) {
    const bool is_asked = (entry.leaves_due >> leaf & 1U) != 0;
    if (is_asked) send_reminder(psn, entry, identity_.addressee(leaf));
  }
  if (entry.reminded != now) wait(psn, entry, now);
}

/// What another leaf may hold is in the entry already; the result frees it.
std::uint32_t DsaServer::leaves_to_ask(const Entry& entry) const {
  std::uint32_t leaves = 0;
  for (std::size_t leaf = 0; leaf < identity_.leaves.size(); ++leaf) {
    if ((identity_.leaves[leaf] & ~entry.bitmap) != 0) leaves |= 1U << leaf;
  }
  return leaves;
}

/// To the server itself: its switch turns it round, with its partial aggregate in place of zeros.
/// To a worker: so does the worker's leaf.
void DsaServer::send_reminder(Psn psn, const Entry& entry, HostId destination) {
  ++statistics_.reminders;
  Frame frame = control(FrameKind::reminder, psn, entry);
  frame.destination = destination;
  frame.bytes = frame_bytes(wire::Protocol::dsa, wire::kFragmentValues);
  frame.values = pool_.take();
  if (frame.values) std::fill_n(frame.values.data(), frame.values.size(), 0);
  send(std::move(frame));
}

/// Once the leaves have answered, the servers' switch is asked, and then the workers.
void DsaServer::fetched(const Frame& frame, Entry& entry) {
  const auto leaf = identity_.leaf_that_answers_as(frame.source);
  if (!leaf) return request(frame.psn, entry);
  if ((entry.leaves_due >> *leaf & 1U) == 0) return;
  entry.leaves_due &= ~(1U << *leaf);
  if (entry.leaves_due == 0) send_reminder(frame.psn, entry, identity_.host);
}

}  // namespace ina
