// SPDX-License-Identifier: BSD-3-Clause
// The software switch with programs that send frames of their own or have deadlines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "switch-models/software/software_switch.hpp"
#include "tests/support/active_programs.hpp"

namespace ina::software {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::RetransmittingProgram;
using testing::ThreefoldProgram;

constexpr JobId kJob = 0;
constexpr HostId kServer = 9;
constexpr PortIndex kServerPort = 2;  // workers' ports equal their numbers
constexpr std::uint16_t kBytes = 306;
constexpr Time kStart = std::chrono::seconds(1);
constexpr Time kTimeout = RetransmittingProgram::kTimeout;
const std::vector<HostId> kWorkers = {0, 1};

Frame gradient(Psn psn) {
  Frame frame;
  frame.psn = psn;
  frame.job = kJob;
  frame.aggregator().bitmap0 = 1;
  frame.destination = kServer;
  frame.aggregator().fan_in_degree0 = 2;
  frame.bytes = kBytes;
  return frame;
}

Frame result(Psn psn) {
  Frame frame;
  frame.kind = FrameKind::result;
  frame.psn = psn;
  frame.job = kJob;
  frame.source = kServer;
  frame.destination = kAllWorkers;
  frame.bytes = kBytes;
  return frame;
}

/// Records one word for each frame that arrives at or leaves a program.
class Journalist final : public TrafficObserver {
 public:
  void arrived(const Frame&, PortIndex, Time) override { words.emplace_back("arrival"); }
  void expired(Time) override { words.emplace_back("expiry"); }
  void departed(const Frame&, rmt::Verdict::Exit) override { words.emplace_back("departure"); }

  std::vector<std::string> words;
};

template <class Program>
class SwitchWith : public ::testing::Test {
 protected:
  explicit SwitchWith(const SharedLinks::Config& config = {})
      : links(std::make_shared<SharedLinks>(config, 1)),
        software_switch(links, std::make_unique<Program>()) {
    for (const HostId host : kWorkers) software_switch.add_port(host);
    software_switch.add_port(kServer);
    software_switch.install_job(kJob, {2, kServer, 0, 0},
                                {kWorkers, kServer, wire::one_level(2), kWorkers});
  }

  std::vector<Psn> sent_to(PortIndex port) {
    std::vector<Psn> psns;
    for (Frame frame; software_switch.next(port, frame);) psns.push_back(frame.psn);
    return psns;
  }

  std::shared_ptr<SharedLinks> links;
  SoftwareSwitch software_switch;
};

using ThreefoldSwitch = SwitchWith<ThreefoldProgram>;
using RetransmittingSwitch = SwitchWith<RetransmittingProgram>;

TEST_F(ThreefoldSwitch, AnswersOnePacketWithThree) {
  software_switch.receive(gradient(4), 0, kStart);
  software_switch.receive(gradient(5), 0, kStart);
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4, 4, 4, 5, 5, 5));
  EXPECT_EQ(software_switch.deadline(), kNever);
}

TEST_F(ThreefoldSwitch, FaultsOfALinkStrikeEachFrameThatTheProgramSends) {
  faults::LinkFaults::Config second_lost;
  second_lost.lost_frames = {1};
  links->add_faults(kServerPort, Direction::from_switch, second_lost, 1);
  software_switch.receive(gradient(4), 0, kStart);
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4, 4));
  EXPECT_EQ(software_switch.counters(kServerPort, Direction::from_switch).lost, 1U);
}

class SmallThreefoldSwitch : public ThreefoldSwitch {
 protected:
  SmallThreefoldSwitch() : ThreefoldSwitch({2 * kBytes, 1 * kBytes}) {}
};

TEST_F(SmallThreefoldSwitch, WhatTheProgramSendsFillsTheBuffer) {
  software_switch.receive(gradient(4), 0, kStart);
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4, 4));
  EXPECT_EQ(software_switch.counters(kServerPort, Direction::from_switch).dropped, 1U);
}

TEST_F(ThreefoldSwitch, WhoObservesSeesAllThree) {
  Journalist journalist;
  software_switch.set_traffic_observer(&journalist);
  software_switch.receive(gradient(4), 0, kStart);
  EXPECT_THAT(journalist.words, ElementsAre("arrival", "departure", "departure", "departure"));
}

TEST_F(RetransmittingSwitch, SendsAgainWhenTheTimeOutHasPassedAndNotBefore) {
  software_switch.receive(gradient(4), 0, kStart);
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4));
  ASSERT_EQ(software_switch.deadline(), kStart + kTimeout);
  software_switch.expire(kStart + kTimeout - Time(1));
  EXPECT_THAT(sent_to(kServerPort), IsEmpty());
  software_switch.expire(kStart + kTimeout);
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4));
}

TEST_F(RetransmittingSwitch, HasNoDeadlineOnceTheResultHasPassed) {
  software_switch.receive(gradient(4), 0, kStart);
  software_switch.receive(gradient(5), 0, kStart + Time(1));
  software_switch.receive(result(4), kServerPort, kStart + Time(2));
  EXPECT_EQ(software_switch.deadline(), kStart + Time(1) + kTimeout);
  software_switch.receive(result(5), kServerPort, kStart + Time(3));
  EXPECT_EQ(software_switch.deadline(), kNever);
}

TEST_F(RetransmittingSwitch, GivesUpAndThenHasNoDeadline) {
  software_switch.receive(gradient(4), 0, kStart);
  int expiries = 0;
  for (; software_switch.deadline() != kNever; ++expiries) {
    ASSERT_LT(expiries, 10);
    software_switch.expire(software_switch.deadline());
  }
  EXPECT_EQ(expiries, RetransmittingProgram::kMostRetransmissions);
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4, 4, 4));
}

TEST_F(RetransmittingSwitch, IsDueAtTheProgramsDeadlineAndWhenAHeldFrameComesOn) {
  faults::LinkFaults::Config late;
  late.reordering = 1;
  late.reordering_delay = kTimeout;
  links->add_faults(1, Direction::to_switch, late, 1);
  software_switch.receive(gradient(4), 0, kStart);
  Frame held = gradient(5);
  held.worker = 1;
  held.source = 1;
  held.aggregator().bitmap0 = 2;
  software_switch.receive(std::move(held), 1, kStart);
  const Time due = software_switch.deadline();
  ASSERT_LT(due, kStart + kTimeout) << "of the held frame";
  software_switch.expire(due);
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4, 5));
  EXPECT_EQ(software_switch.deadline(), kStart + kTimeout);
}

TEST_F(RetransmittingSwitch, WhoObservesSeesTheDeadlineAndWhatLeavesThen) {
  Journalist journalist;
  software_switch.set_traffic_observer(&journalist);
  software_switch.receive(gradient(4), 0, kStart);
  software_switch.expire(kStart + kTimeout);
  EXPECT_THAT(journalist.words, ElementsAre("arrival", "departure", "expiry", "departure"));
}

TEST_F(RetransmittingSwitch, ForgetsItsDeadlinesInAReboot) {
  software_switch.receive(gradient(4), 0, kStart);
  software_switch.go_down(std::make_unique<RetransmittingProgram>());
  EXPECT_EQ(software_switch.deadline(), kNever);
  software_switch.come_back();
  software_switch.expire(kStart + kTimeout);
  EXPECT_THAT(sent_to(kServerPort), ElementsAre(4));
}

}  // namespace
}  // namespace ina::software
