// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/node/switch_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
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
constexpr wire::AggregationPath kPath{2, 2, 0, 1};

/// Holds an aggregator for each gradient of a job that it knows.
class HoldingProgram final : public programs::SwitchProgram {
 public:
  Verdict process(Frame& frame, Time) override {
    if (job_entry(frame.job).workers == 0) return reject();
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

/// Workers 0 and 1 at ports 0 and 1; workers 2 and 3 and the server behind another switch, at port
/// 2; host 7, of no job, at port 3.
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
    node.install_job(job, {4, kServer, 0, 0},
                     {{0, 1, 2, 3}, kServer, std::vector(4, kPath), {0, 1, 2, 3}});
  }

  static Frame gradient(std::uint16_t worker) {
    Frame frame;
    frame.worker = worker;
    frame.bitmap0 = 1U << worker;
    frame.source = worker;
    frame.destination = kServer;
    frame.fan_in_degree0 = kPath.fan_in_degree0;
    frame.fan_in_degree1 = kPath.fan_in_degree1;
    frame.bitmap1 = kPath.bitmap1;
    return frame;
  }

  static Frame result() {
    Frame frame;
    frame.kind = FrameKind::result;
    frame.source = kServer;
    frame.destination = kEveryWorker;
    return frame;
  }

  std::vector<PortIndex> ports_of(const Frame& frame, Verdict::Exit exit) {
    const auto ports = node.egress(frame, exit);
    return {ports.begin(), ports.end()};
  }

  Verdict take(Frame frame, PortIndex ingress) {
    return node.admit(frame, ingress) ? node.program()->process(frame, {}) : rmt::kDrop;
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

TEST_F(SwitchNodeTest, SendsOneFrameOfAGroupForAllBehindATrunk) {
  node.set_group(kJob, {0, 2, 3, 1});
  EXPECT_THAT(ports_of(result(), Verdict::Exit::multicast), ElementsAre(0, kTrunk, 1));
  node.set_group(kJob, {1});
  EXPECT_THAT(ports_of(result(), Verdict::Exit::multicast), ElementsAre(1));
}

TEST_F(SwitchNodeTest, CountsFramesToHostsAndJobsToWhichNothingLeads) {
  for (const HostId nowhere : {HostId{8}, HostId{500}, kEveryWorker}) {
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
  install();
  Frame answer = result();
  answer.source = 0;
  EXPECT_TRUE(node.admit(answer, kTrunk));
  EXPECT_FALSE(node.admit(answer, 0));
  answer.source = 7;
  EXPECT_FALSE(node.admit(answer, kTrunk));
}

TEST_F(SwitchNodeTest, NothingGoesBackThroughTheTrunkThatItCameFrom) {
  install();
  Frame sum = gradient(2);
  sum.set(flag::second_level);
  EXPECT_FALSE(node.admit(sum, kTrunk));
  node.set_route(kServer, kStranger);
  EXPECT_FALSE(node.admit(gradient(2), kTrunk));  // no sum of the rack's switch
  EXPECT_TRUE(node.admit(sum, kTrunk));
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
  send_to_each(ports, frame,
               [&](PortIndex port, Frame&& out) { sent.emplace_back(port, std::move(out)); });
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
