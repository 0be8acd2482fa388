// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/job_place.hpp"

#include <algorithm>
#include <bit>

namespace ina::systems {
namespace {

using programs::TreeLevel;

bool is_in_several_racks(const JobRacks& job) {
  const std::vector<std::uint16_t>& racks = job.hosts.racks;
  const std::uint16_t other_end = job.hosts.server ? job.root : racks.front();
  return std::ranges::any_of(racks, [&](std::uint16_t rack) { return rack != other_end; });
}

TreeLevel level_of(const JobRacks& job, std::uint16_t rack) {
  if (!is_in_several_racks(job)) return TreeLevel::only;
  return rack == job.root ? TreeLevel::root : TreeLevel::leaf;
}

/// Of a rack with workers; 0 if its sums are not added up again.
std::uint8_t branch_of(const JobRacks& job, std::uint16_t rack) {
  const auto found = std::ranges::find(job.hosts.racks, rack);
  const auto rank = static_cast<std::size_t>(found - job.hosts.racks.begin());
  const std::uint32_t bit = job.paths[rank].bitmap1;
  return bit == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(std::countr_zero(bit));
}

/// By branch; of a leaf one of its workers.
std::vector<HostId> members_of_root(const JobRacks& job) {
  std::vector<HostId> members(wire::branches(job.paths));
  for (std::size_t rank = job.paths.size(); rank-- > 0;) {
    members[static_cast<std::size_t>(std::countr_zero(job.paths[rank].bitmap1))] =
        job.hosts.workers[rank];
  }
  return members;
}

/// A worker or server in another rack than this leaf's.
HostId host_beyond(const JobRacks& job, std::uint16_t rack) {
  if (job.hosts.server) return *job.hosts.server;
  const auto found =
      std::ranges::find_if(job.hosts.racks, [rack](std::uint16_t other) { return other != rack; });
  return job.hosts.workers[static_cast<std::size_t>(found - job.hosts.racks.begin())];
}

}  // namespace

JobPlace place_of(const JobRacks& job, std::uint16_t rack, const std::vector<HostId>& below) {
  JobPlace place;
  place.level = level_of(job, rack);
  const HostId server = job.hosts.server.value_or(programs::MemberTable::kNobody);
  place.members = {job.hosts.workers, server, {job.paths.begin(), job.paths.end()}, below};
  if (!job.hosts.server) {
    place.members.workers = place.level == TreeLevel::root ? members_of_root(job) : below;
  }
  place.contributions =
      static_cast<std::uint16_t>(job.hosts.server ? below.size() : place.members.workers.size());
  if (place.level == TreeLevel::leaf) {
    place.branch = branch_of(job, rack);
    place.ranks = wire::ranks_in(job.hosts.racks, rack);
    place.members.towards_root = host_beyond(job, rack);
  }
  return place;
}

JobPlace place_of(const cluster::Registration& job, cluster::SwitchIndex at) {
  const std::vector<HostId>& below = job.below[at];
  if (!job.tree.only_forwards(at)) {
    return place_of({job.hosts, job.paths, job.tree.root()}, at, below);
  }
  JobPlace place;
  place.members = {job.hosts.workers, job.hosts.server.value_or(programs::MemberTable::kNobody),
                   job.paths, below};
  place.members.only_forwards = true;
  return place;
}

}  // namespace ina::systems
