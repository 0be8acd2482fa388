// SPDX-License-Identifier: BSD-3-Clause
// Both modes of every switch program behave identically with any frames, valid or not.
#include <gtest/gtest.h>

#include "switch-models/programs/make_program.hpp"
#include "tests/properties/random_frame.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina::testing {
namespace {

constexpr std::size_t kWidth = 3;
constexpr Time kExpiry = std::chrono::milliseconds(2);
constexpr std::uint32_t kNoAggregator = 4;  // the first one that does not exist

void expect_same(programs::SwitchProgram& fast, programs::SwitchProgram& checked,
                 wire::Format format) {
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
    Frame one = draw_frame(random, pool, kWidth, kNoAggregator, format);
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
  expect_same(*programs::make_switchml<rmt::Fast>(12, kWidth),
              *programs::make_switchml<rmt::Checked>(12, kWidth), wire::Format::switchml);
}

TEST(FastEqualsChecked, Atp) {
  const programs::AtpConfig config{4, kWidth, kExpiry};
  expect_same(*programs::make_atp<rmt::Fast>(config), *programs::make_atp<rmt::Checked>(config),
              wire::Format::atp);
}

class FastEqualsCheckedOfDsa : public ::testing::TestWithParam<policies::CollisionPolicy> {};

TEST_P(FastEqualsCheckedOfDsa, WithPolicy) {
  const programs::DsaConfig config{4, kWidth, GetParam(), 3, kExpiry};
  expect_same(*programs::make_dsa<rmt::Fast>(config), *programs::make_dsa<rmt::Checked>(config),
              wire::Format::dsa);
}

INSTANTIATE_TEST_SUITE_P(Every, FastEqualsCheckedOfDsa, every_policy(), policy_name);

}  // namespace
}  // namespace ina::testing
