// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/job_place.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/cluster/topologies/leaf_spine.hpp"

namespace ina::systems {
namespace {

using cluster::JobHosts;
using programs::TreeLevel;
using ::testing::ElementsAre;

constexpr HostId kServer = 9;
constexpr std::uint16_t kRoot = 2;

JobPlace at(const JobHosts& hosts, std::uint16_t rack) {
  const auto paths = wire::aggregation_paths(hosts.racks, kRoot, wire::Levels::two);
  std::vector<HostId> below;
  for (std::size_t rank = 0; rank < hosts.workers.size(); ++rank) {
    if (rack == kRoot || hosts.racks[rank] == rack) below.push_back(hosts.workers[rank]);
  }
  return place_of({hosts, paths, kRoot}, rack, below);
}

/// Workers 0 and 3 are in rack 1, worker 1 in rack 0, worker 2 at the root.
const JobHosts kSpread{{10, 11, 12, 13}, {1, 0, 2, 1}, {}};

TEST(PlaceOfAJobWithoutAServer, ALeafAddsUpItsWorkers) {
  const JobPlace place = at(kSpread, 1);
  EXPECT_EQ(place.level, TreeLevel::leaf);
  EXPECT_EQ(place.branch, 0);
  EXPECT_EQ(place.contributions, 2);
  EXPECT_THAT(place.members.workers, ElementsAre(10, 13));
  EXPECT_THAT(place.members.group, ElementsAre(10, 13));
  EXPECT_TRUE(place.members.servers.empty());
  EXPECT_EQ(place.members.towards_root, HostId{11});
}

TEST(PlaceOfAJobWithoutAServer, TheRootAddsUpLeavesAndItsOwnWorkers) {
  const JobPlace place = at(kSpread, kRoot);
  EXPECT_EQ(place.level, TreeLevel::root);
  EXPECT_EQ(place.contributions, 3);
  EXPECT_THAT(place.members.workers, ElementsAre(10, 11, 12));
  EXPECT_THAT(place.members.group, ElementsAre(10, 11, 12, 13));
  EXPECT_FALSE(place.members.towards_root);
}

TEST(PlaceOfAJobWithoutAServer, OneRackNeedsNoRoot) {
  const JobPlace place = at({{10, 11}, {1, 1}, {}}, 1);
  EXPECT_EQ(place.level, TreeLevel::only);
  EXPECT_EQ(place.contributions, 2);
  EXPECT_FALSE(place.members.towards_root);
}

TEST(PlaceOfAJobWithAServer, EndsAtTheServersSwitch) {
  const JobHosts in_one{{10, 11}, {1, 1}, kServer, {kRoot}};
  EXPECT_EQ(at(in_one, 1).level, TreeLevel::leaf);
  EXPECT_EQ(at(in_one, 1).members.towards_root, kServer);
  EXPECT_EQ(at(in_one, kRoot).level, TreeLevel::root);
  EXPECT_EQ(at({{10, 11}, {kRoot, kRoot}, kServer, {kRoot}}, kRoot).level, TreeLevel::only);
}

TEST(PlaceOfAJobWithAServer, EverySwitchKnowsAllMembers) {
  JobHosts hosts = kSpread;
  hosts.servers = kServer;
  hosts.server_racks = {kRoot};
  for (const std::uint16_t rack : {std::uint16_t{1}, kRoot}) {
    EXPECT_THAT(at(hosts, rack).members.workers, ElementsAre(10, 11, 12, 13));
    EXPECT_EQ(at(hosts, rack).contributions, rack == kRoot ? 3 : 2);
  }
}

TEST(PlaceOfAJob, ASwitchOnTheWayOnlyForwards) {
  const cluster::Topology topology =
      topology_of(cluster::LeafSpine{.racks = 2, .hosts_per_rack = 2, .spines = 1});
  cluster::Registration job;
  job.hosts = {{0, 1}, {0, 0}, kServer, {1}};
  job.paths = wire::aggregation_paths(job.hosts.racks, 1, wire::Levels::two);
  job.tree = cluster::JobTree(topology, 1, job.hosts.racks, job.hosts.server_racks, 0);
  EXPECT_TRUE(place_of(job, 2).members.only_forwards);
  EXPECT_THAT(place_of(job, 2).members.workers, ElementsAre(0, 1));
  EXPECT_FALSE(place_of(job, 0).members.only_forwards);
  EXPECT_EQ(place_of(job, 0).level, TreeLevel::leaf);
  EXPECT_FALSE(place_of(job, 1).members.only_forwards);
  EXPECT_EQ(place_of(job, 1).level, TreeLevel::root);
}

TEST(PlaceOfAJob, StandsInItsEntry) {
  const programs::JobEntry entry = at(kSpread, 0).complete({1, kServer, 4, 2});
  EXPECT_EQ(entry.level, TreeLevel::leaf);
  EXPECT_EQ(entry.branch, 1);
  EXPECT_EQ(entry.branches, 3);
  EXPECT_EQ(entry.first_slot, 4U);
  EXPECT_EQ(entry.slots, 2U);
}

}  // namespace
}  // namespace ina::systems
