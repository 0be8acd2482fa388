// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/atp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

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
constexpr HostId kServer = 99;
constexpr std::uint32_t kIndex = 3;

template <class Mode>
class AtpSwitch : public ::testing::Test {
 protected:
  AtpSwitch() {
    for (const JobId job : {JobId{1}, JobId{2}}) program_.install_job(job, {3, kServer, 0, 0});
  }

  Frame gradient(JobId job, Psn psn, std::uint16_t worker, const Integers& values) {
    Frame frame;
    frame.values = testing::values_of(pool_, values);
    frame.job = job;
    frame.psn = psn;
    frame.worker = worker;
    frame.source = static_cast<HostId>(10 + worker);
    frame.destination = kServer;
    frame.aggregator().index = kIndex;
    frame.aggregator().bitmap0 = 1U << worker;
    frame.aggregator().fan_in_degree0 = 3;
    return frame;
  }
  /// Moves the frame to the second level, as branch `branch` of two.
  Frame at_second_level(std::uint32_t branch, Frame frame) {
    frame.set(flag::second_level);
    frame.aggregator().bitmap1 = 1U << branch;
    frame.aggregator().fan_in_degree1 = 2;
    return frame;
  }
  Verdict process(Frame&& frame, Time now = Time{}) {
    last_ = std::move(frame);
    return program_.process(last_, now);
  }
  Verdict::Exit send(JobId job, Psn psn, std::uint16_t worker, const Integers& values) {
    return process(gradient(job, psn, worker, values)).exit;
  }
  Verdict::Exit resend(JobId job, Psn psn, std::uint16_t worker, const Integers& values) {
    Frame frame = gradient(job, psn, worker, values);
    frame.set(flag::resend);
    return process(std::move(frame)).exit;
  }
  Verdict parameter(JobId job, Psn psn, Time now = Time{}) {
    Frame frame = gradient(job, psn, 0, {0, 0});
    frame.kind = FrameKind::result;
    frame.destination = kAllWorkers;
    return process(std::move(frame), now);
  }

  ValuePool pool_{2};
  AtpProgram<Mode> program_{{8, 2, std::chrono::milliseconds(100)}};
  Frame last_;
};

using Modes = ::testing::Types<rmt::Fast, rmt::Checked, rmt::Separate, rmt::CheckedSeparate>;
TYPED_TEST_SUITE(AtpSwitch, Modes);

TYPED_TEST(AtpSwitch, CompletesAndStaysAllocatedUntilTheParameterPacket) {
  EXPECT_EQ(this->send(1, 7, 0, {1, 2}), kDrop);
  EXPECT_EQ(this->send(1, 7, 2, {10, 20}), kDrop);
  EXPECT_EQ(this->send(1, 7, 1, {100, 200}), kForward);
  EXPECT_EQ(this->last_.kind, FrameKind::gradient);
  EXPECT_EQ(this->last_.destination, kServer);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 7U);
  EXPECT_EQ(this->last_.flags, flag::second_level);
  EXPECT_EQ(integers(this->last_.values), (Integers{111, 222}));
  EXPECT_EQ(this->program_.occupied(), 1U);
  EXPECT_EQ(this->parameter(1, 7).exit, kMulticast);
  EXPECT_EQ(this->program_.occupied(), 0U);
  EXPECT_FALSE(this->program_.task(kIndex).valid);
}

TYPED_TEST(AtpSwitch, OneWorkerCompletesAtOnce) {
  Frame frame = this->gradient(1, 7, 0, {1, 2});
  frame.aggregator().fan_in_degree0 = 1;
  EXPECT_EQ(this->process(std::move(frame)).exit, kForward);
  EXPECT_EQ(this->program_.occupied(), 1U);
}

TYPED_TEST(AtpSwitch, ARemovedJobLeavesNothingAndIsRejected) {
  this->send(1, 7, 0, {1, 2});
  Frame other = this->gradient(2, 7, 1, {5, 6});
  other.aggregator().index = kIndex + 1;
  this->process(std::move(other));
  EXPECT_EQ(this->program_.remove_job(1), 1U);
  EXPECT_EQ(this->program_.remove_job(1), 0U);
  EXPECT_EQ(this->program_.counters(1).occupied(), 0U);
  EXPECT_EQ(this->program_.occupied(), 1U);  // the other job's
  EXPECT_EQ(this->program_.cells_in_use(), 1U);
  EXPECT_EQ(this->send(1, 7, 1, {1, 2}), kDrop);  // late
  EXPECT_EQ(this->parameter(1, 7).exit, kDrop);
  EXPECT_EQ(this->program_.rejected_frames(), 2U);
  EXPECT_EQ(this->send(2, 8, 1, {5, 6}), kDrop);  // the aggregator is free for this task
  EXPECT_EQ(this->program_.counters(2)[AggregatorEvent::allocated], 2U);
}

TYPED_TEST(AtpSwitch, CollisionGoesToTheServerAsItIsWithItsFlags) {
  this->send(1, 7, 0, {1, 2});
  EXPECT_EQ(this->send(2, 7, 1, {5, 6}), kForward);
  EXPECT_EQ(this->last_.flags, flag::collision | flag::resend | flag::second_level);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 2U);
  EXPECT_EQ(integers(this->last_.values), (Integers{5, 6}));
  EXPECT_EQ(this->program_.task(kIndex).job, 1);
  EXPECT_EQ(this->program_.counters(2)[AggregatorEvent::collided], 1U);
}

TYPED_TEST(AtpSwitch, DropsADuplicateBeforeAndAfterCompletion) {
  this->send(1, 7, 0, {1, 2});
  EXPECT_EQ(this->send(1, 7, 0, {1, 2}), kDrop);
  this->send(1, 7, 1, {1, 2});
  EXPECT_EQ(this->send(1, 7, 2, {1, 2}), kForward);
  EXPECT_EQ(integers(this->last_.values), (Integers{3, 6}));
  EXPECT_EQ(this->send(1, 7, 1, {1, 2}), kDrop);
  EXPECT_EQ(this->program_.counters(1)[AggregatorEvent::duplicate], 2U);
}

TYPED_TEST(AtpSwitch, ResendMergesFlushesAndFrees) {
  this->send(1, 7, 0, {1, 2});
  EXPECT_EQ(this->resend(1, 7, 1, {10, 20}), kForward);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 3U);
  EXPECT_EQ(integers(this->last_.values), (Integers{11, 22}));
  EXPECT_TRUE(this->last_.has(flag::partial));
  EXPECT_TRUE(this->last_.has(flag::second_level));
  EXPECT_EQ(this->program_.occupied(), 0U);
  EXPECT_FALSE(this->program_.task(kIndex).valid);
}

TYPED_TEST(AtpSwitch, ResendOfWhatIsInThereReturnsThePartialOnce) {
  this->send(1, 7, 0, {1, 2});
  this->send(1, 7, 1, {10, 20});
  EXPECT_EQ(this->resend(1, 7, 0, {1, 2}), kForward);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 3U);
  EXPECT_EQ(integers(this->last_.values), (Integers{11, 22}));
}

TYPED_TEST(AtpSwitch, ResendNeverReservesAndLeavesOtherTasksAlone) {
  EXPECT_EQ(this->resend(1, 7, 0, {1, 2}), kForward);
  EXPECT_EQ(this->last_.aggregator().bitmap0, 1U);
  EXPECT_FALSE(this->last_.has(flag::partial));
  EXPECT_EQ(this->program_.occupied(), 0U);
  this->send(2, 9, 0, {5, 5});
  EXPECT_EQ(this->resend(1, 7, 0, {1, 2}), kForward);
  EXPECT_EQ(integers(this->last_.values), (Integers{1, 2}));
  EXPECT_FALSE(this->last_.has(flag::collision));
  EXPECT_EQ(this->program_.task(kIndex).job, 2);
}

TYPED_TEST(AtpSwitch, SecondLevelUsesItsOwnBitmapAndDegree) {
  for (const std::uint32_t rack : {0U, 1U}) {
    Frame frame = this->at_second_level(rack, this->gradient(1, 7, 0, {1, 2}));
    EXPECT_EQ(this->process(std::move(frame)).exit, rack == 0 ? kDrop : kForward);
  }
  EXPECT_EQ(this->last_.aggregator().bitmap1, 3U);
  EXPECT_EQ(integers(this->last_.values), (Integers{2, 4}));
}

TYPED_TEST(AtpSwitch, SecondLevelDiscardsOnAResend) {
  this->process(this->at_second_level(0, this->gradient(1, 7, 0, {1, 2})));
  EXPECT_EQ(this->program_.occupied(), 1U);
  Frame again = this->at_second_level(1, this->gradient(1, 7, 1, {10, 20}));
  again.set(flag::resend);
  EXPECT_EQ(this->process(std::move(again)).exit, kForward);
  EXPECT_EQ(integers(this->last_.values), (Integers{10, 20}));
  EXPECT_EQ(this->last_.aggregator().bitmap0, 2U);
  EXPECT_FALSE(this->last_.has(flag::partial));
  EXPECT_EQ(this->program_.occupied(), 0U);
}

TYPED_TEST(AtpSwitch, ARacksSumThatGoesOnAsItIsLeavesTheAggregatorOfTheServersRackAlone) {
  this->send(1, 7, 0, {1, 2});
  for (const std::uint8_t flags :
       {flag::second_level, std::uint8_t{flag::second_level | flag::resend}}) {
    Frame sum = this->gradient(1, 7, 1, {10, 20});
    sum.set(flags);
    EXPECT_EQ(this->process(std::move(sum)).exit, kForward);
    EXPECT_EQ(integers(this->last_.values), (Integers{10, 20}));
  }
  EXPECT_TRUE(this->program_.task(kIndex).valid);
  this->send(1, 7, 1, {10, 20});
  this->send(1, 7, 2, {100, 200});
  EXPECT_EQ(integers(this->last_.values), (Integers{111, 222}));
}

TYPED_TEST(AtpSwitch, ParameterPacketFreesAnotherTasksAggregatorOnlyAfterItsExpiry) {
  const auto ms = [](int count) { return Time(std::chrono::milliseconds(count)); };
  this->process(this->gradient(2, 9, 0, {5, 5}), ms(0));
  this->process(this->gradient(2, 9, 1, {5, 5}), ms(10));  // renews the timestamp
  EXPECT_EQ(this->parameter(1, 7, ms(110)).recirculations, 0);
  EXPECT_EQ(this->program_.occupied(), 1U);
  EXPECT_EQ(this->parameter(1, 7, ms(111)).recirculations, 1);
  EXPECT_EQ(this->program_.occupied(), 0U);
  // An empty aggregator is not freed again and costs no second pass.
  EXPECT_EQ(this->parameter(1, 7, ms(500)).recirculations, 0);
  EXPECT_EQ(this->program_.counters(2)[AggregatorEvent::freed], 1U);
}

TYPED_TEST(AtpSwitch, EcnIsOredIntoWhatLeaves) {
  Frame marked = this->gradient(1, 7, 0, {1, 2});
  marked.set(flag::ecn);
  this->process(std::move(marked));
  this->send(1, 7, 1, {1, 2});
  this->send(1, 7, 2, {1, 2});
  EXPECT_TRUE(this->last_.has(flag::ecn));
  this->parameter(1, 7);
  // The next task in the same aggregator starts without a mark. A duplicate's mark counts, and a
  // flush carries it.
  this->send(1, 8, 0, {1, 2});
  Frame again = this->gradient(1, 8, 0, {1, 2});
  again.set(flag::ecn);
  EXPECT_EQ(this->process(std::move(again)).exit, kDrop);
  this->resend(1, 8, 1, {1, 2});
  EXPECT_TRUE(this->last_.has(flag::ecn));
  for (std::uint16_t w = 0; w < 3; ++w) this->send(1, 9, w, {1, 2});
  EXPECT_FALSE(this->last_.has(flag::ecn));
}

TYPED_TEST(AtpSwitch, SaturatesAndStaysSo) {
  constexpr auto kMax = std::numeric_limits<std::int32_t>::max();
  this->send(1, 7, 0, {kMax - 1, 0});
  this->send(1, 7, 1, {5, 0});
  this->send(1, 7, 2, {-100, 0});
  EXPECT_EQ(integers(this->last_.values), (Integers{kMax, 0}));
}

// A worker's value that did not fit must be recognised in any order of arrival, and in a flushed
// sum.
TYPED_TEST(AtpSwitch, AWorkersValueAtALimitIsSeenInEveryOrder) {
  constexpr auto kMax = std::numeric_limits<std::int32_t>::max();
  constexpr auto kMin = std::numeric_limits<std::int32_t>::min();
  const std::array<Integers, 3> values{Integers{kMax, kMin}, Integers{-5, 5}, Integers{-7, 7}};
  std::array<std::uint16_t, 3> order{0, 1, 2};
  Psn psn = 0;
  do {
    for (const bool flushed : {false, true}) {
      for (const std::uint16_t worker : {order[0], order[1]}) {
        this->send(1, psn, worker, values[worker]);
      }
      const std::uint16_t last = order[2];
      if (flushed) {
        this->resend(1, psn, last, values[last]);
      } else {
        this->send(1, psn, last, values[last]);
      }
      EXPECT_EQ(this->last_.aggregator().bitmap0, 7U);
      EXPECT_EQ(integers(this->last_.values), (Integers{kMax, kMin})) << psn;
      this->parameter(1, psn);
      ++psn;
    }
  } while (std::ranges::next_permutation(order).found);
}

TYPED_TEST(AtpSwitch, FloatsGoPastTheAggregatorOfTheirTaskAsTheyCame) {
  this->send(1, 7, 0, {1, 2});
  Frame floats = this->gradient(1, 7, 1, {0x3f800000, 0x40000000});
  floats.flags = flag::resend | flag::floats | flag::answer;
  const Frame sent = floats;
  EXPECT_EQ(this->process(std::move(floats)).exit, kForward);
  EXPECT_TRUE(testing::same(this->last_, sent));
  EXPECT_EQ(occupied_in(this->program_), (Occupied{{kIndex, 1, 7}}));
  Frame result = sent;
  result.kind = FrameKind::result;
  result.destination = kAllWorkers;
  EXPECT_EQ(this->process(std::move(result)).exit, kMulticast);
  EXPECT_EQ(occupied_in(this->program_), Occupied{});
}

TYPED_TEST(AtpSwitch, TheRegistersThemselvesTellWhatIsInUse) {
  EXPECT_EQ(occupied_in(this->program_), Occupied{});
  this->send(1, 7, 0, {1, 2});
  EXPECT_EQ(occupied_in(this->program_), (Occupied{{kIndex, 1, 7}}));
}

TYPED_TEST(AtpSwitch, CountsAndDropsUnknownJobsAndIndices) {
  EXPECT_EQ(this->send(3, 7, 0, {1, 2}), kDrop);
  Frame far = this->gradient(1, 7, 0, {1, 2});
  far.aggregator().index = 8;
  EXPECT_EQ(this->process(std::move(far)).exit, kDrop);
  EXPECT_EQ(this->program_.rejected_frames(), 2U);
}

}  // namespace
}  // namespace ina::programs
