// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/root_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "hw/cluster/paths.hpp"

namespace ina::cluster {

namespace {

/// As the racks of a star do.
bool racks_hang_on_that_of_the_servers(const Topology& topology) {
  return std::ranges::any_of(topology.trunks, [&](const Topology::Trunk& trunk) {
    return trunk.ends_at(topology.of_servers()) &&
           topology.switches[trunk.other_end(topology.of_servers())].height == 0;
  });
}

SwitchIndex leaf_of_server(const Topology& topology, const std::vector<SwitchIndex>& of_servers) {
  if (of_servers.empty() || racks_hang_on_that_of_the_servers(topology)) {
    return topology.of_servers();
  }
  return of_servers.front();
}

/// Which switches lie nearest to some racks.
class Nearest {
 public:
  Nearest(const Topology& topology, const std::set<SwitchIndex>& racks)
      : Nearest(topology, LiveTrunks(topology), racks) {}

  /// Those above all racks.
  std::vector<SwitchIndex> spines() const {
    std::vector<SwitchIndex> nearest;
    std::optional<std::uint32_t> least;
    for (std::size_t i = topology_.racks(); i < topology_.switches.size(); ++i) {
      const auto at = static_cast<SwitchIndex>(i);
      const auto trunks = trunks_in_all(at);
      if (topology_.switches[at].height == 0 || !trunks || trunks > least.value_or(*trunks)) {
        continue;
      }
      if (trunks != least) nearest.clear();
      least = trunks;
      nearest.push_back(at);
    }
    return nearest;
  }

  /// From all racks; nothing if from one no way leads there, or one through the servers' rack.
  std::optional<std::uint32_t> trunks_in_all(SwitchIndex at) const {
    std::uint32_t sum = 0;
    for (const auto& [rack, paths] : to_racks_) {
      const auto trunks = paths.trunks(at);
      if (!trunks || leads_through_the_servers(rack, at, *trunks)) return std::nullopt;
      sum += *trunks;
    }
    return sum;
  }

 private:
  Nearest(const Topology& topology, const LiveTrunks& trunks, const std::set<SwitchIndex>& racks)
      : topology_(topology), to_servers_(topology, trunks, topology.of_servers()) {
    for (const SwitchIndex rack : racks) {
      to_racks_.emplace_back(rack, ShortestPaths(topology, trunks, rack));
    }
  }

  /// Its switch would add up its own workers there, and not those behind it.
  bool leads_through_the_servers(SwitchIndex rack, SwitchIndex at, std::uint32_t trunks) const {
    if (rack == topology_.of_servers() || at == topology_.of_servers()) return false;
    const auto down = to_servers_.trunks(rack);
    const auto up = to_servers_.trunks(at);
    return down && up && *down + *up == trunks;
  }

  const Topology& topology_;
  ShortestPaths to_servers_;
  std::vector<std::pair<SwitchIndex, ShortestPaths>> to_racks_;
};

}  // namespace

std::vector<SwitchIndex> find_roots(const Topology& topology, RootChoice choice,
                                    const std::vector<SwitchIndex>& of_workers,
                                    const std::vector<SwitchIndex>& of_servers) {
  std::set<SwitchIndex> racks(of_workers.begin(), of_workers.end());
  racks.insert(of_servers.begin(), of_servers.end());
  if (racks.size() == 1) return {*racks.begin()};
  const Nearest nearest(topology, racks);
  if (choice != RootChoice::server_leaf) return nearest.spines();
  const SwitchIndex leaf = leaf_of_server(topology, of_servers);
  return nearest.trunks_in_all(leaf) ? std::vector{leaf} : std::vector<SwitchIndex>();
}

std::string why_no_root(const Topology& topology, RootChoice choice, std::size_t job) {
  const std::string& hub = topology.switches[topology.of_servers()].name;
  if (choice == RootChoice::server_leaf) {
    return fmt::format(
        "from a rack of job {} all ways to its first server lead through \"{}\", the parameter "
        "servers' switch; allowed: a first server there, or in a rack to which others lead",
        job, hub);
  }
  return fmt::format(
      "found \"{}\", but no switch above the racks of job {} joins them, past \"{}\" of the "
      "parameter servers; allowed: \"server_leaf\", or a topology that has one, as leaf_spine",
      kRootChoiceNames[static_cast<std::size_t>(choice)], job, hub);
}

}  // namespace ina::cluster
