// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/protocol_state.hpp"

namespace ina::exploration {

namespace {

/// Beyond it no worker tells transmissions apart.
constexpr std::uint8_t kMostTransmissions = 5;
/// Whether a fragment was sent in its turn or not makes no difference, only the order does.
void put_all_out_of_turn(FragmentTracker& tracker) {
  auto& sendings = member<"sendings_">(tracker);
  std::vector<Psn> in_order;
  while (const auto psn = tracker.take_oldest()) in_order.push_back(*psn);
  for (const Psn psn : in_order) sendings.emplace_back(psn, tracker.fragment(psn)->sent);
}

template <class Item>
std::vector<Item> taken_out_of(GrowingRing<Item>& ring) {
  std::vector<Item> items;
  for (; !ring.empty(); ring.pop_front()) items.push_back(ring.front());
  return items;
}

template <class Item>
void put_in(GrowingRing<Item>& ring, const std::vector<Item>& items) {
  for (const Item& item : items) ring.emplace_back(item);
}

}  // namespace

void visit(Archive& archive, Frame& frame) {
  // A parameter packet's bitmap may be an index instead.
  archive.number(frame.flags);
  const bool has_index = frame.has(flag::new_index);
  archive.values(frame.values, frame.has(flag::floats));
  archive.number(frame.psn);
  archive.number(frame.aggregator_index);
  if (has_index) {
    archive.number(frame.bitmap0);
  } else {
    archive.bitmap(frame.bitmap0);
  }
  archive.bitmap(frame.bitmap1);
  archive.number(frame.job);
  archive.rank(frame.worker);
  archive.host(frame.source);
  archive.host(frame.destination);
  archive.number(frame.priority);
  archive.number(frame.exponents);
  archive.number(frame.bytes);
  archive.number(frame.kind);
  archive.number(frame.fan_in_degree0);
  archive.number(frame.fan_in_degree1);
}

void visit(Archive& archive, FragmentTracker& tracker) {
  auto& fragments = member<"fragments_">(tracker);
  if (!archive.reading()) put_all_out_of_turn(tracker);
  visit(archive, member<"active_">(tracker));
  visit(archive, member<"complete_">(tracker));
  visit(archive, member<"low_watermark_">(tracker));
  visit(archive, member<"next_psn_">(tracker));
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
  visit(archive, member<"sendings_">(tracker));
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
