// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/node/switch_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ina::node {
namespace {

using programs::AggregatorEvent;
using rmt::Verdict;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr JobId kJob = 0;
constexpr HostId kServer = 9;
constexpr wire::AggregationPath kPath{2, 2, 0, 1, 1};

/// Paths of workers whose positions equal their ranks.
std::vector<wire::AggregationPath> paths(std::size_t workers) {
  std::vector<wire::AggregationPath> paths(workers, kPath);
  for (std::size_t rank = 0; rank < workers; ++rank) paths[rank].bitmap0 = 1U << rank;
  return paths;
}

/// Allocates an aggregator for each gradient of a known job, and forwards other frames.
class HoldingProgram final : public programs::SwitchProgram {
 public:
  Verdict process(Frame& frame, Time) override {
    if (job_entry(frame.job).workers == 0) return reject();
    if (frame.kind != FrameKind::gradient) return programs::forward(frame);
    note(AggregatorEvent::allocated, frame.job, frame.psn, 0);
    return rmt::kDrop;
  }

 private:
  std::uint64_t free_aggregators(JobId job) override {
    const std::uint64_t held = counters(job).occupied();
    for (std::uint64_t i = 0; i < held; ++i) note(AggregatorEvent::freed, job, 0, 0);
    return held;
  }
};

/// Workers 0 and 1 are at ports 0 and 1. Workers 2 and 3 and the server are behind another switch
/// at port 2. Host 7, which belongs to no job, is at port 3.
class SwitchNodeTest : public ::testing::Test {
 protected:
  static constexpr PortIndex kTrunk = 2;
  static constexpr PortIndex kStranger = 3;

  SwitchNodeTest() {
    node.add_port(0);
    node.add_port(1);
    node.add_trunk({2, 3, kServer});
    node.add_port(7);
    node.set_program(std::make_unique<HoldingProgram>());
  }

  void install(JobId job = kJob) {
    node.install_job(job, {4, kServer, 0, 0}, {{0, 1, 2, 3}, kServer, paths(4), {0, 1, 2, 3}});
  }

  static Frame gradient(std::uint16_t worker) {
    Frame frame;
    frame.worker = worker;
    frame.aggregator().bitmap0 = 1U << worker;
    frame.source = worker;
    frame.destination = kServer;
    frame.aggregator().fan_in_degree0 = kPath.fan_in_degree0;
    frame.aggregator().fan_in_degree1 = kPath.fan_in_degree1;
    frame.aggregator().bitmap1 = kPath.bitmap1;
    return frame;
  }

  static Frame result() {
    Frame frame;
    frame.kind = FrameKind::result;
    frame.source = kServer;
    frame.destination = kAllWorkers;
    return frame;
  }

  std::vector<PortIndex> ports_of(const Frame& frame, Verdict::Exit exit) {
    const auto ports = node.egress(frame, exit);
    return {ports.begin(), ports.end()};
  }

  Verdict take(Frame frame, PortIndex ingress) {
    return node.admit(frame, ingress) ? node.process(frame, ingress, {}) : rmt::kDrop;
  }

  SwitchNode node;
};

TEST_F(SwitchNodeTest, LeadsAFrameToThePortOfItsHostOrOfTheSwitchBeforeIt) {
  Frame frame;
  frame.destination = 1;
  EXPECT_THAT(ports_of(frame, Verdict::Exit::forward), ElementsAre(1));
  frame.destination = kServer;
  EXPECT_THAT(ports_of(frame, Verdict::Exit::forward), ElementsAre(kTrunk));
  EXPECT_EQ(node.without_route(), 0U);
}

TEST_F(SwitchNodeTest, ANewRouteTakesTheOldOnesPlace) {
  node.set_route(1, kTrunk);
  Frame frame;
  frame.destination = 1;
  EXPECT_THAT(ports_of(frame, Verdict::Exit::forward), ElementsAre(kTrunk));
}

/// Workers 0 and 1 share the host at port 0.
TEST_F(SwitchNodeTest, APortToAMachineIsThatOfAllAddressesThatItLeadsTo) {
  node.set_route(1, 0);
  install();
  EXPECT_TRUE(node.admit(gradient(0), 0));
  EXPECT_TRUE(node.admit(gradient(1), 0));
  EXPECT_FALSE(node.admit(gradient(0), 1));
  EXPECT_FALSE(node.admit(gradient(1), 1)) << "where it was before";
  EXPECT_FALSE(node.admit(gradient(2), 0)) << "who is elsewhere";
  EXPECT_THAT(ports_of(result(), Verdict::Exit::multicast), ElementsAre(0, kTrunk))
      << "one frame for both";
}

/// Hosts 20 and 21 are behind two further switches at ports 4 and 5.
class EqualRoutesTest : public SwitchNodeTest {
 protected:
  EqualRoutesTest() {
    ports = {node.add_trunk({}), node.add_trunk({})};
    node.set_routes({20, 21}, ports);
  }

  PortIndex port_of_job(JobId job, HostId source = 0) {
    Frame frame;
    frame.job = job;
    frame.source = source;
    frame.destination = 20;
    const auto leave = ports_of(frame, Verdict::Exit::forward);
    EXPECT_EQ(leave.size(), 1U);
    return leave.front();
  }

  std::vector<PortIndex> ports;
};

TEST_F(EqualRoutesTest, FramesOfAJobTakeOneOfThemAndJobsTakeBoth) {
  node.set_path_choice({.seed = 1}, 0);
  std::set<PortIndex> used;
  for (JobId job = 0; job < 20; ++job) {
    for (HostId source = 0; source < 10; ++source) {
      EXPECT_EQ(port_of_job(job, source), port_of_job(job));
    }
    used.insert(port_of_job(job));
  }
  EXPECT_EQ(used, std::set(ports.begin(), ports.end()));
}

TEST_F(EqualRoutesTest, FramesOfAFlowTakeOneOfThemAndFlowsTakeBoth) {
  node.set_path_choice({.seed = 1, .by_flow = true}, 0);
  std::set<PortIndex> used;
  for (HostId source = 0; source < 20; ++source) {
    for (JobId job = 0; job < 10; ++job) {
      EXPECT_EQ(port_of_job(job, source), port_of_job(0, source));
    }
    used.insert(port_of_job(0, source));
  }
  EXPECT_EQ(used, std::set(ports.begin(), ports.end()));
}

TEST_F(EqualRoutesTest, AnotherSeedChoosesOtherwise) {
  std::set<std::vector<PortIndex>> choices;
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    node.set_path_choice({.seed = seed}, 0);
    std::vector<PortIndex> chosen;
    for (JobId job = 0; job < 20; ++job) chosen.push_back(port_of_job(job));
    choices.insert(chosen);
  }
  EXPECT_EQ(choices.size(), 9U);
}

TEST_F(EqualRoutesTest, AFrameMayComeByAnyPortThatLeadsToItsSource) {
  JobMembers members{{0, 20}, kServer, paths(2), {0, 20}};
  members.ports = JobPorts{{0, ports[0]}, std::nullopt};
  node.install_job(kJob, {2, kServer, 0, 0}, members);
  Frame sum = gradient(1);
  sum.source = 20;
  sum.set(flag::second_level);
  EXPECT_TRUE(node.admit(sum, ports[0]));
  EXPECT_TRUE(node.admit(sum, ports[1]));
  EXPECT_FALSE(node.admit(sum, kTrunk));
  EXPECT_FALSE(node.admit(sum, kStranger));
}

TEST_F(EqualRoutesTest, AGroupHasThePortsThatItWasGiven) {
  EXPECT_THROW(node.set_group(kJob, {20}), std::invalid_argument);
  node.set_group_ports(kJob, {0, ports[1], ports[1]});
  EXPECT_THAT(ports_of(result(), Verdict::Exit::multicast), ElementsAre(0, ports[1]));
}

TEST_F(SwitchNodeTest, OnlyForwardsAJobThatItDoesNotAddUp) {
  JobMembers members{{0, 1, 2, 3}, kServer, paths(4), {0, 1}};
  members.only_forwards = true;
  node.install_job(kJob, {2, kServer, 0, 0}, members);
  Frame frame = gradient(0);
  ASSERT_TRUE(node.admit(frame, 0));
  EXPECT_EQ(node.process(frame, 0, {}).exit, Verdict::Exit::forward);
  Frame from_the_server = result();
  EXPECT_EQ(node.process(from_the_server, kTrunk, {}).exit, Verdict::Exit::multicast);
  EXPECT_EQ(node.aggregator_counters(kJob).occupied(), 0U);
  EXPECT_EQ(node.remove_job(kJob), 0U);
}

TEST_F(SwitchNodeTest, SendsOneFrameOfAGroupForAllBehindATrunk) {
  node.set_group(kJob, {0, 2, 3, 1});
  EXPECT_THAT(ports_of(result(), Verdict::Exit::multicast), ElementsAre(0, kTrunk, 1));
  node.set_group(kJob, {1});
  EXPECT_THAT(ports_of(result(), Verdict::Exit::multicast), ElementsAre(1));
}

TEST_F(SwitchNodeTest, CountsFramesToHostsAndJobsToWhichNothingLeads) {
  for (const HostId nowhere : {HostId{8}, HostId{500}, kAllWorkers}) {
    Frame frame;
    frame.destination = nowhere;
    EXPECT_THAT(ports_of(frame, Verdict::Exit::forward), IsEmpty());
  }
  EXPECT_THAT(ports_of(result(), Verdict::Exit::multicast), IsEmpty());
  node.set_group(kJob, {});
  EXPECT_THAT(ports_of(result(), Verdict::Exit::multicast), IsEmpty());
  EXPECT_EQ(node.without_route(), 5U);
}

TEST_F(SwitchNodeTest, NoGroupHasAHostWithoutARoute) {
  EXPECT_THROW(node.set_group(kJob, {0, 8}), std::invalid_argument);
}

TEST_F(SwitchNodeTest, AdmitsEveryFrameBeforeTheFirstJobAndThenThoseOfMembers) {
  EXPECT_TRUE(node.admit(gradient(0), kStranger));
  install();
  EXPECT_FALSE(node.admit(gradient(0), kStranger));
  EXPECT_FALSE(node.admit(gradient(0), 1));
  EXPECT_TRUE(node.admit(gradient(0), 0));
  EXPECT_EQ(node.refused(), 2U);
}

TEST_F(SwitchNodeTest, WhomItLetInItAsksAgainWhenMembersOrRoutesChange) {
  install();
  EXPECT_TRUE(node.admit(gradient(0), 0));
  EXPECT_TRUE(node.admit(gradient(0), 0));
  EXPECT_FALSE(node.admit(gradient(0), 1));
  node.set_route(0, 1);
  EXPECT_FALSE(node.admit(gradient(0), 0));
  EXPECT_TRUE(node.admit(gradient(0), 1));
  node.set_route(0, 0);
  EXPECT_FALSE(node.admit(gradient(0), 1));
  EXPECT_TRUE(node.admit(gradient(0), 0));
  node.remove_job(kJob);
  EXPECT_FALSE(node.admit(gradient(0), 0));
  install();
  EXPECT_TRUE(node.admit(gradient(0), 0));
  node.install_job(kJob, {2, kServer, 0, 0}, {{1, 0}, kServer, paths(2), {0, 1}});
  EXPECT_FALSE(node.admit(gradient(0), 0)) << "who has another rank now";
}

TEST_F(SwitchNodeTest, WhatItLetInBeforeMakesNoDifference) {
  install();
  const auto is_let_in_at_first = [&](const Frame& frame, PortIndex port) {
    node.set_route(7, kStranger);  // clears the verdicts remembered for the old route
    return node.admit(frame, port);
  };
  constexpr unsigned seed = 20261126;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto rarely = [&] { return random() % 8 == 0; };
  int let_in = 0;
  for (int i = 0; i < 5000; ++i) {
    Frame frame = gradient(static_cast<std::uint16_t>(random() % 3));
    PortIndex port = frame.source;
    frame.psn = static_cast<Psn>(random());
    if (rarely()) frame.worker ^= 1;
    if (rarely()) frame.source ^= 1;
    if (rarely()) frame.aggregator().bitmap0 ^= 3;
    if (rarely()) frame.aggregator().bitmap1 ^= 1;
    if (rarely()) frame.job ^= 1;
    if (rarely()) frame.destination ^= 1;
    if (rarely()) frame.aggregator().fan_in_degree0 ^= 1;
    if (rarely()) frame.aggregator().fan_in_degree1 ^= 1;
    if (rarely()) frame.flags = static_cast<std::uint8_t>(1U << random() % 8);
    if (rarely()) frame.kind = FrameKind::notification;
    if (rarely()) port = static_cast<PortIndex>(random() % 4);
    if (!rarely()) node.admit(gradient(port), port);
    const bool is_let_in = node.admit(frame, port);
    ASSERT_EQ(is_let_in, is_let_in_at_first(frame, port)) << i;
    let_in += is_let_in ? 1 : 0;
  }
  EXPECT_GT(let_in, 500);
}

TEST_F(SwitchNodeTest, WhatItLetInToOneServerSaysNothingOfAnothersFragments) {
  const std::vector<HostId> servers = {kServer, 3};
  node.install_job(kJob, {4, wire::JobServers(servers), 0, 0},
                   {{0, 1, 2, 3}, wire::JobServers(servers), paths(4), {0, 1, 2, 3}});
  Frame frame = gradient(0);
  for (const Psn psn : {0U, 0U, 1U, 2U}) {
    frame.psn = psn;
    EXPECT_EQ(node.admit(frame, 0), psn % 2 == 0) << psn;
  }
}

TEST_F(SwitchNodeTest, ATrunkBringsFramesOfTheHostsBehindItAndOfNobodyElse) {
  install();
  Frame sent_by_the_server = result();
  sent_by_the_server.destination = 0;
  EXPECT_TRUE(node.admit(sent_by_the_server, kTrunk));
  EXPECT_FALSE(node.admit(sent_by_the_server, 0));
  Frame of_a_worker_here = gradient(0);
  of_a_worker_here.set(flag::second_level);
  EXPECT_FALSE(node.admit(of_a_worker_here, kTrunk));
  EXPECT_EQ(node.refused(), 2U);
}

TEST_F(SwitchNodeTest, AnAnswerMadeOfAPacketFromHereComesBackThroughTheTrunk) {
  JobMembers members{{0, 1, 2, 3}, kServer, paths(4), {0, 1}};
  Frame answer = result();
  answer.source = 0;
  node.install_job(kJob, {2, kServer, 0, 0}, members);
  EXPECT_FALSE(node.admit(answer, kTrunk)) << "which does not lead to the root";
  members.towards_root = kServer;
  node.install_job(kJob, {2, kServer, 0, 0}, members);
  EXPECT_TRUE(node.admit(answer, kTrunk));
  EXPECT_FALSE(node.admit(answer, 0));
  answer.source = 7;
  EXPECT_FALSE(node.admit(answer, kTrunk));
}

/// DSA's root of a job. Workers 2 and 3 are behind the trunk, which is the second branch.
TEST_F(SwitchNodeTest, APartialSumComesFromItsBranchWhoeversPacketDroveItOut) {
  std::vector<wire::AggregationPath> branches = paths(4);
  for (std::size_t rank = 0; rank < 4; ++rank) branches[rank].bitmap1 = rank < 2 ? 1 : 2;
  node.install_job(kJob, {2, kServer, 0, 0}, {{0, 1, 2, 3}, kServer, branches, {0, 1, 2, 3}});
  Frame partial = gradient(1);
  partial.set(flag::partial);
  partial.aggregator().bitmap1 = 2;
  partial.source = 7;
  EXPECT_TRUE(node.admit(partial, kTrunk));
  partial.aggregator().bitmap1 = 1;
  EXPECT_FALSE(node.admit(partial, kTrunk)) << "a branch that is here";
  partial.aggregator().bitmap1 = 4;
  EXPECT_FALSE(node.admit(partial, kTrunk)) << "no branch of the job";
  partial.aggregator().bitmap1 = 0;
  EXPECT_FALSE(node.admit(partial, kTrunk));
}

TEST_F(SwitchNodeTest, FlowsDoNotGoBackThroughTheTrunkThatTheyCameFrom) {
  node.set_path_choice({.by_flow = true}, 0);
  install();
  Frame sum = gradient(2);
  sum.set(flag::second_level);
  EXPECT_FALSE(node.admit(sum, kTrunk));
  node.set_route(kServer, kStranger);
  EXPECT_FALSE(node.admit(gradient(2), kTrunk));  // not a sum of the rack's switch
  EXPECT_TRUE(node.admit(sum, kTrunk));
}

/// A leaf with workers 0 and 1 and a server of the job. The trunk leads to the job's root.
class LeafOfTheServerTest : public SwitchNodeTest {
 protected:
  static constexpr PortIndex kServersPort = kStranger + 1;

  LeafOfTheServerTest() {
    EXPECT_EQ(node.add_port(kServer), kServersPort);
    JobMembers members{{0, 1, 2, 3}, kServer, paths(4), {0, 1}};
    members.ports = JobPorts{{0, 1}, kTrunk};
    node.install_job(kJob, {2, kServer, 0, 0}, members);
  }

  Verdict::Exit exit_of(Frame frame, PortIndex ingress) { return take(frame, ingress).exit; }
};

TEST_F(LeafOfTheServerTest, WhatTheServerSendsGoesUpToTheRootWithoutBeingLookedAt) {
  EXPECT_EQ(exit_of(result(), kServersPort), Verdict::Exit::up);
  Frame again = result();
  again.destination = 1;
  EXPECT_EQ(exit_of(again, kServersPort), Verdict::Exit::up);
  Frame reminder = result();
  reminder.kind = FrameKind::reminder;
  reminder.destination = kServer;
  EXPECT_EQ(exit_of(reminder, kServersPort), Verdict::Exit::up);
}

TEST_F(LeafOfTheServerTest, WhatComesDownForTheServerIsHandedToItWithoutBeingAddedUp) {
  Frame partial = gradient(3);  // evicted by the root, so its source is not a member
  partial.source = 77;
  partial.set(flag::partial | flag::second_level);
  EXPECT_EQ(exit_of(partial, kTrunk), Verdict::Exit::forward);
  EXPECT_THAT(ports_of(partial, Verdict::Exit::forward), ElementsAre(kServersPort));
  EXPECT_EQ(node.aggregator_counters(kJob).occupied(), 0U);
}

/// The HoldingProgram sends frames that it does not hold towards the server.
TEST_F(LeafOfTheServerTest, WhatWorkersHereSendItGoesUpToTheRootToo) {
  Frame release = gradient(0);
  release.kind = FrameKind::release;
  EXPECT_EQ(exit_of(release, 0), Verdict::Exit::up);
  EXPECT_THAT(ports_of(release, Verdict::Exit::up), ElementsAre(kTrunk));
}

TEST_F(LeafOfTheServerTest, ResultsThatComeDownReachTheWorkers) {
  EXPECT_EQ(exit_of(result(), kTrunk), Verdict::Exit::multicast);
  EXPECT_THAT(ports_of(result(), Verdict::Exit::multicast), ElementsAre(0, 1));
}

TEST_F(LeafOfTheServerTest, NothingOfAWorkerComesDownExceptForTheServer) {
  Frame sum = gradient(3);
  sum.set(flag::second_level);
  EXPECT_TRUE(node.admit(sum, kTrunk));
  sum.destination = 0;
  EXPECT_FALSE(node.admit(sum, kTrunk));
}

/// SwitchML's root. Workers 0 and 1 are here, 2 and 3 are under a leaf that counts as member 2.
class RootTest : public SwitchNodeTest {
 protected:
  RootTest() { node.install_job(kJob, {3, kNoHost, 0, 0}, {{0, 1, 3}, kNoHost, {}, {0, 1, 2, 3}}); }
  static constexpr HostId kNoHost = programs::MemberTable::kNoHost;

  /// The last contribution to a leaf's sum, or a worker's own update.
  static Frame update(std::uint16_t member, HostId source) {
    Frame frame;
    frame.job = kJob;
    frame.worker = member;
    frame.source = frame.destination = source;
    return frame;
  }
};

TEST_F(RootTest, AdmitsALeafsSumInAnyOfItsWorkersPackets) {
  EXPECT_TRUE(node.admit(update(2, 2), kTrunk));
  EXPECT_TRUE(node.admit(update(2, 3), kTrunk));
  EXPECT_TRUE(node.admit(update(1, 1), 1));
}

TEST_F(RootTest, RefusesSumsOfOtherMembersAndOfHosts) {
  EXPECT_FALSE(node.admit(update(0, 2), kTrunk));
  EXPECT_FALSE(node.admit(update(3, 2), kTrunk));
  EXPECT_FALSE(node.admit(update(2, 0), kTrunk));
  EXPECT_FALSE(node.admit(update(2, 3), 1));
  EXPECT_FALSE(node.admit(update(2, 1), 1));
  EXPECT_EQ(node.refused(), 5U);
}

TEST_F(RootTest, TakesNoResultsFromLeaves) {
  Frame result = update(2, 2);
  result.kind = FrameKind::result;
  EXPECT_FALSE(node.admit(result, kTrunk));
}

/// SwitchML's leaf of workers 0 and 1. The trunk leads to the root.
class LeafTest : public RootTest {
 protected:
  LeafTest() {
    node.install_job(kJob, {2, kNoHost, 0, 0, programs::TreeLevel::leaf, 1},
                     {{0, 1}, kNoHost, {}, {0, 1}, HostId{3}});
  }
};

TEST_F(LeafTest, SendsUpByThePortToTheRoot) {
  EXPECT_THAT(ports_of(update(1, 0), Verdict::Exit::up), ElementsAre(kTrunk));
}

TEST_F(LeafTest, AdmitsResultsOfTheRootAloneWhoeversPacketsTheyCameIn) {
  for (const HostId source : {HostId{1}, HostId{3}}) {
    Frame result = update(1, source);
    result.kind = FrameKind::result;
    EXPECT_TRUE(node.admit(result, kTrunk));
    EXPECT_FALSE(node.admit(result, 1));
  }
}

TEST_F(LeafTest, RefusesUpdatesThatComeDown) {
  EXPECT_FALSE(node.admit(update(1, 1), kTrunk));
  EXPECT_FALSE(node.admit(update(1, 3), kTrunk));
}

TEST_F(LeafTest, NeedsAWayToTheRoot) {
  EXPECT_THROW(node.install_job(kJob, {}, {{0, 1}, kNoHost, {}, {0, 1}, HostId{77}}),
               std::invalid_argument);
}

TEST_F(RootTest, NothingLeadsUp) {
  EXPECT_THAT(ports_of(update(1, 0), Verdict::Exit::up), IsEmpty());
}

TEST_F(SwitchNodeTest, ARemovedJobsFramesAreRefusedAndItsAggregatorsFree) {
  install();
  take(gradient(0), 0);
  take(gradient(1), 1);
  EXPECT_EQ(node.remove_job(kJob), 2U);
  EXPECT_EQ(node.remove_job(kJob), 0U);
  EXPECT_FALSE(node.admit(gradient(0), 0));
  EXPECT_EQ(node.aggregator_counters(kJob).occupied(), 0U);
}

TEST_F(SwitchNodeTest, ARemovedJobThatWasOnlyForwardedIsRefusedFromTrunksToo) {
  JobMembers members{{0, 1, 2, 3}, kServer, paths(4), {0, 1}};
  members.only_forwards = true;
  members.ports = JobPorts{{0, 1}, kTrunk};
  node.install_job(kJob, {4, kServer, 0, 0}, members);
  node.remove_job(kJob);
  Frame sum = gradient(2);
  sum.set(flag::second_level);
  sum.destination = 0;
  EXPECT_FALSE(node.admit(sum, kTrunk));
  EXPECT_FALSE(node.admit(result(), kTrunk));
  EXPECT_EQ(node.refused(), 2U);
}

/// There are two paths to each remote host. The job's tree decides, not the hash of its number.
TEST_F(SwitchNodeTest, KeepsFramesToOneHostInTheTreeOfTheirJob) {
  const PortIndex other = node.add_trunk({});
  node.set_routes({2, 3, kServer}, {kTrunk, other});
  JobMembers members{{0, 2, 3}, kServer, std::vector(3, kPath), {0, 2, 3}};
  for (JobId job = 0; job < 20; ++job) {
    const PortIndex up = job % 2 == 0 ? kTrunk : other;
    members.ports = JobPorts{{0, other, kTrunk}, up};
    node.install_job(job, {3, kServer, 0, 0}, members);
    Frame frame = gradient(0);
    frame.job = job;
    EXPECT_THAT(ports_of(frame, Verdict::Exit::forward), ElementsAre(up));
    frame.destination = 2;
    EXPECT_THAT(ports_of(frame, Verdict::Exit::forward), ElementsAre(other));
    frame.destination = 3;
    EXPECT_THAT(ports_of(frame, Verdict::Exit::forward), ElementsAre(kTrunk));
  }
}

TEST_F(SwitchNodeTest, AdmitsNothingDuringARebootAndCountsIt) {
  install();
  node.go_down(std::make_unique<HoldingProgram>());
  EXPECT_TRUE(node.is_down());
  EXPECT_FALSE(node.admit(gradient(0), 0));
  EXPECT_EQ(node.while_down(), 1U);
  EXPECT_EQ(node.refused(), 0U);
  node.come_back();
  install();
  EXPECT_TRUE(node.admit(gradient(0), 0));
}

TEST_F(SwitchNodeTest, ComesBackWithoutJobsButWithRoutes) {
  install();
  EXPECT_TRUE(node.admit(gradient(0), 0));
  node.go_down(std::make_unique<HoldingProgram>());
  node.come_back();
  EXPECT_FALSE(node.admit(gradient(0), 0));
  EXPECT_EQ(node.refused(), 1U);
  Frame frame = gradient(0);
  node.program()->process(frame, {});
  EXPECT_EQ(node.rejected(), 1U);
  EXPECT_THAT(ports_of(gradient(0), Verdict::Exit::forward), ElementsAre(kTrunk));
}

TEST_F(SwitchNodeTest, CountersGoOnThroughRebootsAndWhatWasHeldIsFree) {
  install();
  install(1);
  Frame of_another_job = gradient(0);
  of_another_job.job = 5;
  node.program()->process(of_another_job, {});
  take(gradient(0), 0);
  for (int reboot = 0; reboot < 2; ++reboot) {
    node.go_down(std::make_unique<HoldingProgram>());
    node.come_back();
    EXPECT_EQ(node.aggregator_counters(kJob).occupied(), 0U);
    install();
    take(gradient(1), 1);
  }
  EXPECT_EQ(node.aggregator_counters(kJob)[AggregatorEvent::allocated], 3U);
  EXPECT_EQ(node.aggregator_counters(kJob).occupied(), 1U);
  EXPECT_EQ(node.aggregator_counters(1)[AggregatorEvent::allocated], 0U);
  EXPECT_EQ(node.aggregator_counters(77)[AggregatorEvent::allocated], 0U);
  EXPECT_EQ(node.rejected(), 1U);
}

TEST(SendToEach, CopiesTheFrameForAllPortsButTheLast) {
  ValuePool pool(1);
  Frame frame;
  frame.psn = 4;
  frame.values = pool.take();
  const std::vector<PortIndex> ports = {3, 1, 2};
  std::vector<std::pair<PortIndex, Frame>> sent;
  std::size_t copied = 0;
  send_to_each(ports, frame, [&]<class F>(PortIndex port, F&& out) {
    copied += std::is_same_v<F, const Frame&> ? 1 : 0;
    sent.emplace_back(port, std::forward<F>(out));
  });
  EXPECT_EQ(copied, 2U);
  ASSERT_EQ(sent.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sent[i].first, ports[i]);
    EXPECT_EQ(sent[i].second.psn, 4U);
    EXPECT_TRUE(sent[i].second.values);
  }
  EXPECT_FALSE(frame.values);
}

}  // namespace
}  // namespace ina::node
