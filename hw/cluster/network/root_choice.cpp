// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/network/root_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "hw/cluster/network/cheapest.hpp"
#include "hw/cluster/network/paths.hpp"

namespace ina::cluster {

namespace {

/// Whether racks are connected to the servers' switch, as in a star.
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

/// Paths from the racks of a job to switches that may be its root.
class PathsOfJob {
 public:
  /// `of_workers` by rank. If the root is in the rack of a worker, this worker is a branch of its
  /// own.
  PathsOfJob(const Topology& topology, const std::vector<SwitchIndex>& of_workers,
             const std::vector<SwitchIndex>& of_servers)
      : PathsOfJob(topology, LiveTrunks(topology), of_workers, of_servers) {}

  bool lead_to(SwitchIndex at) const { return cost(at).has_value(); }

  /// The best switches above all racks or, if there are none, the best racks.
  std::vector<SwitchIndex> best_roots() const {
    const SwitchIndex racks = topology_.racks();
    const auto switches = static_cast<SwitchIndex>(topology_.switches.size());
    const std::vector<SwitchIndex> above = best_of(racks, switches);
    return above.empty() ? best_of(0, racks) : above;
  }

 private:
  using ByRack = std::vector<std::pair<SwitchIndex, ShortestPaths>>;

  /// The lowest cost wins, compared member by member. Unit: trunks, except for branches.
  struct Cost {
    std::uint32_t of_workers = 0;          ///< sum over the workers' racks: the load on links
    std::uint32_t longest_of_workers = 0;  ///< longest path, which delays sums
    std::uint32_t of_servers = 0;          ///< sum over the servers' racks
    std::size_t branches = 0;              ///< at the root

    auto operator<=>(const Cost&) const = default;  // NOLINT: the 0 in it
  };

  PathsOfJob(const Topology& topology, const LiveTrunks& trunks,
             const std::vector<SwitchIndex>& of_workers, const std::vector<SwitchIndex>& of_servers)
      : topology_(topology),
        rack_of_worker_(of_workers),
        to_hub_(topology, trunks, topology.of_servers()),
        to_workers_(paths_to(trunks, of_workers)),
        to_servers_(paths_to(trunks, of_servers)) {}

  ByRack paths_to(const LiveTrunks& trunks, const std::vector<SwitchIndex>& racks) const {
    ByRack paths;
    for (const SwitchIndex rack : std::set(racks.begin(), racks.end())) {
      paths.emplace_back(rack, ShortestPaths(topology_, trunks, rack));
    }
    return paths;
  }

  std::vector<SwitchIndex> best_of(SwitchIndex begin, SwitchIndex end) const {
    Cheapest<SwitchIndex, Cost> best;
    for (SwitchIndex at = begin; at < end; ++at) {
      if (const std::optional<Cost> found = cost(at)) best.offer(at, *found);
    }
    return best.candidates();
  }

  /// Cost of a root. Empty if one of the racks has no path to it, or only one through the servers'
  /// rack.
  std::optional<Cost> cost(SwitchIndex at) const {
    Cost cost;
    for (const auto& [rack, paths] : to_workers_) {
      const auto trunks = trunks_between(rack, paths, at);
      if (!trunks) return std::nullopt;
      cost.longest_of_workers = std::max(cost.longest_of_workers, *trunks);
      cost.of_workers += *trunks;
      const auto workers_here = std::ranges::count(rack_of_worker_, rack);
      cost.branches += rack == at ? static_cast<std::size_t>(workers_here) : 1;
    }
    for (const auto& [rack, paths] : to_servers_) {
      const auto trunks = trunks_between(rack, paths, at);
      if (!trunks) return std::nullopt;
      cost.of_servers += *trunks;
    }
    return cost;
  }

  std::optional<std::uint32_t> trunks_between(SwitchIndex rack, const ShortestPaths& paths,
                                              SwitchIndex at) const {
    const auto trunks = paths.trunks(at);
    if (!trunks || leads_through_the_servers(rack, at, *trunks)) return std::nullopt;
    return trunks;
  }

  /// Whether the path leads through the servers' switch. Such a path is unusable: that switch would
  /// add the packets of its own workers, but not those of the workers behind it.
  bool leads_through_the_servers(SwitchIndex rack, SwitchIndex at, std::uint32_t trunks) const {
    if (rack == topology_.of_servers() || at == topology_.of_servers()) return false;
    const auto down = to_hub_.trunks(rack);
    const auto up = to_hub_.trunks(at);
    return down && up && *down + *up == trunks;
  }

  const Topology& topology_;
  std::vector<SwitchIndex> rack_of_worker_;
  ShortestPaths to_hub_;  // the parameter servers' switch
  ByRack to_workers_;
  ByRack to_servers_;
};

}  // namespace

std::vector<SwitchIndex> find_roots(const Topology& topology, RootChoice choice,
                                    const std::vector<SwitchIndex>& of_workers,
                                    const std::vector<SwitchIndex>& of_servers) {
  std::set<SwitchIndex> racks(of_workers.begin(), of_workers.end());
  racks.insert(of_servers.begin(), of_servers.end());
  if (racks.size() == 1) return {*racks.begin()};
  const PathsOfJob paths(topology, of_workers, of_servers);
  if (choice != RootChoice::server_leaf) return paths.best_roots();
  const SwitchIndex leaf = leaf_of_server(topology, of_servers);
  return paths.lead_to(leaf) ? std::vector{leaf} : std::vector<SwitchIndex>();
}

std::string why_no_root(const Topology& topology, std::size_t job) {
  return fmt::format(
      "found no path from a rack of job {0} to its first server, except through \"{1}\", the "
      "parameter servers' switch; allowed: a first server at \"{1}\", or in a rack with other "
      "paths",
      job, topology.switches[topology.of_servers()].name);
}

}  // namespace ina::cluster
