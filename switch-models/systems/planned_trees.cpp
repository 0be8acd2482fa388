// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/planned_trees.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "switch-models/systems/job_place.hpp"

namespace ina::systems {
namespace {

using cluster::Registration;
using cluster::SwitchIndex;
using cluster::TrunkIndex;
using fields::Json;
using programs::TreeLevel;

const char* name_of(TreeLevel level) {
  switch (level) {
    case TreeLevel::leaf:
      return "leaf";
    case TreeLevel::root:
      return "root";
    case TreeLevel::only:
      break;
  }
  return "only";
}

Json json_of(const std::optional<TrunkIndex>& trunk) { return trunk ? Json(*trunk) : Json(); }

Json paths_of(const Registration& job) {
  Json paths = Json::array();
  for (const wire::AggregationPath& path : job.paths) {
    paths.push_back({path.fan_in_degree0, path.fan_in_degree1, path.bitmap0, path.bitmap1});
  }
  return paths;
}

/// Null if the server is attached to the switch.
std::optional<TrunkIndex> way_to_server(const Registration& job, SwitchIndex at,
                                        std::size_t index) {
  const auto& below = job.tree.servers_below(at);
  const auto found = std::ranges::find(below, index, &cluster::MemberBelow::number);
  return found == below.end() ? job.tree.up(at) : found->trunk;
}

Json place_at(const Registration& job, SwitchIndex at) {
  Json place;
  place["switch"] = at;
  place["level"] = job.tree.only_forwards(at) ? "forwards" : name_of(place_of(job, at).level);
  place["below"] = Json::array();
  for (const cluster::MemberBelow& worker : job.tree.workers_below(at)) {
    place["below"].push_back({{"rank", worker.number}, {"trunk", json_of(worker.trunk)}});
  }
  place["up"] = json_of(job.tree.up(at));
  place["server_trunks"] = Json::array();
  for (std::size_t index = 0; index < job.hosts.servers.count(); ++index) {
    place["server_trunks"].push_back(json_of(way_to_server(job, at, index)));
  }
  return place;
}

}  // namespace

Json planned_trees(const cluster::Spec& cluster) {
  Json trees = Json::array();
  const cluster::ControlPlane::Config config = cluster.control();
  if (config.path_choice.by_flow) return trees;
  for (const Registration& job : cluster.registrations()) {
    Json places = Json::array();
    const auto switches = static_cast<SwitchIndex>(cluster.topology.switches.size());
    for (SwitchIndex at = 0; at < switches; ++at) {
      if (config.may_pass(job, at)) places.push_back(place_at(job, at));
    }
    trees.push_back({{"paths", paths_of(job)}, {"places", places}});
  }
  return trees;
}

}  // namespace ina::systems
