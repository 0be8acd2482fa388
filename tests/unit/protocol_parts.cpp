// SPDX-License-Identifier: BSD-3-Clause
// Small building blocks of transports and servers.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/server/psn_set.hpp"
#include "hw/protocol/transport/backoff.hpp"
#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/transport/fragment_tracker.hpp"
#include "hw/protocol/transport/rto_estimator.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina {
namespace {

using testing::Integers;
using testing::integers;

Time us(int count) { return std::chrono::microseconds(count); }

TEST(GrowingRing, KeepsTheOrderWhileItWrapsAndGrows) {
  GrowingRing<int> ring;
  int in = 0;
  int out = 0;
  for (int round = 0; round < 500; ++round) {
    for (int i = 0; i < 3; ++i) ring.emplace_back(in++);
    EXPECT_EQ(ring[ring.size() - 1], in - 1);
    EXPECT_EQ(ring.front(), out++);
    ring.pop_front();
  }
  EXPECT_EQ(ring.size(), 1000U);
  for (; !ring.empty(); ring.pop_front()) EXPECT_EQ(ring.front(), out++);
  EXPECT_EQ(out, in);
}

TEST(GrowingRing, BeginsAnewWhereItBeganOnceItIsEmpty) {
  GrowingRing<int> ring;
  ring.emplace_back(0);
  const int* const begin = &ring.front();
  for (int i = 1; i < 1000; ++i) {
    ring.emplace_back(i);
    ring.pop_front();
    EXPECT_EQ(ring.front(), i);
  }
  ring.pop_front();
  ring.emplace_back(7);
  EXPECT_EQ(&ring.front(), begin);
  ring.emplace_back(8);
  ring.pop_front();
  EXPECT_EQ(ring.front(), 8);
}

TEST(GrowingRing, ForgetsTheFirstItemsAtOnceWhereverTheyStand) {
  GrowingRing<int> ring;
  int in = 0;
  int out = 0;
  for (const int taken : {50, 1, 63, 64, 0, 17}) {
    while (ring.size() < 64) ring.emplace_back(in++);
    ring.forget_front(static_cast<std::size_t>(taken));
    out += taken;
    ASSERT_EQ(ring.size(), static_cast<std::size_t>(in - out));
    for (std::size_t i = 0; i < ring.size(); ++i) ASSERT_EQ(ring[i], out + static_cast<int>(i));
  }
}

TEST(GrowingRing, CanBeFilledAgainWhenItWasMovedFrom) {
  GrowingRing<int> ring;
  ring.emplace_back(1);
  GrowingRing<int> other = std::move(ring);
  EXPECT_TRUE(ring.empty());  // NOLINT(bugprone-use-after-move): that is what is tested
  for (int i = 0; i < 100; ++i) ring.emplace_back(i);
  EXPECT_EQ(ring.size(), 100U);
  EXPECT_EQ(ring[99], 99);
  EXPECT_EQ(other.front(), 1);
}

TEST(GrowingRing, GivesBackWhatItsItemsReferTo) {
  ValuePool pool(62);
  {
    GrowingRing<Frame> ring;
    for (int i = 0; i < 200; ++i) {
      Frame frame;
      frame.values = pool.take();
      ring.emplace_back(std::move(frame));
    }
    ring.pop_front();
    EXPECT_EQ(pool.taken(), 199U);
    const GrowingRing<Frame> moved = std::move(ring);
    EXPECT_EQ(pool.taken(), 199U);
  }
  EXPECT_EQ(pool.taken(), 0U);
}

TEST(Values, ReferencesAreCountedAndBuffersReused) {
  ValuePool pool(62);
  const std::int32_t* where = nullptr;
  {
    Values one = pool.take();
    where = one.data();
    EXPECT_TRUE(one.unique());
    const Values two = one;
    EXPECT_FALSE(one.unique());
    EXPECT_EQ(two.data(), where);
    const Values three = std::move(one);
    EXPECT_FALSE(static_cast<bool>(one));  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(pool.taken(), 1U);
  }
  EXPECT_EQ(pool.taken(), 0U);
  EXPECT_EQ(pool.take().data(), where);
}

TEST(Values, IntoUniqueCopiesOnlyWhatIsShared) {
  ValuePool pool(2);
  Values one = testing::values_of(pool, {1, 2});
  const std::int32_t* where = one.data();
  one = std::move(one).into_unique();
  EXPECT_EQ(one.data(), where);
  const Values two = one;
  one = std::move(one).into_unique();
  EXPECT_NE(one.data(), where);
  one.data()[0] = 9;
  EXPECT_EQ(integers(two), (Integers{1, 2}));
  EXPECT_EQ(integers(one), (Integers{9, 2}));
  EXPECT_TRUE(two.unique());
  EXPECT_EQ(pool.taken(), 2U);
}

TEST(Values, AssignmentGivesTheOldBufferBack) {
  ValuePool pool(1);
  Values one = pool.take();
  one = pool.take();
  EXPECT_EQ(pool.taken(), 1U);
  one = Values();
  EXPECT_EQ(pool.taken(), 0U);
}

TEST(Values, AreVerifiedForAllWhoReferToThemUntilOneMayWrite) {
  ValuePool pool(2);
  Values one = testing::values_of(pool, {1, 2});
  EXPECT_EQ(one.verified_as(), 0U);
  Values two = one;
  two.set_verified_as(7);
  EXPECT_EQ(one.verified_as(), 7U);
  EXPECT_EQ(std::as_const(one).data()[0], 1);
  EXPECT_EQ(two.verified_as(), 7U);
  one.data()[0] = 3;
  EXPECT_EQ(two.verified_as(), 0U);
}

TEST(Values, ABufferThatIsTakenAgainOrACopyIsNotVerified) {
  ValuePool pool(2);
  Values one = testing::values_of(pool, {1, 2});
  const std::int32_t* const where = std::as_const(one).data();
  one.set_verified_as(7);
  Values shared = one;
  EXPECT_EQ(std::move(shared).into_unique().verified_as(), 0U);
  one.reset();
  shared.reset();
  const Values again = pool.take();
  ASSERT_EQ(again.data(), where);
  EXPECT_EQ(again.verified_as(), 0U);
}

TEST(Values, BuffersDoNotOverlap) {
  for (const std::size_t count : {1U, 3U, 15U, 16U, 62U, 256U}) {
    ValuePool pool(count);
    std::vector<Values> taken;
    std::set<const std::int32_t*> addresses;
    for (int i = 0; i < 5000; ++i) {
      taken.push_back(pool.take());
      EXPECT_EQ(taken.back().size(), count);
      std::fill_n(taken.back().data(), count, i);
      addresses.insert(taken.back().data());
    }
    EXPECT_EQ(addresses.size(), 5000U);
    for (int i = 0; i < 5000; ++i) {
      const Values& values = taken[static_cast<std::size_t>(i)];
      EXPECT_EQ(values.data()[0], i);
      EXPECT_EQ(values.data()[count - 1], i);
      EXPECT_TRUE(values.unique());
    }
  }
}

TEST(Values, OutliveTheirPoolWithEachOther) {
  Values kept;
  {
    ValuePool pool(3);
    kept = pool.take();
    const Values given_back = pool.take();
    kept.data()[2] = 7;
  }
  const Values second = kept;
  Values copy = std::move(kept).into_unique();
  EXPECT_EQ(copy.span()[2], 7);
  EXPECT_NE(copy.data(), second.data());
  copy.reset();
  EXPECT_EQ(second.span()[2], 7);
}

TEST(Values, APoolOfNoValuesGivesEmptyOnes) {
  ValuePool pool(0);
  Values values = pool.take();
  EXPECT_FALSE(static_cast<bool>(values));
  EXPECT_EQ(values.size(), 0U);
  values = std::move(values).into_unique();
  EXPECT_EQ(pool.taken(), 0U);
}

TEST(Time, SerialisationOfThePapersPacket) {
  EXPECT_EQ(serialisation_time(306, 100'000'000'000), Time(24'480));
  EXPECT_EQ(serialisation_time(1, 3), Time(2'666'666'666'667));  // rounded up
  EXPECT_EQ(serialisation_time(0, 1), Time::zero());
}

TEST(RtoEstimator, HasAFloorAndFollowsRfc6298) {
  RtoEstimator rto(us(1000));
  EXPECT_EQ(rto.timeout(), us(1000));
  rto.sample(us(800));  // SRTT = R, RTTVAR = R/2
  EXPECT_EQ(rto.timeout(), us(800 + 4 * 400));
  rto.sample(us(1600));  // RTTVAR = 3/4 * 400 + 1/4 * 800, SRTT = 7/8 * 800 + 1/8 * 1600
  EXPECT_EQ(rto.timeout(), us(900 + 4 * 500));
  EXPECT_EQ(rto.smoothed(), us(900));
  for (int i = 0; i < 200; ++i) rto.sample(us(10));
  EXPECT_EQ(rto.timeout(), us(1000));
}

TEST(RtoEstimator, IsBoundedAbove) {
  RtoEstimator rto(us(1000));
  for (int i = 0; i < 20; ++i) rto.sample(rto.timeout());  // every round trip includes a time-out
  EXPECT_EQ(rto.timeout(), us(64'000));
  EXPECT_EQ(rto.timeout(6), us(64'000));  // including doublings
}

TEST(RtoEstimator, BeginsWithTheFirstTimeOutAndFallsToTheFloor) {
  RtoEstimator rto(us(1000), us(30'000));
  EXPECT_EQ(rto.timeout(), us(30'000));
  EXPECT_EQ(RtoEstimator(us(1000), us(10)).timeout(), us(1000));
  for (int i = 0; i < 200; ++i) rto.sample(us(10));
  EXPECT_EQ(rto.timeout(), us(1000));
}

TEST(RtoEstimator, IsBoundedByTheFirstTimeOutRatherThanTheFloor) {
  RtoEstimator rto(us(1000), us(30'000));
  for (int i = 0; i < 200; ++i) rto.sample(us(500'000));
  EXPECT_EQ(rto.timeout(), us(1'000'000));
  for (Time now(0); now < us(100'000'000); now += rto.timeout()) rto.expired(now, now);
  EXPECT_EQ(rto.timeout(), us(64 * 30'000));
}

TEST(RtoEstimator, IsTwoSteadyRoundTripsUnlessThatIsBelowTheFloor) {
  RtoEstimator rto(us(1000));
  for (int i = 0; i < 200; ++i) rto.sample(us(400));
  EXPECT_EQ(rto.timeout(), us(1000));
  for (int i = 0; i < 300; ++i) rto.sample(us(20'000));
  EXPECT_NEAR(static_cast<double>(rto.timeout().count()), 40e9, 1e3);
}

TEST(RtoEstimator, StaysDoubledUntilARoundTripIsMeasured) {
  RtoEstimator rto(us(1000));
  rto.expired(us(0), us(1000));
  EXPECT_EQ(rto.timeout(), us(2000));
  rto.expired(us(1000), us(3000));
  EXPECT_EQ(rto.timeout(), us(4000));
  rto.sample(us(1200));
  EXPECT_EQ(rto.timeout(), us(3 * 1200));
  rto.expired(us(5000), us(5000 + 3600));
  EXPECT_EQ(rto.timeout(), us(2 * 3600));
  rto.end_doubling();
  EXPECT_EQ(rto.timeout(), us(3600));
}

TEST(RtoEstimator, DoublesOnceForAllPacketsThatWereSentUnderOneTimeOut) {
  RtoEstimator rto(us(1000));
  EXPECT_EQ(rto.deadline(us(900)), us(1900));
  rto.expired(us(0), us(1000));
  EXPECT_EQ(rto.deadline(us(900)), us(1900)) << "sent before";
  EXPECT_EQ(rto.deadline(us(1000)), us(3000));
  rto.expired(us(900), us(1900));
  EXPECT_EQ(rto.timeout(), us(2000));
  rto.expired(us(1000), us(3000));
  EXPECT_EQ(rto.timeout(), us(4000));
  EXPECT_EQ(rto.deadline(us(2000)), us(4000)) << "sent before";
  EXPECT_EQ(rto.deadline(us(3000)), us(7000));
  rto.sample(us(500));
  EXPECT_EQ(rto.deadline(us(2000)), us(2000 + 3 * 500)) << "the sample holds for all";
}

TEST(Backoff, DoublesUpToSixtyFourAndEndsWithProgress) {
  Backoff backoff;
  EXPECT_EQ(Backoff::doubled(us(10), backoff.doublings()), us(10));
  backoff.expired();
  EXPECT_EQ(Backoff::doubled(us(10), backoff.doublings()), us(20));
  for (int i = 0; i < 20; ++i) backoff.expired();
  EXPECT_EQ(Backoff::doubled(us(10), backoff.doublings()), us(640));
  backoff.progress();
  EXPECT_EQ(Backoff::doubled(us(10), backoff.doublings()), us(10));
}

TEST(CongestionWindow, GrowsByAnMtuPerAckBelowTheThreshold) {
  CongestionWindow window({200, 0, true});
  for (int i = 0; i < 3; ++i) window.acknowledged(false, window.packets());
  EXPECT_EQ(window.packets(), 215U);
}

TEST(CongestionWindow, GrowsByAnMtuPerWindowAboveTheThreshold) {
  CongestionWindow window({200, 0, true});
  window.lost();
  ASSERT_EQ(window.packets(), 100U);
  const auto acks_to_grow = [&window] {
    const std::uint32_t before = window.packets();
    int acks = 0;
    for (; window.packets() == before; ++acks) window.acknowledged(false, before);
    EXPECT_EQ(window.packets(), before + 1);
    return acks;
  };
  EXPECT_EQ(acks_to_grow(), 20);  // 20 * 5 = 100
  EXPECT_EQ(acks_to_grow(), 21);  // 21 * 5 = 101 + 4
  EXPECT_EQ(acks_to_grow(), 20);  // 4 + 20 * 5 = 102 + 2
  EXPECT_EQ(acks_to_grow(), 21);  // 2 + 21 * 5 = 103 + 4
}

/// RFC 7661, and Linux's tcp_is_cwnd_limited(): something other than the window keeps `held`
/// packets in flight, regardless of acknowledgements.
TEST(CongestionWindow, GrowsToTwiceWhatIsHeldInFlightBelowTheThreshold) {
  for (const std::uint32_t initial : {1U, 10U, 200U}) {
    for (const std::uint32_t held : {1U, 2U, 3U, 7U, 52U, 100U, 101U, 1000U}) {
      CongestionWindow window({initial, 0, true});
      for (int i = 0; i < 5000; ++i) window.acknowledged(false, held);
      EXPECT_EQ(window.packets(), std::max(initial, 2 * held)) << initial << ' ' << held;
    }
  }
}

TEST(CongestionWindow, GrowsOnlyIfAllOfItIsInFlightAboveTheThreshold) {
  for (const std::uint32_t held : {1U, 50U, 99U, 100U, 120U}) {
    CongestionWindow window({200, 0, true});
    window.lost();
    for (int i = 0; i < 5000; ++i) window.acknowledged(false, held);
    EXPECT_EQ(window.packets(), std::max(100U, held + 1)) << held;
  }
}

TEST(CongestionWindow, HalvesOncePerWindow) {
  CongestionWindow window({200, 0, true});
  window.acknowledged(true, window.packets());
  EXPECT_EQ(window.packets(), 100U);
  window.lost();
  // The 199 other packets of the old window may all be marked by the same queue.
  for (int i = 0; i < 199; ++i) window.acknowledged(true, window.packets());
  EXPECT_EQ(window.packets(), 100U);
  window.acknowledged(true, window.packets());
  EXPECT_EQ(window.packets(), 50U);
}

TEST(CongestionWindow, StaysWithinItsLimits) {
  CongestionWindow window({200, 210, true});
  for (int i = 0; i < 10; ++i) window.acknowledged(false, window.packets());
  EXPECT_EQ(window.packets(), 210U);
  for (int i = 0; i < 5000; ++i) window.acknowledged(true, window.packets());
  EXPECT_EQ(window.packets(), 1U);
  CongestionWindow fixed({50, 0, false});
  fixed.lost();
  fixed.acknowledged(true, fixed.packets());
  fixed.acknowledged(false, fixed.packets());
  EXPECT_EQ(fixed.packets(), 50U);
}

class Tracker : public ::testing::Test {
 protected:
  void send(std::uint32_t count, Time now) {
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_NE(tracker_.next_tensor(), nullptr);
      tracker_.sent(tracker_.next_psn(), now);
    }
  }
  std::vector<Psn> take_sent_until(Time limit) {
    std::vector<Psn> taken;
    while (tracker_.oldest_sent() <= limit) taken.push_back(*tracker_.take_oldest());
    return taken;
  }

  FragmentTracker tracker_;
};

TEST(RtoEstimator, StaysAnIntervalWhateverItsFloor) {
  for (const int seconds : {1, 2'250, 144'000, 200'000, 864'000}) {
    const Time floor = std::chrono::seconds(seconds);
    RtoEstimator rto(floor);
    for (std::size_t doublings = 0; doublings <= Backoff::kMostDoublings; ++doublings) {
      EXPECT_GE(rto.timeout(doublings), floor) << seconds;
      EXPECT_LE(rto.timeout(doublings), kNever / 4) << seconds;
    }
    rto.sample(floor);
    EXPECT_GE(rto.timeout(Backoff::kMostDoublings), rto.timeout()) << seconds;
  }
}

TEST_F(Tracker, SendsInTheOrderOfPsnsWhateverTheOrderOfTensors) {
  tracker_.submit({10, 5, 0, 0, nullptr});
  EXPECT_EQ(tracker_.next_tensor(), nullptr);  // the tensor before it is missing
  tracker_.submit({0, 10, 0, 0, nullptr});
  for (Psn psn = 0; psn < 15; ++psn) {
    ASSERT_NE(tracker_.next_tensor(), nullptr);
    ASSERT_EQ(tracker_.next_psn(), psn);
    tracker_.sent(psn, us(1));
  }
  EXPECT_EQ(tracker_.next_tensor(), nullptr);
  EXPECT_EQ(tracker_.in_flight(), 15U);
}

TEST_F(Tracker, TakesATensorBeforeOthersThatWereSent) {
  tracker_.submit({20, 3, 0, 0, nullptr});
  for (Psn psn : {20U, 21U}) tracker_.sent(psn, us(1));
  EXPECT_TRUE(tracker_.done(20).first);
  tracker_.submit({10, 10, 0, 0, nullptr});
  for (Psn psn = 10; psn < 20; ++psn) {
    EXPECT_TRUE(tracker_.is_unsent(psn));
    tracker_.sent(psn, us(2));
  }
  EXPECT_TRUE(tracker_.is_done(20));
  EXPECT_EQ(tracker_.in_flight(), 11U);
  EXPECT_EQ(take_sent_until(us(1)), std::vector<Psn>({21}));
  EXPECT_EQ(tracker_.oldest_in_flight(), 10U);
  for (Psn psn = 10; psn < 19; ++psn) EXPECT_FALSE(tracker_.done(psn).tensor_complete);
  EXPECT_TRUE(tracker_.done(19).tensor_complete);
  EXPECT_EQ(tracker_.in_flight(), 1U);
  tracker_.sent(22, us(3));
  EXPECT_TRUE(tracker_.done(22).first);
  EXPECT_TRUE(tracker_.done(21).tensor_complete);
}

TEST_F(Tracker, KeepsTheOrderOfTheLastSendingsHoweverManyThereWereBehindOneThatWaits) {
  constexpr Psn kFragments = 20;
  tracker_.submit({0, kFragments, 0, 0, nullptr});
  send(kFragments, us(1));
  tracker_.sent(0, us(2));  // out of turn; its time-out starts again
  for (int round = 0; round < 50; ++round) {
    for (Psn i = 1; i < kFragments; ++i) {
      const Psn psn = 1 + i * 7 % (kFragments - 1);
      tracker_.sent(psn, us(3 + round * 100 + static_cast<int>(i)));
    }
  }
  std::vector<Psn> expected = {0};
  for (Psn i = 1; i < kFragments; ++i) expected.push_back(1 + i * 7 % (kFragments - 1));
  EXPECT_EQ(take_sent_until(us(10'000)), expected);
}

TEST_F(Tracker, LeavesFragmentsOutUntilTheyAreSent) {
  tracker_.submit({0, 10, 0, 0, nullptr});
  tracker_.sent(4, us(1));
  EXPECT_EQ(tracker_.oldest_in_flight(), 4U);
  EXPECT_EQ(tracker_.oldest_sent(), us(1));
  EXPECT_TRUE(tracker_.is_unsent(3));
  tracker_.sent(2, us(2));
  EXPECT_EQ(tracker_.oldest_in_flight(), 4U);
  EXPECT_TRUE(tracker_.done(4).first);
  EXPECT_EQ(tracker_.oldest_in_flight(), 2U);
  tracker_.sent(9, us(3));
  EXPECT_EQ(take_sent_until(us(3)), std::vector<Psn>({2, 9}));
  EXPECT_FALSE(tracker_.oldest_in_flight().has_value());
}

/// Compares the tracker with a list of transmissions in order. At most `window` fragments are in
/// flight. Results are often those of the last fragments, so that others are missing for long.
void agrees_with_a_list_of_sendings(FragmentTracker& tracker, Psn fragments, std::size_t window) {
  const unsigned seed = 20261121;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  tracker.submit({0, fragments, 0, 0, nullptr});
  std::vector<std::pair<Psn, Time>> sendings;  // transmissions in flight, oldest first
  const auto forget = [&](Psn psn) {
    return std::erase_if(sendings, [&](const auto& sending) { return sending.first == psn; }) != 0;
  };
  std::set<Psn> in_flight;
  std::set<Psn> unsent;
  for (Psn psn = 0; psn < fragments; ++psn) unsent.insert(psn);
  for (int step = 1; !unsent.empty() || !in_flight.empty(); ++step) {
    const auto chosen = [&] {
      return *std::next(in_flight.begin(), static_cast<long>(random() % in_flight.size()));
    };
    const auto finish = [&](Psn psn) {
      EXPECT_TRUE(tracker.done(psn).first);
      EXPECT_FALSE(tracker.done(psn).first);
      in_flight.erase(psn);
      forget(psn);
    };
    const unsigned action = random() % 16;
    if (!unsent.empty() && in_flight.size() < window && action < 8) {
      const bool leaves_out = random() % 16 == 0;
      const Psn psn =
          leaves_out && unsent.size() > 1 ? *std::next(unsent.begin()) : *unsent.begin();
      tracker.sent(psn, us(step)).aggregator_index = psn;
      unsent.erase(psn);
      in_flight.insert(psn);
      sendings.emplace_back(psn, us(step));
    } else if (in_flight.empty()) {
      continue;
    } else if (action == 8) {
      const Psn psn = chosen();
      EXPECT_EQ(tracker.sent(psn, us(step)).aggregator_index, psn);
      forget(psn);
      sendings.emplace_back(psn, us(step));
    } else if (action == 9) {
      const Psn psn = chosen();
      tracker.postpone(psn, us(step));
      forget(psn);
      sendings.emplace_back(psn, us(step));
    } else if (action == 10 && !sendings.empty()) {
      EXPECT_EQ(tracker.take_oldest(), sendings.front().first);
      sendings.erase(sendings.begin());
    } else if (action == 11 && !sendings.empty()) {
      const Psn psn = sendings[random() % sendings.size()].first;
      tracker.forget_transmission(psn);
      forget(psn);
    } else {
      finish(action == 12 ? chosen() : *in_flight.rbegin());
    }
    ASSERT_EQ(tracker.in_flight(), in_flight.size());
    ASSERT_EQ(tracker.oldest_in_flight(),
              sendings.empty() ? std::nullopt : std::optional(sendings.front().first));
    ASSERT_EQ(tracker.oldest_sent(), sendings.empty() ? kNever : sendings.front().second);
    Psn from = 0;
    const auto first_of_evens =
        std::ranges::find_if(sendings, [](const auto& sending) { return sending.first % 2 == 0; });
    ASSERT_EQ(
        tracker.oldest_in_flight([](Psn psn) { return psn + psn % 2; }, from),
        first_of_evens == sendings.end() ? std::nullopt : std::optional(first_of_evens->first));
    for (const Psn psn : in_flight) ASSERT_EQ(tracker.fragment(psn)->aggregator_index, psn);
  }
}

TEST_F(Tracker, AgreesWithAListOfSendingsWhateverIsLeftOutSentAgainOrDone) {
  agrees_with_a_list_of_sendings(tracker_, 300, 300);
}

TEST_F(Tracker, AgreesWithAListOfSendingsWhileAFewAreMissingBehindWhichManyAreDone) {
  agrees_with_a_list_of_sendings(tracker_, 10'000, 12);
}

TEST_F(Tracker, ATensorThatWasDoneBeforeThoseInFrontOfItIsNoneInFlight) {
  tracker_.submit({1, 1, 0, 0, nullptr});
  tracker_.sent(1, us(1));
  EXPECT_TRUE(tracker_.done(1).tensor_complete);
  tracker_.submit({0, 1, 0, 0, nullptr});
  tracker_.submit({2, 2, 0, 0, nullptr});
  tracker_.sent(0, us(2));
  EXPECT_TRUE(tracker_.done(0).tensor_complete);
  tracker_.sent(2, us(3));
  EXPECT_EQ(tracker_.oldest_sent(), us(3));
  EXPECT_EQ(tracker_.oldest_in_flight(), 2U);
  EXPECT_TRUE(tracker_.done(2).first);
  EXPECT_EQ(tracker_.oldest_sent(), kNever);
}

/// Compares the tracker with a list of transmissions in order.
TEST_F(Tracker, AgreesWithAListOfSendingsOfTensorsInAnyOrder) {
  constexpr unsigned seed = 20261126;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<Tensor> tensors;
    for (Psn psn = 0; tensors.size() < 8; psn += tensors.back().fragments) {
      tensors.push_back({psn, 1 + static_cast<std::uint32_t>(random() % 3), 0, 0, nullptr});
    }
    std::ranges::shuffle(tensors, random);
    FragmentTracker tracker;
    std::vector<Psn> unsent;
    std::vector<std::pair<Psn, Time>> in_flight;  // oldest first
    for (int step = 1; !tensors.empty() || !unsent.empty() || !in_flight.empty(); ++step) {
      const auto action = random() % 3;
      if (action == 0 && !tensors.empty()) {
        const Tensor tensor = tensors.back();
        tensors.pop_back();
        tracker.submit(tensor);
        for (Psn i = 0; i < tensor.fragments; ++i) unsent.push_back(tensor.first_psn + i);
      } else if (action == 1 && !unsent.empty()) {
        const auto chosen = unsent.begin() + static_cast<long>(random() % unsent.size());
        tracker.sent(*chosen, us(step));
        in_flight.emplace_back(*chosen, us(step));
        unsent.erase(chosen);
      } else if (action == 2 && !in_flight.empty()) {
        const auto chosen = in_flight.begin() + static_cast<long>(random() % in_flight.size());
        EXPECT_EQ(tracker.done(chosen->first).sent, chosen->second);
        in_flight.erase(chosen);
      }
      ASSERT_EQ(tracker.in_flight(), in_flight.size());
      ASSERT_EQ(tracker.oldest_in_flight(),
                in_flight.empty() ? std::nullopt : std::optional(in_flight.front().first));
      ASSERT_EQ(tracker.oldest_sent(), in_flight.empty() ? kNever : in_flight.front().second);
    }
  }
}

TEST_F(Tracker, KeepsThousandsInFlightWhileTheFirstIsMissing) {
  constexpr std::uint32_t kFragments = 5001;
  tracker_.submit({0, kFragments, 0, 0, nullptr});
  for (Psn psn = 0; psn < kFragments; ++psn) {
    tracker_.sent(psn, us(static_cast<int>(psn))).aggregator_index = 7 * psn;
    if (psn % 3 == 2) {
      EXPECT_TRUE(tracker_.done(psn - 1).first);
    }
  }
  for (Psn psn = 0; psn < kFragments; ++psn) {
    EXPECT_EQ(tracker_.is_done(psn), psn % 3 == 1) << psn;
    if (psn % 3 != 1) {
      EXPECT_EQ(tracker_.fragment(psn)->aggregator_index, 7 * psn);
    }
  }
  EXPECT_EQ(tracker_.oldest_in_flight(), 0U);
}

TEST_F(Tracker, StaysAsSmallAsWhatIsInFlightHoweverLongAFewAreMissing) {
  constexpr Psn kFragments = 100'000;
  constexpr Psn kWindow = 50;
  tracker_.submit({0, kFragments, 0, 0, nullptr});
  std::set<const FragmentTracker::Fragment*> places;
  const auto is_missing = [](Psn psn) { return psn % 10'000 == 5; };
  for (Psn psn = 0; psn < kFragments; ++psn) {
    places.insert(&tracker_.sent(psn, us(static_cast<int>(psn))));
    if (psn < kWindow || is_missing(psn - kWindow)) continue;
    EXPECT_TRUE(tracker_.done(psn - kWindow).first);
  }
  EXPECT_LE(places.size(), 64 + 128U);
  EXPECT_EQ(tracker_.in_flight(), kWindow + 10);
  EXPECT_EQ(tracker_.first_not_done(), 5U);
  EXPECT_EQ(tracker_.oldest_sent(), us(5));
  for (Psn psn = 0; psn < kFragments; ++psn) {
    const bool done = psn < kFragments - kWindow && !is_missing(psn);
    ASSERT_EQ(tracker_.done(psn).first, !done) << psn;
  }
  EXPECT_EQ(tracker_.oldest_sent(), kNever);
}

TEST_F(Tracker, TakesATensorBeforeOthersOfWhichOneIsMissingForLong) {
  tracker_.submit({100, 1000, 0, 0, nullptr});
  for (Psn psn = 100; psn < 1000; ++psn) {
    tracker_.sent(psn, us(1));
    if (psn != 150) {
      EXPECT_TRUE(tracker_.done(psn).first);
    }
  }
  tracker_.submit({0, 100, 0, 0, nullptr});
  EXPECT_TRUE(tracker_.is_unsent(99));
  EXPECT_TRUE(tracker_.is_done(100));
  EXPECT_TRUE(tracker_.is_in_flight(150));
  EXPECT_EQ(tracker_.oldest_in_flight(), 150U);
  for (Psn psn = 0; psn < 100; ++psn) tracker_.sent(psn, us(2));
  EXPECT_EQ(tracker_.in_flight(), 101U);
  EXPECT_EQ(take_sent_until(us(1)), std::vector<Psn>({150}));
  EXPECT_TRUE(tracker_.done(150).first);
  EXPECT_EQ(tracker_.oldest_in_flight(), 0U);
}

TEST_F(Tracker, FragmentsAndTensorsAreDoneOnce) {
  tracker_.submit({0, 3, 0, 0, nullptr});
  EXPECT_FALSE(tracker_.done(0).first);  // not sent
  send(3, us(5));
  EXPECT_TRUE(tracker_.done(2).first);
  EXPECT_FALSE(tracker_.done(2).first);
  EXPECT_FALSE(tracker_.done(9).first);
  tracker_.sent(1, us(6));
  const auto again = tracker_.done(1);
  EXPECT_EQ(again.transmissions, 2);
  EXPECT_FALSE(again.tensor_complete);
  const auto last = tracker_.done(0);
  EXPECT_EQ(last.transmissions, 1);
  EXPECT_EQ(last.sent, us(5));
  EXPECT_TRUE(last.tensor_complete);
  EXPECT_FALSE(tracker_.done(0).first);
  EXPECT_EQ(tracker_.in_flight(), 0U);
}

TEST_F(Tracker, CompleteTensorsStayReadableUntilEveryoneHasThem) {
  tracker_.submit({0, 2, 0, 0, nullptr});
  send(2, us(1));
  tracker_.done(0);
  tracker_.done(1);
  EXPECT_NE(tracker_.find(1), nullptr);
  tracker_.submit({2, 1, 0, 1, nullptr});  // all workers have PSN 0, but not yet PSN 1
  send(1, us(2));
  EXPECT_NE(tracker_.find(0), nullptr);
  tracker_.done(2);
  EXPECT_NE(tracker_.find(1), nullptr);
  tracker_.submit({3, 1, 0, 2, nullptr});
  send(1, us(3));
  EXPECT_NE(tracker_.find(1), nullptr);  // a submission frees nothing; a completion does
  tracker_.done(3);
  EXPECT_EQ(tracker_.find(1), nullptr);
  EXPECT_TRUE(tracker_.is_done(1));
  EXPECT_NE(tracker_.find(2), nullptr);
}

TEST_F(Tracker, OldestInFlightFollowsTheLastSendings) {
  tracker_.submit({0, 4, 0, 0, nullptr});
  for (int i = 0; i < 4; ++i) send(1, us(i));
  EXPECT_EQ(tracker_.oldest_in_flight(), 0U);
  tracker_.done(0);
  tracker_.done(2);
  EXPECT_EQ(tracker_.oldest_in_flight(), 1U);
  tracker_.sent(1, us(10));
  EXPECT_EQ(tracker_.oldest_in_flight(), 3U);
  EXPECT_EQ(tracker_.oldest_sent(), us(3));
  EXPECT_EQ(tracker_.take_oldest(), 3U);
  EXPECT_EQ(tracker_.oldest_in_flight(), 1U);
  tracker_.done(1);
  EXPECT_FALSE(tracker_.oldest_in_flight().has_value());
  EXPECT_TRUE(tracker_.is_in_flight(3));
}

TEST_F(Tracker, TakesWhatWasSentUntilALimitOnce) {
  tracker_.submit({0, 300, 0, 0, nullptr});
  for (int i = 0; i < 300; ++i) send(1, us(i));
  tracker_.done(1);
  tracker_.sent(2, us(400));
  EXPECT_EQ(take_sent_until(us(4)), (std::vector<Psn>{0, 3, 4}));
  EXPECT_EQ(take_sent_until(us(4)), (std::vector<Psn>{}));
  tracker_.postpone(0, us(500));
  EXPECT_EQ(take_sent_until(us(499)).size(), 300U - 5U + 1U);
  EXPECT_EQ(take_sent_until(us(500)), (std::vector<Psn>{0}));
}

TEST(RecentPsnSet, RemembersTheLatestSpan) {
  RecentPsnSet set(64);
  EXPECT_FALSE(set.contains(0));
  set.insert(0);
  set.insert(63);
  EXPECT_TRUE(set.contains(0));
  EXPECT_FALSE(set.contains(1));
  set.insert(64);
  EXPECT_FALSE(set.contains(0));  // forgotten
  EXPECT_TRUE(set.contains(63));
  EXPECT_TRUE(set.contains(64));
  set.erase(63);
  EXPECT_FALSE(set.contains(63));
  set.insert(0);  // too old to be remembered
  EXPECT_FALSE(set.contains(0));
  EXPECT_FALSE(set.contains(67));
}

TEST(RecentPsnSet, TheLastPsnIsOneLikeTheOthers) {
  RecentPsnSet set(64);
  EXPECT_TRUE(set.insert(UINT32_MAX - 1));
  EXPECT_TRUE(set.insert(UINT32_MAX));
  EXPECT_TRUE(set.contains(UINT32_MAX));
  EXPECT_TRUE(set.contains(UINT32_MAX - 1));
  EXPECT_FALSE(set.contains(0));
  EXPECT_FALSE(set.insert(UINT32_MAX));
}

TEST(RecentPsnSet, JumpsForgetEverything) {
  RecentPsnSet set(100);  // rounded up to 128
  for (Psn psn = 0; psn < 128; ++psn) set.insert(psn);
  EXPECT_TRUE(set.contains(0));
  set.insert(1'000'000);
  for (Psn psn = 1'000'000 - 127; psn < 1'000'000; ++psn) EXPECT_FALSE(set.contains(psn));
  EXPECT_TRUE(set.contains(1'000'000));
}

}  // namespace
}  // namespace ina
