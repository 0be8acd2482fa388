// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/server/dsa_server.hpp"

#include <algorithm>
#include <utility>

namespace ina {

namespace {

/// Whether a worker sent this frame without a request, because the worker lacks the result.
bool is_retransmission(const Frame& frame) {
  return frame.has(flag::resend) && !frame.has(flag::partial | flag::answer);
}

/// Time after which every worker that lacks a result has retransmitted: the longest time-out of
/// workers, plus a time-out of the server, which is longer than the path.
Time retransmission_limit(const DsaServer::Config& config) {
  return Backoff::doubled(config.workers_rto, Backoff::kMostDoublings) +
         config.reminder_min_timeout;
}

}  // namespace

DsaServer::DsaServer(const ServerIdentity& identity, const Config& config, ValuePool& pool)
    : ParameterServer(identity, frame_bytes(wire::Format::dsa, config.values_per_packet)),
      pool_(pool),
      leaves_(leaves_of(identity)),
      timeout_(config.reminder_min_timeout),
      retransmission_limit_(retransmission_limit(config)),
      naming_(identity.job, config.addressing, identity.servers, identity.host),
      kept_(config.kept_results) {}

void DsaServer::receive_late(Frame&& frame, Time) {
  if (!is_retransmission(frame) || !answer(frame)) ++statistics_.duplicates;
}

bool DsaServer::answer(const Frame& frame) {
  const Frame* result = kept_.find(frame.psn);
  if (result == nullptr) return false;
  // The result goes only to this worker, because all other workers have it or will ask for it.
  Frame again = *result;
  again.destination = frame.source;
  again.aggregator().index = frame.aggregator().index;
  send(std::move(again));
  return true;
}

void DsaServer::receive_control(const Frame& frame, Time now) {
  switch (frame.kind) {
    case FrameKind::notification:
      receive_notification(frame, now);
      break;
    case FrameKind::reminder:  // returned unchanged: the switch holds nothing
      if (frame.source != identity_.host && leaf_that_answers_as(frame.source) == nullptr) {
        ++statistics_.rejected_frames;
      } else if (const auto found = entries_.find(frame.psn); found != entries_.end()) {
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
  Entry& entry = open(frame.psn, frame.aggregator().index, now);
  if (!entry.is_needed) return remind(frame.psn, entry, now);
  // If the entry lacks the sender's part, this part is in the switch or lost. Otherwise the sender
  // waits for the parts of other workers.
  const bool lacks_sender = branches_.overlap(frame, entry.workers).common == 0;
  if (lacks_sender && entry.backoff.doublings() > 0) {
    progressed(frame.psn, entry, now);
    remind(frame.psn, entry, now);
  }
}

void DsaServer::entry_completed(Entry& entry, Frame& result, Time now) {
  naming_.name(result, entry.collision);
  // An entry is not measured if a time-out of the server or of a worker completed the entry, or
  // would have done so without an eviction. Such a time would only lengthen the next time-out
  // (compare Karn's rule for round trips).
  const bool undisturbed = entry.reminded == entry.created && !entry.sent_again;
  if (undisturbed) timeout_.sample(now - entry.created);
  kept_.keep(result);
}

void DsaServer::entry_incomplete(const Frame& frame, Entry& entry, Merge merged, Time now) {
  if (!is_retransmission(frame)) {
    entry.is_needed = true;
  } else if (merged == Merge::duplicate && !entry.is_needed) {
    remind(frame.psn, entry, now);
  }
  if (frame.has(flag::partial) && frame.has(flag::resend)) fetched(frame, entry);
}

void DsaServer::timed_out(Psn psn, Entry& entry, Time now) {
  if (entry.is_needed) return remind(psn, entry, now);
  const bool may_be_sent_again = now - entry.added < retransmission_limit_;
  if (may_be_sent_again) return wait(psn, entry, now);
  entries_.erase(psn);
}

void DsaServer::remind(Psn psn, Entry& entry, Time now) {
  entry.is_needed = true;
  const std::uint32_t lacking = leaves_to_ask(entry);
  entry.leaves_due = entry.root_due ? entry.leaves_due & lacking : lacking;
  entry.root_due = entry.root_due || entry.leaves_due != 0;
  for (const Leaf& leaf : leaves_) {
    const bool is_due = (entry.leaves_due >> leaf.branch & 1U) != 0;
    if (is_due) send_reminder(psn, entry, leaf.addressee);
  }
  if (entry.leaves_due == 0) send_reminder(psn, entry, identity_.host);
  if (entry.reminded != now) wait(psn, entry, now);
}

/// Parts that other leaves may hold are already in the entry, and the result frees the aggregators
/// of those leaves.
std::uint32_t DsaServer::leaves_to_ask(const Entry& entry) const {
  std::uint32_t leaves = 0;
  for (const Leaf& leaf : leaves_) {
    const bool is_whole = entry.workers.places(leaf.branch) == branches_.everyone(leaf.branch);
    if (!is_whole) leaves |= 1U << leaf.branch;
  }
  return leaves;
}

/// Sends a reminder. The server's switch returns a reminder to the server itself, with the partial
/// aggregate instead of zeros. A worker's leaf returns a reminder to the worker.
void DsaServer::send_reminder(Psn psn, const Entry& entry, HostId destination) {
  ++statistics_.reminders;
  Frame frame = control(FrameKind::reminder, psn, entry);
  frame.destination = destination;
  frame.bytes = frame_bytes(wire::Format::dsa, wire::kFragmentValues);
  frame.values = pool_.take();
  if (frame.values) std::fill_n(frame.values.data(), frame.values.size(), 0);
  send(std::move(frame));
}

/// After the leaves have answered, the server asks the root, and then the workers.
void DsaServer::fetched(const Frame& frame, Entry& entry) {
  const Leaf* leaf = leaf_that_answers_as(frame.source);
  if (leaf == nullptr) {
    entry.root_due = false;
    return request(frame.psn, entry, entry.workers);
  }
  const std::uint32_t bit = 1U << leaf->branch;
  if ((entry.leaves_due & bit) == 0) return;
  entry.leaves_due &= ~bit;
  if (entry.leaves_due == 0) send_reminder(frame.psn, entry, identity_.host);
}

std::vector<DsaServer::Leaf> DsaServer::leaves_of(const ServerIdentity& identity) {
  std::vector<Leaf> leaves;
  for (std::size_t rank = 0; rank < identity.members.size(); ++rank) {
    const wire::AggregationPath& path = identity.paths[rank];
    const bool is_first_of_leaf = path.bitmap1 != 0 && path.bitmap0 == 1;
    if (is_first_of_leaf) leaves.push_back({wire::branch_of(path), identity.members[rank]});
  }
  return leaves;
}

const DsaServer::Leaf* DsaServer::leaf_that_answers_as(HostId host) const {
  const auto found = std::ranges::find(leaves_, host, &Leaf::addressee);
  return found == leaves_.end() ? nullptr : &*found;
}

}  // namespace ina
