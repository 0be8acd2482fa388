// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/network/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/cluster/network/paths.hpp"
#include "hw/cluster/topologies/fat_tree.hpp"
#include "hw/cluster/topologies/graph.hpp"
#include "hw/cluster/topologies/leaf_spine.hpp"
#include "hw/cluster/topologies/rail.hpp"
#include "hw/cluster/topologies/star.hpp"
#include "hw/protocol/wire/path_choice.hpp"

namespace ina::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr wire::PathChoice kChoice{.seed = 7};

std::vector<std::uint16_t> ranks_of(const std::vector<MemberBelow>& below) {
  std::vector<std::uint16_t> ranks;
  for (const MemberBelow& worker : below) ranks.push_back(worker.number);
  return ranks;
}

/// Number of links at each switch, including those to hosts.
std::vector<std::size_t> ports_of(const Topology& topology) {
  std::vector<std::size_t> ports(topology.switches.size());
  for (const SwitchIndex at : topology.switch_of) ++ports[at];
  for (const Topology::Trunk& trunk : topology.trunks) {
    ++ports[trunk.lower];
    ++ports[trunk.upper];
  }
  return ports;
}

TEST(Star, HasOneSwitchForAllHostsAndServers) {
  const Topology star = topology_of(Star{.hosts = 3, .parameter_servers = 2});
  EXPECT_THAT(star.switches, ElementsAre(Topology::Switch{"switch", 0}));
  EXPECT_THAT(star.trunks, IsEmpty());
  EXPECT_THAT(star.switch_of, ElementsAre(0, 0, 0, 0, 0));
}

TEST(Star, DividesHostsAmongRacksAndPutsServersIntoTheLast) {
  const Topology racks = topology_of(Star{.hosts = 5, .parameter_servers = 1, .racks = 3});
  EXPECT_THAT(racks.switch_of, ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_EQ(racks.of_servers(), 2);
  EXPECT_EQ(racks.switches[2].name, "rack2");
  EXPECT_THAT(racks.trunks, ElementsAre(Topology::Trunk{0, 2}, Topology::Trunk{1, 2}));
}

TEST(LeafSpine, LinksEveryLeafToEverySpine) {
  const Topology topology =
      topology_of(LeafSpine{.racks = 3, .hosts_per_rack = 4, .spines = 2, .parameter_servers = 5});
  EXPECT_EQ(topology.racks(), 3);
  EXPECT_THAT(ports_of(topology), ElementsAre(4 + 2, 4 + 2, 4 + 5 + 2, 3, 3));
  std::set<std::pair<SwitchIndex, SwitchIndex>> linked;
  for (const Topology::Trunk& trunk : topology.trunks) linked.emplace(trunk.lower, trunk.upper);
  EXPECT_THAT(linked, SizeIs(6));
}

TEST(FatTree, HasSwitchesOfKPorts) {
  for (const std::uint32_t k : {2U, 4U, 8U}) {
    const FatTree shape{.k = k};
    const Topology topology = topology_of(shape);
    EXPECT_THAT(topology.switches, SizeIs(shape.switch_count()));
    EXPECT_THAT(topology.switch_of, SizeIs(k * k * k / 4));
    EXPECT_THAT(ports_of(topology), ::testing::Each(k)) << "k = " << k;
  }
}

/// Al-Fares et al., section 2.3: (k/2)^2 shortest paths between hosts of two pods.
TEST(FatTree, HasAWayByEachCoreSwitchBetweenPodsAndOfTwoTrunksWithinOne) {
  const Topology topology = topology_of(FatTree{.k = 4});
  const ShortestPaths to_first(topology, 0);
  EXPECT_EQ(to_first.trunks(1), 2U);
  EXPECT_EQ(to_first.trunks(7), 4U);
  EXPECT_THAT(to_first.ways(7), SizeIs(2));
  EXPECT_THAT(to_first.ways(topology.trunks[to_first.ways(7)[0]].upper), SizeIs(2));
  EXPECT_THAT(to_first.ways(0), IsEmpty());
}

TEST(Rail, HasAPortOfEveryHostOnEachRailAndEachRailUnderEverySpine) {
  const Topology topology =
      topology_of(Rail{.hosts = 3, .rails = 2, .spines = 4, .parameter_servers = 1});
  EXPECT_THAT(topology.switch_of, ElementsAre(0, 0, 0, 1, 1, 1, 1));
  EXPECT_EQ(topology.switches[1].name, "rail1");
  EXPECT_THAT(ports_of(topology), ElementsAre(3 + 4, 3 + 1 + 4, 2, 2, 2, 2));
  EXPECT_THAT(ShortestPaths(topology, 1).ways(0), SizeIs(4));
}

/// Two racks and a gateway to a third one with the servers: a and b - x, y - m - c.
Graph two_racks_and_a_third() {
  return {.switches = {{"m"}, {"c", 1}, {"x"}, {"a", 2}, {"y"}, {"b", 3}},
          .trunks = {{3, 2}, {3, 4}, {5, 2}, {5, 4}, {2, 0}, {4, 0}, {0, 1}},
          .servers_at = 1,
          .parameter_servers = 2};
}

TEST(Graph, PutsRacksFirstThatOfTheServersLastAmongThemAndTheRestBehind) {
  const Topology topology = topology_of(two_racks_and_a_third());
  std::vector<std::string> names;
  for (const Topology::Switch& at : topology.switches) names.push_back(at.name);
  EXPECT_THAT(names, ElementsAre("a", "b", "c", "m", "x", "y"));
  EXPECT_EQ(topology.racks(), 3);
  EXPECT_EQ(topology.of_servers(), 2);
  EXPECT_THAT(topology.switch_of, ElementsAre(2, 0, 0, 1, 1, 1, 2, 2));
}

TEST(Graph, HasHeightsByTheDistanceFromTheNextRack) {
  Graph graph = two_racks_and_a_third();
  graph.switches.push_back({"top"});
  graph.trunks.emplace_back(2, 6);
  const Topology topology = topology_of(graph);
  std::vector<int> heights;
  for (const Topology::Switch& at : topology.switches) heights.push_back(at.height);
  EXPECT_THAT(heights, ElementsAre(0, 0, 0, 1, 1, 1, 2));
  EXPECT_EQ(topology.trunks[4].tier, Tier::core);
  EXPECT_EQ(topology.trunks[6].tier, Tier::uplink);
}

TEST(Graph, HasAsManyShortestWaysAsAreWrittenOut) {
  const Topology topology = topology_of(two_racks_and_a_third());
  const ShortestPaths to_servers(topology, topology.of_servers());
  EXPECT_EQ(to_servers.trunks(0), 3U);
  EXPECT_THAT(to_servers.ways(0), ElementsAre(0, 1));
  EXPECT_THAT(to_servers.ways(3), SizeIs(1));
  std::set<std::vector<std::uint16_t>> by_first_middle;
  for (JobId job = 0; job < 50; ++job) {
    const JobTree tree(topology, topology.of_servers(), {0, 0, 1, 2}, {}, kChoice.of_job(job));
    EXPECT_THAT(ranks_of(tree.workers_below(2)), ElementsAre(0, 1, 2, 3));
    EXPECT_TRUE(tree.only_forwards(3));
    by_first_middle.insert(ranks_of(tree.workers_below(4)));
  }
  // All frames of a rack use the same middle switch, independently of the other rack.
  EXPECT_THAT(by_first_middle, UnorderedElementsAre(IsEmpty(), ElementsAre(0, 1), ElementsAre(2),
                                                    ElementsAre(0, 1, 2)));
}

/// 15 leaves under 8 spines. A single path would have to carry all branches.
TEST(JobTree, SpreadsTheBranchesOfAJobOverEquallyShortWays) {
  const Topology topology = topology_of(LeafSpine{.racks = 16, .hosts_per_rack = 1, .spines = 8});
  const SwitchIndex root = topology.of_servers();
  std::vector<SwitchIndex> leaves;
  for (SwitchIndex leaf = 0; leaf < topology.racks(); ++leaf) leaves.push_back(leaf);
  for (JobId job = 0; job < 20; ++job) {
    const JobTree tree(topology, root, leaves, {}, kChoice.of_job(job));
    std::map<TrunkIndex, int> branches;
    for (const SwitchIndex leaf : leaves) {
      if (leaf == root) continue;
      const SwitchIndex spine = topology.trunks[tree.up(leaf).value()].other_end(leaf);
      ++branches[tree.up(spine).value()];
    }
    EXPECT_GE(branches.size(), 5U) << "job " << job;
    for (const auto& [trunk, count] : branches) EXPECT_LE(count, 6) << "job " << job;
  }
}

TEST(Graph, HasASwitchWithServersOnlyAsARack) {
  const Graph graph{
      .switches = {{"a", 1}, {"b"}}, .trunks = {{0, 1}}, .servers_at = 1, .parameter_servers = 1};
  EXPECT_EQ(graph.rack_count(), 2U);
  EXPECT_EQ(topology_of(graph).of_servers(), 1);
}

TEST(ShortestPaths, LeadThroughNoRackButTheServers) {
  Topology leaves = topology_of(LeafSpine{.racks = 3, .hosts_per_rack = 1, .spines = 2});
  const auto break_link = [&](SwitchIndex lower, SwitchIndex upper) {
    for (Topology::Trunk& trunk : leaves.trunks) {
      if (trunk.lower == lower && trunk.upper == upper) trunk.dead = true;
    }
  };
  break_link(0, 3);
  EXPECT_EQ(ShortestPaths(leaves, 2).trunks(0), 2U);
  break_link(2, 4);
  EXPECT_EQ(ShortestPaths(leaves, 2).trunks(0), std::nullopt);
  EXPECT_EQ(ShortestPaths(leaves, 2).trunks(1), 2U);
  EXPECT_EQ(ShortestPaths(topology_of(Star{.hosts = 3, .racks = 3}), 0).trunks(1), 2U);
}

TEST(LiveTrunks, AreThoseOfEachSwitchInOrderWithoutTheDeadOnes) {
  Topology topology = topology_of(LeafSpine{.racks = 3, .hosts_per_rack = 1, .spines = 2});
  topology.trunks[1].dead = true;
  const LiveTrunks trunks(topology);
  for (SwitchIndex at = 0; at < topology.switches.size(); ++at) {
    std::vector<TrunkIndex> expected;
    for (TrunkIndex i = 0; i < topology.trunks.size(); ++i) {
      if (i != 1 && topology.trunks[i].ends_at(at)) expected.push_back(i);
    }
    EXPECT_THAT(trunks.at(at), ElementsAreArray(expected)) << at;
  }
}

TEST(ShortestPaths, KnowOfASwitchThatNothingLeadsTo) {
  Topology topology = topology_of(Star{.racks = 2});
  topology.switches.push_back({"apart", 0});
  const ShortestPaths paths(topology, 0);
  EXPECT_EQ(paths.trunks(1), 1U);
  EXPECT_EQ(paths.trunks(2), std::nullopt);
  EXPECT_THROW(JobTree(topology, 0, {2}, {}, 0), std::invalid_argument);
}

TEST(JobTree, OfAStarIsItsSwitch) {
  const JobTree tree(topology_of(Star{}), 0, {0, 0, 0}, {}, 1);
  EXPECT_THAT(ranks_of(tree.workers_below(0)), ElementsAre(0, 1, 2));
  EXPECT_FALSE(tree.only_forwards(0));
}

TEST(JobTree, LeadsThroughOneSpineARackWhichOnlyForwards) {
  const Topology topology = topology_of(LeafSpine{.racks = 4, .hosts_per_rack = 8, .spines = 3});
  const std::vector<SwitchIndex> racks{0, 0, 1, 3, 2};  // by rank
  for (JobId job = 0; job < 50; ++job) {
    const JobTree tree(topology, 3, racks, {}, kChoice.of_job(job));
    std::map<SwitchIndex, SwitchIndex> spine_of;  // by rack
    std::size_t below_spines = 0;
    for (SwitchIndex spine = 4; spine < 7; ++spine) {
      for (const std::uint16_t rank : ranks_of(tree.workers_below(spine))) {
        EXPECT_EQ(spine_of.emplace(racks[rank], spine).first->second, spine) << "rank " << rank;
        EXPECT_TRUE(tree.only_forwards(spine));
        ++below_spines;
      }
    }
    EXPECT_EQ(below_spines, 4U);  // all but the root's own
    EXPECT_THAT(ranks_of(tree.workers_below(3)), ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(ranks_of(tree.workers_below(0)), ElementsAre(0, 1));
    EXPECT_FALSE(tree.only_forwards(0));
    EXPECT_FALSE(tree.only_forwards(3));
  }
}

TEST(JobTree, SendsTheSumsOfAllRacksDownOneLinkToARootInARack) {
  const Topology topology = topology_of(LeafSpine{.racks = 4, .hosts_per_rack = 2, .spines = 1});
  const SwitchIndex spine = 4;
  const JobTree to_leaf(topology, 3, {0, 0, 1, 1, 2, 3}, {3}, 0);
  EXPECT_THAT(to_leaf.sums_up(topology), ElementsAre(1, 1, 1, 0, 3));
  const JobTree to_spine(topology, spine, {0, 0, 1, 1, 2, 3}, {3}, 0);
  EXPECT_THAT(to_spine.sums_up(topology), ElementsAre(1, 1, 1, 1, 0));
}

/// Sums on each switch's trunk towards the root, plus one if it carries the servers' results.
std::vector<std::uint32_t> sums_and_results_up(const JobTree& tree, const Topology& topology) {
  std::vector<std::uint32_t> sums = tree.sums_up(topology);
  for (std::size_t at = 0; at < sums.size(); ++at) {
    if (tree.passes_all_results_up(static_cast<SwitchIndex>(at))) ++sums[at];
  }
  return sums;
}

TEST(JobTree, SendsResultsOfServersUpToARootThatIsNotAtTheirSwitch) {
  const Topology topology = topology_of(LeafSpine{.racks = 4, .hosts_per_rack = 2, .spines = 1});
  const std::vector<SwitchIndex> workers = {0, 0, 1, 1, 2, 3};
  const auto sums = [&](SwitchIndex root, const std::vector<SwitchIndex>& servers) {
    return sums_and_results_up(JobTree(topology, root, workers, servers, 0), topology);
  };
  EXPECT_THAT(sums(4, {3, 3}), ElementsAre(1, 1, 1, 2, 0));
  EXPECT_THAT(sums(3, {3, 3}), ElementsAre(1, 1, 1, 0, 3));
  EXPECT_THAT(sums(4, {2, 3}), ElementsAre(1, 1, 1, 1, 0));
}

TEST(JobTree, SendsNoSumsFromARackWithServersOnly) {
  const Topology topology = topology_of(LeafSpine{.racks = 3, .hosts_per_rack = 2, .spines = 1});
  EXPECT_THAT(JobTree(topology, 3, {0, 1}, {2}, 0).sums_up(topology), ElementsAre(1, 1, 0, 0));
}

TEST(JobTree, OfManyJobsUsesEverySpineAboutEquallyOften) {
  constexpr std::uint32_t kSpines = 4;
  constexpr double kJobs = 1000;
  const Topology topology =
      topology_of(LeafSpine{.racks = 2, .hosts_per_rack = 1, .spines = kSpines});
  std::map<SwitchIndex, double> jobs_of;
  for (JobId job = 0; job < kJobs; ++job) {
    const JobTree tree(topology, 1, {0}, {}, kChoice.of_job(job));
    for (SwitchIndex spine = 2; spine < 2 + kSpines; ++spine) {
      jobs_of[spine] += tree.workers_below(spine).empty() ? 0 : 1;
    }
  }
  // Four standard deviations of each count.
  for (const auto& [spine, jobs] : jobs_of) {
    EXPECT_NEAR(jobs, kJobs / kSpines, 4 * std::sqrt(kJobs / kSpines * (1 - 1.0 / kSpines)));
  }
}

/// Each switch of a tree has one path to the root, so no frame of a group arrives twice.
TEST(JobTree, OfAFatTreeHasOneWayFromEachSwitchToTheRoot) {
  const FatTree shape{.k = 6};
  const Topology topology = topology_of(shape);
  std::vector<SwitchIndex> leaves;
  for (SwitchIndex edge = 0; edge < shape.rack_count(); ++edge) leaves.push_back(edge);
  for (JobId job = 0; job < 20; ++job) {
    const JobTree tree(topology, topology.of_servers(), leaves, {}, kChoice.of_job(job));
    std::map<SwitchIndex, std::set<TrunkIndex>> ways_up;
    for (SwitchIndex at = 0; at < topology.switches.size(); ++at) {
      for (const MemberBelow& worker : tree.workers_below(at)) {
        if (!worker.trunk) continue;
        const Topology::Trunk& trunk = topology.trunks[*worker.trunk];
        ways_up[trunk.other_end(at)].insert(*worker.trunk);
      }
    }
    for (const auto& [at, ways] : ways_up) EXPECT_THAT(ways, SizeIs(1)) << "switch " << at;
    EXPECT_THAT(tree.workers_below(topology.of_servers()), SizeIs(leaves.size()));
  }
}

}  // namespace
}  // namespace ina::cluster
