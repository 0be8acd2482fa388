// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <memory>
#include <random>
#include <string>

#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "hw/protocol/wire/addressing.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina {
namespace {

using testing::Integers;
using testing::integers;

constexpr JobId kJob = 4;
constexpr HostId kSelf = 11;
constexpr HostId kServer = 99;
constexpr std::uint32_t kAggregators = 1000;
constexpr wire::AddressingConfig kHashed{.aggregators = kAggregators};
constexpr WorkerIdentity kIdentity{kJob, 2, 4, kSelf, kServer};
constexpr Time kRto = std::chrono::milliseconds(1);

Time us(int count) { return std::chrono::microseconds(count); }

Frame message(FrameKind kind, Psn psn) {
  Frame frame;
  frame.kind = kind;
  frame.job = kJob;
  frame.psn = psn;
  frame.source = kServer;
  return frame;
}

/// One worker under test, and its output.
class Worker : public ::testing::Test {
 protected:
  void submit(Psn first, std::uint32_t fragments, Psn low_watermark = 0) {
    transport_->submit({first, fragments, 77, low_watermark, &source_}, Time{});
  }
  std::vector<Frame> drain(Time now) {
    std::vector<Frame> frames;
    for (Frame out; transport_->next(out, now); out = Frame{}) {
      frames.push_back(out);
      if (transport_->may_have_another()) continue;
      EXPECT_FALSE(transport_->next(out, now)) << "after PSN " << frames.back().psn;
      break;
    }
    return frames;
  }
  static std::vector<Psn> psns(const std::vector<Frame>& frames) {
    std::vector<Psn> result;
    for (const Frame& frame : frames) result.push_back(frame.psn);
    return result;
  }
  /// A result of the server, with the aggregator of the gradient according to the hash.
  void result(Psn psn, Time now, std::uint8_t flags = 0) {
    Frame frame = message(FrameKind::result, psn);
    frame.aggregator().index = wire::aggregator_index(kJob, psn, kAggregators);
    frame.set(flags);
    transport_->receive(frame, now);
  }
  std::vector<Frame> ask(Psn psn, std::uint32_t bitmap, Time now, std::uint8_t flags = 0,
                         std::uint32_t branch = 0) {
    Frame frame = message(FrameKind::fragment_request, psn);
    frame.flags = flags;
    frame.aggregator().bitmap0 = bitmap;
    frame.aggregator().bitmap1 = branch;
    frame.aggregator().index = 321;
    transport_->receive(frame, now);
    return drain(now);
  }

  ValuePool pool_{2};
  testing::CountingSource source_{2};
  testing::RecordingSink sink_;
  std::unique_ptr<WorkerTransport> transport_;
};

class SwitchmlWorkerTest : public Worker {
 protected:
  SwitchmlWorkerTest() { make({4, 64, kRto}); }
  void make(const SwitchmlWorker::Config& config) {
    transport_ = std::make_unique<SwitchmlWorker>(kIdentity, config, pool_, sink_);
  }
};

/// The modified SwitchML of DSA VII.C: ATP's window over slots, and its time-out.
class AtpLikeSwitchmlWorkerTest : public SwitchmlWorkerTest {
 protected:
  AtpLikeSwitchmlWorkerTest() { make(16, {8, 0, true}); }
  void make(std::uint32_t slots, const CongestionWindow::Config& window) {
    SwitchmlWorkerTest::make({slots, 64, kRto, true, window});
  }
};

TEST_F(SwitchmlWorkerTest, UsesEverySlotOnceAndThenEachByItself) {
  submit(0, 10);
  const auto frames = drain(us(0));
  ASSERT_EQ(this->psns(frames), (std::vector<Psn>{0, 1, 2, 3}));
  EXPECT_EQ(frames[1].switchml().slot, 1U);
  EXPECT_EQ(frames[1].bytes, 308);
  EXPECT_EQ(frames[1].worker, 2);
  EXPECT_EQ(integers(frames[1].values), (Integers{1020, 1021}));
  EXPECT_FALSE(frames[1].switchml().version);
  result(2, us(5));
  const auto next = drain(us(5));
  ASSERT_EQ(psns(next), (std::vector<Psn>{6}));  // 4 and 5 wait for their slots
  result(0, us(6));
  const auto then = drain(us(6));
  ASSERT_EQ(psns(then), (std::vector<Psn>{4}));
  EXPECT_EQ(then[0].switchml().slot, 0U);
  EXPECT_TRUE(then[0].switchml().version);
}

TEST_F(SwitchmlWorkerTest, SaysWithTheLastFrameThatItHasNoOther) {
  submit(0, 100);
  Frame out;
  ASSERT_TRUE(transport_->next(out, us(0)));
  EXPECT_TRUE(transport_->may_have_another());
  drain(us(0));
  result(0, us(1));
  ASSERT_TRUE(transport_->next(out, us(1)));
  EXPECT_FALSE(transport_->may_have_another());
}

TEST_F(SwitchmlWorkerTest, VersionRunsOnThroughTensors) {
  submit(0, 3);
  submit(3, 3);
  for (Psn psn = 0; psn < 3; ++psn) {
    drain(us(1));
    result(psn, us(2));
  }
  for (const Frame& frame : drain(us(3))) {
    EXPECT_EQ(frame.switchml().slot, frame.psn % 4);
    EXPECT_EQ(frame.switchml().version, frame.psn >= 4);
  }
  EXPECT_EQ(sink_.tensors, (std::vector<Psn>{0}));
}

TEST_F(SwitchmlWorkerTest, RetransmitsTheSameAfterAFixedTimeoutThatDoubles) {
  submit(0, 1);
  drain(us(0));
  EXPECT_EQ(transport_->deadline(), kRto);
  transport_->expire(us(999));
  EXPECT_TRUE(drain(us(999)).empty());
  transport_->expire(us(1000));
  EXPECT_EQ(psns(drain(us(1000))), (std::vector<Psn>{0}));
  EXPECT_EQ(transport_->deadline(), us(3000));
  result(0, us(1500));
  EXPECT_EQ(transport_->deadline(), kNever);
  result(0, us(1501));
  EXPECT_EQ(sink_.fragments, (std::vector<Psn>{0}));
  EXPECT_EQ(sink_.resent_fragments, (std::vector<Psn>{0}));
  EXPECT_EQ(transport_->statistics().duplicate_results, 1U);
  EXPECT_EQ(transport_->statistics().retransmissions, 1U);
}

TEST_F(AtpLikeSwitchmlWorkerTest, TheWindowGrowsUpToTheSlots) {
  submit(0, 100);
  EXPECT_EQ(psns(drain(us(0))), (std::vector<Psn>{0, 1, 2, 3, 4, 5, 6, 7}));
  result(0, us(5));
  EXPECT_EQ(transport_->window(), 13U);
  EXPECT_EQ(psns(drain(us(5))), (std::vector<Psn>{8, 9, 10, 11, 12, 13}));
  result(1, us(6));
  EXPECT_EQ(transport_->window(), 16U);
  EXPECT_EQ(psns(drain(us(6))), (std::vector<Psn>{14, 15, 16, 17}));
  result(2, us(7));
  EXPECT_EQ(transport_->window(), 16U);
}

TEST_F(AtpLikeSwitchmlWorkerTest, AMarkHalvesTheWindow) {
  submit(0, 100);
  drain(us(0));
  result(0, us(5), flag::ecn);
  EXPECT_EQ(transport_->window(), 4U);
  EXPECT_TRUE(drain(us(5)).empty());
}

/// A fragment waits for its slot, and later fragments wait for it, even if the window has room.
TEST_F(AtpLikeSwitchmlWorkerTest, AFragmentWaitsForItsSlotAndThoseBehindForIt) {
  make(4, {4, 0, true});
  submit(0, 100);
  drain(us(0));
  result(1, us(5));
  result(2, us(5));
  EXPECT_TRUE(drain(us(5)).empty());  // the window has room for 4, but slot 0 is in use
  result(0, us(5));
  const auto frames = drain(us(5));
  ASSERT_EQ(psns(frames), (std::vector<Psn>{4, 5, 6}));
  EXPECT_EQ(frames[0].switchml().slot, 0U);
  EXPECT_TRUE(frames[0].switchml().version);
}

/// If workers sent different tensors first, each window could fill up with fragments that wait for
/// the other worker.
TEST_F(AtpLikeSwitchmlWorkerTest, ATensorWaitsForThoseBeforeIt) {
  submit(2, 2);
  EXPECT_TRUE(drain(us(0)).empty());
  submit(0, 2);
  EXPECT_EQ(psns(drain(us(1))), (std::vector<Psn>{0, 1, 2, 3}));
}

TEST_F(AtpLikeSwitchmlWorkerTest, ThreeResultsOutOfOrderResendTheExpectedAndHalveTheWindow) {
  submit(0, 8);
  const auto frames = drain(us(0));
  result(1, us(5));
  result(2, us(6));
  EXPECT_TRUE(drain(us(6)).empty());
  result(3, us(7));
  const auto resent = drain(us(7));
  ASSERT_EQ(psns(resent), (std::vector<Psn>{0}));
  EXPECT_EQ(resent[0].switchml().slot, frames[0].switchml().slot);
  EXPECT_EQ(resent[0].switchml().version, frames[0].switchml().version);
  EXPECT_EQ(transport_->window(), 7U);  // grown to 14 (twice the 7 in flight), then halved
  result(0, us(9));
  EXPECT_EQ(sink_.resent_fragments, (std::vector<Psn>{0}));
}

TEST_F(SwitchmlWorkerTest, WithoutCongestionControlNeitherOrderNorMarksMatter) {
  submit(0, 8);
  drain(us(0));
  for (const Psn psn : {1U, 2U, 3U}) result(psn, us(5), flag::ecn);
  EXPECT_EQ(transport_->window(), 4U);
  EXPECT_EQ(psns(drain(us(5))), (std::vector<Psn>{5, 6, 7}));
}

/// RFC 6298: the first round trip of 2 ms makes the time-out 2 + 4 * 1 ms.
TEST_F(AtpLikeSwitchmlWorkerTest, TheTimeoutFollowsRoundTripsOfPacketsThatWereSentOnce) {
  submit(0, 100);
  drain(us(0));
  EXPECT_EQ(transport_->deadline(), kRto);
  transport_->expire(us(1000));
  drain(us(1000));
  result(0, us(1800));  // ambiguous, so not measured
  ASSERT_EQ(psns(drain(us(1800))).front(), 8U);
  for (Psn psn = 1; psn < 8; ++psn) result(psn, us(1800));
  EXPECT_EQ(transport_->deadline(), us(1800 + 2000)) << "no round trip was measured";
  drain(us(1800));
  result(8, us(3800));
  EXPECT_EQ(transport_->deadline(), us(1800 + 6000));
}

/// Worker 2's exponent of fragment psn is 100 + psn. Its values are psn and the exponent with which
/// they were quantised.
class BlockSource final : public GradientSource {
 public:
  void read(Psn, std::span<std::int32_t>) const override { FAIL() << "of no exponent"; }
  numeric::ExponentCode exponent(Psn psn) const override {
    return static_cast<numeric::ExponentCode>(100 + psn);
  }
  void read_block(Psn psn, numeric::ExponentCode agreed,
                  std::span<std::int32_t> out) const override {
    out[0] = static_cast<std::int32_t>(psn);
    out[1] = agreed;
  }
};

/// Tensors in block floating point on 4 slots. The result of fragment psn has the exponent 200 +
/// psn.
class SwitchmlBlocks : public SwitchmlWorkerTest {
 protected:
  void submit(Psn first, std::uint32_t with_values) {
    const std::uint32_t lead = exponent_lead_of(with_values, 4);
    transport_->submit({first, with_values + lead, 0, 0, &source_, lead}, Time{});
  }
  void result(Psn psn) {
    Frame frame = message(FrameKind::result, psn);
    frame.fields = SwitchmlFields{.exponents = static_cast<std::uint16_t>(200 + psn)};
    transport_->receive(frame, us(1));
  }
  /// PSN, exponent and both values of each frame that is sent now.
  std::vector<Integers> sent() {
    std::vector<Integers> all;
    for (const Frame& frame : drain(us(1))) {
      Integers one{static_cast<std::int32_t>(frame.psn), frame.switchml().exponents};
      for (const std::int32_t value : integers(frame.values)) one.push_back(value);
      all.push_back(one);
    }
    return all;
  }
  using Sent = std::vector<Integers>;

  BlockSource source_;
};

TEST_F(SwitchmlBlocks, BeginWithARoundOfExponentsAndGoOutByTheLargest) {
  submit(0, 6);  // PSN 4 to 9 carry values
  EXPECT_EQ(sent(), (Sent{{0, 104, 0, 0}, {1, 105, 0, 0}, {2, 106, 0, 0}, {3, 107, 0, 0}}));
  result(2);
  EXPECT_EQ(sent(),
            (Sent{{6, 0, 6, 202}}));  // no fragment follows in its slot, so its exponent is 0
  result(0);
  EXPECT_EQ(sent(), (Sent{{4, 108, 4, 200}}));
  result(4);
  EXPECT_EQ(sent(), (Sent{{8, 0, 8, 204}}));
}

TEST_F(SwitchmlBlocks, HaveAsManyExponentsAheadAsFragmentsIfTheseAreFewer) {
  submit(0, 2);
  EXPECT_EQ(sent(), (Sent{{0, 102, 0, 0}, {1, 103, 0, 0}}));
  result(1);
  EXPECT_EQ(sent(), (Sent{{3, 0, 3, 201}}));  // its slot is free
}

TEST_F(SwitchmlBlocks, WaitForTheirSlotAndForTheirExponent) {
  submit(0, 3);  // slots 0 1 2, then 3 0 1
  submit(6, 3);  // slots 2 3 0, then 1 2 3
  EXPECT_EQ(sent(), (Sent{{0, 103, 0, 0}, {1, 104, 0, 0}, {2, 105, 0, 0}}));
  result(2);  // slot 2 is free; PSN 5 has its exponent, but slot 1 is in use
  EXPECT_EQ(sent(), (Sent{{6, 109, 0, 0}}));
  result(6);  // PSN 9 has its exponent, too
  EXPECT_EQ(sent(), Sent{});
  result(1);  // slot 1 is free; PSN 4 has its exponent, but slot 0 is in use
  EXPECT_EQ(sent(), (Sent{{5, 0, 5, 202}}));
  result(5);
  EXPECT_EQ(sent(), (Sent{{9, 0, 9, 206}}));
  result(0);
  EXPECT_EQ(sent(), (Sent{{4, 0, 4, 201}, {3, 0, 3, 200}}));
}

TEST_F(SwitchmlBlocks, GoOutAgainByTheSameExponent) {
  submit(0, 9);
  drain(us(1));
  result(1);
  const Sent first = sent();
  ASSERT_EQ(first, (Sent{{5, 109, 5, 201}}));
  result(1);  // duplicate, from the shadow copy
  EXPECT_EQ(sent(), Sent{});
  transport_->expire(us(5000));
  const Sent again = sent();
  EXPECT_NE(std::ranges::find(again, first.front()), again.end());
}

TEST_F(SwitchmlBlocks, AreHandedOverWithTheExponentOfTheirValues) {
  submit(0, 1);
  drain(us(1));
  result(0);
  drain(us(1));
  result(1);
  EXPECT_EQ(sink_.exponents, (std::vector<std::uint16_t>{0, 200}));
  EXPECT_EQ(sink_.tensors, (std::vector<Psn>{0}));
}

TEST_F(SwitchmlBlocks, StandBesideTensorsOfIntegers) {
  submit(0, 1);
  testing::CountingSource integers(2);
  transport_->submit({2, 2, 0, 0, &integers}, Time{});
  EXPECT_EQ(sent(), (Sent{{0, 101, 0, 0}, {2, 0, 2020, 2021}, {3, 0, 3020, 3021}}));
}

class AtpWorkerTest : public Worker {
 protected:
  AtpWorkerTest() { make(8); }
  void make(std::uint32_t window, bool grows = true) {
    transport_ = std::make_unique<AtpWorker>(
        kIdentity, AtpWorker::Config{kHashed, {window, 0, grows}, kRto}, pool_, sink_);
  }
  void rehashed(Psn psn, std::uint32_t from, std::uint32_t to) {
    Frame frame = message(FrameKind::result, psn);
    frame.set(flag::new_index);
    frame.aggregator().index = from;
    frame.aggregator().next_index = to;
    transport_->receive(frame, us(1));
  }
};

TEST_F(AtpWorkerTest, FillsItsWindowWithWellMadeGradients) {
  submit(0, 100);
  const auto frames = drain(us(0));
  ASSERT_EQ(frames.size(), 8U);
  EXPECT_EQ(transport_->in_flight(), 8U);
  const Frame& frame = frames[3];
  EXPECT_EQ(frame.psn, 3U);
  EXPECT_EQ(frame.kind, FrameKind::gradient);
  EXPECT_EQ(frame.job, kJob);
  EXPECT_EQ(frame.aggregator().bitmap0, 4U);
  EXPECT_EQ(frame.aggregator().fan_in_degree0, 4);
  EXPECT_EQ(frame.source, kSelf);
  EXPECT_EQ(frame.destination, kServer);
  EXPECT_EQ(frame.bytes, 306);
  EXPECT_EQ(frame.flags, 0);
  EXPECT_EQ(frame.aggregator().index, wire::aggregator_index(kJob, 3, kAggregators));
  EXPECT_EQ(integers(frame.values), (Integers{3020, 3021}));
  result(0, us(5));  // window 13, 7 in flight
  EXPECT_EQ(transport_->window(), 13U);
  EXPECT_EQ(drain(us(5)).size(), 6U);
}

TEST_F(AtpWorkerTest, EveryGradientNamesWhereItIsAddedUp) {
  WorkerIdentity identity = kIdentity;
  identity.path = {1, 3, flag::second_level, 0, 0b100};
  transport_ = std::make_unique<AtpWorker>(identity, AtpWorker::Config{kHashed, {8, 0, true}, kRto},
                                           pool_, sink_);
  submit(0, 1);
  std::vector<Frame> frames = drain(us(0));
  transport_->expire(us(1000));
  for (const Frame& again : drain(us(1000))) frames.push_back(again);
  EXPECT_TRUE(ask(0, 0, us(1001), 0, 0b010).empty()) << "of another branch";
  for (const Frame& answer : ask(0, 0, us(1001), 0, 0b100)) frames.push_back(answer);
  ASSERT_EQ(frames.size(), 3U);
  for (const Frame& frame : frames) {
    EXPECT_EQ(frame.aggregator().fan_in_degree0, 1);
    EXPECT_EQ(frame.aggregator().fan_in_degree1, 3);
    EXPECT_EQ(frame.aggregator().bitmap0, 0U);
    EXPECT_EQ(frame.aggregator().bitmap1, 0b100U);
    EXPECT_TRUE(frame.has(flag::second_level));
  }
}

TEST_F(AtpWorkerTest, InRacksAResultUnderAnotherIndexIsNoneUntilTheWorkerSentAgain) {
  WorkerIdentity identity = kIdentity;
  for (const bool racks : {true, false}) {
    if (racks) identity.path = {2, 2, 0, 1, 1};
    transport_ = std::make_unique<AtpWorker>(
        racks ? identity : kIdentity, AtpWorker::Config{kHashed, {8, 0, true}, kRto}, pool_, sink_);
    sink_.fragments.clear();
    submit(0, 1);
    const std::uint32_t index = drain(us(0)).at(0).aggregator().index;
    Frame other = message(FrameKind::result, 0);
    other.aggregator().index = index + 1;
    transport_->receive(other, us(1));
    EXPECT_EQ(sink_.fragments.size(), racks ? 0U : 1U);
    const auto again = drain(us(1));
    ASSERT_EQ(again.size(), racks ? 1U : 0U);
    if (!racks) continue;
    EXPECT_TRUE(again[0].has(flag::resend));
    EXPECT_EQ(again[0].aggregator().index, index);
    other.aggregator().index = index;
    transport_->receive(other, us(2));
    EXPECT_EQ(sink_.fragments, (std::vector<Psn>{0}));
  }
}

TEST_F(AtpWorkerTest, EcnHalvesTheWindow) {
  submit(0, 100);
  drain(us(0));
  result(0, us(5), flag::ecn);
  EXPECT_EQ(transport_->window(), 4U);
  EXPECT_TRUE(drain(us(5)).empty());
}

TEST_F(AtpWorkerTest, ThreeResultsOutOfOrderResendTheExpectedWithItsOriginalIndex) {
  submit(0, 8);
  const auto frames = drain(us(0));
  const std::uint32_t original = frames[0].aggregator().index;
  result(1, us(5));
  result(2, us(6));
  EXPECT_TRUE(drain(us(6)).empty());
  rehashed(3, original, 17);  // for later fragments, not for the retransmission
  const auto resent = drain(us(7));
  ASSERT_EQ(psns(resent), (std::vector<Psn>{0}));
  EXPECT_TRUE(resent[0].has(flag::resend));
  EXPECT_EQ(resent[0].aggregator().index, original);
  EXPECT_LT(transport_->window(), 8U + 3 * 5);  // a loss halves the window
  // PSN 4 is expected next, and its own count begins.
  result(5, us(8));
  result(6, us(8));
  EXPECT_TRUE(drain(us(8)).empty());
  result(7, us(8));
  EXPECT_EQ(psns(drain(us(8))), (std::vector<Psn>{4}));
}

TEST_F(AtpWorkerTest, AnExpectedResultEndsTheCount) {
  submit(0, 8);
  drain(us(0));
  result(1, us(5));
  result(2, us(5));
  result(2, us(5));  // a duplicate does not count
  result(0, us(5));
  result(4, us(6));
  EXPECT_TRUE(drain(us(6)).empty());
}

TEST_F(AtpWorkerTest, TailTimeoutResends) {
  submit(0, 2);
  drain(us(0));
  EXPECT_EQ(transport_->deadline(), kRto);
  transport_->expire(us(1000));
  const auto resent = drain(us(1000));
  ASSERT_EQ(psns(resent), (std::vector<Psn>{0, 1}));
  EXPECT_TRUE(resent[1].has(flag::resend));
  EXPECT_EQ(transport_->deadline(), us(3000));  // doubled
  result(0, us(1100));
  EXPECT_EQ(transport_->deadline(), us(3000));  // PSN 0 was sent twice and is not measured
  submit(2, 1);
  EXPECT_EQ(psns(drain(us(1100))), (std::vector<Psn>{2}));
  result(2, us(1110), flag::resend);
  EXPECT_EQ(transport_->deadline(),
            us(3000));  // another worker sent it twice, so it is not measured
  submit(3, 1);
  EXPECT_EQ(psns(drain(us(1200))), (std::vector<Psn>{3}));
  result(3, us(1210));
  EXPECT_EQ(transport_->deadline(), us(2000));  // measured: PSN 1's time-out is no longer doubled
}

TEST_F(AtpWorkerTest, LostTogetherPacketsAreSentAgainTogetherAndDoubleTheTimeOutOnce) {
  for (const Psn psn : {0U, 1U, 2U}) {
    submit(psn, 1);
    drain(us(100 * psn));
  }
  for (const Psn psn : {0U, 1U, 2U}) {
    EXPECT_EQ(transport_->deadline(), us(100 * psn + 1000));
    transport_->expire(transport_->deadline());
    EXPECT_EQ(psns(drain(us(100 * psn + 1000))), (std::vector<Psn>{psn}));
  }
  EXPECT_EQ(transport_->deadline(), us(1000 + 2000));
}

TEST_F(AtpWorkerTest, RoundTripsLongerThanTheTimeOutAreMeasuredInTheEnd) {
  const Time kRoundTrip = us(3500);
  Time now(0);
  for (Psn psn = 0; psn < 10; ++psn) {
    submit(psn, 1);
    drain(now);
    const Time back = now + kRoundTrip;
    for (; transport_->deadline() < back; drain(now)) {
      now = transport_->deadline();
      transport_->expire(now);
    }
    now = back;
    result(psn, now);
  }
  EXPECT_EQ(transport_->statistics().retransmissions, 2U);  // both of the first packet
}

TEST_F(AtpWorkerTest, AnswersARequestForFloatsWithTheFragmentAsFloats) {
  submit(0, 2);
  const std::uint32_t index = drain(us(0))[1].aggregator().index;
  const auto answers = ask(1, 0b0001, us(5), flag::floats);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].kind, FrameKind::gradient);
  EXPECT_EQ(answers[0].flags, flag::resend | flag::floats | flag::answer);
  EXPECT_EQ(answers[0].psn, 1U);
  EXPECT_EQ(answers[0].aggregator().bitmap0, 0b0100U);
  EXPECT_EQ(answers[0].aggregator().index, index);
  EXPECT_EQ(answers[0].destination, kServer);
  EXPECT_EQ(answers[0].bytes, 306);
  EXPECT_EQ(integers(answers[0].values),
            (Integers{std::bit_cast<std::int32_t>(1020.F), std::bit_cast<std::int32_t>(1021.F)}));
  EXPECT_TRUE(ask(1, 0b0100, us(5), flag::floats).empty());  // the server has this worker's value
  EXPECT_TRUE(ask(7, 0, us(5), flag::floats).empty());       // it was not sent
  EXPECT_EQ(transport_->statistics().answered_requests, 1U);
  // A request for integers is still answered with integers.
  EXPECT_EQ(integers(ask(1, 0b0001, us(6)).at(0).values), (Integers{1020, 1021}));
}

TEST_F(AtpWorkerTest, ResultsThatOvertakeThatOfFloatsDoNotTellOfALoss) {
  submit(0, 8);
  drain(us(0));
  ask(0, 0b0001, us(5), flag::floats);
  const std::uint32_t window = transport_->window();
  for (const Psn psn : {1U, 2U, 3U, 4U}) result(psn, us(6));
  EXPECT_TRUE(drain(us(6)).empty());
  EXPECT_GE(transport_->window(), window);
  // Packets that were sent before the floats may be lost.
  result(0, us(15), flag::floats);
  result(6, us(15));
  result(7, us(15));
  EXPECT_EQ(psns(drain(us(15))), (std::vector<Psn>{5}));
}

TEST_F(AtpWorkerTest, AResultOfFloatsIsCongestionOnlyIfOverflowsAre) {
  for (const bool is_congestion : {false, true}) {
    transport_ =
        std::make_unique<AtpWorker>(kIdentity,
                                    AtpWorker::Config{.addressing = kHashed,
                                                      .window = {8, 8, true},
                                                      .min_rto = kRto,
                                                      .overflow_is_congestion = is_congestion},
                                    pool_, sink_);
    submit(0, 100);
    drain(us(0));
    ask(0, 0b0001, us(5), flag::floats);
    for (Psn psn = 1; psn < 8; ++psn) result(psn, us(6));
    drain(us(6));
    EXPECT_EQ(transport_->window(), 8U);
    result(0, us(15), flag::floats);
    EXPECT_EQ(transport_->window(), is_congestion ? 4U : 8U);
    EXPECT_EQ(transport_->statistics().retransmissions, 0U);
  }
}

TEST_F(AtpWorkerTest, HandsOverAFloatResultAsOne) {
  submit(0, 2);
  drain(us(0));
  result(0, us(5), flag::floats);
  result(1, us(5));
  EXPECT_EQ(sink_.fragments, (std::vector<Psn>{0, 1}));
  EXPECT_EQ(sink_.float_fragments, (std::vector<Psn>{0}));
  EXPECT_EQ(sink_.tensors, (std::vector<Psn>{0}));
}

TEST_F(AtpWorkerTest, RemapsTheIndexAndWhatItWasRemappedTo) {
  make(1, false);
  submit(0, 5000);
  const std::uint32_t hashed = wire::aggregator_index(kJob, 0, kAggregators);
  std::uint32_t expected = hashed;
  int met = 0;
  while (met < 3) {
    const auto frames = drain(us(0));
    ASSERT_EQ(frames.size(), 1U);
    const Frame& frame = frames[0];
    if (wire::aggregator_index(kJob, frame.psn, kAggregators) != hashed) {
      result(frame.psn, us(1));
      continue;
    }
    EXPECT_EQ(frame.aggregator().index, expected);
    const std::uint32_t next = (expected + 7) % kAggregators;
    rehashed(frame.psn, expected, next);
    expected = next;
    ++met;
  }
}

TEST_F(AtpWorkerTest, ARehashThatRunsInACircleStillGivesAnIndex) {
  make(1);
  submit(0, 5000);
  drain(us(0));
  for (std::uint32_t i = 0; i < kAggregators; ++i) rehashed(9999, i, (i + 1) % kAggregators);
  rehashed(9999, kAggregators, 0);  // out of range, so ignored
  rehashed(0, 0, kAggregators);
  const auto frames = drain(us(2));
  ASSERT_FALSE(frames.empty());
  EXPECT_LT(frames[0].aggregator().index, kAggregators);
}

class DsaWorkerTest : public Worker {
 protected:
  DsaWorkerTest() {
    transport_ = std::make_unique<DsaWorker>(
        kIdentity, DsaWorker::Config{kHashed, {8, 0, true}, kRto}, pool_, sink_);
  }
  std::vector<Frame> next_timeout() {
    now_ = transport_->deadline();
    transport_->expire(now_);
    return drain(now_);
  }
  Time now_{};
};

TEST_F(DsaWorkerTest, TellsTheServerOfAnAggregatorThatItsResultPassedBy) {
  submit(0, 1);
  const std::uint32_t index = drain(us(0)).at(0).aggregator().index;
  Frame other = message(FrameKind::result, 0);
  other.aggregator().index = index + 1;
  transport_->receive(other, us(1));
  EXPECT_TRUE(sink_.fragments.empty());
  const auto frames = drain(us(1));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].kind, FrameKind::notification);
  EXPECT_EQ(frames[0].aggregator().index, index);
  result(0, us(2));
  EXPECT_EQ(sink_.fragments, (std::vector<Psn>{0}));
}

TEST_F(DsaWorkerTest, SendsPrioritiesAndIgnoresTheOrderOfResults) {
  submit(0, 100);
  const auto frames = drain(us(0));
  ASSERT_EQ(frames.size(), 8U);
  EXPECT_EQ(frames[0].aggregator().priority, 77);
  for (const Psn psn : {1U, 2U, 3U, 4U}) {
    result(psn, us(5));
    for (const Frame& frame : drain(us(5))) EXPECT_GE(frame.psn, 8U);  // nothing is resent
  }
  EXPECT_EQ(transport_->window(), 28U);
  result(4, us(6));
  EXPECT_EQ(transport_->window(), 28U);
}

TEST_F(DsaWorkerTest, SaysWithTheLastFrameThatItHasNoOther) {
  submit(0, 3);
  Frame out;
  for (const bool another : {true, true, false}) {
    ASSERT_TRUE(transport_->next(out, us(0)));
    EXPECT_EQ(transport_->may_have_another(), another);
  }
}

TEST_F(DsaWorkerTest, TheWindowGrowsNoFurtherThanTwiceWhatIsInFlight) {
  submit(0, 100);
  ASSERT_EQ(drain(us(0)).size(), 8U);
  Psn psn = 0;
  for (const std::uint32_t grown : {13U, 14U, 14U, 14U}) {  // 8, 7, 6 and 5 packets in flight
    result(psn++, us(5));
    EXPECT_EQ(transport_->window(), grown);
  }
}

TEST_F(DsaWorkerTest, ThreeRetransmissionsThenNotificationsUntilTheResult) {
  submit(0, 1);
  const std::uint32_t index = drain(us(0))[0].aggregator().index;
  Time before{};
  for (int i = 0; i < 3; ++i) {
    const auto again = next_timeout();
    ASSERT_EQ(psns(again), (std::vector<Psn>{0}));
    EXPECT_EQ(again[0].kind, FrameKind::gradient);
    EXPECT_EQ(again[0].flags, flag::resend);
    EXPECT_EQ(again[0].aggregator().index, index);
    EXPECT_EQ(now_ - before, (1 << i) * kRto);
    before = now_;
  }
  for (int i = 0; i < 2; ++i) {
    const auto notification = next_timeout();
    ASSERT_EQ(notification.size(), 1U);
    EXPECT_TRUE(next_timeout().empty());
    EXPECT_EQ(notification[0].kind, FrameKind::notification);
    EXPECT_EQ(notification[0].aggregator().index, index);
    EXPECT_EQ(notification[0].destination, kServer);
    EXPECT_EQ(notification[0].bytes, 58);
  }
  EXPECT_EQ(transport_->statistics().notifications, 2U);
  result(0, now_);
  EXPECT_TRUE(drain(now_).empty());
  EXPECT_EQ(transport_->deadline(), kNever);
}

TEST_F(DsaWorkerTest, ResultsInOrderCompleteTheTensor) {
  submit(0, 2);
  drain(us(0));
  result(0, us(5));
  result(1, us(5));
  EXPECT_TRUE(drain(us(6)).empty());
  EXPECT_EQ(sink_.tensors, (std::vector<Psn>{0}));
}

TEST_F(DsaWorkerTest, AResultForAQueuedRetransmissionCancelsIt) {
  submit(0, 1);
  drain(us(0));
  transport_->expire(us(1000));
  result(0, us(1000));
  EXPECT_TRUE(drain(us(1000)).empty());
}

/// Behaviour common to all three transports.
template <class System>
class EveryTransport : public System {};
using AllSystems = ::testing::Types<AtpLikeSwitchmlWorkerTest, AtpWorkerTest, DsaWorkerTest>;
TYPED_TEST_SUITE(EveryTransport, AllSystems);

TYPED_TEST(EveryTransport, NoDeadlineIsBeforeATimeoutFromNowOrFromTheOldestInFlight) {
  EXPECT_EQ(this->transport_->no_deadline_before(us(3)), us(3) + kRto);
  this->submit(0, 100);
  this->drain(us(7));
  EXPECT_EQ(this->transport_->no_deadline_before(us(9)), us(7) + kRto);
}

TYPED_TEST(EveryTransport, NoDeadlineComesBeforeWhatWasSaidEarlier) {
  constexpr Psn kFragments = 60;
  constexpr unsigned kSeed = 19;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const auto draw = [&](Psn below) { return static_cast<Psn>(random() % below); };
  const auto& complete = this->sink_.tensors;
  Time bound{};
  Time now{};
  std::size_t submitted = 0;
  for (int step = 0; step < 20'000; ++step) {
    const Psn first = kFragments * static_cast<Psn>(complete.size());
    if (submitted == complete.size()) {
      this->submit(first, kFragments, first);
      ++submitted;
    }
    now += us(static_cast<int>(draw(50) == 0 ? draw(3000) : draw(20)));
    this->result(first + draw(kFragments), now, draw(5) == 0 ? flag::ecn : std::uint8_t{0});
    if (this->transport_->deadline() <= now) this->transport_->expire(now);
    this->drain(now);
    ASSERT_GE(this->transport_->deadline(), bound) << "step " << step;
    bound = std::max(bound, this->transport_->no_deadline_before(now));
  }
  EXPECT_GT(complete.size(), 20U);
  EXPECT_GT(this->transport_->statistics().retransmissions, 20U);
}

/// Requests are the same in ATP and DSA.
template <class System>
class Requests : public System {};
using BothSystems = ::testing::Types<AtpWorkerTest, DsaWorkerTest>;
TYPED_TEST_SUITE(Requests, BothSystems);

TYPED_TEST(Requests, AnswersWhatItSentPastTheAggregatorsToTheServer) {
  this->submit(0, 2);
  this->drain(us(0));
  const auto answer = this->ask(1, 0b1011, us(1));
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].kind, FrameKind::gradient);
  EXPECT_EQ(answer[0].psn, 1U);
  EXPECT_EQ(answer[0].flags, flag::resend | flag::answer);
  EXPECT_EQ(answer[0].aggregator().bitmap0, 0b0100U);
  EXPECT_EQ(answer[0].destination, kServer);
  // The answer has the worker's own index, not the server's: the worker's first packet may still be
  // in the switch under that index.
  EXPECT_EQ(answer[0].aggregator().index, wire::aggregator_index(kJob, 1, kAggregators));
  EXPECT_EQ(integers(answer[0].values), (Integers{1020, 1021}));
  EXPECT_EQ(this->transport_->in_flight(), 2U);
}

TYPED_TEST(Requests, DoesNotAnswerWhatTheServerHasOrWhatIsUnsent) {
  this->submit(0, 100);
  this->drain(us(0));
  EXPECT_TRUE(this->ask(1, 0b0100, us(1)).empty());
  EXPECT_TRUE(this->ask(50, 0, us(1)).empty());
  EXPECT_TRUE(this->ask(5000, 0, us(1)).empty());
}

TYPED_TEST(Requests, WhatIsAskedForBeforeItIsSentGoesPastTheAggregators) {
  EXPECT_TRUE(this->ask(2, 0b1011, us(1)).empty());  // its tensor was not submitted
  EXPECT_TRUE(this->ask(0, 0b1011, us(1)).empty());
  EXPECT_TRUE(this->ask(0, 0b1011, us(1)).empty());
  this->submit(0, 4);
  const auto frames = this->drain(us(2));
  ASSERT_EQ(this->psns(frames), (std::vector<Psn>{0, 1, 2, 3}));
  for (const Frame& frame : frames) {
    const bool asked = frame.psn % 2 == 0;
    EXPECT_EQ(frame.flags, asked ? flag::resend | flag::answer : 0) << frame.psn;
  }
  EXPECT_EQ(this->transport_->statistics().answered_requests, 2U);
  // Lost answers are retransmitted as usual.
  this->transport_->expire(us(5000));
  for (const Frame& again : this->drain(us(5000))) EXPECT_EQ(again.flags, flag::resend);
}

TYPED_TEST(Requests, TakeBoundedMemory) {
  constexpr std::uint32_t kMany = 20'000;
  constexpr std::uint32_t kRemembered = 8192;
  this->submit(0, 1);
  this->drain(us(0));
  for (std::uint32_t i = 0; i < kMany; ++i) {
    this->transport_->receive(message(FrameKind::fragment_request, 0), us(1));
    this->transport_->receive(message(FrameKind::fragment_request, 1 + i), us(1));
  }
  EXPECT_EQ(this->drain(us(2)).size(), kRemembered);  // answers for fragment 0
  this->result(0, us(3));
  this->submit(1, kMany);
  const auto sent = [this] { return this->transport_->statistics().answered_requests; };
  for (Psn psn = 1; psn <= kMany; ++psn) {
    this->drain(us(3 + psn));
    this->result(psn, us(3 + psn));
  }
  EXPECT_EQ(sent(), 2 * kRemembered);
}

TYPED_TEST(Requests, AnswersForCompleteTensorsUntilEveryoneHasThem) {
  this->submit(0, 1);
  this->drain(us(0));
  this->result(0, us(1));
  this->submit(1, 1, 1);
  this->drain(us(2));
  const auto answer = this->ask(0, 0, us(3));
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].kind, FrameKind::gradient);
  EXPECT_EQ(answer[0].aggregator().index, 321U);
  this->result(1, us(4));
  // All workers have fragment 0. This worker has freed its values, and tells the server that they
  // are not needed.
  const auto release = this->ask(0, 0, us(5));
  ASSERT_EQ(release.size(), 1U);
  EXPECT_EQ(release[0].kind, FrameKind::release);
  EXPECT_EQ(release[0].psn, 0U);
  EXPECT_EQ(release[0].aggregator().index, 321U);
}

TYPED_TEST(Requests, RejectedFramesAreCountedAndDropped) {
  this->submit(0, 1);
  this->drain(us(0));
  Frame frame = message(FrameKind::result, 0);
  frame.job = kJob + 1;
  this->transport_->receive(frame, us(1));
  this->transport_->receive(message(FrameKind::reminder, 0), us(1));
  EXPECT_EQ(this->transport_->statistics().rejected_frames, 2U);
  EXPECT_TRUE(this->sink_.fragments.empty());
}

TYPED_TEST(Requests, OfAnotherThanTheServerAreRejected) {
  this->submit(0, 2);
  this->drain(us(0));
  Frame forged = message(FrameKind::fragment_request, 1);
  forged.source = kServer + 1;
  this->transport_->receive(forged, us(1));
  EXPECT_TRUE(this->drain(us(1)).empty());
  EXPECT_EQ(this->transport_->statistics().rejected_frames, 1U);
}

TEST_F(AtpWorkerTest, AResultOfAnotherThanTheServerIsRejected) {
  submit(0, 1);
  drain(us(0));
  Frame forged = message(FrameKind::result, 0);
  forged.source = kServer + 1;
  transport_->receive(forged, us(1));
  EXPECT_EQ(transport_->statistics().rejected_frames, 1U);
  EXPECT_TRUE(sink_.fragments.empty());
}

}  // namespace
}  // namespace ina
