// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/job_place.hpp"

#include <algorithm>

namespace ina::systems {
namespace {

using programs::TreeLevel;

bool is_in_several_racks(const JobRacks& job) {
  const std::vector<std::uint16_t>& racks = job.hosts.racks;
  const std::uint16_t other_end = job.hosts.servers.empty() ? racks.front() : job.root;
  return std::ranges::any_of(racks, [&](std::uint16_t rack) { return rack != other_end; });
}

TreeLevel level_of(const JobRacks& job, std::uint16_t rack) {
  if (!is_in_several_racks(job)) return TreeLevel::only;
  return rack == job.root ? TreeLevel::root : TreeLevel::leaf;
}

/// Branch of a rack with workers of the job.
std::uint8_t branch_of(const JobRacks& job, std::uint16_t rack) {
  const auto found = std::ranges::find(job.hosts.racks, rack);
  const auto rank = static_cast<std::size_t>(found - job.hosts.racks.begin());
  return static_cast<std::uint8_t>(wire::branch_of(job.paths[rank]));
}

std::uint8_t branches_at_root(const JobRacks& job) {
  return job.paths.empty() ? std::uint8_t{0} : job.paths.front().fan_in_degree1;
}

/// One host per branch; for a leaf, one of its workers.
std::vector<HostId> members_of_root(const JobRacks& job) {
  std::vector<HostId> members(branches_at_root(job));
  for (std::size_t rank = job.paths.size(); rank-- > 0;) {
    members[wire::branch_of(job.paths[rank])] = job.hosts.workers[rank];
  }
  return members;
}

/// A worker or server in a rack other than this leaf's.
HostId host_beyond(const JobRacks& job, std::uint16_t rack) {
  const auto server = std::ranges::find_if(job.hosts.server_racks,
                                           [rack](std::uint16_t other) { return other != rack; });
  if (server != job.hosts.server_racks.end()) {
    return job.hosts.servers.host(
        static_cast<std::size_t>(server - job.hosts.server_racks.begin()));
  }
  const auto found =
      std::ranges::find_if(job.hosts.racks, [rack](std::uint16_t other) { return other != rack; });
  return job.hosts.workers[static_cast<std::size_t>(found - job.hosts.racks.begin())];
}

/// All switches have the same role: the program knows the job, but adds none of the job's values.
JobPlace place_among_workers(const cluster::Registration& job) {
  JobPlace place;
  place.contributions = static_cast<std::uint16_t>(job.hosts.workers.size());
  place.members = {job.hosts.workers, {}, job.paths, job.hosts.workers};
  place.members.among_workers = true;
  return place;
}

}  // namespace

JobPlace place_of(const JobRacks& job, std::uint16_t rack, const std::vector<HostId>& below) {
  JobPlace place;
  place.level = level_of(job, rack);
  place.members = {
      job.hosts.workers, job.hosts.servers, {job.paths.begin(), job.paths.end()}, below};
  if (job.hosts.servers.empty()) {
    place.members.workers = place.level == TreeLevel::root ? members_of_root(job) : below;
  }
  place.branches = branches_at_root(job);
  const bool adds_up_branches = place.level == TreeLevel::root && place.branches > 0;
  place.contributions =
      static_cast<std::uint16_t>(adds_up_branches ? place.branches : below.size());
  if (place.level == TreeLevel::leaf) {
    place.branch = branch_of(job, rack);
    place.members.towards_root = host_beyond(job, rack);
  }
  return place;
}

JobPlace place_of(const cluster::Registration& job, cluster::SwitchIndex at) {
  if (job.is_among_workers()) return place_among_workers(job);
  const std::vector<HostId> below = job.workers_below(at);
  if (!job.tree.only_forwards(at)) {
    return place_of({job.hosts, job.paths, job.tree.root()}, at, below);
  }
  JobPlace place;
  place.members = {job.hosts.workers, job.hosts.servers, job.paths, below};
  place.members.only_forwards = true;
  return place;
}

node::JobPorts ports_of(const cluster::Registration& job, cluster::SwitchIndex at,
                        const std::map<cluster::TrunkIndex, node::PortIndex>& trunks,
                        const std::function<node::PortIndex(HostId)>& to_host) {
  node::JobPorts ports;
  for (const cluster::MemberBelow& worker : job.tree.workers_below(at)) {
    ports.group.push_back(worker.trunk ? trunks.at(*worker.trunk)
                                       : to_host(job.hosts.workers[worker.number]));
  }
  for (const cluster::MemberBelow& server : job.tree.servers_below(at)) {
    if (server.trunk) {
      ports.servers.emplace_back(job.hosts.servers.host(server.number), trunks.at(*server.trunk));
    }
  }
  if (const auto up = job.tree.up(at)) ports.up = trunks.at(*up);
  return ports;
}

}  // namespace ina::systems
