// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/planned_trees.hpp"

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

Json place_at(const Registration& job, SwitchIndex at, const cluster::Topology& topology) {
  Json place;
  place["switch"] = at;
  place["level"] = job.tree.only_forwards(at) ? "forwards" : name_of(place_of(job, at).level);
  place["below"] = Json::array();
  for (const cluster::WorkerBelow& worker : job.tree.below(at)) {
    place["below"].push_back({{"rank", worker.rank}, {"trunk", json_of(worker.trunk)}});
  }
  place["up"] = json_of(job.tree.up(at));
  if (job.hosts.server) {
    const bool is_here = topology.switch_of[*job.hosts.server] == at;
    place["server_trunk"] = is_here ? Json() : json_of(job.tree.up(at));
  }
  return place;
}

}  // namespace

Json planned_trees(const cluster::Spec& cluster) {
  Json trees = Json::array();
  const cluster::ControlPlane::Config config = cluster.control();
  if (config.path_choice.by_flow) return trees;
  for (const cluster::JobSpec& spec : cluster.jobs) {
    Registration job;
    job.job = spec.id;
    job.id = spec.id;
    job.hosts = cluster.hosts(spec);
    cluster::lay_out(job, config);
    Json places = Json::array();
    const auto switches = static_cast<SwitchIndex>(cluster.topology.switches.size());
    for (SwitchIndex at = 0; at < switches; ++at) {
      if (config.may_pass(job, at)) places.push_back(place_at(job, at, cluster.topology));
    }
    trees.push_back({{"paths", paths_of(job)}, {"places", places}});
  }
  return trees;
}

}  // namespace ina::systems
