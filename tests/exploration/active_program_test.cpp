// SPDX-License-Identifier: BSD-3-Clause
// Every schedule of clusters whose switch runs a program that sends frames of its own or has
// deadlines (tests/support). The system is ps, whose switch only forwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/exploration/explorer.hpp"
#include "tests/exploration/protocol_state.hpp"
#include "tests/exploration/replay.hpp"
#include "tests/exploration/whole_state.hpp"
#include "tests/support/active_programs.hpp"

namespace ina::exploration {
namespace {

using Kind = Action::Kind;
using Way = Action::Way;
using testing::RetransmittingProgram;
using testing::ThreefoldProgram;

constexpr Limits kLimits{.states = 1'000'000};

/// ThreefoldProgram has no state between two steps.
void visit_program_state(Archive&, ThreefoldProgram&) {}

/// All deadlines are equally far away, because the explorer's clock does not move.
void visit_program_state(Archive& archive, RetransmittingProgram& program) {
  auto& kept = program.kept();
  const std::size_t size = archive.count(kept.size());
  if (archive.reading()) kept.resize(size);
  for (RetransmittingProgram::Kept& one : kept) {
    visit(archive, one.gradient);
    archive.number(one.retransmissions_left);
    if (archive.reading()) one.due = archive.now() + RetransmittingProgram::kTimeout;
  }
}

/// The system of a configuration with `Program` in its switches.
template <class Program>
class SystemWith final : public System {
 public:
  explicit SystemWith(std::unique_ptr<System> system) : system_(std::move(system)) {}

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                               ResultSink& sink) override {
    return system_->make_worker(identity, sink);
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity) override {
    return system_->make_server(identity);
  }
  std::unique_ptr<programs::SwitchProgram> make_program() override {
    return std::make_unique<Program>();
  }
  void visit_worker(Archive& archive, WorkerTransport& worker) override {
    system_->visit_worker(archive, worker);
  }
  void visit_server(Archive& archive, ParameterServer& server) override {
    system_->visit_server(archive, server);
  }
  void visit_program(Archive& archive, programs::SwitchProgram& program) override {
    visit_program_state(archive, static_cast<Program&>(program));
  }
  std::vector<programs::TaskId> tasks(const programs::SwitchProgram&) const override { return {}; }

 private:
  std::unique_ptr<System> system_;
};

template <class Program>
std::unique_ptr<System> system_with(const Configuration& configuration, ValuePool& pool,
                                    Coin& coin) {
  return std::make_unique<SystemWith<Program>>(make_system(configuration, pool, coin));
}

void spoil(Frame& frame) {
  frame.values = std::move(frame.values).into_unique();
  ++frame.values.data()[0];
}

/// The second of its three copies has a wrong value.
class WrongSecondCopy final : public ThreefoldProgram {
 public:
  rmt::Verdict next(Frame& out, Time now) override {
    const rmt::Verdict verdict = ThreefoldProgram::next(out, now);
    if (verdict.exit != rmt::Verdict::Exit::drop && sent() % kCopies == 2) spoil(out);
    return verdict;
  }
};

/// Sends frames again with a wrong value.
class WrongRetransmission final : public RetransmittingProgram {
 public:
  rmt::Verdict next(Frame& out, Time now) override {
    const rmt::Verdict verdict = RetransmittingProgram::next(out, now);
    if (verdict.exit != rmt::Verdict::Exit::drop) spoil(out);
    return verdict;
  }
};

/// Continues to retransmit after its results have arrived.
class NeverContent final : public RetransmittingProgram {
 public:
  rmt::Verdict process(Frame& frame, Time now) override {
    if (frame.kind == FrameKind::gradient) return RetransmittingProgram::process(frame, now);
    return programs::forward(frame);
  }
  void expire(Time now) override {
    RetransmittingProgram::expire(now);
    for (Kept& one : kept()) one.retransmissions_left = kMostRetransmissions;
  }
};

/// A world whose log the test reads.
template <class Program>
class ToldWorld {
 public:
  explicit ToldWorld(const char* configuration)
      : world(parse_configuration(configuration), system_with<Program>) {
    world.log_to(&lines_);
  }

  /// Performs the step. Returns the number of frames that went out to the server during it.
  std::ptrdiff_t sent_to_server_by(const Action& action) {
    EXPECT_TRUE(world.possible(action)) << to_text(action);
    lines_.clear();
    world.apply(action);
    EXPECT_EQ(world.failure(), "");
    return std::ranges::count_if(
        lines_, [](const std::string& line) { return line.starts_with("  to the server"); });
  }

  /// Runs the schedule without loss to its end, without any time-out of a host.
  void end_without_timers_of_hosts() {
    for (std::vector<Action> steps = fair_step(); !steps.empty(); steps = fair_step()) {
      for (const Action& step : steps) {
        ASSERT_NE(step.kind, Kind::fire) << to_text(step) << ": a host waits for its time-out";
        world.apply(step);
        ASSERT_EQ(world.failure(), "");
      }
    }
  }

  World world;

 private:
  /// Saves the state, reads it back, and lists its steps. Otherwise, a host might still have a
  /// timer for a result that it no longer awaits.
  std::vector<Action> fair_step() {
    Bytes state;
    world.save(state);
    world.restore(state);
    std::vector<Action> steps;
    world.list_fair_step(steps);
    return steps;
  }

  std::vector<std::string> lines_;
};

constexpr std::uint8_t kServer = 2;  // after the two workers

TEST(ActiveProgram, AnswersOnePacketWithThree) {
  ToldWorld<ThreefoldProgram> told("ps-w2-f1");
  EXPECT_EQ(told.sent_to_server_by({Kind::deliver, Way::up, 0}), 3);
  EXPECT_EQ(told.sent_to_server_by({Kind::deliver, Way::up, 1}), 3);
  told.end_without_timers_of_hosts();
  EXPECT_EQ(told.world.verdict_at_end(), "");
}

TEST(ActiveProgram, RetransmitsAfterATimeOutWhatGotLost) {
  ToldWorld<RetransmittingProgram> told("ps-w2-f1-k1-t1");
  EXPECT_EQ(told.sent_to_server_by({Kind::deliver, Way::up, 0}), 1);
  EXPECT_EQ(told.sent_to_server_by({Kind::deliver, Way::up, 1}), 1);
  EXPECT_EQ(told.sent_to_server_by({Kind::lose, Way::down, kServer}), 0);
  EXPECT_EQ(told.sent_to_server_by({Kind::switch_fire}), 2) << "of both, which have no result";
  told.end_without_timers_of_hosts();
  EXPECT_EQ(told.world.verdict_at_end(), "");
}

TEST(ActiveProgram, HasNoTimerBeforeAFrameComesAndAfterItsResult) {
  ToldWorld<RetransmittingProgram> told("ps-w2-f1-t1");
  EXPECT_FALSE(told.world.possible({Kind::switch_fire}));
  told.sent_to_server_by({Kind::deliver, Way::up, 0});
  EXPECT_TRUE(told.world.possible({Kind::switch_fire}));
  told.sent_to_server_by({Kind::deliver, Way::up, 1});
  told.end_without_timers_of_hosts();
  EXPECT_FALSE(told.world.possible({Kind::switch_fire}));
}

TEST(ActiveProgram, ItsTimerCostsAFiringAndMayFireAtAnyMoment) {
  const auto lists_it = [](const char* configuration) {
    ToldWorld<RetransmittingProgram> told(configuration);
    told.sent_to_server_by({Kind::deliver, Way::up, 0});
    told.sent_to_server_by({Kind::deliver, Way::down, kServer});
    std::vector<Action> actions;
    told.world.list_actions(actions);
    return std::ranges::count(actions, Kind::switch_fire, &Action::kind);
  };
  EXPECT_EQ(lists_it("ps-w2-f1-t1"), 1);
  EXPECT_EQ(lists_it("ps-w2-f1"), 0);
}

template <class Program>
Report explore_with(const std::string& configuration) {
  return explore(parse_configuration(configuration), system_with<Program>, kLimits);
}

void expect_nothing_wrong(const Report& report) {
  EXPECT_FALSE(report.finding) << report.finding->failure;
  EXPECT_TRUE(report.complete);
}

TEST(ActiveProgram, EveryScheduleIsRightWithThreeForOne) {
  expect_nothing_wrong(explore_with<ThreefoldProgram>("ps-w2-f1-k2-t1"));
  expect_nothing_wrong(explore_with<ThreefoldProgram>("ps-w2-f1-k1-d1"));
}

TEST(ActiveProgram, EveryScheduleIsRightWithRetransmissions) {
  expect_nothing_wrong(explore_with<RetransmittingProgram>("ps-w2-f1-k2-t2"));
  expect_nothing_wrong(explore_with<RetransmittingProgram>("ps-w2-f1-k1-t1-b1-c1"));
}

/// The first finding with a mistaken program. Its schedule must be replayable.
template <class Program>
Finding finding_with(const std::string& configuration) {
  const Report report = explore_with<Program>(configuration);
  if (!report.finding) {
    ADD_FAILURE() << "nothing was found";
    return {};
  }
  std::stringstream file;
  write_replay(file, {configuration, "", *report.finding});
  std::ostringstream words;
  EXPECT_EQ(step_through(read_replay(file), system_with<Program>, words), report.finding->failure);
  return *report.finding;
}

TEST(ActiveProgram, AWrongCopyIsFoundWhichOnlyShowsIfTheOneBeforeItGetsLost) {
  expect_nothing_wrong(explore_with<WrongSecondCopy>("ps-w2-f1"));
  const Finding finding = finding_with<WrongSecondCopy>("ps-w2-f1-k1");
  EXPECT_NE(finding.failure.find("wrong sum"), std::string::npos) << finding.failure;
}

TEST(ActiveProgram, AWrongRetransmissionIsFoundWhichTakesATimeOutOfTheSwitch) {
  const Finding finding = finding_with<WrongRetransmission>("ps-w2-f1-k1-t1");
  EXPECT_NE(finding.failure.find("wrong sum"), std::string::npos) << finding.failure;
  EXPECT_TRUE(std::ranges::count(finding.schedule, Kind::switch_fire, &Action::kind) > 0);
}

TEST(ActiveProgram, OneThatNeverStopsRetransmittingIsFound) {
  EXPECT_EQ(finding_with<NeverContent>("ps-w2-f1").failure, kCircles);
}

TEST(ActiveProgram, SavedStatesAreWhole) {
  expect_saved_states_are_whole(parse_configuration("ps-w2-j2-f2-k2-t4-d1-r1-b1-c1"),
                                system_with<RetransmittingProgram>);
  expect_saved_states_are_whole(parse_configuration("ps-w2-j2-f2-k2-t4-d1-r1-b1-c1"),
                                system_with<ThreefoldProgram>);
}

}  // namespace
}  // namespace ina::exploration
