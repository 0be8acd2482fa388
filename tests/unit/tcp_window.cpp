// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/tcp_window.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

namespace ina {

namespace {

using std::chrono::microseconds;

constexpr Time kRoundTrip = microseconds(20);

TcpWindow window_of(FlowControl control, bool ecn = true) {
  return TcpWindow({.control = control, .ecn = ecn, .initial_packets = 10, .max_packets = 1000});
}

/// Acknowledges all packets of a full window, two at a time, at the end of a round trip.
void round(TcpWindow& window, Time now, bool marked = false) {
  const std::uint32_t packets = window.packets();
  for (std::uint32_t sent = 0; sent + 2 <= packets; sent += 2) {
    window.observe(now, kRoundTrip);
    window.acknowledged(2, marked, window.packets());
  }
}

class EveryControl : public ::testing::TestWithParam<FlowControl> {};
INSTANTIATE_TEST_SUITE_P(Controls, EveryControl,
                         ::testing::Values(FlowControl::cubic, FlowControl::dctcp,
                                           FlowControl::linux_reno, FlowControl::new_reno),
                         [](const auto& info) {
                           return std::string(
                               kFlowControlNames[static_cast<std::size_t>(info.param)]);
                         });

TEST_P(EveryControl, GrowsInSlowStart) {
  TcpWindow window = window_of(GetParam());
  round(window, kRoundTrip);
  const bool by_acknowledgements = GetParam() == FlowControl::new_reno;
  EXPECT_EQ(window.packets(), by_acknowledgements ? 15U : 20U);
}

TEST_P(EveryControl, NeverExceedsItsLimit) {
  TcpWindow window = window_of(GetParam());
  for (int i = 1; i < 5000; ++i) round(window, i * kRoundTrip);
  EXPECT_LE(window.packets(), 1000U);
}

TEST_P(EveryControl, IsCutOnceForAllLossesOfAWindow) {
  TcpWindow window = window_of(GetParam());
  round(window, kRoundTrip);
  const std::uint32_t before = window.packets();
  window.lost(before);
  const std::uint32_t cut = window.packets();
  EXPECT_LT(cut, before);
  EXPECT_GE(cut, before / 2);
  window.lost(before);
  EXPECT_EQ(window.packets(), cut);
}

TEST_P(EveryControl, BeginsAgainAfterATimeout) {
  TcpWindow window = window_of(GetParam());
  window.timed_out();
  EXPECT_EQ(window.packets(), 1U);
}

TEST_P(EveryControl, IsCutByMarksUnlessItIgnoresThem) {
  for (const bool ecn : {false, true}) {
    TcpWindow window = window_of(GetParam(), ecn);
    const std::uint32_t before = window.packets();
    window.observe(kRoundTrip, kRoundTrip);
    window.acknowledged(2, true, before);
    EXPECT_EQ(window.packets() < before, ecn || GetParam() == FlowControl::dctcp);
  }
}

TEST(CubicWindow, KeepsSevenTenthsAtALoss) {
  TcpWindow window = window_of(FlowControl::cubic);
  window.lost(10);
  EXPECT_EQ(window.packets(), 7U);
}

TEST(CubicWindow, FollowsRenoWhereRoundTripsAreShort) {
  TcpWindow window = window_of(FlowControl::cubic);
  for (int i = 1; i <= 6; ++i) round(window, i * kRoundTrip);
  window.lost(window.packets());
  const std::uint32_t cut = window.packets();
  constexpr int kRounds = 200;
  for (int i = 0; i < kRounds; ++i) round(window, (10 + i) * kRoundTrip);
  // RFC 9438, 4.3: 3 (1 - 0.7) / (1 + 0.7) packets per window.
  EXPECT_NEAR(window.packets() - cut, kRounds * 0.9 / 1.7, 0.1 * kRounds);
}

TEST(CubicWindow, ReachesItsFormerSizeAgainAtThePlateau) {
  // RFC 9438, 4.2: K = cbrt(W_max (1 - 0.7) / 0.4) seconds after the cut.
  CubicGrowth growth;
  growth.cut(1000);
  growth.acknowledged_per_packet(700, 1, Time::zero(), Time::zero());
  const Time plateau(static_cast<std::int64_t>(std::cbrt(300 / 0.4) * 1e12));
  // One packet below the plateau's window, the growth needed is one packet.
  EXPECT_NEAR(growth.acknowledged_per_packet(999, 1, plateau, Time::zero()), 999, 1);
}

TEST(CubicWindow, LeavesSlowStartWhenATrainLastsHalfARoundTrip) {
  TcpWindow window = window_of(FlowControl::cubic);
  round(window, kRoundTrip);
  ASSERT_EQ(window.packets(), 20U);
  for (int i = 0; i < 10; ++i) {
    window.observe(2 * kRoundTrip + i * microseconds(2), kRoundTrip);
    window.acknowledged(2, false, window.packets());
  }
  const std::uint32_t left = window.packets();
  EXPECT_LT(left, 40U);
  round(window, 4 * kRoundTrip);
  EXPECT_LE(window.packets(), left + 2);
}

}  // namespace

}  // namespace ina
