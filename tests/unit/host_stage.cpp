// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/network/host_stage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ina::cluster {
namespace {

constexpr std::uint64_t kSeed = 7;
constexpr HostStage::Direction kReceive = HostStage::Direction::receive;

std::vector<Time> received(HostStage& stage, const std::vector<Time>& arrivals,
                           std::uint32_t bytes = 100) {
  std::vector<Time> done;
  for (const Time at : arrivals) done.push_back(stage.receive(bytes, at));
  return done;
}

TEST(HostStage, TakesATimeForEachPacketAndForEachByteBehindItsHeaders) {
  const HostStage::Config config{
      .per_packet = Time(1000), .per_byte = Time(10), .header_bytes = 58};
  EXPECT_EQ(config.time_of(306), Time(1000 + 10 * 248));
  EXPECT_EQ(config.time_of(58), Time(1000));
  EXPECT_EQ(config.time_of(20), Time(1000));
  HostStage stage(config, kSeed, kReceive);
  EXPECT_EQ(stage.receive(306, Time(5)), Time(5 + 3480));
}

TEST(HostStage, OfOneCoreHandlesPacketsOneAfterTheOther) {
  HostStage stage({.per_packet = Time(100)}, kSeed, kReceive);
  EXPECT_EQ(received(stage, {Time(0), Time(10), Time(500)}),
            (std::vector{Time(100), Time(200), Time(600)}));
}

TEST(HostStage, OfFourCoresHandlesFourPacketsAtATime) {
  HostStage stage({.per_packet = Time(100), .cores = 4}, kSeed, kReceive);
  EXPECT_EQ(received(stage, std::vector(6, Time(0))),
            (std::vector{Time(100), Time(100), Time(100), Time(100), Time(200), Time(200)}));
}

TEST(HostStage, LosesWhatFindsItsQueueFull) {
  HostStage stage({.per_packet = Time(100), .queue = 2}, kSeed, kReceive);
  EXPECT_EQ(received(stage, {Time(0), Time(0), Time(0), Time(0), Time(100), Time(100)}),
            (std::vector{Time(100), Time(200), Time(300), kNever, Time(400), kNever}));
}

TEST(HostStage, SendsWhateverWaits) {
  HostStage stage({.per_packet = Time(100), .queue = 1}, kSeed, HostStage::Direction::send);
  for (int packet = 1; packet <= 5; ++packet) {
    EXPECT_EQ(stage.send(100, Time(0)), Time(100 * packet));
  }
}

TEST(HostStage, SpreadsTheTimesOfPacketsWithinTheShareOfTheirTime) {
  HostStage stage({.per_packet = Time(1000), .spread = 0.1}, kSeed, kReceive);
  Time least = kNever;
  Time most{};
  Time sum{};
  constexpr int kPackets = 10'000;
  for (int packet = 0; packet < kPackets; ++packet) {
    const Time at(packet * 2000);
    const Time took = stage.receive(100, at) - at;
    least = std::min(least, took);
    most = std::max(most, took);
    sum += took;
  }
  EXPECT_GE(least, Time(900));
  EXPECT_LT(least, Time(902));
  EXPECT_LE(most, Time(1100));
  EXPECT_GT(most, Time(1098));
  EXPECT_NEAR(static_cast<double>(sum.count()) / kPackets, 1000, 3);
}

TEST(HostStage, SpreadsHostsByOneFactorInBothDirections) {
  const HostStage::Config config{.per_packet = Time(1000), .host_spread = 0.5};
  std::vector<Time> times;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    HostStage receives(config, seed, kReceive);
    HostStage sends(config, seed, HostStage::Direction::send);
    times.push_back(receives.receive(100, Time(0)));
    EXPECT_EQ(receives.receive(100, Time(10'000)), Time(10'000) + times.back());
    EXPECT_EQ(sends.send(100, Time(0)), times.back());
  }
  EXPECT_LT(*std::ranges::min_element(times), Time(600));
  EXPECT_GT(*std::ranges::max_element(times), Time(1400));
}

TEST(HostStage, KeepsTheOrderUnlessItMayReorder) {
  HostStage::Config config{.per_packet = Time(1000), .spread = 0.5, .cores = 8};
  HostStage keeps(config, kSeed, kReceive);
  config.reorder = true;
  HostStage reorders(config, kSeed, kReceive);
  std::vector<Time> arrivals;
  for (int packet = 0; packet < 100; ++packet) arrivals.emplace_back(packet * 200);
  EXPECT_TRUE(std::ranges::is_sorted(received(keeps, arrivals)));
  EXPECT_FALSE(std::ranges::is_sorted(received(reorders, arrivals)));
}

TEST(HostStage, KeepsTheOrderOfWhatItSends) {
  HostStage stage({.per_packet = Time(1000), .spread = 0.5, .cores = 8, .reorder = true}, kSeed,
                  HostStage::Direction::send);
  EXPECT_FALSE(stage.reorders());
  std::vector<Time> done;
  for (int packet = 0; packet < 100; ++packet) done.push_back(stage.send(100, Time(packet * 200)));
  EXPECT_TRUE(std::ranges::is_sorted(done));
}

TEST(HostStage, OfOneCoreHasNothingToReorder) {
  EXPECT_FALSE(HostStage({.per_packet = Time(1), .reorder = true}, kSeed, kReceive).reorders());
}

TEST(HostStage, IsIdleWhenItsFirstCoreIs) {
  HostStage stage({.per_packet = Time(100), .cores = 2}, kSeed, kReceive);
  stage.receive(100, Time(10));
  EXPECT_EQ(stage.idle_at(), Time(0));
  stage.receive(100, Time(20));
  EXPECT_EQ(stage.idle_at(), Time(110));
}

TEST(HostStage, IsOffWithoutATime) {
  EXPECT_FALSE(HostStage::Config{}.is_on());
  EXPECT_TRUE((HostStage::Config{.per_byte = Time(1)}).is_on());
}

/// ATP (NSDI 2021), E.1: 60 Gbps with packets of 306 B, and 60 / 1.3 Gbps with packets of 180 B.
TEST(HostStage, OfAtpHasThePublishedRates) {
  const auto gbps = [](std::string_view name, std::uint32_t bytes, std::uint32_t counted) {
    const auto* const preset = std::ranges::find(kHostPresets, name, &HostPreset::name);
    return counted * 8e3 / static_cast<double>(preset->config.time_of(bytes).count());
  };
  EXPECT_NEAR(gbps("atp-e1-wire", 306, 306), 60, 0.5);
  EXPECT_NEAR(gbps("atp-e1-wire", 180, 180), 60 / 1.3, 0.5);
  EXPECT_NEAR(gbps("atp-e1-payload", 306, 248), 60, 0.5);
}

}  // namespace
}  // namespace ina::cluster
