// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/faults/link_faults.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ina::faults {
namespace {

constexpr std::uint64_t kSeed = 20;
constexpr int kFrames = 200'000;

Frame frame_of(FrameKind kind, std::uint8_t flags = 0) {
  Frame frame;
  frame.kind = kind;
  frame.flags = flags;
  return frame;
}

/// Counts how many of kFrames gradients satisfy `what`.
template <class What>
int count(const LinkFaults::Config& config, What what) {
  LinkFaults faults(config, kSeed);
  int happened = 0;
  for (int i = 0; i < kFrames; ++i) {
    happened += what(faults.decide(frame_of(FrameKind::gradient), Time(i))) ? 1 : 0;
  }
  return happened;
}

/// Requires the count to be within five standard deviations of a binomial distribution.
void expect_share(int happened, double probability) {
  const double mean = kFrames * probability;
  EXPECT_NEAR(happened, mean, 5 * std::sqrt(mean * (1 - probability)) + 1e-9);
}

TEST(LinkFaults, NothingHappensByDefault) {
  LinkFaults faults({}, kSeed);
  for (int i = 0; i < 1000; ++i) {
    const auto outcome = faults.decide(frame_of(FrameKind::gradient), Time(i));
    EXPECT_FALSE(outcome.lost || outcome.corrupted || outcome.duplicated ||
                 outcome.delay != Time::zero());
  }
}

TEST(LinkFaults, FramesAreLostByTheirNumberAmongThoseConcerned) {
  LinkFaults::Config config;
  config.frames = only(FrameClass::gradient);
  config.lost_frames = {4, 0, 0};
  LinkFaults faults(config, kSeed);
  for (int number = 0; number < 10; ++number) {
    EXPECT_FALSE(faults.decide(frame_of(FrameKind::result), Time(number)).lost);
    EXPECT_EQ(faults.decide(frame_of(FrameKind::gradient), Time(number)).lost,
              number == 0 || number == 4)
        << number;
  }
}

TEST(LinkFaults, EachFaultHappensAsOftenAsStated) {
  for (const double probability : {0.001, 0.1, 0.3, 1.0}) {
    LinkFaults::Config config;
    config.loss = probability;
    expect_share(count(config, [](const auto& outcome) { return outcome.lost; }), probability);
    config = {};
    config.corruption = probability;
    expect_share(count(config, [](const auto& outcome) { return outcome.corrupted; }), probability);
    config = {};
    config.duplication = probability;
    expect_share(count(config, [](const auto& outcome) { return outcome.duplicated; }),
                 probability);
    config = {};
    config.reordering = probability;
    expect_share(count(config, [](const auto& outcome) { return outcome.delay != Time::zero(); }),
                 probability);
  }
}

// Corruption is a share of the frames that are not lost, duplication is a share of those that are
// neither lost nor corrupted.
TEST(LinkFaults, OfFramesThatAreNotLostAsManyAreCorruptedAndOfTheRestAsManyDuplicated) {
  LinkFaults::Config config;
  config.loss = 0.5;
  config.corruption = 0.2;
  config.duplication = 0.1;
  expect_share(count(config, [](const auto& outcome) { return outcome.lost; }), 0.5);
  expect_share(count(config, [](const auto& outcome) { return outcome.corrupted; }), 0.5 * 0.2);
  expect_share(count(config, [](const auto& outcome) { return outcome.duplicated; }),
               0.5 * 0.8 * 0.1);
}

// Losses are neither regular nor clustered: a loss does not predict the outcome of the frame
// `apart` later.
TEST(LinkFaults, LossesAreIndependentOfEachOther) {
  LinkFaults::Config config;
  config.loss = 0.3;
  LinkFaults faults(config, kSeed);
  std::vector<bool> lost;
  for (int i = 0; i < kFrames; ++i) {
    lost.push_back(faults.decide(frame_of(FrameKind::gradient), Time(i)).lost);
  }
  for (const std::size_t apart : {1, 2, 3, 10}) {
    int both = 0;
    for (std::size_t i = apart; i < lost.size(); ++i) both += lost[i - apart] && lost[i] ? 1 : 0;
    expect_share(both, 0.3 * 0.3);
  }
}

TEST(LinkFaults, FramesThatAreNotConcernedDoNotCount) {
  LinkFaults::Config config;
  config.loss = 0.3;
  config.frames = only(FrameClass::gradient);
  LinkFaults alone(config, kSeed);
  LinkFaults among_results(config, kSeed);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(among_results.decide(frame_of(FrameKind::result), Time(i)).lost);
    EXPECT_EQ(among_results.decide(frame_of(FrameKind::gradient), Time(i)).lost,
              alone.decide(frame_of(FrameKind::gradient), Time(i)).lost);
  }
}

TEST(LinkFaults, DelaysFillTheirRange) {
  LinkFaults::Config config;
  config.reordering = 1;
  config.reordering_delay = Time(4);
  LinkFaults faults(config, kSeed);
  std::array<int, 5> seen{};
  for (int i = 0; i < 1000; ++i) {
    const auto delay = faults.decide(frame_of(FrameKind::gradient), Time(i)).delay.count();
    ASSERT_GE(delay, 1);
    ASSERT_LE(delay, 4);
    ++seen[static_cast<std::size_t>(delay)];
  }
  for (std::size_t delay = 1; delay <= 4; ++delay) EXPECT_GT(seen[delay], 0);
}

// Gilbert-Elliott model: the share of frames in bursts is start / (start + end), and the mean
// length of a burst is 1 / end.
TEST(LinkFaults, BurstsAreAsFrequentAndAsLongAsStated) {
  LinkFaults::Config config;
  config.burst.start = 0.01;
  config.burst.end = 0.2;
  LinkFaults faults(config, kSeed);
  int lost = 0;
  int bursts = 0;
  bool before = false;
  for (int i = 0; i < kFrames; ++i) {
    const bool now = faults.decide(frame_of(FrameKind::gradient), Time(i)).lost;
    lost += now ? 1 : 0;
    bursts += now && !before ? 1 : 0;
    before = now;
  }
  EXPECT_NEAR(static_cast<double>(lost) / kFrames, 0.01 / 0.21, 0.003);
  EXPECT_NEAR(static_cast<double>(lost) / bursts, 5.0, 0.3);
}

// A share of 0.01 / 0.21 of the frames is in bursts. The loss is 0.5 in bursts and 0.1 outside.
TEST(LinkFaults, OutsideOfBurstsAndInThemLossesAreAsFrequentAsStated) {
  LinkFaults::Config config;
  config.burst.start = 0.01;
  config.burst.end = 0.2;
  config.burst.loss = 0.5;
  config.loss = 0.1;
  const int lost = count(config, [](const auto& outcome) { return outcome.lost; });
  EXPECT_NEAR(static_cast<double>(lost) / kFrames, 0.1 + 0.4 * 0.01 / 0.21, 0.005);
}

TEST(LinkFaults, OnlyTheClassesThatAreNamedAreConcerned) {
  const std::array<Frame, 7> frames = {
      frame_of(FrameKind::gradient),         frame_of(FrameKind::gradient, flag::partial),
      frame_of(FrameKind::result),           frame_of(FrameKind::reminder),
      frame_of(FrameKind::fragment_request), frame_of(FrameKind::notification),
      frame_of(FrameKind::release)};
  for (std::size_t concerned = 0; concerned < frames.size(); ++concerned) {
    LinkFaults::Config config;
    config.loss = 1;
    config.frames = only(static_cast<FrameClass>(concerned));
    LinkFaults faults(config, kSeed);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(faults.decide(frames[i], Time::zero()).lost, i == concerned) << kFrameClassNames[i];
    }
  }
}

TEST(LinkFaults, FramesBeforeTheyBeginDoNotCount) {
  LinkFaults::Config config;
  config.from = Time(10);
  config.lost_frames = {2};
  LinkFaults faults(config, kSeed);
  for (int t = 0; t < 30; ++t) {
    EXPECT_EQ(faults.decide(frame_of(FrameKind::result), Time(t)).lost, t == 12) << t;
  }
}

TEST(LinkFaults, ABurstThatAlwaysBeginsAndEndsTakesEverySecondFrameFromTheFirstOn) {
  LinkFaults::Config config;
  config.burst.start = 1;
  LinkFaults faults(config, kSeed);
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(faults.decide(frame_of(FrameKind::result), Time(i)).lost, i % 2 == 0) << i;
  }
}

TEST(LinkFaults, ABurstThatNeverEndsTakesAllFramesFromItsFirstOn) {
  LinkFaults::Config config;
  config.burst.start = 0.1;
  config.burst.end = 0;
  LinkFaults faults(config, kSeed);
  bool in_burst = false;
  for (int i = 0; i < 1000; ++i) {
    const bool lost = faults.decide(frame_of(FrameKind::result), Time(i)).lost;
    EXPECT_TRUE(lost || !in_burst) << i;
    in_burst = lost;
  }
  EXPECT_TRUE(in_burst);
}

// Frames are a thousand mean durations apart, so each burst affects only one of them.
TEST(LinkFaults, ABurstWithADurationIsOverBeforeTheNextFrameOfAnIdleLink) {
  LinkFaults::Config config;
  config.burst.start = 0.1;
  config.burst.mean_duration = Time(1000);
  LinkFaults faults(config, kSeed);
  int lost = 0;
  for (int i = 0; i < kFrames; ++i) {
    lost += faults.decide(frame_of(FrameKind::gradient), Time(1'000'000) * i).lost ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(lost) / kFrames, 0.1, 0.005);
}

// A burst loses the frame that begins it, and then one frame per 10 ps until it ends: 100 frames on
// average. The next frame may begin another burst at once.
TEST(LinkFaults, ABurstWithADurationLastsAsLongAsStated) {
  LinkFaults::Config config;
  config.burst.start = 0.1;
  config.burst.mean_duration = Time(1000);
  LinkFaults faults(config, kSeed);
  int lost = 0;
  for (int i = 0; i < kFrames; ++i) {
    lost += faults.decide(frame_of(FrameKind::gradient), Time(10) * i).lost ? 1 : 0;
  }
  const double in_burst = 100.5;    // frames
  const double between_bursts = 9;  // 1 / 0.1, without the one that begins the burst
  EXPECT_NEAR(static_cast<double>(lost) / kFrames, in_burst / (in_burst + between_bursts), 0.01);
}

TEST(LinkFaults, InABurstWithADurationOtherFaultsGoOn) {
  LinkFaults::Config config;
  config.burst.start = 1;
  config.burst.mean_duration = Time(1'000'000'000);
  config.burst.loss = 0.5;
  config.lost_frames = {3};
  config.corruption = 0.5;
  expect_share(count(config, [](const auto& outcome) { return outcome.corrupted; }), 0.25);
  config.burst.loss = 0;
  EXPECT_EQ(count(config, [](const auto& outcome) { return outcome.lost; }), 1);
}

TEST(LinkFaults, BeginAndEndInTime) {
  LinkFaults::Config config;
  config.loss = 1;
  config.from = Time(10);
  config.until = Time(20);
  LinkFaults faults(config, kSeed);
  for (int t = 0; t < 30; ++t) {
    EXPECT_EQ(faults.decide(frame_of(FrameKind::result), Time(t)).lost, t >= 10 && t < 20) << t;
  }
}

}  // namespace
}  // namespace ina::faults
