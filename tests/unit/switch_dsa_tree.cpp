// SPDX-License-Identifier: BSD-3-Clause
// DSA's program at the two levels of a tree: workers 0 and 1 at a leaf, worker 2 at the root.
#include <gtest/gtest.h>

#include <vector>

#include "switch-models/policies/priority.hpp"
#include "switch-models/programs/dsa.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina::programs {
namespace {

using rmt::Verdict;
using testing::Integers;
using testing::integers;

constexpr auto kDrop = Verdict::Exit::drop;
constexpr auto kForward = Verdict::Exit::forward;
constexpr auto kMulticast = Verdict::Exit::multicast;
constexpr JobId kJob = 1;
constexpr HostId kServer = 90;
constexpr HostId kWorker0 = 10;
constexpr std::uint32_t kIndex = 3;
// The branches of the job, as numbers and as bits.
constexpr std::uint8_t kLeaf = 1;
constexpr std::uint32_t kOfLeaf = 0b10;
constexpr std::uint32_t kOfWorker2 = 0b01;

template <class Mode>
class DsaTree : public ::testing::Test {
 protected:
  DsaTree() {
    leaf_.install_job(kJob, {.workers = 2,
                             .servers = kServer,
                             .level = TreeLevel::leaf,
                             .branch = kLeaf,
                             .branches = 2});
    for (Program* root : {&root_, &asking_root_}) {
      root->install_job(
          kJob, {.workers = 2, .servers = kServer, .level = TreeLevel::root, .branches = 2});
    }
  }

  Frame frame_of(std::uint16_t worker, std::int32_t value, std::uint8_t flags) {
    Frame frame;
    frame.worker = worker;
    frame.values = testing::values_of(pool_, {value});
    frame.job = kJob;
    frame.psn = 7;
    frame.source = static_cast<HostId>(kWorker0 + frame.worker);
    frame.destination = kServer;
    frame.flags = flags;
    frame.aggregator().index = kIndex;
    frame.aggregator().fan_in_degree1 = 2;
    return frame;
  }
  /// A gradient of worker 0 or 1 at the leaf. Worker w contributes 10^w.
  Frame gradient(std::uint16_t worker, std::uint8_t flags = 0) {
    Frame frame = frame_of(worker, worker == 0 ? 1 : 10, flags);
    frame.aggregator().bitmap0 = 1U << worker;
    frame.aggregator().bitmap1 = kOfLeaf;
    frame.aggregator().fan_in_degree0 = 2;
    return frame;
  }
  Frame of_branches(std::uint16_t worker, std::int32_t value, std::uint32_t branches,
                    std::uint8_t flags) {
    Frame frame = frame_of(worker, value, static_cast<std::uint8_t>(flags | flag::second_level));
    frame.aggregator().bitmap1 = branches;
    return frame;
  }
  Frame gradient_of_worker2(std::uint8_t flags = 0) {
    return of_branches(2, 100, kOfWorker2, flags);
  }
  Frame sum_of_leaf(std::uint8_t flags = 0) { return of_branches(1, 11, kOfLeaf, flags); }
  Frame reminder_for(HostId destination) {
    Frame frame = frame_of(0, 0, 0);
    frame.kind = FrameKind::reminder;
    frame.source = kServer;
    frame.destination = destination;
    return frame;
  }
  Verdict::Exit send(SwitchProgram& program, Frame&& frame) {
    last_ = std::move(frame);
    return program.process(last_, {}).exit;
  }

  using Program = DsaProgram<policies::Priority, Mode>;
  ValuePool pool_{1};
  Program leaf_{8, 1, policies::Priority{}};
  Program root_{8, 1, policies::Priority{}};
  Program asking_root_{
      8, 1, policies::Priority{}, kAggregatorExpiry, JoinPriority::keep, AnsweredBy::server};
  Frame last_;
};

using Modes = ::testing::Types<rmt::Fast, rmt::Checked, rmt::Separate, rmt::CheckedSeparate>;
TYPED_TEST_SUITE(DsaTree, Modes);

TYPED_TEST(DsaTree, ALeafHandsTheSumOfItsWorkersOnAsThatOfABranchAndFrees) {
  EXPECT_EQ(this->send(this->leaf_, this->gradient(0, flag::ecn)), kDrop);
  EXPECT_EQ(this->send(this->leaf_, this->gradient(1)), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::gradient);
  EXPECT_EQ(this->last_.destination, kServer);
  EXPECT_EQ(this->last_.flags, flag::second_level | flag::ecn);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 0U);
  EXPECT_EQ(this->last_.aggregator().bitmap1, kOfLeaf);
  EXPECT_EQ(integers(this->last_.values), (Integers{11}));
  EXPECT_EQ(this->leaf_.cells_in_use(), 0U);
}

TYPED_TEST(DsaTree, ALeafOfOneWorkerHandsOnWithoutAnAggregator) {
  Frame alone = this->gradient(0);
  alone.aggregator().fan_in_degree0 = 1;
  EXPECT_EQ(this->send(this->leaf_, std::move(alone)), kForward);
  EXPECT_EQ(this->last_.flags, flag::second_level);
  EXPECT_EQ(this->leaf_.counters(kJob)[AggregatorEvent::allocated], 0U);
}

TYPED_TEST(DsaTree, TheRootAddsTheSumOfALeafAsAPacketAndAnswers) {
  for (const bool leaf_first : {true, false}) {
    const auto send_one = [&](bool leaf) {
      return this->send(this->root_, leaf ? this->sum_of_leaf() : this->gradient_of_worker2());
    };
    EXPECT_EQ(send_one(leaf_first), kDrop);
    EXPECT_EQ(send_one(!leaf_first), kMulticast);
    EXPECT_EQ(this->last_.kind, FrameKind::result);
    EXPECT_EQ(this->last_.destination, kAllWorkers);
    EXPECT_EQ(this->last_.flags, 0);
    EXPECT_EQ(integers(this->last_.values), (Integers{111}));
    EXPECT_EQ(this->root_.cells_in_use(), 0U);
  }
}

TYPED_TEST(DsaTree, ARootThatDoesNotAnswerSendsTheServerTheSumOfAllBranches) {
  this->send(this->asking_root_, this->sum_of_leaf());
  EXPECT_EQ(this->send(this->asking_root_, this->gradient_of_worker2()), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::gradient);
  EXPECT_EQ(this->last_.destination, kServer);
  EXPECT_EQ(this->last_.flags, flag::partial | flag::second_level);
  EXPECT_EQ(this->last_.aggregator().bitmap1, kOfLeaf | kOfWorker2);
  EXPECT_EQ(integers(this->last_.values), (Integers{111}));
  EXPECT_EQ(this->asking_root_.cells_in_use(), 0U);
}

TYPED_TEST(DsaTree, TheRootAnswersTheSumOfTheOnlyBranchWithoutAnAggregator) {
  Frame sum = this->of_branches(0, 11, 1, 0);
  sum.aggregator().fan_in_degree1 = 1;
  EXPECT_EQ(this->send(this->root_, std::move(sum)), kMulticast);
  EXPECT_EQ(this->root_.counters(kJob)[AggregatorEvent::allocated], 0U);
}

TYPED_TEST(DsaTree, APacketOfALeafsWorkerGoesPastTheRootsAggregators) {
  this->send(this->root_, this->gradient_of_worker2());
  for (const std::uint8_t flags : {std::uint8_t{flag::collision}, std::uint8_t{flag::resend}}) {
    EXPECT_EQ(this->send(this->root_, this->gradient(0, flags)), kForward);
    EXPECT_EQ(integers(this->last_.values), (Integers{1}));
    EXPECT_EQ(this->last_.aggregator().bitmap0, 1U);
  }
  EXPECT_EQ(this->root_.counters(kJob)[AggregatorEvent::added], 0U);
}

TYPED_TEST(DsaTree, WhatIsOfAnotherBranchGoesPastALeafsAggregators) {
  Frame other = this->gradient(0);
  other.aggregator().bitmap1 = kOfWorker2;
  EXPECT_EQ(this->send(this->leaf_, std::move(other)), kForward);
  EXPECT_EQ(this->send(this->leaf_, this->sum_of_leaf()), kForward);
  EXPECT_EQ(this->leaf_.cells_in_use(), 0U);
}

TYPED_TEST(DsaTree, TheRootDropsTheSumOfALeafThatComesOnceMore) {
  this->send(this->root_, this->sum_of_leaf());
  EXPECT_EQ(this->send(this->root_, this->sum_of_leaf()), kDrop);
  EXPECT_EQ(this->root_.counters(kJob)[AggregatorEvent::duplicate], 1U);
  EXPECT_EQ(this->send(this->root_, this->gradient_of_worker2()), kMulticast);
  EXPECT_EQ(integers(this->last_.values), (Integers{111}));
}

TYPED_TEST(DsaTree, ASumWithARetransmissionReservesNothingAtTheRoot) {
  this->send(this->leaf_, this->gradient(0));
  this->send(this->leaf_, this->gradient(1, flag::resend));
  EXPECT_EQ(this->last_.flags, flag::second_level | flag::resend);
  EXPECT_EQ(this->send(this->root_, this->sum_of_leaf(flag::resend)), kForward);
  EXPECT_EQ(this->root_.cells_in_use(), 0U);
  this->send(this->root_, this->gradient_of_worker2());
  EXPECT_EQ(this->send(this->root_, this->sum_of_leaf(flag::resend)), kMulticast);
  EXPECT_EQ(this->last_.flags, flag::resend);
}

TYPED_TEST(DsaTree, ALeafAnswersAReminderAsTheWorkerThatItIsAddressedTo) {
  this->send(this->leaf_, this->gradient(1));
  EXPECT_EQ(this->send(this->leaf_, this->reminder_for(kWorker0)), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::gradient);
  EXPECT_EQ(this->last_.flags, flag::partial | flag::resend);
  EXPECT_EQ(this->last_.source, kWorker0);
  EXPECT_EQ(this->last_.destination, kServer);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 0b10U);
  EXPECT_EQ(this->last_.aggregator().bitmap1, kOfLeaf);
  EXPECT_EQ(integers(this->last_.values), (Integers{10}));
  EXPECT_EQ(this->leaf_.cells_in_use(), 0U);
  EXPECT_EQ(this->send(this->leaf_, this->reminder_for(kWorker0)), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::reminder);
  EXPECT_EQ(this->last_.source, kWorker0);
  EXPECT_EQ(this->last_.destination, kServer);
}

TYPED_TEST(DsaTree, RemindersOfLeavesPassTheRootAndItsOwnFetches) {
  this->send(this->root_, this->gradient_of_worker2());
  EXPECT_EQ(this->send(this->root_, this->reminder_for(kWorker0)), kForward);
  EXPECT_EQ(this->last_.destination, kWorker0);
  Frame returned = this->reminder_for(kServer);
  returned.source = kWorker0;
  EXPECT_EQ(this->send(this->root_, std::move(returned)), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::reminder);
  EXPECT_EQ(this->root_.cells_in_use(), 1U);
  EXPECT_EQ(this->send(this->root_, this->reminder_for(kServer)), kForward);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 0U);
  EXPECT_EQ(this->last_.aggregator().bitmap1, kOfWorker2);
  EXPECT_EQ(this->last_.flags, flag::partial | flag::resend | flag::second_level);
  EXPECT_EQ(this->last_.source, kServer);
  EXPECT_EQ(this->root_.cells_in_use(), 0U);
}

/// A switch may be the root of one job and a leaf of another.
TYPED_TEST(DsaTree, AnEvictedSumHasTheBitmapOfItsOwnLevel) {
  constexpr JobId kOther = 2;
  this->root_.install_job(
      kOther, {.workers = 2, .servers = kServer, .level = TreeLevel::leaf, .branch = 3});
  Frame low = this->gradient(1);
  low.job = kOther;
  low.aggregator().bitmap1 = 1U << 3;
  this->send(this->root_, std::move(low));
  Frame high = this->gradient_of_worker2();
  high.aggregator().priority = 9;
  EXPECT_EQ(this->send(this->root_, std::move(high)), kForward);
  EXPECT_EQ(this->last_.job, kOther);
  EXPECT_EQ(this->last_.flags, flag::partial);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 0b10U);
  EXPECT_EQ(this->last_.aggregator().bitmap1, 1U << 3);
  EXPECT_EQ(this->send(this->root_, this->sum_of_leaf()), kMulticast);
}

TYPED_TEST(DsaTree, AResultFreesWhatALeafHoldsOfItsTask) {
  this->send(this->leaf_, this->gradient(0));
  Frame result = this->gradient(0);
  result.kind = FrameKind::result;
  result.destination = kAllWorkers;
  EXPECT_EQ(this->send(this->leaf_, std::move(result)), kMulticast);
  EXPECT_EQ(this->leaf_.cells_in_use(), 0U);
}

}  // namespace
}  // namespace ina::programs
