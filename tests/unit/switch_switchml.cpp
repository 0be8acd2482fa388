// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/switchml.hpp"

#include <gtest/gtest.h>

#include "hw/protocol/transport/switchml_worker.hpp"
#include "tests/unit/support/frames.hpp"
#include "tests/unit/support/occupied.hpp"

namespace ina::programs {
namespace {

using rmt::Verdict;
using testing::Integers;
using testing::integers;
using testing::occupied_in;

using Occupied = std::vector<OccupiedAggregator>;

constexpr std::size_t kWidth = 4;

template <class Mode>
class SwitchmlSwitch : public ::testing::Test {
 protected:
  static constexpr JobId kJob = 1;

  SwitchmlSwitch() { program_.install_job(kJob, {3, 0, 2, 2}); }

  Frame update(std::uint16_t worker, std::uint32_t slot, bool version, const Integers& values) {
    Frame frame;
    frame.values = testing::values_of(pool_, values);
    frame.job = kJob;
    frame.worker = worker;
    frame.source = frame.destination = static_cast<HostId>(10 + worker);
    frame.psn = slot + (version ? 2 : 0);
    frame.fields = SwitchmlFields{.slot = slot, .version = version};
    return frame;
  }
  Frame fragment(std::uint16_t worker, Psn psn, const Integers& values) {
    Frame frame = update(worker, psn % 2, psn / 2 % 2 != 0, values);
    frame.psn = psn;
    return frame;
  }
  Verdict::Exit process(Frame& frame) { return program_.process(frame, Time{}).exit; }
  Verdict::Exit send(std::uint16_t worker, std::uint32_t slot, bool version,
                     const Integers& values) {
    last_ = update(worker, slot, version, values);
    return process(last_);
  }

  ValuePool pool_{kWidth};
  SwitchmlProgram<Mode> program_{4, kWidth};
  Frame last_;
};

using Modes = ::testing::Types<rmt::Fast, rmt::Checked, rmt::Separate, rmt::CheckedSeparate>;
TYPED_TEST_SUITE(SwitchmlSwitch, Modes);

constexpr auto kDrop = Verdict::Exit::drop;
constexpr auto kForward = Verdict::Exit::forward;
constexpr auto kMulticast = Verdict::Exit::multicast;
constexpr auto kUp = Verdict::Exit::up;

/// Whether each answer of the program has a mark. Three workers contribute to slot 0 of version 0;
/// `marked` states whose contributions have marks.
template <class Mode>
std::vector<bool> marks_of_answers(SwitchmlProgram<Mode>& program, std::vector<bool> marked) {
  program.install_job(1, {3, 0, 2, 2});
  std::vector<bool> answers;
  const auto send = [&](std::uint16_t worker, Psn psn, bool mark) {
    Frame frame;
    frame.job = 1;
    frame.worker = worker;
    frame.psn = psn;
    frame.fields = SwitchmlFields{.slot = psn % 2, .version = psn / 2 % 2 != 0};
    if (mark) frame.set(flag::ecn);
    program.process(frame, Time{});
    if (frame.kind == FrameKind::result) answers.push_back(frame.has(flag::ecn));
  };
  for (std::uint16_t worker = 0; worker < 3; ++worker) send(worker, 0, marked[worker]);
  send(0, 0, false);  // retransmission
  for (const Psn psn : {2U, 4U}) {
    for (std::uint16_t worker = 0; worker < 3; ++worker) send(worker, psn, false);
  }
  return answers;
}

TYPED_TEST(SwitchmlSwitch, CollectsTheMarksOfAllContributionsIfTold) {
  using Answers = std::vector<bool>;
  for (const Answers& marked : {Answers{true, false, false}, Answers{false, true, false}}) {
    SwitchmlProgram<TypeParam> collects(4, 0, true);
    EXPECT_EQ(marks_of_answers(collects, marked), (Answers{true, true, false, false}));
    SwitchmlProgram<TypeParam> forgets(4, 0);
    EXPECT_EQ(marks_of_answers(forgets, marked), (Answers{false, false, false, false}));
  }
}

TYPED_TEST(SwitchmlSwitch, SumsAndMulticastsWithTheLastWorker) {
  EXPECT_EQ(this->send(0, 1, false, {1, 2, 3, 4}), kDrop);
  EXPECT_EQ(this->program_.occupied(), 1U);
  EXPECT_EQ(this->send(2, 1, false, {10, 20, 30, 40}), kDrop);
  EXPECT_EQ(this->send(1, 1, false, {100, 200, 300, -400}), kMulticast);
  EXPECT_EQ(this->last_.kind, FrameKind::result);
  EXPECT_EQ(this->last_.destination, kAllWorkers);
  EXPECT_EQ(this->last_.psn, 1U);
  EXPECT_EQ(integers(this->last_.values), (Integers{111, 222, 333, -356}));
  EXPECT_EQ(this->program_.occupied(), 0U);
}

TYPED_TEST(SwitchmlSwitch, DropsADuplicateBeforeCompletion) {
  this->send(0, 0, false, {1, 1, 1, 1});
  EXPECT_EQ(this->send(0, 0, false, {1, 1, 1, 1}), kDrop);
  this->send(1, 0, false, {1, 1, 1, 1});
  EXPECT_EQ(this->send(2, 0, false, {1, 1, 1, 1}), kMulticast);
  EXPECT_EQ(integers(this->last_.values), (Integers{3, 3, 3, 3}));
  EXPECT_EQ(this->program_.counters(1)[AggregatorEvent::duplicate], 1U);
}

TYPED_TEST(SwitchmlSwitch, AnswersADuplicateAfterCompletionByUnicast) {
  for (std::uint16_t w = 0; w < 3; ++w) this->send(w, 0, false, {1, 2, 3, 4});
  // The other workers have moved on to the other version. This one is now the shadow copy.
  this->send(1, 0, true, {7, 7, 7, 7});
  EXPECT_EQ(this->send(0, 0, false, {1, 2, 3, 4}), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::result);
  EXPECT_EQ(this->last_.destination, 10);
  EXPECT_EQ(integers(this->last_.values), (Integers{3, 6, 9, 12}));
}

TYPED_TEST(SwitchmlSwitch, VersionsTakeTurns) {
  for (int phase = 0; phase < 5; ++phase) {
    const bool version = phase % 2 != 0;
    const Psn psn = 2 * static_cast<Psn>(phase);
    Frame first = this->fragment(0, psn, {phase, 0, 0, 0});
    Frame second = this->fragment(1, psn, {phase, 0, 0, 0});
    Frame third = this->fragment(2, psn, {phase, 0, 0, 1});
    EXPECT_EQ(this->process(first), kDrop);
    EXPECT_EQ(this->process(second), kDrop);
    EXPECT_EQ(this->process(third), kMulticast);
    EXPECT_EQ(integers(third.values), (Integers{3 * phase, 0, 0, 1}));
    EXPECT_EQ(third.switchml().version, version);
  }
}

TYPED_TEST(SwitchmlSwitch, KeepsTheLargestExponentBesideEachSum) {
  const auto send = [&](std::uint16_t worker, Psn psn, std::uint16_t exponent) {
    this->last_ = this->fragment(worker, psn, {1, 1, 1, 1});
    this->last_.switchml().exponents = exponent;
    return this->process(this->last_);
  };
  send(0, 0, 7);
  send(1, 0, 300);
  EXPECT_EQ(send(0, 0, 7), kDrop);  // retransmission before the sum is complete
  EXPECT_EQ(send(2, 0, 9), kMulticast);
  EXPECT_EQ(this->last_.switchml().exponents, 300);
  // The other version begins with its own exponent. The shadow copy keeps the exponent of its
  // values.
  send(1, 2, 5);
  EXPECT_EQ(send(0, 0, 7), kForward);
  EXPECT_EQ(this->last_.switchml().exponents, 300);
  send(0, 2, 6);
  EXPECT_EQ(send(2, 2, 0), kMulticast);
  EXPECT_EQ(this->last_.switchml().exponents, 6);
  // A row is overwritten by its next fragment, and a late copy does not change it.
  send(0, 4, 1);
  EXPECT_EQ(send(1, 0, 300), kDrop);
  send(1, 4, 2);
  EXPECT_EQ(send(2, 4, 1), kMulticast);
  EXPECT_EQ(this->last_.switchml().exponents, 2);
}

TYPED_TEST(SwitchmlSwitch, ALateCopyOfAnEarlierFragmentIsNoContribution) {
  for (const Psn psn : {0U, 2U, 4U}) {
    for (std::uint16_t w = 0; w < 3; ++w) {
      Frame frame = this->fragment(w, psn, {1, 1, 1, 1});
      if (psn < 4 || w > 0) this->process(frame);
    }
  }
  for (const Psn psn : {0U, 2U}) {  // worker 0 has sent these and not yet PSN 4
    Frame copy = this->fragment(1, psn, {9, 9, 9, 9});
    EXPECT_EQ(this->process(copy), kDrop) << psn;
  }
  Frame last = this->fragment(0, 4, {1, 1, 1, 1});
  EXPECT_EQ(this->process(last), kMulticast);
  EXPECT_EQ(integers(last.values), (Integers{3, 3, 3, 3}));
}

TYPED_TEST(SwitchmlSwitch, OneWorkerIsAnsweredAtOnceAndAgain) {
  this->program_.install_job(1, {1, 0, 2, 2});
  EXPECT_EQ(this->send(0, 0, false, {5, 6, 7, 8}), kMulticast);
  EXPECT_EQ(integers(this->last_.values), (Integers{5, 6, 7, 8}));
  EXPECT_EQ(this->send(0, 0, false, {5, 6, 7, 8}), kForward);
  EXPECT_EQ(integers(this->last_.values), (Integers{5, 6, 7, 8}));
}

TYPED_TEST(SwitchmlSwitch, ARemovedJobLeavesItsPoolAsNew) {
  this->program_.install_job(0, {3, 0, 0, 2});
  for (std::uint16_t w = 0; w < 3; ++w) this->send(w, 0, false, {1, 1, 1, 1});
  this->send(0, 0, true, {1, 1, 1, 1});
  this->send(0, 1, false, {1, 1, 1, 1});
  Frame other = this->update(0, 0, false, {1, 1, 1, 1});
  other.job = 0;
  this->process(other);
  EXPECT_EQ(this->program_.remove_job(1), 2U);
  EXPECT_EQ(this->program_.remove_job(1), 0U);
  EXPECT_EQ(this->program_.counters(1).occupied(), 0U);
  EXPECT_EQ(this->program_.occupied(), 1U);  // the other job's
  EXPECT_EQ(this->program_.cells_in_use(), 1U);
  EXPECT_EQ(this->send(0, 0, false, {1, 1, 1, 1}), kDrop);  // late
  EXPECT_EQ(this->program_.rejected_frames(), 1U);
  this->program_.install_job(1, {3, 0, 2, 2});
  for (std::uint16_t w = 0; w < 2; ++w) EXPECT_EQ(this->send(w, 0, false, {5, 6, 7, 8}), kDrop);
  EXPECT_EQ(this->send(2, 0, false, {5, 6, 7, 8}), kMulticast);
  EXPECT_EQ(integers(this->last_.values), (Integers{15, 18, 21, 24}));
}

TYPED_TEST(SwitchmlSwitch, DropsStrangers) {
  EXPECT_EQ(this->send(3, 0, false, {1, 1, 1, 1}), kDrop);  // there is no such worker
  EXPECT_EQ(this->send(0, 2, false, {1, 1, 1, 1}), kDrop);  // the slot is not the job's
  Frame other = this->update(0, 0, false, {1, 1, 1, 1});
  other.job = 9;
  EXPECT_EQ(this->process(other), kDrop);
  other.kind = FrameKind::result;
  EXPECT_EQ(this->process(other), kDrop);  // a leaf without jobs has no member table yet
  EXPECT_EQ(this->program_.rejected_frames(), 4U);
  EXPECT_EQ(this->program_.occupied(), 0U);
}

TYPED_TEST(SwitchmlSwitch, TheRegistersThemselvesTellWhatIsInUse) {
  this->program_.install_job(0, {1, 0, 0, 2});
  EXPECT_EQ(occupied_in(this->program_), Occupied{});
  this->send(0, 1, true, {1, 1, 1, 1});
  // Slot 1, second version, of a job whose pool begins at 2.
  EXPECT_EQ(occupied_in(this->program_), (Occupied{{7, 1, std::nullopt}}));
}

TYPED_TEST(SwitchmlSwitch, JobsDoNotShareSlots) {
  this->program_.install_job(0, {1, 0, 0, 2});
  this->send(0, 0, false, {1, 1, 1, 1});
  Frame other = this->update(0, 0, false, {50, 50, 50, 50});
  other.job = 0;
  EXPECT_EQ(this->process(other), kMulticast);
  this->send(1, 0, false, {1, 1, 1, 1});
  EXPECT_EQ(this->send(2, 0, false, {1, 1, 1, 1}), kMulticast);
  EXPECT_EQ(integers(this->last_.values), (Integers{3, 3, 3, 3}));
}

/// A leaf with two workers. Its sums count as member 5 of the root.
template <class Mode>
class SwitchmlLeaf : public SwitchmlSwitch<Mode> {
 protected:
  SwitchmlLeaf() { this->program_.install_job(this->kJob, {2, 0, 2, 2, TreeLevel::leaf, 5}); }

  Verdict::Exit send_psn(std::uint16_t worker, Psn psn) {
    this->last_ = this->fragment(worker, psn, {worker + 1, 10, 0, 0});
    return this->process(this->last_);
  }
  /// A result of the root, which arrived there in a packet of another leaf.
  Verdict::Exit result(Psn psn, const Integers& values, std::uint16_t exponent = 0) {
    this->last_ = this->fragment(5, psn, values);
    this->last_.kind = FrameKind::result;
    this->last_.switchml().exponents = exponent;
    this->last_.destination = kAllWorkers;
    return this->process(this->last_);
  }
};
TYPED_TEST_SUITE(SwitchmlLeaf, Modes);

TYPED_TEST(SwitchmlLeaf, HandsItsSumUpAsOneUpdate) {
  EXPECT_EQ(this->send_psn(0, 1), kDrop);
  EXPECT_EQ(this->send_psn(1, 1), kUp);
  EXPECT_EQ(this->last_.kind, FrameKind::gradient);
  EXPECT_EQ(this->last_.worker, 5);
  EXPECT_EQ(this->last_.psn, 1U);
  EXPECT_EQ(this->last_.switchml().slot, 1U);
  EXPECT_EQ(integers(this->last_.values), (Integers{3, 20, 0, 0}));
  EXPECT_EQ(this->program_.occupied(), 1U);  // until the result arrives
}

TYPED_TEST(SwitchmlLeaf, SendsItsSumUpAgainUntilItHasTheResult) {
  for (std::uint16_t w = 0; w < 2; ++w) this->send_psn(w, 0);
  EXPECT_EQ(this->send_psn(0, 0), kUp);
  EXPECT_EQ(this->last_.worker, 5);
  EXPECT_EQ(integers(this->last_.values), (Integers{3, 20, 0, 0}));
  EXPECT_EQ(this->result(0, {7, 70, 0, 0}), kMulticast);
  EXPECT_EQ(this->last_.destination, kAllWorkers);
  EXPECT_EQ(this->program_.occupied(), 0U);
  EXPECT_EQ(this->send_psn(0, 0), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::result);
  EXPECT_EQ(this->last_.destination, 10);
  EXPECT_EQ(integers(this->last_.values), (Integers{7, 70, 0, 0}));
}

TYPED_TEST(SwitchmlLeaf, HandsAResultDownOnce) {
  for (std::uint16_t w = 0; w < 2; ++w) this->send_psn(w, 0);
  EXPECT_EQ(this->result(0, {7, 70, 0, 0}), kMulticast);
  EXPECT_EQ(this->result(0, {7, 70, 0, 0}), kDrop);
}

TYPED_TEST(SwitchmlLeaf, ALateResultIsNotThatOfTheFragmentAfterTheNext) {
  for (const Psn psn : {0U, 2U, 4U}) {
    for (std::uint16_t w = 0; w < 2; ++w) this->send_psn(w, psn);
    if (psn < 4) this->result(psn, {7, 70, 0, 0});
  }
  EXPECT_EQ(this->result(0, {7, 70, 0, 0}), kDrop);
  EXPECT_EQ(this->send_psn(0, 4), kUp);
  EXPECT_EQ(integers(this->last_.values), (Integers{3, 20, 0, 0}));
}

TYPED_TEST(SwitchmlLeaf, ALateUpdateMakesItSendNothingUp) {
  for (const Psn psn : {0U, 2U, 4U}) {
    for (std::uint16_t w = 0; w < 2; ++w) this->send_psn(w, psn);
    if (psn < 4) this->result(psn, {7, 70, 0, 0});
  }
  EXPECT_EQ(this->send_psn(0, 0), kDrop);
}

TYPED_TEST(SwitchmlLeaf, TheResultsExponentTakesThePlaceOfTheSums) {
  for (std::uint16_t w = 0; w < 2; ++w) {
    this->last_ = this->fragment(w, 0, {1, 1, 1, 1});
    this->last_.switchml().exponents = static_cast<std::uint16_t>(7 + w);
    this->process(this->last_);
  }
  EXPECT_EQ(this->last_.switchml().exponents, 8);
  this->result(0, {7, 70, 0, 0}, 9);
  this->send_psn(1, 0);
  EXPECT_EQ(this->last_.switchml().exponents, 9);
}

TYPED_TEST(SwitchmlLeaf, OneWorkerIsHandedUpAtOnce) {
  this->program_.install_job(1, {1, 0, 2, 2, TreeLevel::leaf, 0});
  EXPECT_EQ(this->send_psn(0, 0), kUp);
  EXPECT_EQ(this->send_psn(0, 0), kUp);
  EXPECT_EQ(this->result(0, {7, 0, 0, 0}), kMulticast);
  EXPECT_EQ(this->send_psn(0, 2), kUp);
}

TYPED_TEST(SwitchmlLeaf, RejectsResultsOfNoSlotOfTheJob) {
  this->last_ = this->fragment(5, 0, {1, 1, 1, 1});
  this->last_.kind = FrameKind::result;
  this->last_.switchml().slot = 2;
  EXPECT_EQ(this->process(this->last_), kDrop);
  EXPECT_EQ(this->program_.rejected_frames(), 1U);
}

TYPED_TEST(SwitchmlLeaf, AResultTellsOfItsMarkWhenAskedAgain) {
  SwitchmlProgram<TypeParam> program(4, 0, true);
  program.install_job(1, {1, 0, 0, 2, TreeLevel::leaf, 0});
  Frame frame;
  frame.fields = SwitchmlFields();
  frame.job = 1;
  program.process(frame, Time{});
  Frame result = frame;
  result.kind = FrameKind::result;
  result.set(flag::ecn);
  program.process(result, Time{});
  frame = Frame{};
  frame.fields = SwitchmlFields();
  frame.job = 1;
  program.process(frame, Time{});
  EXPECT_EQ(frame.kind, FrameKind::result);
  EXPECT_TRUE(frame.has(flag::ecn));
}

TYPED_TEST(SwitchmlSwitch, ARootAnswersTheLeafThatAsksAgainAlone) {
  this->program_.install_job(1, {2, 0, 2, 2, TreeLevel::root});
  this->send(0, 0, false, {1, 2, 3, 4});
  EXPECT_EQ(this->send(1, 0, false, {1, 2, 3, 4}), kMulticast);
  EXPECT_EQ(this->send(0, 0, false, {1, 2, 3, 4}), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::result);
  EXPECT_EQ(this->last_.destination, this->last_.source);
  EXPECT_EQ(integers(this->last_.values), (Integers{2, 4, 6, 8}));
}

/// Appendix A, event by event, with real workers. x is the only slot, and k * s is one fragment.
TYPED_TEST(SwitchmlSwitch, TheExampleExecutionOfAppendixA) {
  constexpr Time kRto = std::chrono::milliseconds(1);
  constexpr Psn kOff = 0;
  constexpr Psn kNextOff = 1;
  this->program_.install_job(1, {3, 0, 0, 1});
  testing::RecordingSink sinks[3];
  std::vector<testing::CountingSource> sources;
  std::vector<SwitchmlWorker> workers;
  for (std::uint16_t w = 0; w < 3; ++w) sources.emplace_back(w);
  for (std::uint16_t w = 0; w < 3; ++w) {
    workers.emplace_back(WorkerIdentity{1, w, 3, static_cast<HostId>(10 + w), 0},
                         SwitchmlWorker::Config{1, 32, kRto}, this->pool_, sinks[w]);
    workers[w].submit({0, 2, 0, 0, &sources[w]}, Time{});
  }
  Frame frame;
  const auto at = [](int microseconds) { return Time(std::chrono::microseconds(microseconds)); };
  const auto sends = [&](std::size_t w, Psn psn, Time now) {
    return workers[w].next(frame, now) && frame.psn == psn && frame.switchml().slot == 0 &&
           frame.switchml().version == (psn == kNextOff);
  };
  const auto times_out = [&](std::size_t w, Time now) {
    EXPECT_EQ(workers[w].deadline(), now);
    workers[w].expire(now);
    return sends(w, kOff, now);
  };

  ASSERT_TRUE(sends(0, kOff, at(0)));  // t0
  EXPECT_EQ(this->process(frame), kDrop);
  ASSERT_TRUE(sends(1, kOff, at(1)));  // t1
  EXPECT_EQ(this->process(frame), kDrop);
  ASSERT_TRUE(sends(2, kOff, at(2)));  // t2, lost on its way up at t3
  for (auto& worker : workers) EXPECT_FALSE(worker.next(frame, at(3)));  // the slot is in use

  ASSERT_TRUE(times_out(0, at(1000)));  // t4: ignored
  EXPECT_EQ(this->process(frame), kDrop);
  ASSERT_TRUE(times_out(1, at(1001)));  // t5: ignored
  EXPECT_EQ(this->process(frame), kDrop);
  ASSERT_TRUE(times_out(2, at(1002)));  // t6: completes
  EXPECT_EQ(this->process(frame), kMulticast);
  const Frame result = frame;
  EXPECT_EQ(integers(result.values), (Integers{30, 33, 36, 39}));

  // t7: the copy for w1 is lost. t8: its second retransmission, after a doubled time-out, gets the
  // result.
  ASSERT_TRUE(times_out(0, at(3000)));
  EXPECT_EQ(this->process(frame), kForward);
  const Frame unicast = frame;
  EXPECT_EQ(unicast.destination, 10);
  EXPECT_EQ(integers(unicast.values), integers(result.values));

  workers[1].receive(result, at(3001));       // t9
  workers[2].receive(result, at(3002));       // t10
  workers[0].receive(unicast, at(3003));      // t11
  ASSERT_TRUE(sends(1, kNextOff, at(3004)));  // t12
  EXPECT_EQ(this->process(frame), kDrop);
  ASSERT_TRUE(sends(2, kNextOff, at(3005)));  // t13
  EXPECT_EQ(this->process(frame), kDrop);
  ASSERT_TRUE(sends(0, kNextOff, at(3006)));    // t14
  EXPECT_EQ(this->process(frame), kMulticast);  // t15
  EXPECT_EQ(integers(frame.values), (Integers{3030, 3033, 3036, 3039}));
  for (std::size_t w = 0; w < 3; ++w) {
    workers[w].receive(frame, at(3010));
    EXPECT_EQ(sinks[w].fragments, (std::vector<Psn>{kOff, kNextOff}));
    EXPECT_EQ(sinks[w].tensors, (std::vector<Psn>{0}));
    EXPECT_EQ(workers[w].deadline(), kNever);
  }
}

}  // namespace
}  // namespace ina::programs
