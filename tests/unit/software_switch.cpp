// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/software_switch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "switch-models/software/orders.hpp"

namespace ina::software {
namespace {

using ::testing::ElementsAre;

constexpr JobId kJob = 0;
constexpr HostId kServer = 9;
constexpr PortIndex kServerPort = 3;  // workers' ports equal their numbers
constexpr std::uint16_t kBytes = 306;
const std::vector<HostId> kWorkers = {0, 1, 2};

/// Forwards gradients to their server and sends results to all workers.
class PlainProgram final : public programs::SwitchProgram {
 public:
  rmt::Verdict process(Frame& frame, Time) override { return programs::forward(frame); }
};

Frame gradient(std::uint16_t worker, Psn psn = 0) {
  Frame frame;
  frame.psn = psn;
  frame.job = kJob;
  frame.worker = worker;
  frame.aggregator().bitmap0 = 1U << worker;
  frame.source = worker;
  frame.destination = kServer;
  frame.aggregator().fan_in_degree0 = 3;
  frame.bytes = kBytes;
  return frame;
}

Frame result(Psn psn = 0) {
  Frame frame;
  frame.kind = FrameKind::result;
  frame.psn = psn;
  frame.job = kJob;
  frame.source = kServer;
  frame.destination = kAllWorkers;
  frame.bytes = kBytes;
  return frame;
}

class SoftwareSwitchTest : public ::testing::Test {
 protected:
  explicit SoftwareSwitchTest(const SharedLinks::Config& config = {})
      : links(std::make_shared<SharedLinks>(config, 1)),
        software_switch(links, std::make_unique<PlainProgram>()) {
    for (const HostId host : kWorkers) software_switch.add_port(host);
    software_switch.add_port(kServer);
    software_switch.install_job(kJob, {3, kServer, 0, 0},
                                {kWorkers, kServer, wire::one_level(3), kWorkers});
  }

  std::vector<Psn> sent_to(PortIndex port) {
    std::vector<Psn> psns;
    for (Frame frame; software_switch.next(port, frame);) psns.push_back(frame.psn);
    return psns;
  }

  std::shared_ptr<SharedLinks> links;
  SoftwareSwitch software_switch;
};

TEST_F(SoftwareSwitchTest, ForwardsByDestinationInOrder) {
  software_switch.receive(gradient(0, 4), 0, Time(1));
  software_switch.receive(gradient(2, 5), 2, Time(2));
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4, 5));
  for (const HostId host : kWorkers) EXPECT_THAT(sent_to(host), ElementsAre());
}

TEST_F(SoftwareSwitchTest, MulticastsResultsToTheWorkersOfTheJob) {
  software_switch.receive(result(7), kServerPort, Time(1));
  for (const HostId host : kWorkers) EXPECT_THAT(sent_to(host), ElementsAre(7));
  EXPECT_THAT(sent_to(kServerPort), ElementsAre());
}

TEST_F(SoftwareSwitchTest, LosesOnTheLinkAndDirectionThatAreFaultyOnly) {
  faults::LinkFaults::Config lossy;
  lossy.loss = 1;
  links->add_faults(1, Direction::to_switch, lossy, 1);
  links->add_faults(2, Direction::from_switch, lossy, 2);
  for (const std::uint16_t worker : kWorkers)
    software_switch.receive(gradient(worker, worker), worker, {});
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(0, 2));
  software_switch.receive(result(7), kServerPort, Time(1));
  EXPECT_THAT(sent_to(0), ElementsAre(7));
  EXPECT_THAT(sent_to(1), ElementsAre(7));
  EXPECT_THAT(sent_to(2), ElementsAre());
  EXPECT_EQ(software_switch.counters(1, Direction::to_switch).lost, 1U);
  EXPECT_EQ(software_switch.counters(1, Direction::from_switch).lost, 0U);
  EXPECT_EQ(software_switch.counters(2, Direction::from_switch).lost, 1U);
}

TEST_F(SoftwareSwitchTest, LosesTheSameFramesWithTheSameSeed) {
  const auto arrived = [this](HostId host) {
    faults::LinkFaults::Config lossy;
    lossy.loss = 0.5;
    links->add_faults(host, Direction::to_switch, lossy, 42);
    for (Psn psn = 0; psn < 100; ++psn) {
      software_switch.receive(gradient(static_cast<std::uint16_t>(host), psn), host, {});
    }
    return sent_to(kServerPort);
  };
  const std::vector<Psn> first = arrived(0);
  EXPECT_EQ(arrived(1), first);
  EXPECT_GT(first.size(), 20U);
  EXPECT_LT(first.size(), 80U);
}

TEST_F(SoftwareSwitchTest, HoldsBackWhatIsLateUntilItsTime) {
  faults::LinkFaults::Config late;
  late.reordering = 1;
  late.reordering_delay = Time(1000);
  links->add_faults(0, Direction::to_switch, late, 1);
  EXPECT_EQ(software_switch.deadline(), kNever);
  software_switch.receive(gradient(0, 4), 0, Time(500));
  software_switch.receive(gradient(1, 5), 1, Time(500));
  const Time due = software_switch.deadline();
  EXPECT_GT(due, Time(500));
  EXPECT_LE(due, Time(1500));
  software_switch.expire(due - Time(1));
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(5));
  software_switch.expire(due);
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4));
  EXPECT_EQ(software_switch.deadline(), kNever);
}

TEST_F(SoftwareSwitchTest, DuplicatesAndCorrupts) {
  faults::LinkFaults::Config twice;
  twice.duplication = 1;
  links->add_faults(0, Direction::to_switch, twice, 1);
  faults::LinkFaults::Config corrupt;
  corrupt.corruption = 1;
  links->add_faults(1, Direction::to_switch, corrupt, 1);
  software_switch.receive(gradient(0, 4), 0, {});
  software_switch.receive(gradient(1, 5), 1, {});
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4, 4));
  EXPECT_EQ(software_switch.counters(0, Direction::to_switch).duplicated, 1U);
  EXPECT_EQ(software_switch.counters(1, Direction::to_switch).corrupted, 1U);
}

/// Allocates an aggregator for each gradient.
class HoldingProgram final : public programs::SwitchProgram {
 public:
  rmt::Verdict process(Frame& frame, Time) override {
    if (job_entry(frame.job).workers == 0) return reject();
    note(programs::AggregatorEvent::allocated, frame.job, frame.psn, 0);
    return rmt::kDrop;
  }
};

class RebootTest : public ::testing::Test {
 protected:
  RebootTest()
      : software_switch(std::make_shared<SharedLinks>(SharedLinks::Config(), 1),
                        std::make_unique<HoldingProgram>()) {
    for (const HostId host : kWorkers) software_switch.add_port(host);
    install();
  }

  void install() {
    software_switch.install_job(kJob, {3, kServer, 0, 0},
                                {kWorkers, kServer, wire::one_level(3), kWorkers});
  }
  std::uint64_t allocated() const {
    return software_switch.node().aggregator_counters(kJob)[programs::AggregatorEvent::allocated];
  }

  SoftwareSwitch software_switch;
};

TEST_F(RebootTest, LosesWhatArrivesUntilItIsBackAndItsJobsAreInstalledAgain) {
  software_switch.receive(gradient(0), 0, {});
  software_switch.go_down(std::make_unique<HoldingProgram>());
  software_switch.receive(gradient(1), 1, {});
  EXPECT_EQ(software_switch.node().while_down(), 1U);
  software_switch.come_back();
  software_switch.receive(gradient(1), 1, {});
  EXPECT_EQ(software_switch.node().refused(), 1U);
  EXPECT_EQ(allocated(), 1U);
  install();
  software_switch.receive(gradient(1), 1, {});
  EXPECT_EQ(allocated(), 2U);
}

TEST(Orders, AreReadFromLines) {
  EXPECT_EQ(order_of("down")->kind, Order::Kind::go_down);
  EXPECT_EQ(order_of("up")->kind, Order::Kind::come_back);
  const auto removal = order_of("remove 12");
  ASSERT_TRUE(removal);
  EXPECT_EQ(removal->kind, Order::Kind::remove_job);
  EXPECT_EQ(removal->job, 12U);
  const auto registration = order_of("register 3 256 7");
  ASSERT_TRUE(registration);
  EXPECT_EQ(registration->kind, Order::Kind::register_job);
  EXPECT_EQ(registration->job, 3U);
  EXPECT_EQ(registration->id, 256U);
  EXPECT_EQ(registration->root, 7U);
  for (const char* line : {"register", "register 3", "register 3 4", "register 3 4 ",
                           "register  3 4", "register 3 4 5 6", "register 3 4 x", "", "Down",
                           "remove", "remove ", "remove x", "remove 1 ", "remove 65536"}) {
    EXPECT_FALSE(order_of(line)) << line;
  }
}

TEST(Orders, ComeToEachCoreOnceInTheirOrder) {
  Orders orders(2, {0, 1});
  orders.give({Order::Kind::go_down});
  orders.give({Order::Kind::remove_job, 3});
  for (const unsigned core : {0U, 1U}) {
    std::vector<Order::Kind> taken;
    const auto take = [&](const Order& order) { taken.push_back(order.kind); };
    orders.take(core, take);
    orders.take(core, take);
    EXPECT_THAT(taken, ElementsAre(Order::Kind::go_down, Order::Kind::remove_job));
  }
}

class FullSwitchTest : public SoftwareSwitchTest {
 protected:
  FullSwitchTest() : SoftwareSwitchTest({4 * kBytes, 2 * kBytes}) {}
};

TEST_F(FullSwitchTest, MarksBeyondTheThresholdAndDropsBeyondTheBuffer) {
  for (Psn psn = 0; psn < 6; ++psn) software_switch.receive(gradient(0, psn), 0, {});
  std::vector<bool> marked;
  for (Frame frame; software_switch.next(kServerPort, frame);)
    marked.push_back(frame.has(flag::ecn));
  EXPECT_THAT(marked, ElementsAre(false, false, false, true));
  EXPECT_EQ(software_switch.counters(kServerPort, Direction::from_switch).dropped, 2U);
  EXPECT_EQ(software_switch.counters(kServerPort, Direction::from_switch).marked, 1U);
}

TEST_F(FullSwitchTest, SharesTheBufferAndGivesItBack) {
  software_switch.receive(result(0), kServerPort, {});  // 3 frames
  software_switch.receive(gradient(0, 1), 0, {});
  software_switch.receive(gradient(0, 2), 0, {});
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(1));
  for (const HostId host : kWorkers) EXPECT_THAT(sent_to(host), ElementsAre(0));
  software_switch.receive(gradient(0, 3), 0, {});
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(3));
}

}  // namespace
}  // namespace ina::software
