// SPDX-License-Identifier: BSD-3-Clause
// Both modes of every switch program do the same with any frames whatever, sensible or not.
#include <gtest/gtest.h>

#include "switch-models/policies/coin_flip.hpp"
#include "switch-models/policies/fcfs.hpp"
#include "switch-models/policies/priority.hpp"
#include "switch-models/programs/atp.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/programs/switchml.hpp"
#include "tests/property/random_frame.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina::testing {
namespace {

constexpr std::size_t kWidth = 3;
constexpr std::uint32_t kNoAggregator = 4;  // the first that does not exist

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
    Frame one = draw_frame(random, pool, kWidth, kNoAggregator);
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
