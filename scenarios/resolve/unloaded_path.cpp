// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/unloaded_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "hw/cluster/network/root_choice.hpp"
#include "hw/protocol/units.hpp"
#include "scenarios/resolve/job_roots.hpp"
#include "scenarios/resolve/sizes.hpp"

namespace ina::scenarios {

namespace {

using cluster::SwitchIndex;

class UnloadedPath {
 public:
  UnloadedPath(const Scenario& scenario, const Network& network, const Placements& places,
               std::size_t job)
      : scenario_(scenario),
        network_(network),
        workers_(members(places, places.workers[job])),
        pipeline_ps_(static_cast<double>(scenario.switch_.pipeline_latency_ps)) {
    if (scenario.hosts().traits().has_servers) servers_ = members(places, places.servers[job]);
  }

  double ps() const {
    if (scenario_.hosts().traits().sends_among_workers()) return among_workers_ps();
    double longest = 0;
    for (const SwitchIndex root : roots()) longest = std::max(longest, by_root_ps(root));
    return longest;
  }

 private:
  /// Racks of workers or servers, and the longest time of a frame on any of their links.
  struct Members {
    std::vector<SwitchIndex> racks;
    double link_ps = 0;
  };

  Members members(const Placements& places, const std::vector<HostId>& addresses) const {
    Members all;
    for (const HostId address : addresses) {
      const std::uint32_t machine = places.machine_of[address];
      all.racks.push_back(network_.topology.switch_of[machine]);
      all.link_ps = std::max(all.link_ps, link_ps(network_.hosts[machine]));
    }
    return all;
  }

  /// One direction of a link, including the frame's time in its host.
  double link_ps(const NetworkLink& link) const {
    const std::uint32_t frame = scenario_.hosts().frame_bytes();
    return static_cast<double>(link.line.delay_ps) + link.line_ps(frame) + link.host_ps(frame);
  }

  /// Path from members to a switch: the slowest of their links, plus the trunks, each with the
  /// pipeline of the switch before it.
  double way_ps(const Members& members, SwitchIndex to) const {
    const auto trunk = [this](const NetworkLink& link) { return pipeline_ps_ + link_ps(link); };
    const std::set<SwitchIndex> racks(members.racks.begin(), members.racks.end());
    return members.link_ps + network_.costliest_path(racks, to, trunk);
  }

  /// Switches at which workers' frames meet: the roots of trees, or the switches of servers.
  std::vector<SwitchIndex> roots() const {
    if (!scenario_.hosts().traits().has_aggregators) return servers_.racks;
    return cluster::find_roots(network_.topology, root_choice(scenario_, network_), workers_.racks,
                               servers_.racks);
  }

  double by_root_ps(SwitchIndex root) const {
    const double to_root = 2 * way_ps(workers_, root) + pipeline_ps_ +
                           static_cast<double>(further_passes_ps(scenario_, network_));
    if (!scenario_.hosts().traits().results_from_servers) return to_root;
    return to_root + 2 * way_ps(servers_, root) + pipeline_ps_;
  }

  /// Counts each step as one from the most distant rack to the rack of the first worker.
  double among_workers_ps() const {
    const auto workers = static_cast<std::uint16_t>(workers_.racks.size());
    const double one = workers_.link_ps + pipeline_ps_ + way_ps(workers_, workers_.racks.front());
    return scenario_.hosts().steps(workers) * one;
  }

  const Scenario& scenario_;
  const Network& network_;
  Members workers_;
  Members servers_;
  double pipeline_ps_;
};

}  // namespace

Time unloaded_path(const Scenario& scenario, const Network& network, const Placements& places,
                   std::size_t job) {
  return Time(std::llround(UnloadedPath(scenario, network, places, job).ps()));
}

}  // namespace ina::scenarios
