// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/network/root_choice.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "hw/cluster/topologies/fat_tree.hpp"
#include "hw/cluster/topologies/graph.hpp"
#include "hw/cluster/topologies/leaf_spine.hpp"
#include "hw/cluster/topologies/rail.hpp"
#include "hw/cluster/topologies/star.hpp"

namespace ina::cluster {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr RootChoice kSpine = RootChoice::spine;
constexpr RootChoice kServerLeaf = RootChoice::server_leaf;

/// Leaves are 0 to 3, spines 4 to 6.
Topology leaves_and_spines() {
  return topology_of(
      LeafSpine{.racks = 4, .hosts_per_rack = 2, .spines = 3, .parameter_servers = 1});
}

TEST(RootChoice, ByServerLeafIsTheSwitchOfTheServersRackWhicheverThatIs) {
  const Topology topology = leaves_and_spines();
  EXPECT_THAT(find_roots(topology, kServerLeaf, {0, 1}, {3}), ElementsAre(3));
  EXPECT_THAT(find_roots(topology, kServerLeaf, {0, 1}, {2}), ElementsAre(2));
  EXPECT_THAT(find_roots(topology, kServerLeaf, {0, 1}, {1}), ElementsAre(1));
}

TEST(RootChoice, ByServerLeafOfAJobWithoutAServerIsThatOfTheParameterServers) {
  EXPECT_THAT(find_roots(leaves_and_spines(), kServerLeaf, {0, 1}, {}), ElementsAre(3));
}

TEST(RootChoice, LeavesAllSpinesOfALeafSpineAndThoseThatLiveAreLeft) {
  Topology topology = leaves_and_spines();
  EXPECT_THAT(find_roots(topology, kSpine, {0, 1}, {3}), ElementsAre(4, 5, 6));
  EXPECT_THAT(find_roots(topology, RootChoice::least_loaded, {0, 1}, {3}), ElementsAre(4, 5, 6));
  for (Topology::Trunk& trunk : topology.trunks) {
    if (trunk.ends_at(1) && trunk.ends_at(5)) trunk.dead = true;
  }
  EXPECT_THAT(find_roots(topology, kSpine, {0, 1}, {3}), ElementsAre(4, 6));
}

TEST(RootChoice, OfAJobInOneRackIsItsSwitch) {
  for (const RootChoice choice : {kServerLeaf, kSpine, RootChoice::least_loaded}) {
    EXPECT_THAT(find_roots(leaves_and_spines(), choice, {1, 1}, {1}), ElementsAre(1));
    EXPECT_THAT(find_roots(leaves_and_spines(), choice, {1, 1}, {}), ElementsAre(1));
  }
}

/// With k = 4: edge switches 0 to 7 (two per pod), aggregation switches 8 to 15, core switches 16
/// to 19.
Topology fat_tree() { return topology_of(FatTree{.k = 4, .parameter_servers = 1}); }

TEST(RootChoice, InOnePodOfAFatTreeIsAnAggregationSwitchWhereverTheServerIs) {
  for (const std::vector<SwitchIndex>& of_servers :
       {std::vector<SwitchIndex>{}, {1}, {7}, std::vector<SwitchIndex>{0, 7}}) {
    EXPECT_THAT(find_roots(fat_tree(), kSpine, {0, 1}, of_servers), ElementsAre(8, 9));
  }
  EXPECT_THAT(find_roots(fat_tree(), kSpine, {6, 7}, {7}), ElementsAre(14, 15));
  EXPECT_THAT(find_roots(fat_tree(), kSpine, {0}, {7}), ElementsAre(8, 9));
}

/// With an aggregation switch as root, sums of the other pod would cross two more trunks than those
/// of its own pod.
TEST(RootChoice, AcrossEqualPodsOfAFatTreeIsACoreSwitchInWhicheverPodsTheWorkersAre) {
  for (const std::vector<SwitchIndex>& of_workers :
       {std::vector<SwitchIndex>{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 4, 5}, {0, 7}}) {
    for (const std::vector<SwitchIndex>& of_servers :
         {std::vector<SwitchIndex>{}, std::vector<SwitchIndex>{7}}) {
      EXPECT_THAT(find_roots(fat_tree(), kSpine, of_workers, of_servers),
                  ElementsAre(16, 17, 18, 19));
    }
  }
}

/// With this root, the core sends the other racks' sums to the pod. With a root in the core, the
/// pod would send its own racks' sums to the core, and these are more.
TEST(RootChoice, InAFatTreeIsAnAggregationSwitchOfThePodWithMostOfTheRacks) {
  for (const std::vector<SwitchIndex>& of_servers :
       {std::vector<SwitchIndex>{}, std::vector<SwitchIndex>{4}}) {
    EXPECT_THAT(find_roots(fat_tree(), kSpine, {0, 1, 4}, of_servers), ElementsAre(8, 9));
    EXPECT_THAT(find_roots(fat_tree(), kSpine, {0, 4, 5}, of_servers), ElementsAre(12, 13));
  }
}

/// All racks are connected to the last rack's switch.
TEST(RootChoice, InAStarOfRacksIsTheSwitchThatJoinsThem) {
  const Topology topology = topology_of(Star{.hosts = 6, .parameter_servers = 1, .racks = 3});
  EXPECT_THAT(find_roots(topology, kServerLeaf, {0, 1}, {2}), ElementsAre(2));
  EXPECT_THAT(find_roots(topology, kServerLeaf, {0, 1}, {0}), ElementsAre(2));
  EXPECT_THAT(find_roots(topology, kServerLeaf, {0, 0}, {0}), ElementsAre(0));
  EXPECT_THAT(find_roots(topology, kSpine, {0, 1}, {2}), ElementsAre(2));
  EXPECT_THAT(find_roots(topology, kSpine, {0, 1}, {}), ElementsAre(2));
}

TEST(RootChoice, OfTwoJoinedRacksIsEitherOne) {
  const Topology star = topology_of(Star{.hosts = 8, .parameter_servers = 1, .racks = 2});
  const Topology graph = topology_of(Graph{.switches = {{"a", 4}, {"b", 4}},
                                           .trunks = {{0, 1}},
                                           .servers_at = 1,
                                           .parameter_servers = 1});
  for (const Topology& topology : {star, graph}) {
    EXPECT_THAT(find_roots(topology, kSpine, {0, 0, 1, 1}, {}), ElementsAre(0, 1));
    EXPECT_THAT(find_roots(topology, kSpine, {0, 0, 1}, {}), ElementsAre(1)) << "fewer branches";
    EXPECT_THAT(find_roots(topology, kSpine, {0, 1, 1}, {}), ElementsAre(0)) << "fewer branches";
    EXPECT_THAT(find_roots(topology, kSpine, {0, 1, 1}, {1}), ElementsAre(1)) << "as the server is";
    EXPECT_THAT(find_roots(topology, kSpine, {0, 1}, {0}), ElementsAre(0)) << "as the server is";
    EXPECT_THAT(find_roots(topology, kSpine, {0, 0}, {1}), ElementsAre(0)) << "where all are";
  }
}

TEST(RootChoice, OfRailsIsASpine) {
  const Topology topology =
      topology_of(Rail{.hosts = 2, .rails = 2, .spines = 2, .parameter_servers = 1});
  EXPECT_THAT(find_roots(topology, kSpine, {0, 1}, {1}), ElementsAre(2, 3));
}

/// The topology is a - top - servers - b. With the root at top, sums of b would pass through the
/// servers' rack.
TEST(RootChoice, LeadsNoRackThroughAnotherOne) {
  const Topology topology =
      topology_of(Graph{.switches = {{"a", 2}, {"b", 2}, {"servers", 1}, {"top", 0}},
                        .trunks = {{0, 3}, {3, 2}, {1, 2}},
                        .servers_at = 2,
                        .parameter_servers = 1});
  EXPECT_THAT(find_roots(topology, kSpine, {0, 2}, {2}), ElementsAre(3));
  EXPECT_THAT(find_roots(topology, kSpine, {0, 1}, {2}), ElementsAre(2)) << "the servers' rack";
  EXPECT_THAT(find_roots(topology, kServerLeaf, {0, 1}, {2}), ElementsAre(2));
}

TEST(RootChoice, IsNothingWhereNoWayJoinsTheRacks) {
  Topology topology = leaves_and_spines();
  for (Topology::Trunk& trunk : topology.trunks) trunk.dead = trunk.dead || trunk.ends_at(0);
  EXPECT_THAT(find_roots(topology, kServerLeaf, {0, 1}, {3}), IsEmpty());
  EXPECT_THAT(find_roots(topology, kSpine, {0, 1}, {3}), IsEmpty());
  EXPECT_THAT(find_roots(topology, kSpine, {1, 2}, {3}), ElementsAre(4, 5, 6));
}

TEST(RootChoice, SaysWhatIsAtFaultWhereThereIsNone) {
  const Topology topology = topology_of(Star{.hosts = 6, .parameter_servers = 1, .racks = 3});
  EXPECT_THAT(
      why_no_root(topology, 4),
      AllOf(StartsWith("found no path from a rack of job 4 to its first server, except through "
                       "\"rack2\""),
            HasSubstr("; allowed: a first server")));
}

}  // namespace
}  // namespace ina::cluster
