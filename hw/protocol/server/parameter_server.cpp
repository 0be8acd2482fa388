// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/server/parameter_server.hpp"

#include <algorithm>
#include <utility>

#include "hw/protocol/numeric/saturating_add.hpp"

namespace ina {

namespace {

/// Completed tasks are remembered for two iterations. A worker may answer for a fragment of
/// iteration i until a tensor of iteration i + 1 is complete, hence before it submits iteration i +
/// 2. No task of iteration i + 2 is complete before the answer has arrived, unless the network
/// delays the answer.
constexpr std::uint32_t kRememberedIterations = 2;

}  // namespace

ParameterServer::ParameterServer(const ServerIdentity& identity, std::uint16_t result_bytes)
    : identity_(identity),
      branches_(identity.paths),
      completed_(identity.psns_per_iteration * kRememberedIterations),
      result_bytes_(result_bytes) {}

void ParameterServer::receive(Frame frame, Time now) {
  const bool is_own = frame.job == identity_.job && has(frame.psn);
  if (!is_own || !is_of_job(frame)) {
    ++statistics_.rejected_frames;
  } else if (frame.kind == FrameKind::gradient) {
    receive_gradient(std::move(frame), now);
  } else {
    receive_control(frame, now);
  }
}

bool ParameterServer::is_of_job(const Frame& frame) const {
  switch (frame.kind) {
    case FrameKind::gradient:
      return gradient_is_of_job(frame);
    case FrameKind::reminder:  // the server's own reminder, returned by the switch or a leaf
      return true;
    default:
      return branches_.has_those_of(frame) && is_of_worker(frame);
  }
}

bool ParameterServer::gradient_is_of_job(const Frame& frame) const {
  if (!branches_.has_those_of(frame)) return false;
  // The source of a partial aggregate is the sender of the packet that evicted it, and this packet
  // may belong to any job. Floats bypass all aggregators.
  if (frame.has(flag::partial) && !frame.has(flag::floats)) return true;
  return is_of_worker(frame);
}

/// Whether the worker that the frame names sent the frame. The bitmap then has only this worker's
/// bit, or further bits if flags show that a switch added parts of other workers.
bool ParameterServer::is_of_worker(const Frame& frame) const {
  if (identity_.members.empty()) return true;
  if (frame.worker >= identity_.members.size()) return false;
  const wire::AggregationPath& path = identity_.paths[frame.worker];
  const bool alone =
      frame.aggregator().bitmap0 == path.bitmap0 && frame.aggregator().bitmap1 == path.bitmap1;
  return identity_.members[frame.worker] == frame.source &&
         (alone || (frame.has(flag::second_level) && Branches::names(frame, path)));
}

void ParameterServer::receive_control(const Frame& frame, Time) {
  if (frame.kind == FrameKind::release) {
    close(frame.psn);
  } else {
    ++statistics_.rejected_frames;
  }
}

void ParameterServer::close(Psn psn) {
  entries_.erase(psn);
  completed_.insert(psn);
}

void ParameterServer::receive_gradient(Frame&& frame, Time now) {
  ++statistics_.gradients;
  if (completed_.contains(frame.psn)) {
    receive_late(std::move(frame), now);
  } else if (frame.has(flag::floats)) {
    receive_floats(std::move(frame), now);
  } else {
    collect(std::move(frame), now);
  }
}

void ParameterServer::receive_floats(Frame&&, Time) { ++statistics_.rejected_frames; }

void ParameterServer::collect(Frame&& frame, Time now) {
  Entry& entry = open(frame.psn, frame.aggregator().index, now);
  const Merge merged = merge(frame, entry);
  if (merged == Merge::added) {
    if (has_everyone(entry.workers)) {
      if (accept_sum(frame.psn, entry, now)) complete(entries_.find(frame.psn), 0, now);
      return;
    }
    entry.added = now;
    progressed(frame.psn, entry, now);
  }
  entry_incomplete(frame, entry, merged, now);
}

ParameterServer::Entry& ParameterServer::open(Psn psn, std::uint32_t aggregator_index, Time now) {
  const auto [found, created] = entries_.try_emplace(psn);
  if (created) {
    found->second.aggregator_index = aggregator_index;
    found->second.created = now;
    wait(psn, found->second, now);
  }
  return found->second;
}

ParameterServer::Merge ParameterServer::merge(Frame& frame, Entry& entry) {
  if (frame.has(flag::ecn)) branches_.add(frame, entry.marked);
  // A requested partial aggregate (resend) left the switch because of a loss or a time-out.
  const bool evicted = frame.has(flag::partial) && !frame.has(flag::resend);
  entry.collision |= frame.has(flag::collision) || evicted;
  // ATP's switch sets both flags on a collision.
  entry.sent_again |= frame.has(flag::resend) && !frame.has(flag::collision);
  // One part was in the switch and the other at the server. Chance or a time-out joined them.
  entry.sent_again |= evicted && entry.workers.count() != 0;
  const Overlap overlap = branches_.overlap(frame, entry.workers);
  if (overlap.common == overlap.named) {
    ++statistics_.duplicates;
    return Merge::duplicate;
  }
  if (overlap.common == entry.workers.count()) {  // the first one, or a superset: nothing is lost
    entry.values = std::move(frame.values);
    branches_.add(frame, entry.workers);
    return Merge::added;
  }
  if (overlap.common == 0) {
    entry.values = std::move(entry.values).into_unique();
    if (entry.values) {
      numeric::add_sticky(entry.values.data(), frame.values.data(), entry.values.size());
    }
    branches_.add(frame, entry.workers);
    return Merge::added;
  }
  // Two partial sums that share a worker can be neither added nor separated. The larger one is
  // kept, and the missing fragments are requested again.
  ++statistics_.overlaps;
  if (overlap.named > entry.workers.count()) {
    entry.values = std::move(frame.values);
    entry.workers = {};
    branches_.add(frame, entry.workers);
  }
  return Merge::overlap;
}

void ParameterServer::complete(Entries::iterator found, std::uint8_t flags, Time now) {
  const Psn psn = found->first;
  Entry entry = std::move(found->second);
  entries_.erase(found);
  completed_.insert(psn);
  ++statistics_.completed;
  Frame result = control(FrameKind::result, psn, entry);
  result.values = std::move(entry.values);
  result.bytes = result_bytes_;
  result.flags = flags;
  if (entry.marked.count() > 0) result.set(flag::ecn);
  if (entry.collision) result.set(flag::collision);
  if (entry.sent_again) result.set(flag::resend);
  entry_completed(entry, result, now);
  send(std::move(result));
}

void ParameterServer::wait(Psn psn, Entry& entry, Time now) {
  entry.reminded = now;
  const std::size_t doublings = entry.backoff.doublings();
  while (waiting_.size() <= doublings) waiting_.emplace_back();
  waiting_[doublings].emplace_back(psn, now);
}

void ParameterServer::progressed(Psn psn, Entry& entry, Time now) {
  if (entry.backoff.doublings() == 0) return;
  entry.backoff.progress();
  wait(psn, entry, now);
}

bool ParameterServer::stale(const Waiting& waiting) const {
  const auto found = entries_.find(waiting.psn);
  return found == entries_.end() || found->second.reminded != waiting.since;
}

Time ParameterServer::due(std::size_t doublings) const {
  const Queue& queue = waiting_[doublings];
  if (queue.empty()) return kNever;
  return queue.front().since + entry_timeout(doublings);
}

Time ParameterServer::deadline() const {
  Time earliest = kNever;
  for (std::size_t i = 0; i < waiting_.size(); ++i) earliest = std::min(earliest, due(i));
  return earliest;
}

void ParameterServer::expire(Time now) {
  for (std::size_t i = 0; i < waiting_.size(); ++i) expire_queue(i, now);
}

void ParameterServer::expire_queue(std::size_t doublings, Time now) {
  while (due(doublings) <= now) {
    const Waiting oldest = waiting_[doublings].front();
    waiting_[doublings].pop_front();
    if (stale(oldest)) continue;
    Entry& entry = entries_.find(oldest.psn)->second;
    entry.backoff.expired();
    timed_out(oldest.psn, entry, now);
  }
}

/// Requests the missing fragments, one frame per branch, because a frame names positions of one
/// branch. If there are several branches, most have no missing workers.
void ParameterServer::request(Psn psn, const Entry& entry, const WorkerSet& have,
                              std::uint8_t flags) {
  if (branches_.size() > 1) return request_from_each(psn, entry, have, flags);
  ++statistics_.requests;
  send(request_of(psn, entry, have, identity_.paths.front(), flags));
}

void ParameterServer::request_from_each(Psn psn, const Entry& entry, const WorkerSet& have,
                                        std::uint8_t flags) {
  for (std::size_t rank = 0; rank < identity_.members.size(); ++rank) {
    if (have.contains(identity_.paths[rank])) continue;
    ++statistics_.requests;
    Frame frame = request_of(psn, entry, have, identity_.paths[rank], flags);
    frame.destination = identity_.members[rank];
    send(std::move(frame));
  }
}

/// The request for workers of the path's branch.
Frame ParameterServer::request_of(Psn psn, const Entry& entry, const WorkerSet& have,
                                  const wire::AggregationPath& path, std::uint8_t flags) const {
  Frame frame = control(FrameKind::fragment_request, psn, entry);
  frame.aggregator().bitmap0 = have.places(wire::branch_of(path));
  frame.aggregator().bitmap1 = path.bitmap1;
  frame.set(flags);
  return frame;
}

Frame ParameterServer::control(FrameKind kind, Psn psn, const Entry& entry) const {
  Frame frame;
  frame.kind = kind;
  frame.psn = psn;
  frame.aggregator().index = entry.aggregator_index;
  if (branches_.size() == 1) {
    frame.aggregator().bitmap0 = entry.workers.places(0);
    frame.aggregator().fan_in_degree0 = static_cast<std::uint8_t>(identity_.workers);
  }
  frame.job = identity_.job;
  frame.source = identity_.host;
  frame.destination = kAllWorkers;
  frame.bytes = wire::kControlFrameBytes;
  return frame;
}

void ParameterServer::send(Frame&& frame) { outbox_.emplace_back(std::move(frame)); }

bool ParameterServer::next(Frame& out) {
  if (outbox_.empty()) return false;
  out = std::move(outbox_.front());
  outbox_.pop_front();
  return true;
}

}  // namespace ina
