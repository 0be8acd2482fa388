// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/network/paths.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <stdexcept>

#include "hw/protocol/wire/path_choice.hpp"

namespace ina::cluster {

namespace {

/// Calls `found(SwitchIndex, TrunkIndex)` for both ends of each live trunk.
template <class Found>
void for_each_live_end(const Topology& topology, Found&& found) {
  for (TrunkIndex i = 0; i < topology.trunks.size(); ++i) {
    if (topology.trunks[i].dead) continue;
    found(topology.trunks[i].lower, i);
    found(topology.trunks[i].upper, i);
  }
}

/// Whether a switch forwards packets of other racks. A rack's switch does not, because it adds the
/// packets of its own workers. The servers' switch does, if racks are connected to it.
bool forwards_for_others(const Topology& topology, SwitchIndex at, SwitchIndex of_servers) {
  return topology.switches[at].height > 0 || at == of_servers;
}

}  // namespace

LiveTrunks::LiveTrunks(const Topology& topology) : begins_(topology.switches.size() + 1) {
  for_each_live_end(topology, [&](SwitchIndex at, TrunkIndex) { ++begins_[at + std::size_t{1}]; });
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  trunks_.resize(begins_.back());
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for_each_live_end(topology,
                    [&](SwitchIndex at, TrunkIndex trunk) { trunks_[next[at]++] = trunk; });
}

ShortestPaths::ShortestPaths(const Topology& topology, const LiveTrunks& trunks, SwitchIndex to)
    : distance_(topology.switches.size()), ways_(topology.switches.size()) {
  const SwitchIndex of_servers = topology.of_servers();
  std::deque<SwitchIndex> reached{to};
  distance_[to] = 0;
  while (!reached.empty()) {
    const SwitchIndex at = reached.front();
    reached.pop_front();
    if (at != to && !forwards_for_others(topology, at, of_servers)) continue;
    for (const TrunkIndex trunk : trunks.at(at)) {
      const SwitchIndex next = topology.trunks[trunk].other_end(at);
      if (!distance_[next]) {
        distance_[next] = *distance_[at] + 1;
        reached.push_back(next);
      }
      if (*distance_[next] == *distance_[at] + 1) ways_[next].push_back(trunk);
    }
  }
  for (auto& ways : ways_) std::ranges::sort(ways);
}

JobTree::JobTree(const Topology& topology, SwitchIndex root,
                 const std::vector<SwitchIndex>& of_workers,
                 const std::vector<SwitchIndex>& of_servers, std::uint64_t choice)
    : root_(root),
      up_(topology.switches.size()),
      workers_(topology.switches.size()),
      servers_(topology.switches.size()) {
  const ShortestPaths paths(topology, root);
  const auto climb = [&](const std::vector<SwitchIndex>& members, Below& below) {
    std::uint16_t number = 0;
    for (SwitchIndex at : members) {
      below[at].push_back({number, std::nullopt});
      while (at != root) {
        const auto& ways = paths.ways(at);
        if (ways.empty()) throw std::invalid_argument("no path leads to the root of a job's tree");
        const TrunkIndex trunk = ways[wire::pick(choice, at, ways.size())];
        up_[at] = trunk;
        at = topology.trunks[trunk].other_end(at);
        below[at].push_back({number, trunk});
      }
      ++number;
    }
  };
  climb(of_workers, workers_);
  climb(of_servers, servers_);
}

std::vector<std::uint32_t> JobTree::sums_up(const Topology& topology) const {
  std::vector<std::uint32_t> sums(up_.size());
  for (std::size_t from = 0; from < up_.size(); ++from) {
    if (std::ranges::none_of(workers_[from], &MemberBelow::hangs_here)) continue;
    auto at = static_cast<SwitchIndex>(from);
    while (const auto trunk = up_[at]) {
      ++sums[at];
      at = topology.trunks[*trunk].other_end(at);
    }
  }
  return sums;
}

}  // namespace ina::cluster
