// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/cluster_links.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>

#include "hw/cluster/paths.hpp"
#include "hw/protocol/units.hpp"
#include "scenarios/reader/link_names.hpp"
#include "scenarios/reader/topologies.hpp"

namespace ina::scenarios {

using cluster::SwitchIndex;
using cluster::Tier;
using cluster::TrunkIndex;

namespace {

const LinkScenario& of_tier(const TopologyScenario& scenario, Tier tier) {
  if (tier == Tier::host) return scenario.link;
  return tier == Tier::uplink ? scenario.uplink : scenario.core;
}

void apply(const OwnLinkScenario& own, ClusterLink& link) {
  link.line.rate_bps = own.rate_bps.value_or(link.line.rate_bps);
  link.line.delay_ps = own.delay_ps.value_or(link.line.delay_ps);
  link.line.framing_bytes = own.framing_bytes.value_or(link.line.framing_bytes);
  if (own.packets_per_second) link.packets_per_second = own.packets_per_second;
}

/// In the order of link_names().
std::vector<ClusterLink*> in_order_of_names(ClusterLinks& links) {
  std::vector<ClusterLink*> all;
  for (ClusterLink& trunk : links.trunks) all.push_back(&trunk);
  for (ClusterLink& host : links.hosts) all.push_back(&host);
  return all;
}

/// By switch: the highest of what `combine` makes of the costs on each of its ways to one switch.
template <class Combine>
std::vector<double> of_ways(const ClusterLinks& links, SwitchIndex to,
                            const ClusterLinks::Cost& cost, Combine combine) {
  const cluster::Topology& topology = links.topology;
  const cluster::ShortestPaths paths(topology, to);
  std::vector<SwitchIndex> nearest_first(topology.switches.size());
  for (std::size_t at = 0; at < nearest_first.size(); ++at) {
    nearest_first[at] = static_cast<SwitchIndex>(at);
  }
  const auto distance = [&](SwitchIndex at) { return paths.trunks(at).value_or(0); };
  std::ranges::stable_sort(nearest_first, {}, distance);
  std::vector<double> from(topology.switches.size());
  for (const SwitchIndex at : nearest_first) {
    for (const TrunkIndex way : paths.ways(at)) {
      const SwitchIndex next = topology.trunks[way].other_end(at);
      from[at] = std::max(from[at], combine(cost(links.trunks[way]), from[next]));
    }
  }
  return from;
}

/// The highest cost from any of the racks.
template <class Racks, class Combine>
double of_ways_from(const ClusterLinks& links, const Racks& racks, SwitchIndex to,
                    const ClusterLinks::Cost& cost, Combine combine) {
  const std::vector<double> from = of_ways(links, to, cost, combine);
  double most = 0;
  for (const SwitchIndex rack : racks) most = std::max(most, from[rack]);
  return most;
}

/// From all racks to the parameter servers' switch.
template <class Combine>
double of_ways_to_servers(const ClusterLinks& links, const ClusterLinks::Cost& cost,
                          Combine combine) {
  std::vector<SwitchIndex> racks(links.topology.racks());
  std::iota(racks.begin(), racks.end(), SwitchIndex{0});
  return of_ways_from(links, racks, links.topology.of_servers(), cost, combine);
}

/// Combines costs to that of the dearest trunk.
double greatest(double trunk, double rest) { return std::max(trunk, rest); }

}  // namespace

double ClusterLink::frame_ps(std::uint32_t frame_bytes) const {
  const double on_line = static_cast<double>(frame_bytes + line.framing_bytes) * kBitsPerByte *
                         kPsPerS / static_cast<double>(line.rate_bps);
  if (!packets_per_second) return on_line;
  return std::max(on_line, kPsPerS / static_cast<double>(*packets_per_second));
}

std::uint64_t ClusterLink::rate_bps_of(std::uint32_t frame_bytes) const {
  if (!packets_per_second) return line.rate_bps;
  const double in_host = static_cast<double>(*packets_per_second) *
                         static_cast<double>(frame_bytes + line.framing_bytes) * kBitsPerByte;
  return std::min(line.rate_bps, static_cast<std::uint64_t>(std::llround(in_host)));
}

ClusterLinks::ClusterLinks(const TopologyScenario& scenario) : topology(topology_of(scenario)) {
  hosts.assign(topology.switch_of.size(), {of_tier(scenario, Tier::host), {}});
  for (const cluster::Topology::Trunk& trunk : topology.trunks) {
    trunks.push_back({of_tier(scenario, trunk.tier), {}});
  }
  if (scenario.links.empty()) return;
  const std::vector<std::string> names = link_names(scenario, topology);
  const std::vector<ClusterLink*> links = in_order_of_names(*this);
  for (const OwnLinkScenario& own : scenario.links) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (link_matches(own.link, names[i])) apply(own, *links[i]);
    }
  }
}

double ClusterLinks::dearest_way(const Cost& cost) const {
  return of_ways_to_servers(*this, cost, std::plus());
}

double ClusterLinks::dearest_way(const std::set<SwitchIndex>& racks, SwitchIndex to,
                                 const Cost& cost) const {
  return of_ways_from(*this, racks, to, cost, std::plus());
}

double ClusterLinks::dearest_trunk(const Cost& cost) const {
  return of_ways_to_servers(*this, cost, greatest);
}

double ClusterLinks::dearest_trunk(const std::set<SwitchIndex>& racks, SwitchIndex to,
                                   const Cost& cost) const {
  return of_ways_from(*this, racks, to, cost, greatest);
}

double ClusterLinks::dearest_host(const Cost& cost) const {
  double most = 0;
  for (const ClusterLink& host : hosts) most = std::max(most, cost(host));
  return most;
}

}  // namespace ina::scenarios
