// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/topologies/graph.hpp"

#include <algorithm>
#include <deque>

namespace ina::cluster {

namespace {

/// Index in Graph::switches of each switch of the topology.
std::vector<std::uint32_t> places_in_order(const Graph& graph) {
  std::vector<std::uint32_t> places;
  const auto add = [&](auto which) {
    for (std::uint32_t place = 0; place < graph.switches.size(); ++place) {
      if (which(place)) places.push_back(place);
    }
  };
  add([&](std::uint32_t place) { return graph.is_rack(place) && place != graph.servers_at; });
  add([&](std::uint32_t place) { return place == graph.servers_at; });
  add([&](std::uint32_t place) { return !graph.is_rack(place); });
  return places;
}

/// Sets heights to the distance in trunks from the nearest rack.
void set_heights(Topology& topology, std::size_t racks) {
  std::vector<std::vector<SwitchIndex>> neighbours(topology.switches.size());
  for (const Topology::Trunk& trunk : topology.trunks) {
    neighbours[trunk.lower].push_back(trunk.upper);
    neighbours[trunk.upper].push_back(trunk.lower);
  }
  std::deque<SwitchIndex> reached;
  std::vector<bool> known(topology.switches.size());
  for (std::size_t rack = 0; rack < racks; ++rack) {
    reached.push_back(static_cast<SwitchIndex>(rack));
    known[rack] = true;
  }
  while (!reached.empty()) {
    const SwitchIndex at = reached.front();
    reached.pop_front();
    for (const SwitchIndex next : neighbours[at]) {
      if (known[next]) continue;
      known[next] = true;
      topology.switches[next].height =
          static_cast<std::uint8_t>(std::min(topology.switches[at].height + 1, 255));
      reached.push_back(next);
    }
  }
}

/// `at`: the topology's switches, by index in Graph::switches.
void add_trunks(Topology& topology, const Graph& graph, const std::vector<SwitchIndex>& at) {
  for (const auto& [from, to] : graph.trunks) {
    topology.trunks.push_back({at[from], at[to], Tier::uplink});
  }
}

/// A trunk is of the core if neither end is a rack.
void set_tiers(Topology& topology) {
  for (Topology::Trunk& trunk : topology.trunks) {
    const bool leads_to_rack =
        topology.switches[trunk.lower].height == 0 || topology.switches[trunk.upper].height == 0;
    trunk.tier = leads_to_rack ? Tier::uplink : Tier::core;
  }
}

}  // namespace

std::uint32_t Graph::host_count() const {
  std::uint32_t hosts = 0;
  for (const Place& place : switches) hosts += place.hosts;
  return hosts;
}

std::uint32_t Graph::rack_count() const {
  std::uint32_t racks = 0;
  for (std::size_t place = 0; place < switches.size(); ++place) racks += is_rack(place) ? 1 : 0;
  return racks;
}

Topology topology_of(const Graph& graph) {
  Topology topology;
  const std::vector<std::uint32_t> places = places_in_order(graph);
  std::vector<SwitchIndex> at(places.size());  // by index in Graph::switches
  for (std::size_t i = 0; i < places.size(); ++i) {
    at[places[i]] = static_cast<SwitchIndex>(i);
    topology.switches.push_back({graph.switches[places[i]].name, 0});
  }
  add_trunks(topology, graph, at);
  set_heights(topology, graph.rack_count());
  set_tiers(topology);
  for (std::size_t place = 0; place < graph.switches.size(); ++place) {
    topology.switch_of.resize(topology.switch_of.size() + graph.switches[place].hosts, at[place]);
  }
  topology.switch_of.resize(topology.switch_of.size() + graph.parameter_servers,
                            at[graph.servers_at]);
  return topology;
}

}  // namespace ina::cluster
