// SPDX-License-Identifier: BSD-3-Clause
// Programs in a SwitchNode that send frames of their own or have deadlines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "switch-models/node/switch_node.hpp"
#include "tests/support/active_programs.hpp"

namespace ina::node {
namespace {

using rmt::Verdict;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::RetransmittingProgram;
using testing::ThreefoldProgram;

constexpr JobId kJob = 0;
constexpr HostId kServer = 9;
constexpr PortIndex kTrunk = 2;
constexpr PortIndex kServersPort = 3;

/// Not an active program. A call of next() or deadline() fails the test.
class PassiveProgram final : public programs::SwitchProgram {
 public:
  Verdict process(Frame&, Time) override { return rmt::kDrop; }
  Verdict next(Frame&, Time) override {
    ADD_FAILURE() << "next() of a program that is not active";
    return rmt::kDrop;
  }
  Time deadline() const override {
    ADD_FAILURE() << "deadline() of a program that is not active";
    return Time(0);
  }
};

/// Has a deadline as soon as a job is installed, and the next one a period after each expiry.
class TickingProgram final : public programs::SwitchProgram {
 public:
  explicit TickingProgram(Time period) : period_(period) {}
  Verdict process(Frame& frame, Time) override { return programs::forward(frame); }
  bool is_active() const override { return true; }
  Time deadline() const override { return job_entry(kJob).workers == 0 ? kNever : due_; }
  void expire(Time now) override { due_ = now + period_; }

 private:
  Time period_;
  Time due_{0};
};

/// Workers 0 and 1, the server at port 3, and a trunk to the switch above.
class ActiveProgramTest : public ::testing::Test {
 protected:
  ActiveProgramTest() {
    node.add_port(0);
    node.add_port(1);
    node.add_trunk({});
    node.add_port(kServer);
  }

  template <class Program>
  Program& set_program(std::unique_ptr<Program> program) {
    Program& set = *program;
    node.set_program(std::move(program));
    return set;
  }

  /// Installs the job at its only switch, or at a leaf under its root.
  void install(bool is_leaf = false) {
    JobMembers members{{0, 1}, kServer, wire::one_level(2), {0, 1}};
    if (is_leaf) members.ports = JobPorts{{0, 1}, kTrunk};
    node.install_job(kJob, {2, kServer, 0, 0}, members);
  }

  static Frame gradient(Psn psn) {
    Frame frame;
    frame.psn = psn;
    frame.aggregator().bitmap0 = 1;
    frame.destination = kServer;
    frame.aggregator().fan_in_degree0 = 2;
    return frame;
  }

  /// PSN and exit of each frame that the program sends by itself.
  std::vector<std::pair<Psn, Verdict::Exit>> own_frames(Time now) {
    std::vector<std::pair<Psn, Verdict::Exit>> sent;
    node.send_own(now, [&](const Frame& frame, const Verdict& verdict) {
      sent.emplace_back(frame.psn, verdict.exit);
    });
    return sent;
  }

  SwitchNode node;
};

TEST_F(ActiveProgramTest, AnswersOnePacketWithThreeAndThenWithNone) {
  set_program(std::make_unique<ThreefoldProgram>());
  install();
  Frame frame = gradient(7);
  EXPECT_EQ(node.process(frame, 0, Time(1)).exit, Verdict::Exit::drop);
  const auto forwarded = Pair(7U, Verdict::Exit::forward);
  EXPECT_THAT(own_frames(Time(1)), ElementsAre(forwarded, forwarded, forwarded));
  EXPECT_THAT(own_frames(Time(1)), IsEmpty());
}

TEST_F(ActiveProgramTest, WhatItSendsToAServerGoesUpFromALeafAsAnyFrameDoes) {
  set_program(std::make_unique<ThreefoldProgram>());
  install(true);
  Frame frame = gradient(7);
  node.process(frame, 0, Time(1));
  const auto up = Pair(7U, Verdict::Exit::up);
  EXPECT_THAT(own_frames(Time(1)), ElementsAre(up, up, up));
}

TEST_F(ActiveProgramTest, WhoWatchesSeesWhatItSendsAsItLeavesTheProgram) {
  set_program(std::make_unique<ThreefoldProgram>());
  install(true);
  Frame frame = gradient(7);
  node.process(frame, 0, Time(1));
  std::vector<Verdict::Exit> seen;
  node.send_own(
      Time(1), [](Frame&, const Verdict&) {},
      [&](const Frame&, Verdict::Exit exit) { seen.push_back(exit); });
  using enum Verdict::Exit;
  EXPECT_THAT(seen, ElementsAre(forward, forward, forward));
}

TEST_F(ActiveProgramTest, RetransmitsAtItsDeadlineUntilAResultComes) {
  set_program(std::make_unique<RetransmittingProgram>());
  install();
  EXPECT_EQ(node.deadline(), kNever);
  Frame frame = gradient(7);
  node.process(frame, 0, Time(1));
  EXPECT_THAT(own_frames(Time(1)), IsEmpty());
  const Time first = Time(1) + RetransmittingProgram::kTimeout;
  ASSERT_EQ(node.deadline(), first);
  node.expire(first);
  EXPECT_THAT(own_frames(first), ElementsAre(Pair(7U, Verdict::Exit::forward)));
  EXPECT_EQ(node.deadline(), first + RetransmittingProgram::kTimeout);
  Frame result = gradient(7);
  result.kind = FrameKind::result;
  result.source = kServer;
  result.destination = kAllWorkers;
  node.process(result, kServersPort, first);
  EXPECT_EQ(node.deadline(), kNever);
}

TEST_F(ActiveProgramTest, ARemovedJobTakesItsDeadlinesAndFramesAlong) {
  set_program(std::make_unique<RetransmittingProgram>());
  install();
  Frame frame = gradient(7);
  node.process(frame, 0, Time(1));
  ASSERT_NE(node.deadline(), kNever);
  node.remove_job(kJob);
  EXPECT_EQ(node.deadline(), kNever);
}

TEST_F(ActiveProgramTest, ARebootEndsItsDeadlinesAndFrames) {
  set_program(std::make_unique<RetransmittingProgram>());
  install();
  Frame frame = gradient(7);
  node.process(frame, 0, Time(1));
  ASSERT_NE(node.deadline(), kNever);
  node.go_down(std::make_unique<RetransmittingProgram>());
  EXPECT_EQ(node.deadline(), kNever);
  node.come_back();
  EXPECT_EQ(node.deadline(), kNever);
  EXPECT_THAT(own_frames(Time(1)), IsEmpty());
}

TEST_F(ActiveProgramTest, NothingIsDueDuringARebootWhateverTheNewProgramSays) {
  set_program(std::make_unique<PassiveProgram>());
  node.go_down(std::make_unique<ThreefoldProgram>());
  Frame frame = gradient(7);
  node.program()->process(frame, Time(1));
  EXPECT_THAT(own_frames(Time(1)), IsEmpty());
  node.come_back();
  EXPECT_EQ(own_frames(Time(1)).size(), 3U);
}

TEST_F(ActiveProgramTest, AProgramThatIsNotActiveIsNeverAsked) {
  set_program(std::make_unique<PassiveProgram>());
  install();
  Frame frame = gradient(7);
  node.process(frame, 0, Time(1));
  EXPECT_FALSE(node.is_active());
  EXPECT_EQ(node.deadline(), kNever);
  EXPECT_THAT(own_frames(Time(1)), IsEmpty());
}

TEST_F(ActiveProgramTest, MayBeDueAsSoonAsAJobIsInstalled) {
  set_program(std::make_unique<TickingProgram>(Time(1)));
  EXPECT_EQ(node.deadline(), kNever);
  install();
  EXPECT_EQ(node.deadline(), Time(0));
  node.expire(Time(5));
  EXPECT_EQ(node.deadline(), Time(6));
}

TEST_F(ActiveProgramTest, ADeadlineThatStaysIsAnErrorAndNotAnEndlessLoop) {
  set_program(std::make_unique<TickingProgram>(Time(0)));
  install();
  EXPECT_THROW(node.expire(Time(5)), std::logic_error);
}

}  // namespace
}  // namespace ina::node
