// SPDX-License-Identifier: BSD-3-Clause
// Both modes of every switch program do the same with any frames whatever, sensible or not.
#include <gtest/gtest.h>

#include "switch-models/policies/coin_flip.hpp"
#include "switch-models/policies/fcfs.hpp"
#include "switch-models/policies/priority.hpp"
#include "switch-models/programs/atp.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/programs/switchml.hpp"
#include "tests/support/random.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina::testing {
namespace {

constexpr std::size_t kWidth = 3;

Frame draw_frame(Random& random, ValuePool& pool) {
  Frame frame;
  frame.values = pool.take();
  for (std::size_t i = 0; i < kWidth; ++i) {
    frame.values.data()[i] = static_cast<std::int32_t>(random.bits());
  }
  frame.kind = static_cast<FrameKind>(random.percent(60) ? 1U : random.between(1, 6));
  frame.flags = static_cast<std::uint8_t>(random.percent(50) ? 0U : random.bits() & 0xffU);
  frame.job = static_cast<JobId>(random.between(0, 3));  // 3 is unknown
  frame.psn = random.between(0, 3);
  frame.worker = static_cast<std::uint16_t>(random.between(0, 4));
  frame.aggregator_index = random.between(0, 4);  // 4 does not exist
  frame.bitmap0 = 1U << random.between(0, 3);
  frame.bitmap1 = 1U << random.between(0, 3);
  frame.fan_in_degree0 = static_cast<std::uint8_t>(random.between(1, 4));
  frame.fan_in_degree1 = static_cast<std::uint8_t>(random.between(1, 4));
  frame.priority = static_cast<std::uint16_t>(random.between(0, 20));
  frame.destination = random.percent(20) ? kEveryWorker : HostId{9};
  return frame;
}

void expect_same(programs::SwitchProgram& fast, programs::SwitchProgram& checked) {
  ValuePool pool(kWidth);
  Random random(11);
  for (const JobId job : {JobId{0}, JobId{1}, JobId{2}}) {
    const programs::JobEntry entry{4, static_cast<HostId>(50 + job), 4U * job, 4};
    fast.install_job(job, entry);
    checked.install_job(job, entry);
  }
  Time now{};
  for (int i = 0; i < 50'000; ++i) {
    now += random.between(Time::zero(), Time(std::chrono::milliseconds(1)));
    Frame one = draw_frame(random, pool);
    Frame two = one;
    const rmt::Verdict a = fast.process(one, now);
    const rmt::Verdict b = checked.process(two, now);
    ASSERT_EQ(a.exit, b.exit) << i;
    ASSERT_EQ(a.resubmits, b.resubmits) << i;
    ASSERT_EQ(a.recirculations, b.recirculations) << i;
    ASSERT_TRUE(same(one, two)) << i;
    ASSERT_EQ(fast.occupied(), checked.occupied()) << i;
    ASSERT_LE(fast.occupied(), 24U) << i;
  }
}

TEST(FastEqualsChecked, Switchml) {
  programs::SwitchmlProgram<rmt::Fast> fast(12, kWidth);
  programs::SwitchmlProgram<rmt::Checked> checked(12, kWidth);
  expect_same(fast, checked);
}

TEST(FastEqualsChecked, Atp) {
  programs::AtpProgram<rmt::Fast> fast({4, kWidth, std::chrono::milliseconds(2)});
  programs::AtpProgram<rmt::Checked> checked({4, kWidth, std::chrono::milliseconds(2)});
  expect_same(fast, checked);
}

TEST(FastEqualsChecked, DsaPriority) {
  programs::DsaProgram<policies::Priority, rmt::Fast> fast(4, kWidth, {});
  programs::DsaProgram<policies::Priority, rmt::Checked> checked(4, kWidth, {});
  expect_same(fast, checked);
}

TEST(FastEqualsChecked, DsaFcfs) {
  programs::DsaProgram<policies::Fcfs, rmt::Fast> fast(4, kWidth, {}, std::chrono::milliseconds(2));
  programs::DsaProgram<policies::Fcfs, rmt::Checked> checked(4, kWidth, {},
                                                             std::chrono::milliseconds(2));
  expect_same(fast, checked);
}

TEST(FastEqualsChecked, DsaCoinFlip) {
  const policies::CoinFlip coin(3);
  programs::DsaProgram<policies::CoinFlip, rmt::Fast> fast(4, kWidth, coin);
  programs::DsaProgram<policies::CoinFlip, rmt::Checked> checked(4, kWidth, coin);
  expect_same(fast, checked);
}

}  // namespace
}  // namespace ina::testing
