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

template <class Mode>
class DsaTree : public ::testing::Test {
 protected:
  DsaTree() {
    leaf_.install_job(kJob, leaf_of(2, 0b011));
    root_.install_job(kJob, {.workers = 3, .server = kServer, .level = TreeLevel::root});
  }
  static JobEntry leaf_of(std::uint16_t workers, std::uint32_t ranks) {
    return {.workers = workers, .server = kServer, .level = TreeLevel::leaf, .ranks = ranks};
  }

  /// Worker w's value is 10^w.
  Frame gradient(std::uint32_t workers, std::uint8_t flags = 0) {
    Frame frame;
    std::int32_t sum = 0;
    std::int32_t value = 1;
    for (std::uint16_t w = 0; w < 3; ++w, value *= 10) {
      if ((workers >> w & 1U) == 0) continue;
      sum += value;
      frame.worker = w;
    }
    frame.values = testing::values_of(pool_, {sum});
    frame.job = kJob;
    frame.psn = 7;
    frame.source = static_cast<HostId>(kWorker0 + frame.worker);
    frame.destination = kServer;
    frame.flags = flags;
    frame.aggregator_index = kIndex;
    frame.bitmap0 = workers;
    frame.fan_in_degree0 = 3;
    return frame;
  }
  Frame sum_of_leaf(std::uint8_t flags = 0) {
    return gradient(0b011, static_cast<std::uint8_t>(flags | flag::second_level));
  }
  Frame reminder_for(HostId destination) {
    Frame frame = gradient(0b001);
    frame.kind = FrameKind::reminder;
    frame.source = kServer;
    frame.destination = destination;
    frame.bitmap0 = 0;
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
  Frame last_;
};

using Modes = ::testing::Types<rmt::Fast, rmt::Checked>;
TYPED_TEST_SUITE(DsaTree, Modes);

TYPED_TEST(DsaTree, ALeafHandsTheSumOfItsWorkersOnAndFrees) {
  EXPECT_EQ(this->send(this->leaf_, this->gradient(0b001, flag::ecn)), kDrop);
  EXPECT_EQ(this->send(this->leaf_, this->gradient(0b010)), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::gradient);
  EXPECT_EQ(this->last_.destination, kServer);
  EXPECT_EQ(this->last_.flags, flag::second_level | flag::ecn);
  EXPECT_EQ(this->last_.bitmap0, 0b011U);
  EXPECT_EQ(integers(this->last_.values), (Integers{11}));
  EXPECT_EQ(this->leaf_.cells_in_use(), 0U);
}

TYPED_TEST(DsaTree, ALeafOfOneWorkerHandsOnWithoutAnAggregator) {
  this->leaf_.install_job(kJob, this->leaf_of(1, 0b001));
  EXPECT_EQ(this->send(this->leaf_, this->gradient(0b001)), kForward);
  EXPECT_EQ(this->last_.flags, flag::second_level);
  EXPECT_EQ(this->leaf_.counters(kJob)[AggregatorEvent::allocated], 0U);
}

TYPED_TEST(DsaTree, TheRootAddsTheSumOfALeafAsAPacketAndAnswers) {
  for (const bool leaf_first : {true, false}) {
    const auto send_one = [&](bool leaf) {
      return this->send(this->root_, leaf ? this->sum_of_leaf() : this->gradient(0b100));
    };
    EXPECT_EQ(send_one(leaf_first), kDrop);
    EXPECT_EQ(send_one(!leaf_first), kMulticast);
    EXPECT_EQ(this->last_.kind, FrameKind::result);
    EXPECT_EQ(this->last_.destination, kEveryWorker);
    EXPECT_EQ(this->last_.flags, 0);
    EXPECT_EQ(integers(this->last_.values), (Integers{111}));
    EXPECT_EQ(this->root_.cells_in_use(), 0U);
  }
}

TYPED_TEST(DsaTree, TheRootAnswersASumOfAllWithoutAnAggregator) {
  EXPECT_EQ(this->send(this->root_, this->gradient(0b111, flag::second_level)), kMulticast);
  EXPECT_EQ(this->root_.counters(kJob)[AggregatorEvent::allocated], 0U);
}

TYPED_TEST(DsaTree, WhatCollidedAtALeafGoesPastTheRootsAggregators) {
  EXPECT_EQ(this->send(this->root_, this->gradient(0b001, flag::collision)), kForward);
  EXPECT_EQ(this->root_.cells_in_use(), 0U);
  this->send(this->root_, this->gradient(0b100));
  EXPECT_EQ(this->send(this->root_, this->gradient(0b001, flag::collision)), kForward);
  EXPECT_EQ(integers(this->last_.values), (Integers{1}));
}

TYPED_TEST(DsaTree, ASumThatAnAggregatorHasInPartGoesToTheServerAndASubsetIsDropped) {
  this->send(this->root_, this->gradient(0b100));
  EXPECT_EQ(this->send(this->root_, this->gradient(0b001, flag::resend)), kDrop);
  EXPECT_EQ(this->send(this->root_, this->sum_of_leaf()), kForward);
  EXPECT_EQ(integers(this->last_.values), (Integers{11}));
  EXPECT_EQ(this->send(this->root_, this->gradient(0b001, flag::resend)), kDrop);
  EXPECT_EQ(this->root_.counters(kJob)[AggregatorEvent::duplicate], 1U);
  EXPECT_EQ(this->root_.counters(kJob)[AggregatorEvent::fallback], 1U);
  // What it has is what it had.
  EXPECT_EQ(this->send(this->root_, this->gradient(0b010, flag::resend)), kMulticast);
  EXPECT_EQ(integers(this->last_.values), (Integers{111}));
}

TYPED_TEST(DsaTree, ASumWithARetransmissionReservesNothingAtTheRoot) {
  this->send(this->leaf_, this->gradient(0b001));
  this->send(this->leaf_, this->gradient(0b010, flag::resend));
  EXPECT_EQ(this->last_.flags, flag::second_level | flag::resend);
  EXPECT_EQ(this->send(this->root_, this->sum_of_leaf(flag::resend)), kForward);
  EXPECT_EQ(this->root_.cells_in_use(), 0U);
  this->send(this->root_, this->gradient(0b100));
  EXPECT_EQ(this->send(this->root_, this->sum_of_leaf(flag::resend)), kMulticast);
  EXPECT_EQ(this->last_.flags, flag::resend);
}

TYPED_TEST(DsaTree, ALeafAnswersAReminderAsTheWorkerThatItIsAddressedTo) {
  this->send(this->leaf_, this->gradient(0b010));
  EXPECT_EQ(this->send(this->leaf_, this->reminder_for(kWorker0)), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::gradient);
  EXPECT_EQ(this->last_.flags, flag::partial | flag::resend);
  EXPECT_EQ(this->last_.source, kWorker0);
  EXPECT_EQ(this->last_.destination, kServer);
  EXPECT_EQ(this->last_.bitmap0, 0b010U);
  EXPECT_EQ(integers(this->last_.values), (Integers{10}));
  EXPECT_EQ(this->leaf_.cells_in_use(), 0U);
  EXPECT_EQ(this->send(this->leaf_, this->reminder_for(kWorker0)), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::reminder);
  EXPECT_EQ(this->last_.source, kWorker0);
  EXPECT_EQ(this->last_.destination, kServer);
}

TYPED_TEST(DsaTree, RemindersOfLeavesPassTheRootAndItsOwnFetches) {
  this->send(this->root_, this->gradient(0b100));
  EXPECT_EQ(this->send(this->root_, this->reminder_for(kWorker0)), kForward);
  EXPECT_EQ(this->last_.destination, kWorker0);
  Frame returned = this->reminder_for(kServer);
  returned.source = kWorker0;
  EXPECT_EQ(this->send(this->root_, std::move(returned)), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::reminder);
  EXPECT_EQ(this->root_.cells_in_use(), 1U);
  EXPECT_EQ(this->send(this->root_, this->reminder_for(kServer)), kForward);
  EXPECT_EQ(this->last_.bitmap0, 0b100U);
  EXPECT_EQ(this->last_.source, kServer);
  EXPECT_EQ(this->root_.cells_in_use(), 0U);
}

TYPED_TEST(DsaTree, AResultFreesWhatALeafHoldsOfItsTask) {
  this->send(this->leaf_, this->gradient(0b001));
  Frame result = this->gradient(0b111);
  result.kind = FrameKind::result;
  result.destination = kEveryWorker;
  EXPECT_EQ(this->send(this->leaf_, std::move(result)), kMulticast);
  EXPECT_EQ(this->leaf_.cells_in_use(), 0U);
}

}  // namespace
}  // namespace ina::programs
