// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/network.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

#include "hw/cluster/network/paths.hpp"
#include "hw/cluster/random_stream.hpp"
#include "hw/protocol/units.hpp"
#include "scenarios/resolve/link_names.hpp"
#include "scenarios/resolve/topologies.hpp"

namespace ina::scenarios {

using cluster::SwitchIndex;
using cluster::Tier;
using cluster::TrunkIndex;

namespace {

/// First random streams of hosts, servers and trunks. These streams lie beyond those of jobs,
/// faults and traffic, so that draws for links do not change other draws.
constexpr std::uint64_t kHostStreams = std::uint64_t{1} << 41;
constexpr std::uint64_t kServerStreams = kHostStreams + (std::uint64_t{1} << 32);
constexpr std::uint64_t kTrunkStreams = kServerStreams + (std::uint64_t{1} << 32);

const LinkScenario& of_tier(const TopologyScenario& scenario, Tier tier) {
  if (tier == Tier::host) return scenario.link;
  return tier == Tier::uplink ? scenario.uplink : scenario.core;
}

void apply(const OwnLinkScenario& own, NetworkLink& link) {
  link.line.rate_bps = own.rate_bps.value_or(link.line.rate_bps);
  link.line.framing_bytes = own.framing_bytes.value_or(link.line.framing_bytes);
  if (own.delay_ps) {
    link.line.delay_ps = *own.delay_ps;
    link.line.delay_spread_ps = 0;
  }
}

void apply(const std::vector<OwnLinkScenario>& own, const std::vector<std::string>& names,
           std::vector<NetworkLink>& links) {
  for (const OwnLinkScenario& one : own) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (link_matches(one.link, names[i])) apply(one, links[i]);
    }
  }
}

/// Draws the delays, with one stream per link. The seed of the host is drawn first, so that the
/// seed does not depend on the spread of delays.
void draw(std::span<NetworkLink> links, std::uint64_t first_stream, std::uint64_t seed) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    NetworkLink& link = links[i];
    const Time delay(link.line.delay_ps);
    const Time spread(std::min(link.line.delay_spread_ps, link.line.delay_ps));
    link.longest_delay_ps = (delay + spread).count();
    if (spread == Time::zero() && !link.stage.is_on()) continue;
    cluster::RandomStream random(first_stream + i, seed);
    link.stage_seed = random.seed();
    link.line.delay_ps = random.between(delay - spread, delay + spread).count();
  }
}

/// For each switch, the maximum of the combined costs over all shortest paths to switch `to`.
template <class Combine>
std::vector<double> over_paths(const Network& links, SwitchIndex to, const Network::Cost& cost,
                               Combine combine) {
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

/// Maximum over the racks.
template <class Racks, class Combine>
double over_paths_from(const Network& links, const Racks& racks, SwitchIndex to,
                       const Network::Cost& cost, Combine combine) {
  const std::vector<double> from = over_paths(links, to, cost, combine);
  double most = 0;
  for (const SwitchIndex rack : racks) most = std::max(most, from[rack]);
  return most;
}

/// Maximum over all racks to the parameter servers' switch.
template <class Combine>
double over_paths_to_servers(const Network& links, const Network::Cost& cost, Combine combine) {
  std::vector<SwitchIndex> racks(links.topology.racks());
  std::iota(racks.begin(), racks.end(), SwitchIndex{0});
  return over_paths_from(links, racks, links.topology.of_servers(), cost, combine);
}

/// Combines costs into the highest cost of a single trunk.
double greatest(double trunk, double rest) { return std::max(trunk, rest); }

}  // namespace

double NetworkLink::line_ps(std::uint32_t frame_bytes) const {
  return static_cast<double>(frame_bytes + line.framing_bytes) * kBitsPerByte * kPsPerS /
         static_cast<double>(line.rate_bps);
}

double NetworkLink::host_ps(std::uint32_t frame_bytes) const {
  return static_cast<double>(stage.time_of(frame_bytes).count());
}

double NetworkLink::longest_host_ps(std::uint32_t frame_bytes) const {
  return host_ps(frame_bytes) * (1 + stage.spread) * (1 + stage.host_spread);
}

double NetworkLink::frame_ps(std::uint32_t frame_bytes) const {
  return std::max(line_ps(frame_bytes), host_ps(frame_bytes) / stage.cores);
}

double NetworkLink::longest_frame_ps(std::uint32_t frame_bytes) const {
  return std::max(line_ps(frame_bytes), longest_host_ps(frame_bytes) / stage.cores);
}

std::uint64_t NetworkLink::rate_bps_of(std::uint32_t frame_bytes) const {
  if (!stage.is_on()) return line.rate_bps;
  const double bits = static_cast<double>(frame_bytes + line.framing_bytes) * kBitsPerByte;
  const auto bps = static_cast<std::uint64_t>(std::llround(bits * kPsPerS / frame_ps(frame_bytes)));
  return std::min(line.rate_bps, bps);
}

Network::Network(const TopologyScenario& scenario, std::uint64_t seed)
    : topology(topology_of(scenario)), host_count(scenarios::host_count(scenario)) {
  for (std::uint32_t machine = 0; machine < topology.switch_of.size(); ++machine) {
    const HostScenario& host = machine < host_count ? scenario.host : scenario.server;
    hosts.push_back({.line = of_tier(scenario, Tier::host), .stage = host.stage});
    host_names.push_back(machine_link_name(scenario, machine));
  }
  for (const cluster::Topology::Trunk& trunk : topology.trunks) {
    trunks.push_back({.line = of_tier(scenario, trunk.tier)});
  }
  trunk_names = scenarios::trunk_names(scenario, topology);
  apply(scenario.links, host_names, hosts);
  apply(scenario.links, trunk_names, trunks);
  const std::span<NetworkLink> machines(hosts);
  draw(machines.first(host_count), kHostStreams, seed);
  draw(machines.subspan(host_count), kServerStreams, seed);
  draw(trunks, kTrunkStreams, seed);
}

std::vector<std::string> Network::link_names() const {
  std::vector<std::string> names = trunk_names;
  names.insert(names.end(), host_names.begin(), host_names.end());
  return names;
}

double Network::costliest_path(const Cost& cost) const {
  return over_paths_to_servers(*this, cost, std::plus());
}

double Network::costliest_path(const std::set<SwitchIndex>& racks, SwitchIndex to,
                               const Cost& cost) const {
  return over_paths_from(*this, racks, to, cost, std::plus());
}

double Network::costliest_trunk(const Cost& cost) const {
  return over_paths_to_servers(*this, cost, greatest);
}

double Network::costliest_trunk(const std::set<SwitchIndex>& racks, SwitchIndex to,
                                const Cost& cost) const {
  return over_paths_from(*this, racks, to, cost, greatest);
}

double Network::costliest_host(const Cost& cost) const {
  double most = 0;
  for (const NetworkLink& host : hosts) most = std::max(most, cost(host));
  return most;
}

}  // namespace ina::scenarios
