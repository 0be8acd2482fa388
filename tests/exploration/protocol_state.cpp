// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/protocol_state.hpp"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <vector>

namespace ina::exploration {

namespace {

/// No worker distinguishes more transmissions of a fragment than this.
constexpr std::uint8_t kMostTransmissions = 5;
/// Only the order of transmissions matters, not whether a fragment was sent in its turn. Time
/// stands still here, so a fragment whose time-out was restarted is listed twice, and the last
/// entry counts.
void put_all_out_of_turn(FragmentTracker& tracker) {
  auto& sendings = member<"transmissions_">(tracker);
  std::vector<Psn> in_order;
  while (const auto psn = tracker.take_oldest()) {
    std::erase(in_order, *psn);
    in_order.push_back(*psn);
  }
  for (const Psn psn : in_order) sendings.emplace_back(psn, tracker.fragment(psn)->sent);
}

template <class Item, std::uint32_t capacity>
std::vector<Item> taken_out_of(GrowingRing<Item, capacity>& ring) {
  std::vector<Item> items;
  for (; !ring.empty(); ring.pop_front()) items.push_back(ring.front());
  return items;
}

template <class Item, std::uint32_t capacity>
void put_in(GrowingRing<Item, capacity>& ring, const std::vector<Item>& items) {
  for (const Item& item : items) ring.emplace_back(item);
}

/// Removes from `ring` the frames that are not in `state`.
template <class Item, std::uint32_t capacity, class State>
void keep_those(FlowSender& flow, GrowingRing<Item, capacity>& ring, State state) {
  auto& outstanding = member<"outstanding_">(flow);
  std::vector<Item> items = taken_out_of(ring);
  std::erase_if(items, [&](const Item& item) {
    const std::uint32_t index = item.sequence - member<"first_">(flow);
    return index >= outstanding.size() || outstanding[index].state != state;
  });
  put_in(ring, items);
}

/// Sets the time of all transmissions in flight to `sent`.
void date_sendings(FlowSender& flow, Time sent) {
  auto& outstanding = member<"outstanding_">(flow);
  auto& sendings = member<"transmissions_">(flow);
  for (std::size_t i = 0; i < outstanding.size(); ++i) outstanding[i].sent = sent;
  for (std::size_t i = 0; i < sendings.size(); ++i) sendings[i].sent = sent;
}

/// Omits frames that were acknowledged, are no longer in flight or were sent again.
void visit_flow(Archive& archive, FlowSender& flow) {
  auto& outstanding = member<"outstanding_">(flow);
  auto& sendings = member<"transmissions_">(flow);
  auto& lost = member<"lost_">(flow);
  using State = std::remove_reference_t<decltype(outstanding[0].state)>;
  if (!archive.reading()) {
    keep_those(flow, sendings, State::in_flight);
    keep_those(flow, lost, State::lost);
  }
  visit(archive, member<"order_">(flow));
  visit(archive, member<"first_">(flow));
  visit(archive, member<"next_">(flow));
  visit(archive, member<"limit_">(flow));
  visit(archive, member<"in_flight_">(flow));
  visit(archive, member<"unasked_">(flow));
  const std::size_t size = archive.count(outstanding.size());
  if (archive.reading()) outstanding.clear();
  while (outstanding.size() < size) outstanding.emplace_back();
  for (std::size_t i = 0; i < size; ++i) {
    archive.number(outstanding[i].state);
    if (outstanding[i].state != State::acknowledged) visit(archive, outstanding[i].frame);
  }
  const std::size_t in_flight = archive.count(sendings.size());
  if (archive.reading()) sendings.clear();
  while (sendings.size() < in_flight) sendings.emplace_back();
  for (std::size_t i = 0; i < in_flight; ++i) archive.number(sendings[i].sequence);
  visit(archive, lost);
  if (archive.reading()) date_sendings(flow, archive.now());
}

/// Lists each peer whose frames wait for an acknowledgement once. The longest wait comes first.
void forget_answered(PeerWorker& worker) {
  auto& waiting = member<"waiting_">(worker);
  auto all = taken_out_of(waiting);
  boost::dynamic_bitset<> seen(member<"peers_">(worker).size());
  std::erase_if(all, [&](const auto& one) {
    const bool waits = member<"peers_">(worker)[one.peer].unacknowledged.frames > 0;
    return !waits || seen.test_set(one.peer);
  });
  put_in(waiting, all);
}

void date_waiting(PeerWorker& worker, Time since) {
  auto& waiting = member<"waiting_">(worker);
  for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i].since = since;
  for (auto& peer : member<"peers_">(worker)) peer.unacknowledged.since = since;
}

Time earliest_deadline(PeerWorker& worker) {
  Time earliest = kNever;
  for (const auto& peer : member<"peers_">(worker)) {
    earliest = std::min(earliest, peer.sender.deadline());
  }
  return earliest;
}

/// Numbers of the flows with frames in flight, unless the worker believes that it has none. The
/// number of all flows stands for frames that wait for their acknowledgement.
std::vector<std::size_t> armed(PeerWorker& worker) {
  const auto& peers = member<"peers_">(worker);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < peers.size() && member<"earliest_">(worker) != kNever; ++i) {
    if (peers[i].sender.deadline() != kNever) found.push_back(i);
  }
  if (!member<"waiting_">(worker).empty()) found.push_back(peers.size());
  return found;
}

/// Omits empty queues.
template <class Item>
void visit_queues(Archive& archive, TensorQueues<Item>& queues) {
  auto& all = member<"queues_">(queues);
  auto& used = member<"used_">(queues);
  if (!archive.reading()) all.resize(used);
  visit(archive, all);
  used = static_cast<std::uint32_t>(all.size());
}

}  // namespace

void visit(Archive& archive, AggregatorFields& fields) {
  archive.number(fields.index);
  archive.bitmap(fields.bitmap0);
  archive.bitmap(fields.bitmap1);
  archive.number(fields.next_index);
  archive.number(fields.priority);
  archive.number(fields.fan_in_degree0);
  archive.number(fields.fan_in_degree1);
}

void visit_fields(Archive& archive, FormatFields& fields) {
  const std::size_t format = archive.count(fields.index());
  if (archive.reading() && format != fields.index()) {
    constexpr std::size_t kAlternatives = std::variant_size_v<FormatFields>;
    boost::mp11::mp_with_index<kAlternatives>(
        format, [&](auto alternative) { fields.emplace<alternative>(); });
  }
  std::visit([&](auto& present) { visit(archive, present); }, fields);
}

void visit(Archive& archive, Frame& frame) {
  archive.number(frame.flags);
  archive.values(frame.values, frame.has(flag::floats));
  archive.number(frame.psn);
  archive.number(frame.job);
  archive.rank(frame.worker);
  archive.host(frame.source);
  archive.host(frame.destination);
  archive.number(frame.bytes);
  archive.number(frame.kind);
  visit_fields(archive, frame.fields);
}

void visit(Archive& archive, Passing& passing) {
  visit(archive, passing.frame);
  rmt::Carry& carry = passing.carry;
  archive.number(carry.step);
  archive.number(carry.notes);
  archive.number(carry.generation);
  archive.number(carry.job);
  archive.number(carry.psn);
  archive.bitmap(carry.contributors);
}

void visit(Archive& archive, FragmentTracker& tracker) {
  auto& fragments = member<"fragments_">(tracker);
  if (!archive.reading()) put_all_out_of_turn(tracker);
  visit(archive, member<"active_">(tracker));
  visit(archive, member<"complete_">(tracker));
  visit(archive, member<"low_watermark_">(tracker));
  visit(archive, member<"next_psn_">(tracker));
  visit(archive, member<"missing_">(tracker));
  visit(archive, member<"base_">(tracker));
  const std::size_t size = archive.count(fragments.size());
  if (archive.reading()) fragments.clear();
  while (fragments.size() < size) fragments.emplace_back();
  for (std::size_t i = 0; i < size; ++i) {
    auto& fragment = fragments[i];
    archive.number(fragment.state);
    if (fragment.state != FragmentTracker::State::in_flight) continue;
    fragment.transmissions = std::min(fragment.transmissions, kMostTransmissions);
    visit(archive, fragment);
  }
  visit(archive, member<"first_in_turn_">(tracker));
  visit(archive, member<"transmissions_">(tracker));
  visit(archive, member<"out_of_turn_">(tracker));
  visit(archive, member<"in_flight_">(tracker));
}

void visit(Archive& archive, ResultOrder& order) {
  for (auto& of_server : member<"of_server_">(order)) {
    visit(archive, of_server.out_of_order);
    if (archive.reading()) of_server.from = 0;
  }
}

void visit(Archive& archive, FloatFragments& task) {
  visit(archive, task.workers);
  task.of_worker.resize(archive.count(task.of_worker.size()));
  for (std::uint16_t place = 0; place < task.of_worker.size(); ++place) {
    archive.values(task.of_worker[archive.worker_at(place)], true);
  }
}

void visit(Archive& archive, KeptResults& kept) {
  for (Frame& result : member<"results_">(kept)) {
    archive.number(result.kind);
    if (result.kind == FrameKind::result) visit(archive, result);
  }
}

void visit(Archive& archive, ParameterServer& server) {
  auto& entries = member<"entries_">(server);
  auto& queues = member<"waiting_">(server);
  visit(archive, entries);
  visit(archive, member<"completed_">(server));
  visit(archive, member<"outbox_">(server));
  if (!archive.reading()) {
    auto all = taken_out_of(queues.front());
    for (std::size_t i = 1; i < queues.size(); ++i) {
      const auto more = taken_out_of(queues[i]);
      all.insert(all.end(), more.begin(), more.end());
    }
    std::erase_if(all, [&](const auto& w) {
      const auto found = entries.find(w.psn);
      return found == entries.end() || found->second.reminded != w.since;
    });
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.since < b.since; });
    put_in(queues.front(), all);
  }
  queues.resize(1);
  visit(archive, queues.front());
}

void visit(Archive& archive, PeerWorker& worker) {
  auto& peers = member<"peers_">(worker);
  auto& waiting = member<"waiting_">(worker);
  if (!archive.reading()) forget_answered(worker);
  for (auto& peer : peers) {
    visit_flow(archive, peer.sender);
    visit(archive, peer.receiver);
    visit_queues(archive, peer.forwards);
    archive.number(peer.unacknowledged.frames);
    archive.number(peer.unacknowledged.marked);
    archive.number(peer.held);
    archive.number(peer.yet_to_begin);
  }
  visit(archive, member<"active_">(worker));
  visit(archive, member<"partial_sums_">(worker));
  visit(archive, member<"held_">(worker));
  const std::size_t size = archive.count(waiting.size());
  if (archive.reading()) waiting.clear();
  while (waiting.size() < size) waiting.emplace_back();
  for (std::size_t i = 0; i < size; ++i) archive.number(waiting[i].peer);
  visit(archive, member<"turn_">(worker));
  visit(archive, member<"in_flight_">(worker));
  auto& earliest = member<"earliest_">(worker);
  bool has_deadline = earliest != kNever && earliest_deadline(worker) != kNever;
  archive.number(has_deadline);
  if (!archive.reading()) return;
  date_waiting(worker, archive.now());
  earliest = has_deadline ? earliest_deadline(worker) : kNever;
}

std::size_t timers(PeerWorker& worker) {
  const std::size_t single = armed(worker).size();
  return single < 2 ? single : single + 1;
}

void let_fire(PeerWorker& worker, std::size_t timer, Time now) {
  // Longer than any time-out.
  const Time due = now - std::chrono::minutes(1);
  const std::vector<std::size_t> single = armed(worker);
  const auto fires = [&](std::size_t which) { return timer == 0 || single[timer - 1] == which; };
  auto& peers = member<"peers_">(worker);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    date_sendings(peers[i].sender, fires(i) ? due : now);
  }
  date_waiting(worker, fires(peers.size()) ? due : now);
  auto& earliest = member<"earliest_">(worker);
  if (earliest != kNever) earliest = now;
}

std::size_t waiting_entries(ParameterServer& server) {
  return member<"waiting_">(server).front().size();
}

void put_first(ParameterServer& server, std::size_t waiting) {
  auto& queue = member<"waiting_">(server).front();
  auto all = taken_out_of(queue);
  const auto chosen = all.begin() + static_cast<std::ptrdiff_t>(waiting);
  chosen->since = all.front().since - Time(1);
  member<"entries_">(server).find(chosen->psn)->second.reminded = chosen->since;
  std::rotate(all.begin(), chosen, chosen + 1);
  put_in(queue, all);
}

}  // namespace ina::exploration
