// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/protocol_state.hpp"

namespace ina::exploration {

namespace {

/// Beyond it no worker tells transmissions apart.
constexpr std::uint8_t kMostTransmissions = 5;
/// Room for every configuration's fragments; a power of two.
constexpr std::size_t kRing = 16;

template <class Active>
void visit_active(Archive& archive, Active& active) {
  visit(archive, active.tensor);
  archive.number(active.base);
  archive.number(active.unsent);
  archive.number(active.remaining);
  if (archive.reading() && active.ring.empty()) active.ring.resize(kRing);
  for (std::uint32_t i = active.base; i < active.unsent; ++i) {
    auto& fragment = active.at(i);
    archive.number(fragment.state);
    if (fragment.state != FragmentTracker::State::in_flight) continue;
    fragment.transmissions = std::min(fragment.transmissions, kMostTransmissions);
    visit(archive, fragment);
  }
}

template <class Actives, class Sending>
bool in_flight(Actives& actives, const Sending& sending) {
  for (auto& active : actives) {
    if (!active.holds(sending.psn)) continue;
    const std::uint32_t index = sending.psn - active.tensor.first_psn;
    if (index < active.base) return false;
    const auto& fragment = active.at(index);
    return fragment.state == FragmentTracker::State::in_flight && fragment.sent == sending.sent;
  }
  return false;
}

}  // namespace

void visit(Archive& archive, FragmentTracker& tracker) {
  auto& actives = member<"active_">(tracker);
  auto& sendings = member<"sendings_">(tracker);
  const std::size_t size = archive.count(actives.size());
  if (archive.reading()) {
    actives.resize(size);
  } else {
    sendings.erase(std::remove_if(sendings.begin(), sendings.end(),
                                  [&](const auto& s) { return !in_flight(actives, s); }),
                   sendings.end());
  }
  for (auto& active : actives) visit_active(archive, active);
  visit(archive, member<"complete_">(tracker));
  visit(archive, member<"everyone_has_before_">(tracker));
  visit(archive, member<"next_psn_">(tracker));
  visit(archive, sendings);
  visit(archive, member<"in_flight_">(tracker));
}

void visit(Archive& archive, ParameterServer& server) {
  auto& entries = member<"entries_">(server);
  auto& waiting = member<"waiting_">(server);
  visit(archive, entries);
  visit(archive, member<"completed_">(server));
  visit(archive, member<"outbox_">(server));
  if (!archive.reading()) {
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                                 [&](const auto& w) {
                                   const auto found = entries.find(w.psn);
                                   return found == entries.end() ||
                                          found->second.reminded != w.since;
                                 }),
                  waiting.end());
  }
  visit(archive, waiting);
}

}  // namespace ina::exploration
