// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/dsa.hpp"

#include <gtest/gtest.h>

#include "switch-models/policies/fcfs.hpp"
#include "switch-models/policies/priority.hpp"
#include "switch-models/policies/priority_between_jobs.hpp"
#include "tests/unit/support/frames.hpp"
#include "tests/unit/support/occupied.hpp"

namespace ina::programs {
namespace {

using rmt::Verdict;
using testing::Integers;
using testing::integers;
using testing::occupied_in;

using Occupied = std::vector<OccupiedAggregator>;

constexpr auto kDrop = Verdict::Exit::drop;
constexpr auto kForward = Verdict::Exit::forward;
constexpr auto kMulticast = Verdict::Exit::multicast;
constexpr std::uint32_t kIndex = 3;

constexpr HostId server_of(JobId job) { return static_cast<HostId>(90 + job); }

template <class Mode, class Policy = policies::Priority>
class DsaSwitch : public ::testing::Test {
 protected:
  explicit DsaSwitch(JoinPriority join = JoinPriority::keep, Time expiry = kAggregatorExpiry,
                     AnsweredBy answered_by = AnsweredBy::network_switch)
      : DsaSwitch(Policy{}, join, expiry, answered_by) {}
  DsaSwitch(Policy policy, JoinPriority join, Time expiry,
            AnsweredBy answered_by = AnsweredBy::network_switch)
      : program_(8, 2, std::move(policy), expiry, join, answered_by) {
    program_.install_job(1, {3, server_of(1), 0, 0});
    program_.install_job(2, {2, server_of(2), 0, 0});
  }

  Frame gradient(JobId job, Psn psn, std::uint16_t worker, std::uint16_t priority,
                 const Integers& values) {
    Frame frame;
    frame.values = testing::values_of(pool_, values);
    frame.job = job;
    frame.psn = psn;
    frame.worker = worker;
    frame.source = static_cast<HostId>(10 * job + worker);
    frame.destination = server_of(job);
    frame.aggregator().priority = priority;
    frame.aggregator().index = kIndex;
    frame.aggregator().bitmap0 = 1U << worker;
    frame.aggregator().fan_in_degree0 = job == 1 ? 3 : 2;
    return frame;
  }
  Verdict process(Frame&& frame, Time now = {}) {
    last_ = std::move(frame);
    return program_.process(last_, now);
  }
  Verdict send(JobId job, Psn psn, std::uint16_t worker, std::uint16_t priority,
               const Integers& values = {1, 2}) {
    return process(gradient(job, psn, worker, priority, values));
  }
  Verdict send_at(int milliseconds, JobId job, Psn psn, std::uint16_t worker,
                  std::uint16_t priority = 5) {
    return process(gradient(job, psn, worker, priority, {1, 2}),
                   std::chrono::milliseconds(milliseconds));
  }
  Verdict send_kind(FrameKind kind, JobId job, Psn psn, HostId destination) {
    Frame frame = gradient(job, psn, 0, 0, {0, 0});
    frame.kind = kind;
    frame.aggregator().bitmap0 = 0;
    frame.destination = destination;
    return process(std::move(frame));
  }

  ValuePool pool_{2};
  DsaProgram<Policy, Mode> program_;
  Frame last_;
};

using Modes = ::testing::Types<rmt::Fast, rmt::Checked, rmt::Separate, rmt::CheckedSeparate>;
TYPED_TEST_SUITE(DsaSwitch, Modes);

TYPED_TEST(DsaSwitch, AnswersTheWorkersAndFrees) {
  EXPECT_EQ(this->send(1, 7, 0, 5, {1, 2}).exit, kDrop);
  EXPECT_EQ(this->send(1, 7, 2, 5, {10, 20}).exit, kDrop);
  EXPECT_EQ(this->send(1, 7, 1, 5, {100, 200}).exit, kMulticast);
  EXPECT_EQ(this->last_.kind, FrameKind::result);
  EXPECT_EQ(this->last_.destination, kAllWorkers);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 7U);
  EXPECT_EQ(integers(this->last_.values), (Integers{111, 222}));
  EXPECT_EQ(this->program_.occupied(), 0U);
  EXPECT_FALSE(this->program_.task(kIndex).valid);
}

TYPED_TEST(DsaSwitch, OneWorkerIsAnsweredWithoutAnAggregator) {
  this->program_.install_job(1, {1, server_of(1), 0, 0});
  Frame frame = this->gradient(1, 7, 0, 5, {4, 5});
  frame.aggregator().fan_in_degree0 = 1;
  EXPECT_EQ(this->process(std::move(frame)).exit, kMulticast);
  EXPECT_EQ(integers(this->last_.values), (Integers{4, 5}));
  EXPECT_EQ(this->program_.counters(1)[AggregatorEvent::allocated], 0U);
}

TYPED_TEST(DsaSwitch, DropsADuplicate) {
  this->send(1, 7, 0, 5);
  EXPECT_EQ(this->send(1, 7, 0, 5).exit, kDrop);
  this->send(1, 7, 1, 5);
  EXPECT_EQ(this->send(1, 7, 2, 5).exit, kMulticast);
  EXPECT_EQ(integers(this->last_.values), (Integers{3, 6}));
}

TYPED_TEST(DsaSwitch, HigherPrioritySwapsAndThePartialGoesToItsOwnServer) {
  Frame marked = this->gradient(1, 7, 0, 5, {1, 2});
  marked.set(flag::ecn);
  this->process(std::move(marked));
  this->send(1, 7, 2, 5, {10, 20});
  const Verdict verdict = this->send(2, 9, 1, 6, {500, 600});
  EXPECT_EQ(verdict.exit, kForward);
  EXPECT_EQ(verdict.resubmits, 1);  // DSA VI: preemption costs a resubmit
  EXPECT_EQ(this->last_.kind, FrameKind::gradient);
  EXPECT_EQ(this->last_.destination, server_of(1));
  EXPECT_EQ(this->last_.job, 1);
  EXPECT_EQ(this->last_.psn, 7U);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 5U);
  EXPECT_EQ(this->last_.aggregator().fan_in_degree0, 3);
  EXPECT_EQ(this->last_.flags, flag::partial | flag::ecn);
  EXPECT_EQ(integers(this->last_.values), (Integers{11, 22}));
  // The other job replaces it, without a mark.
  EXPECT_EQ(this->program_.task(kIndex).job, 2);
  EXPECT_EQ(this->program_.priority(kIndex), 6);
  EXPECT_EQ(this->program_.occupied(), 1U);
  EXPECT_EQ(this->program_.counters(1).occupied(), 0U);
  EXPECT_EQ(this->send(2, 9, 0, 6, {1, 1}).exit, kMulticast);
  EXPECT_EQ(integers(this->last_.values), (Integers{501, 601}));
  EXPECT_FALSE(this->last_.has(flag::ecn));
}

TYPED_TEST(DsaSwitch, TieAndLessGoToTheServerAndHalveThePriority) {
  this->send(1, 7, 0, 20);
  EXPECT_EQ(this->send(2, 9, 1, 20, {5, 6}).exit, kForward);
  EXPECT_EQ(this->last_.flags, flag::collision);
  EXPECT_EQ(this->last_.destination, server_of(2));
  EXPECT_EQ(this->last_.aggregator().bitmap0, 2U);
  EXPECT_EQ(integers(this->last_.values), (Integers{5, 6}));
  EXPECT_EQ(this->program_.task(kIndex).job, 1);
  EXPECT_EQ(this->program_.priority(kIndex), 10);
  this->send(2, 9, 0, 1);
  EXPECT_EQ(this->program_.priority(kIndex), 5);
  // After it is downgraded below the newcomer, it is evicted.
  this->send(2, 10, 0, 6);
  EXPECT_EQ(this->program_.task(kIndex).job, 2);
}

TYPED_TEST(DsaSwitch, JoiningKeepsWhatCollisionsLeftOfThePriority) {
  this->send(1, 7, 0, 8);
  this->send(2, 9, 0, 2);
  this->send(1, 7, 1, 9);
  EXPECT_EQ(this->program_.priority(kIndex), 4);
}

template <class Mode>
class RaisingSwitch : public DsaSwitch<Mode> {
 protected:
  RaisingSwitch() : DsaSwitch<Mode>(JoinPriority::raise) {}
};

TYPED_TEST_SUITE(RaisingSwitch, Modes);

TYPED_TEST(RaisingSwitch, JoiningRaisesThePriorityButNeverLowersIt) {
  this->send(1, 7, 0, 8);
  this->send(2, 9, 0, 2);
  this->send(1, 7, 1, 9);
  EXPECT_EQ(this->program_.priority(kIndex), 9);
  this->send(1, 7, 2, 1);
  this->send(1, 8, 0, 9);
  this->send(1, 8, 1, 5);
  EXPECT_EQ(this->program_.priority(kIndex), 9);
}

TYPED_TEST(RaisingSwitch, ADuplicateRaisesNothing) {
  this->send(1, 7, 0, 5);
  EXPECT_EQ(this->send(1, 7, 0, 9).exit, kDrop);
  Frame again = this->gradient(1, 7, 0, 9, {1, 2});
  again.set(flag::resend);
  EXPECT_EQ(this->process(std::move(again)).exit, kDrop);
  EXPECT_EQ(this->program_.priority(kIndex), 5);
}

template <class Mode>
class AskingSwitch : public DsaSwitch<Mode> {
 protected:
  AskingSwitch() : DsaSwitch<Mode>(JoinPriority::keep, kAggregatorExpiry, AnsweredBy::server) {}
};

TYPED_TEST_SUITE(AskingSwitch, Modes);

TYPED_TEST(AskingSwitch, SendsTheSumOfEverybodyToTheServerAndFrees) {
  Frame marked = this->gradient(1, 7, 0, 5, {1, 2});
  marked.set(flag::ecn);
  this->process(std::move(marked));
  this->send(1, 7, 1, 5, {10, 20});
  EXPECT_EQ(this->send(1, 7, 2, 5, {100, 200}).exit, kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::gradient);
  EXPECT_EQ(this->last_.destination, server_of(1));
  EXPECT_EQ(this->last_.flags, flag::partial | flag::ecn);
  EXPECT_EQ(this->last_.psn, 7U);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 7U);
  EXPECT_EQ(integers(this->last_.values), (Integers{111, 222}));
  EXPECT_EQ(this->program_.occupied(), 0U);
  EXPECT_EQ(this->program_.counters(1)[AggregatorEvent::completed], 1U);
  EXPECT_EQ(this->program_.counters(1)[AggregatorEvent::fallback], 0U);
}

template <class Mode>
class BetweenJobsSwitch : public DsaSwitch<Mode, policies::PriorityBetweenJobs> {};

TYPED_TEST_SUITE(BetweenJobsSwitch, Modes);

TYPED_TEST(BetweenJobsSwitch, ANewerTaskOfAJobTakesItsAggregatorWhateverThePriorities) {
  this->send(1, 7, 0, 9, {1, 2});
  EXPECT_EQ(this->send(1, 8, 0, 5, {3, 4}).resubmits, 1);
  EXPECT_EQ(this->last_.flags, flag::partial);
  EXPECT_EQ(this->last_.psn, 7U);
  EXPECT_EQ(integers(this->last_.values), (Integers{1, 2}));
  EXPECT_EQ(this->program_.task(kIndex).psn, 8U);
  EXPECT_EQ(this->program_.priority(kIndex), 5);
}

TYPED_TEST(BetweenJobsSwitch, WhatIsLeftOfTheOlderTaskMeetsAtTheServer) {
  this->send(1, 7, 0, 5);
  this->send(1, 8, 0, 5);
  for (const std::uint16_t worker : {std::uint16_t{1}, std::uint16_t{2}}) {
    EXPECT_EQ(this->send(1, 7, worker, 9).exit, kForward);
    EXPECT_EQ(this->last_.flags, flag::collision);
    EXPECT_EQ(this->last_.destination, server_of(1));
    EXPECT_EQ(this->program_.task(kIndex).psn, 8U);
    EXPECT_EQ(this->program_.priority(kIndex), 5);
    EXPECT_EQ(this->send(1, 8, worker, 5).exit, worker == 2 ? kMulticast : kDrop);
  }
}

TYPED_TEST(BetweenJobsSwitch, OtherJobsTakeItByPriorityOnly) {
  this->send(1, 7, 0, 8);
  this->send(2, 6, 0, 8);
  this->send(2, 9, 0, 8);
  EXPECT_EQ(this->program_.task(kIndex).job, 2U);
  EXPECT_EQ(this->program_.task(kIndex).psn, 9U);
}

TYPED_TEST(DsaSwitch, ReminderFetchesAndFrees) {
  Frame marked = this->gradient(1, 7, 1, 5, {10, 20});
  marked.set(flag::ecn);
  this->process(std::move(marked));
  EXPECT_EQ(this->send_kind(FrameKind::reminder, 1, 7, server_of(1)).exit, kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::gradient);
  EXPECT_EQ(this->last_.destination, server_of(1));
  EXPECT_EQ(this->last_.aggregator().bitmap0, 2U);
  EXPECT_EQ(this->last_.flags, flag::partial | flag::resend | flag::ecn);
  EXPECT_EQ(integers(this->last_.values), (Integers{10, 20}));
  EXPECT_EQ(this->program_.occupied(), 0U);
}

TYPED_TEST(DsaSwitch, EmptyReminderReturnsAsItCame) {
  this->send(2, 9, 0, 5);
  EXPECT_EQ(this->send_kind(FrameKind::reminder, 1, 7, server_of(1)).exit, kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::reminder);
  EXPECT_EQ(this->last_.destination, server_of(1));
  EXPECT_EQ(this->program_.task(kIndex).job, 2);
}

TYPED_TEST(DsaSwitch, ServersResultFreesItsMatchOnly) {
  this->send(1, 7, 0, 5);
  EXPECT_EQ(this->send_kind(FrameKind::result, 1, 8, kAllWorkers).exit, kMulticast);
  EXPECT_EQ(this->program_.occupied(), 1U);
  EXPECT_EQ(this->send_kind(FrameKind::result, 1, 7, kAllWorkers).exit, kMulticast);
  EXPECT_EQ(this->program_.occupied(), 0U);
}

TYPED_TEST(DsaSwitch, AnswersAndPartialsPassTheAggregators) {
  this->send(1, 7, 0, 5);
  for (const std::uint8_t flags : {flag::answer, flag::partial}) {
    Frame frame = this->gradient(1, 7, 1, 5, {3, 4});
    frame.set(flags);
    EXPECT_EQ(this->process(std::move(frame)).exit, kForward);
    EXPECT_EQ(this->last_.aggregator().bitmap0, 2U);
    EXPECT_EQ(integers(this->last_.values), (Integers{3, 4}));
  }
  EXPECT_EQ(this->send_kind(FrameKind::fragment_request, 1, 7, kAllWorkers).exit, kMulticast);
  EXPECT_EQ(this->send_kind(FrameKind::notification, 1, 7, server_of(1)).exit, kForward);
  EXPECT_EQ(this->send_kind(FrameKind::release, 1, 7, server_of(1)).exit, kForward);
  EXPECT_EQ(this->program_.occupied(), 1U);
  EXPECT_EQ(this->program_.counters(1)[AggregatorEvent::added], 0U);
}

TYPED_TEST(DsaSwitch, ARetransmissionJoinsItsTaskAndReservesNothing) {
  Frame alone = this->gradient(1, 7, 0, 5, {3, 4});
  alone.set(flag::resend);
  EXPECT_EQ(this->process(std::move(alone)).exit, kForward);
  EXPECT_EQ(this->program_.cells_in_use(), 0U);
  this->send(1, 7, 0, 5, {3, 4});
  this->send(1, 7, 1, 5, {3, 4});
  Frame other = this->gradient(2, 7, 0, 9, {3, 4});
  other.set(flag::resend);
  EXPECT_EQ(this->process(std::move(other)).exit, kForward);  // it does not preempt, either
  EXPECT_EQ(this->last_.job, 2U);
  for (const AggregatorEvent event : {AggregatorEvent::collided, AggregatorEvent::fallback}) {
    EXPECT_EQ(this->program_.counters(2)[event], 0U);  // it would go to the server in any case
  }
  Frame third = this->gradient(1, 7, 2, 5, {3, 4});
  third.set(flag::resend);
  EXPECT_EQ(this->process(std::move(third)).exit, kMulticast);
  EXPECT_EQ(integers(this->last_.values), (Integers{9, 12}));
  EXPECT_EQ(this->program_.cells_in_use(), 0U);
}

template <class Mode>
class FcfsSwitch : public DsaSwitch<Mode, policies::Fcfs> {
 protected:
  FcfsSwitch()
      : DsaSwitch<Mode, policies::Fcfs>(JoinPriority::keep, std::chrono::milliseconds(3)) {}
};

TYPED_TEST_SUITE(FcfsSwitch, Modes);

TYPED_TEST(FcfsSwitch, ACollisionTakesAnAggregatorThatExpired) {
  this->send_at(50, 1, 7, 0);
  EXPECT_EQ(this->send_at(53, 2, 9, 0).exit, kForward);  // the age must exceed 3 ms
  EXPECT_EQ(this->last_.flags, flag::collision);
  const Verdict verdict = this->send_at(54, 2, 9, 1);
  EXPECT_EQ(verdict.resubmits, 1);
  EXPECT_EQ(this->last_.psn, 7U);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 1U);
  EXPECT_EQ(this->last_.flags, flag::partial);
  EXPECT_EQ(this->last_.destination, server_of(1));
  EXPECT_EQ(this->program_.task(kIndex).job, 2);
  this->send_at(57, 1, 7, 1);  // the newcomer's age begins at its arrival
  EXPECT_EQ(this->program_.task(kIndex).job, 2);
}

TYPED_TEST(FcfsSwitch, EveryPacketOfItsTaskKeepsAnAggregatorYoung) {
  this->send_at(50, 1, 7, 0);
  this->send_at(53, 1, 7, 0);  // so does a duplicate
  this->send_at(56, 2, 9, 0);
  EXPECT_EQ(this->program_.task(kIndex).job, 1);
  EXPECT_EQ(this->program_.counters(1)[AggregatorEvent::preempted], 0U);
}

/// A policy that declares every field. It decides by age if the packet's priority is 0, otherwise
/// by the contributions.
class Curious {
 public:
  static constexpr unsigned kComparisons = 2;
  using Seen =
      policies::CollisionWith<policies::TaskOrders, policies::Age, policies::Contributions>;
  explicit Curious(Seen* last) : last_(last) {}
  policies::Decision collide(const Seen& seen) {
    *last_ = seen;
    const bool preempts = seen.packet_priority == 0 ? seen.age > std::chrono::milliseconds(2)
                                                    : seen.contributions < 2;
    return {preempts, preempts ? seen.packet_priority : seen.aggregator_priority};
  }

 private:
  Seen* last_;
};

template <class Mode>
class CuriousSwitch : public DsaSwitch<Mode, Curious> {
 protected:
  CuriousSwitch()
      : DsaSwitch<Mode, Curious>(Curious(&seen_), JoinPriority::raise, kAggregatorExpiry) {}

  Curious::Seen seen_{};
};

TYPED_TEST_SUITE(CuriousSwitch, Modes);

TYPED_TEST(CuriousSwitch, ShowsThePolicyTheWholeCollision) {
  this->send_at(50, 1, 7, 0, 5);
  this->send_at(53, 1, 7, 2, 6);
  EXPECT_EQ(this->send_at(54, 2, 9, 0, 4).exit, kForward);
  EXPECT_EQ(this->last_.flags, flag::collision);
  EXPECT_EQ(this->seen_.aggregator_priority, 6);
  EXPECT_EQ(this->seen_.packet_priority, 4);
  EXPECT_EQ(this->seen_.aggregator_job, 1);
  EXPECT_EQ(this->seen_.packet_job, 2);
  EXPECT_EQ(this->seen_.packet_is, policies::TaskOrder::other_job);
  EXPECT_EQ(this->seen_.age, std::chrono::milliseconds(1));
  EXPECT_EQ(this->seen_.contributions, 2U);
  this->send_at(55, 1, 6, 0, 1);
  EXPECT_EQ(this->seen_.packet_is, policies::TaskOrder::older);
}

TYPED_TEST(CuriousSwitch, ContributionsDecideAndTheAggregateThatLeavesHasThem) {
  this->send_at(50, 1, 7, 1, 5);
  EXPECT_EQ(this->send_at(51, 2, 9, 0, 4).resubmits, 1);
  EXPECT_EQ(this->last_.psn, 7U);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 2U);
  EXPECT_EQ(this->program_.priority(kIndex), 4);
  EXPECT_EQ(this->send_at(52, 2, 9, 1, 4).exit, kMulticast);
}

TYPED_TEST(CuriousSwitch, AContributionMakesAnAggregatorYoungAndACollisionDoesNot) {
  this->send_at(50, 1, 7, 0, 5);
  this->send_at(52, 1, 7, 1, 5);
  EXPECT_EQ(this->send_at(54, 2, 9, 0, 0).exit, kForward);
  EXPECT_EQ(this->seen_.age, std::chrono::milliseconds(2));
  EXPECT_EQ(this->send_at(55, 2, 9, 1, 0).resubmits, 1);
  EXPECT_EQ(this->seen_.age, std::chrono::milliseconds(3));
  this->send_at(56, 1, 7, 2, 0);  // the newcomer's age begins at its arrival
  EXPECT_EQ(this->seen_.age, std::chrono::milliseconds(1));
}

TYPED_TEST(DsaSwitch, TheRegistersThemselvesTellWhatIsInUse) {
  EXPECT_EQ(occupied_in(this->program_), Occupied{});
  this->send(1, 7, 0, 5);
  EXPECT_EQ(occupied_in(this->program_), (Occupied{{kIndex, 1, 7}}));
}

TYPED_TEST(DsaSwitch, ARemovedJobLeavesNothingAndIsRejected) {
  this->send(1, 7, 0, 5);
  Frame other = this->gradient(2, 7, 1, 5, {1, 2});
  other.aggregator().index = kIndex + 1;
  this->process(std::move(other));
  EXPECT_EQ(this->program_.remove_job(1), 1U);
  EXPECT_EQ(this->program_.remove_job(1), 0U);
  EXPECT_EQ(this->program_.counters(1).occupied(), 0U);
  EXPECT_EQ(this->program_.occupied(), 1U);  // the other job's
  EXPECT_EQ(this->program_.cells_in_use(), 1U);
  EXPECT_EQ(this->send(1, 7, 1, 5).exit, kDrop);  // late
  EXPECT_EQ(this->program_.rejected_frames(), 1U);
  EXPECT_EQ(this->send(2, 8, 1, 0).exit, kDrop);  // the aggregator is free for this task
  EXPECT_EQ(this->program_.counters(2)[AggregatorEvent::preempted], 0U);
}

TYPED_TEST(DsaSwitch, CountsAndDropsUnknownJobsAndIndices) {
  EXPECT_EQ(this->send(3, 7, 0, 5).exit, kDrop);
  Frame far = this->gradient(1, 7, 0, 5, {1, 2});
  far.aggregator().index = 8;
  EXPECT_EQ(this->process(std::move(far)).exit, kDrop);
  EXPECT_EQ(this->program_.occupied(), 0U);
  EXPECT_EQ(this->program_.rejected_frames(), 2U);
}

}  // namespace
}  // namespace ina::programs
