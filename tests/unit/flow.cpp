// SPDX-License-Identifier: BSD-3-Clause
// A flow between two workers: window, sender and receiver, each tested separately.
#include "hw/protocol/transport/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace ina {
namespace {

constexpr Time kTimeout = std::chrono::milliseconds(1);
constexpr std::uint32_t kCredit = 1000;

Time us(int count) { return std::chrono::microseconds(count); }

// ---- the window

CongestionWindow::Config window_of(std::uint32_t initial, std::uint32_t most = 0) {
  return {.initial_packets = initial, .max_packets = most};
}

/// Acknowledges a whole window packet by packet. The first `marked` packets had marks.
void acknowledge_window(DctcpWindow& window, std::uint32_t marked) {
  const std::uint32_t packets = window.packets();
  for (std::uint32_t i = 0; i < packets; ++i) window.acknowledged(1, i < marked, window.packets());
}

TEST(DctcpWindow, AlphaFollowsTheShareOfMarksOnceAWindow) {
  DctcpWindow window(window_of(64, 64));
  EXPECT_EQ(window.alpha(), 1);
  double alpha = 1;
  for (int round = 0; round < 100; ++round) {
    acknowledge_window(window, 0);
    alpha = 15.0 / 16 * alpha;  // (1), F = 0
    ASSERT_DOUBLE_EQ(window.alpha(), alpha);
  }
}

TEST(DctcpWindow, CutsByHalfOfAlphaOnceAWindow) {
  DctcpWindow window(window_of(1000, 1000));
  for (int round = 0; round < 20; ++round) acknowledge_window(window, 0);
  const double alpha = window.alpha();
  window.acknowledged(1, true, 1000);
  const auto cut = static_cast<std::uint32_t>(1000 * (1 - alpha / 2));  // (2)
  EXPECT_EQ(window.packets(), cut);
  for (int i = 0; i < 999; ++i) window.acknowledged(1, true, cut);
  EXPECT_EQ(window.packets(), cut);
  const double later = window.alpha();
  EXPECT_GT(later, alpha);
  window.acknowledged(1, true, cut);
  EXPECT_EQ(window.packets(), static_cast<std::uint32_t>(cut * (1 - window.alpha() / 2)));
}

TEST(DctcpWindow, WhereEverythingIsMarkedItHalves) {
  DctcpWindow window(window_of(64));
  window.acknowledged(1, true, 64);
  EXPECT_EQ(window.packets(), 32U);
}

TEST(DctcpWindow, GrowsByWhatIsAcknowledgedAndThenByOneAWindow) {
  DctcpWindow window(window_of(10));
  acknowledge_window(window, 0);
  EXPECT_EQ(window.packets(), 20U);
  window.lost(20);
  EXPECT_EQ(window.packets(), 10U);
  acknowledge_window(window, 0);
  EXPECT_EQ(window.packets(), 11U);
  acknowledge_window(window, 0);
  EXPECT_EQ(window.packets(), 12U);
}

TEST(DctcpWindow, GrowsByASegmentAWindowOfPacketsThatAreParts) {
  DctcpWindow window(window_of(10), 5);
  acknowledge_window(window, 0);
  EXPECT_EQ(window.packets(), 20U);  // below the threshold: one packet per acknowledgement
  window.lost(20);
  acknowledge_window(window, 0);
  EXPECT_EQ(window.packets(), 14U);  // not quite 15, since it exceeds 10 meanwhile
}

TEST(DctcpWindow, GrowsToTwiceWhatIsHeldInFlightBelowTheThreshold) {
  for (const std::uint32_t held : {1U, 2U, 5U, 7U, 11U, 1000U}) {
    DctcpWindow window(window_of(10));
    for (int i = 0; i < 5000; ++i) window.acknowledged(1, false, held);
    EXPECT_EQ(window.packets(), std::max(10U, 2 * held)) << held;
    window.timed_out();
    const std::uint32_t threshold = std::max(10U, 2 * held) / 2;
    for (int i = 0; i < 5000; ++i) window.acknowledged(1, false, held);
    EXPECT_EQ(window.packets(), std::min(2 * held, std::max(threshold, held + 1))) << held;
  }
}

TEST(DctcpWindow, GrowsOnlyIfAllOfItIsInFlightAboveTheThreshold) {
  for (const std::uint32_t held : {1U, 9U, 10U, 12U}) {
    DctcpWindow window(window_of(20));
    window.lost(20);
    for (int i = 0; i < 5000; ++i) window.acknowledged(1, false, held);
    EXPECT_EQ(window.packets(), std::max(10U, held + 1)) << held;
  }
}

TEST(DctcpWindow, BeginsWithOnePacketAfterATimeout) {
  DctcpWindow window(window_of(64));
  window.timed_out();
  EXPECT_EQ(window.packets(), 1U);
  for (std::uint32_t packets = 2; packets <= 32; packets *= 2) {
    acknowledge_window(window, 0);
    EXPECT_EQ(window.packets(), packets);
  }
  acknowledge_window(window, 0);
  EXPECT_EQ(window.packets(), 33U);  // above half of its former size
}

TEST(DctcpWindow, StaysAsItIsIfItFollowsNothing) {
  DctcpWindow window({.initial_packets = 10, .max_packets = 0, .enabled = false});
  acknowledge_window(window, 10);
  window.lost(10);
  window.timed_out();
  EXPECT_EQ(window.packets(), 10U);
}

// ---- the sender

Acknowledgement answer(std::uint32_t sequence, std::uint32_t before,
                       std::uint16_t credit = kCredit) {
  return {sequence, before, credit, false};
}

class FlowSenderTest : public ::testing::Test {
 protected:
  /// Sends as many frames as the sender permits. Returns their number.
  int send_all(Time now) {
    int sent = 0;
    for (; sender_.may_send(); ++sent) {
      Frame frame;
      frame.fields = FlowFields();
      sender_.send(frame, now);
      EXPECT_EQ(frame.flow().sequence, next_++);
    }
    return sent;
  }
  std::vector<std::uint32_t> resent(Time now) {
    std::vector<std::uint32_t> sequences;
    for (Frame frame; sender_.resend(frame, now);) {
      EXPECT_TRUE(frame.has(flag::resend));
      sequences.push_back(frame.flow().sequence);
    }
    return sequences;
  }

  FlowSender sender_{{.initial_packets = 8, .max_packets = 8}, kTimeout, kTimeout, kCredit};
  std::uint32_t next_ = 0;
};
using Sequences = std::vector<std::uint32_t>;

TEST_F(FlowSenderTest, SendsAWindowAtATime) {
  EXPECT_EQ(send_all(us(0)), 8);
  EXPECT_EQ(sender_.in_flight(), 8U);
  EXPECT_TRUE(sender_.receive(answer(0, 1), us(10)));
  EXPECT_TRUE(sender_.receive(answer(1, 2), us(10)));
  EXPECT_EQ(send_all(us(10)), 2);
}

/// Longest time between two frames, in microseconds. Frames are at least one microsecond apart and
/// marked with probability `marked`. The receiver acknowledges every fourth frame, and those that
/// request it.
int longest_pause(double marked, std::uint32_t seed) {
  constexpr int kRoundTrip = 6;
  constexpr int kMostUnacknowledged = 4;
  std::mt19937 random(seed);
  std::bernoulli_distribution marks(marked);
  FlowSender sender(window_of(16), kTimeout, kTimeout, kCredit);
  std::deque<std::pair<int, Acknowledgement>> on_the_way;
  int unacknowledged = 0;
  int sent = 0;
  int longest = 0;
  for (int now = 0; now < 2000; ++now) {
    for (; !on_the_way.empty() && on_the_way.front().first <= now; on_the_way.pop_front()) {
      EXPECT_TRUE(sender.receive(on_the_way.front().second, us(now)));
    }
    longest = std::max(longest, now - sent);
    if (!sender.may_send()) continue;
    Frame frame;
    frame.fields = FlowFields();
    sender.send(frame, us(now));
    sent = now;
    if (++unacknowledged < kMostUnacknowledged && !frame.flow().acknowledge_now) continue;
    unacknowledged = 0;
    const std::uint32_t sequence = frame.flow().sequence;
    on_the_way.emplace_back(now + kRoundTrip,
                            Acknowledgement{sequence, sequence + 1, kCredit, marks(random)});
  }
  return longest;
}

TEST(FlowSender, GoesOnWithinARoundTripHoweverOftenItsWindowIsCut) {
  for (const double marked : {0.0, 0.2, 0.5, 1.0}) {
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
      ASSERT_LE(longest_pause(marked, seed), 6) << marked << ' ' << seed;
    }
  }
}

TEST_F(FlowSenderTest, AnAnswerStandsForThoseThatGotLost) {
  send_all(us(0));
  EXPECT_TRUE(sender_.receive(answer(6, 7), us(10)));
  EXPECT_EQ(sender_.in_flight(), 1U);
  EXPECT_EQ(resent(us(10)), Sequences());
  EXPECT_TRUE(sender_.receive(answer(3, 4), us(11)));  // it arrived late
  EXPECT_EQ(sender_.in_flight(), 1U);
}

TEST_F(FlowSenderTest, SendsAgainAfterThreeAnswersOutOfOrder) {
  send_all(us(0));
  for (const std::uint32_t sequence : {1, 2}) {
    sender_.receive(answer(sequence, 0), us(10));
    EXPECT_EQ(resent(us(10)), Sequences());
  }
  sender_.receive(answer(3, 0), us(10));
  EXPECT_EQ(resent(us(10)), Sequences{0});
  EXPECT_EQ(sender_.window(), 4U);
  sender_.receive(answer(0, 4), us(20));
  EXPECT_EQ(sender_.in_flight(), 4U);
}

TEST_F(FlowSenderTest, FindsEachOfSeveralThatGotLost) {
  send_all(us(0));
  for (const std::uint32_t sequence : {2, 3, 4, 5, 6, 7}) {
    sender_.receive(answer(sequence, 0), us(10));
  }
  EXPECT_EQ(resent(us(10)), (Sequences{0, 1}));
}

TEST_F(FlowSenderTest, SendsAllAgainAfterATimeoutWithASmallWindow) {
  send_all(us(0));
  EXPECT_EQ(sender_.deadline(), kTimeout);
  sender_.expire(kTimeout - Time(1));
  EXPECT_EQ(resent(kTimeout), Sequences());
  sender_.expire(kTimeout);
  EXPECT_EQ(sender_.window(), 1U);
  EXPECT_EQ(resent(kTimeout), Sequences{0});
  EXPECT_EQ(sender_.deadline(), 3 * kTimeout);  // doubled
  sender_.receive(answer(0, 1), kTimeout + us(10));
  EXPECT_EQ(resent(kTimeout + us(10)), (Sequences{1, 2}));
  EXPECT_FALSE(sender_.may_send());
}

TEST_F(FlowSenderTest, OneTimeoutStandsForAllThatIsInFlight) {
  for (int i = 0; i < 8; ++i) {
    Frame frame;
    frame.fields = FlowFields();
    sender_.send(frame, us(i));
  }
  sender_.expire(kTimeout);
  EXPECT_EQ(resent(kTimeout), Sequences{0});
  EXPECT_EQ(sender_.deadline(), 3 * kTimeout);
  sender_.receive(answer(0, 1), kTimeout + us(10));
  EXPECT_EQ(resent(kTimeout + us(10)), (Sequences{1, 2}));
  EXPECT_EQ(sender_.deadline(), kTimeout + us(10) + 2 * kTimeout);
}

TEST_F(FlowSenderTest, TakesALongerTimeoutUntilARoundTripIsMeasured) {  // Karn; RFC 6298, 5.7
  constexpr Time kRoundTrip = 3 * kTimeout / 2;
  int timeouts = 0;
  Time now{};
  for (std::uint32_t sent = 0; sent < 100; ++sent) {
    Frame frame;
    frame.fields = FlowFields();
    if (!sender_.resend(frame, now)) sender_.send(frame, now);
    const std::uint32_t sequence = frame.flow().sequence;
    const Time arrives = now + kRoundTrip;
    for (; sender_.deadline() < arrives; ++timeouts) {
      sender_.expire(sender_.deadline());
      Frame again;
      again.fields = FlowFields();
      while (sender_.resend(again, arrives)) {
      }
    }
    sender_.receive(answer(sequence, sequence + 1), arrives);
    now = arrives;
  }
  EXPECT_EQ(timeouts, 1);
}

TEST_F(FlowSenderTest, WaitsForAnAnswerThatTheReceiverKeepsBackHoweverSteadyTheRoundTrips) {
  constexpr Time kRoundTrip = 4 * kTimeout;
  Time now{};
  for (std::uint32_t sequence = 0; sequence < 100; ++sequence) {
    Frame frame;
    frame.fields = FlowFields();
    sender_.send(frame, now);
    now += kRoundTrip;
    sender_.receive(answer(sequence, sequence + 1), now);
  }
  Frame frame;
  frame.fields = FlowFields();
  sender_.send(frame, now);
  EXPECT_GE(sender_.deadline() - now, kRoundTrip + longest_silence(kTimeout));
  EXPECT_LE(sender_.deadline() - now, 2 * kRoundTrip);
}

TEST_F(FlowSenderTest, SendsNoMoreThanTheReceiverHasRoomForButAsks) {
  FlowSender sender({.initial_packets = 8, .max_packets = 8}, kTimeout, kTimeout, 2);
  Frame frame;
  frame.fields = FlowFields();
  int sent = 0;
  for (; sender.may_send(); ++sent) sender.send(frame, us(0));
  EXPECT_EQ(sent, 2);
  sender.receive(answer(0, 1, 0), us(10));
  sender.receive(answer(1, 2, 0), us(10));
  ASSERT_TRUE(sender.may_send());
  sender.send(frame, us(10));
  EXPECT_FALSE(sender.may_send());
  sender.receive(answer(1, 2, 0), us(20));  // the receiver had no room for it
  EXPECT_EQ(sender.in_flight(), 1U);
  sender.receive(answer(1, 2, 3), us(30));
  ASSERT_TRUE(sender.resend(frame, us(30)));  // at once
  EXPECT_EQ(frame.flow().sequence, 2U);
  for (sent = 0; sender.may_send(); ++sent) sender.send(frame, us(30));
  EXPECT_EQ(sent, 2);
}

TEST_F(FlowSenderTest, KeepsItsWindowWhileItAsksForRoom) {
  FlowSender sender({.initial_packets = 8, .max_packets = 8}, kTimeout, kTimeout, 1);
  Frame frame;
  frame.fields = FlowFields();
  sender.send(frame, us(0));
  sender.receive(answer(0, 1, 0), us(10));
  sender.send(frame, us(10));
  for (int asked = 0; asked < 5; ++asked) {
    const Time now = sender.deadline();
    sender.expire(now);
    ASSERT_TRUE(sender.resend(frame, now));
  }
  EXPECT_EQ(sender.window(), 8U);
}

TEST_F(FlowSenderTest, RefusesAnswersToWhatItNeverSent) {
  send_all(us(0));
  EXPECT_FALSE(sender_.receive(answer(8, 0), us(10)));
  EXPECT_FALSE(sender_.receive(answer(0, 9), us(10)));
  EXPECT_EQ(sender_.in_flight(), 8U);
}

TEST_F(FlowSenderTest, MeasuresRoundTripsOfWhatWasSentOnce) {
  send_all(us(0));
  sender_.expire(kTimeout);
  resent(kTimeout);
  sender_.receive(answer(0, 1), us(90'000));
  resent(us(90'000));
  EXPECT_EQ(sender_.deadline() - us(90'000), 2 * kTimeout);  // no measurement of retransmissions
}

TEST_F(FlowSenderTest, KeepsValuesUntilTheyHaveCome) {
  ValuePool pool(4);
  FlowSender sender(window_of(8), kTimeout, kTimeout, kCredit);
  for (int i = 0; i < 3; ++i) {
    Frame frame;
    frame.fields = FlowFields();
    frame.values = pool.take();
    sender.send(frame, us(0));
  }
  EXPECT_EQ(pool.taken(), 3U);
  sender.receive(answer(1, 0), us(10));
  EXPECT_EQ(pool.taken(), 2U);
  sender.receive(answer(2, 3), us(10));
  EXPECT_EQ(pool.taken(), 0U);
}

// ---- the receiver

TEST(FlowReceiver, KnowsWhatHasComeInAnyOrder) {
  constexpr std::uint32_t kFrames = 5000;
  constexpr std::uint32_t kSpan = 100;
  std::mt19937 random(3);
  FlowReceiver receiver(kSpan);
  std::vector<bool> came(kFrames + 2 * kSpan);
  while (receiver.next() < kFrames) {
    const std::uint32_t sequence = receiver.next() + static_cast<std::uint32_t>(random() % kSpan);
    ASSERT_TRUE(receiver.reaches(sequence));
    ASSERT_EQ(receiver.has(sequence), came[sequence]);
    if (!came[sequence]) receiver.take(sequence);
    came[sequence] = true;
    const auto missing = std::ranges::find(came, false);
    ASSERT_EQ(receiver.next(), missing - came.begin());
  }
  EXPECT_TRUE(receiver.has(0));
  EXPECT_FALSE(receiver.reaches(receiver.next() + 2 * kSpan));
}

}  // namespace
}  // namespace ina
