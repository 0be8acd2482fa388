// SPDX-License-Identifier: BSD-3-Clause
// Hosts that take time for packets, on the campaigns' network.
#include "tests/support/star_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tests/campaigns/two_hosts.hpp"
#include "tests/support/active_programs.hpp"

namespace ina::campaigns {
namespace {

using cluster::HostStage;
using ::testing::ElementsAre;
using testing::StarNetwork;
using testing::ThreefoldProgram;

class ForwardingProgram : public programs::SwitchProgram {
 public:
  rmt::Verdict process(Frame& frame, Time) override { return programs::forward(frame); }
};
using Star = TwoHosts<ForwardingProgram>;

constexpr Time kLimit = std::chrono::seconds(1);

StarNetwork::Config with(const HostStage::Config& stage) {
  StarNetwork::Config config = Star::kEqualDelays;
  config.host_stage = stage;
  return config;
}

TEST(HostStagesInTheNetwork, TakeTheTimeOfAPacketAtBothOfItsEnds) {
  const HostStage::Config stage{.per_packet = Time(17'500), .per_byte = Time(76)};
  Star star(with(stage));
  star.send(7);
  EXPECT_EQ(star.network.run(kLimit), "");
  const Time done = 2 * Star::kDelay + 2 * stage.time_of(Star::kBytes);
  EXPECT_THAT(star.receiver.arrivals, ElementsAre(std::pair(Psn{7}, done)));
}

TEST(HostStagesInTheNetwork, TakeNoMoreTimeBehindALeafThanItsHopDoes) {
  const HostStage::Config stage{.per_packet = Time(17'500)};
  Star star(with(stage));
  star.network.add_leaf(std::make_unique<ForwardingProgram>(), "leaf", {star.from});
  star.send(7);
  EXPECT_EQ(star.network.run(kLimit), "");
  const Time done = 3 * Star::kDelay + 2 * stage.time_of(Star::kBytes);
  EXPECT_THAT(star.receiver.arrivals, ElementsAre(std::pair(Psn{7}, done)));
}

TEST(HostStagesInTheNetwork, OfOneCoreSendOnePacketAfterTheOther) {
  const HostStage::Config stage{.per_packet = Time(17'500)};
  Star star(with(stage));
  for (Psn psn = 0; psn < 3; ++psn) star.send(psn);
  EXPECT_EQ(star.network.run(kLimit), "");
  const Time first = 2 * Star::kDelay + 2 * stage.per_packet;
  EXPECT_THAT(star.receiver.arrivals,
              ElementsAre(std::pair(Psn{0}, first), std::pair(Psn{1}, first + stage.per_packet),
                          std::pair(Psn{2}, first + 2 * stage.per_packet)));
}

std::vector<Psn> order_of_arrival(bool reorder) {
  StarNetwork::Config config = with({.per_packet = std::chrono::microseconds(10),
                                     .spread = 1,
                                     .host_spread = 0.5,
                                     .cores = 8,
                                     .reorder = reorder});
  config.max_delay = 10 * Star::kDelay;
  Star star(config);
  constexpr Psn kPackets = 200;
  for (Psn psn = 0; psn < kPackets; ++psn) star.send(psn);
  EXPECT_EQ(star.network.run(kLimit), "");
  EXPECT_EQ(star.received().size(), kPackets);
  return star.received();
}

TEST(HostStagesInTheNetwork, KeepTheOrderUnlessTheyMayReorder) {
  EXPECT_TRUE(std::ranges::is_sorted(order_of_arrival(false)));
  EXPECT_FALSE(std::ranges::is_sorted(order_of_arrival(true)));
}

/// Three copies arrive within three picoseconds: one is processed, one waits, one is lost.
TEST(HostStagesInTheNetwork, LoseWhatFindsTheQueueOfItsReceiverFull) {
  const HostStage::Config stage{.per_packet = Time(17'500), .queue = 1};
  TwoHosts<ThreefoldProgram> star(with(stage));
  star.send(7);
  EXPECT_EQ(star.network.run(kLimit), "");
  const Time first = 2 * Star::kDelay + 2 * stage.per_packet;
  EXPECT_THAT(star.receiver.arrivals,
              ElementsAre(std::pair(Psn{7}, first), std::pair(Psn{7}, first + stage.per_packet)));
  EXPECT_EQ(star.network.statistics().lost_in_host, 1U);
  EXPECT_EQ(star.network.statistics().lost, 0U);
}

TEST(HostStagesInTheNetwork, HandlePacketsWhileTheirHostIsPaused) {
  const HostStage::Config stage{.per_packet = Time(17'500)};
  Star star(with(stage));
  const Time resumed = 10 * Star::kDelay;
  star.network.pause(star.to);
  star.network.call_at(resumed, [&] { star.network.resume(star.to); });
  star.send(7);
  EXPECT_EQ(star.network.run(kLimit), "");
  EXPECT_THAT(star.receiver.arrivals, ElementsAre(std::pair(Psn{7}, resumed)));
}

}  // namespace
}  // namespace ina::campaigns
