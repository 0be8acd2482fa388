// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/time_histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ina::cluster {
namespace {

using Bins = std::vector<TimeHistogram::Bin>;

Bins bins_of(const std::vector<std::int64_t>& times) {
  TimeHistogram histogram;
  for (const std::int64_t time : times) histogram.add(Time(time));
  return histogram.bins();
}

TEST(TimeHistogram, HasNoBinsWithoutTimes) { EXPECT_TRUE(bins_of({}).empty()); }

TEST(TimeHistogram, EveryTimeIsInABinOfASixteenthOfItAtMost) {
  for (std::int64_t time = 1; time < std::numeric_limits<std::int64_t>::max() / 8; time *= 7) {
    for (const std::int64_t near : {time - 1, time, time + 1}) {
      const Bins bins = bins_of({near});
      ASSERT_EQ(bins.size(), 1U);
      EXPECT_LE(bins[0].from.count(), near);
      EXPECT_GT(bins[0].until.count(), near);
      EXPECT_EQ(bins[0].mean.count(), near);
      EXPECT_LE((bins[0].until - bins[0].from).count(), std::max<std::int64_t>(near / 16, 1));
    }
  }
}

TEST(TimeHistogram, BinsFollowOneAnotherWithoutGaps) {
  std::vector<std::int64_t> times(5000);
  for (std::size_t time = 0; time < times.size(); ++time) {
    times[time] = static_cast<std::int64_t>(time);
  }
  const Bins bins = bins_of(times);
  Time until{};
  std::uint64_t count = 0;
  for (const TimeHistogram::Bin& bin : bins) {
    EXPECT_EQ(bin.from, until);
    until = bin.until;
    count += bin.count;
  }
  EXPECT_EQ(count, times.size());
}

TEST(TimeHistogram, ABinHasTheMeanOfItsTimes) {
  const Bins bins = bins_of({1'000'000, 1'000'010, 1'000'021, 7});
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].count, 1U);
  EXPECT_EQ(bins[1].count, 3U);
  EXPECT_EQ(bins[1].mean.count(), 1'000'010);
}

TEST(TimeHistogram, TheMeanOfMoreTimeThan64BitsHoldIsRight) {
  constexpr std::int64_t kTenDays = 864'000'000'000'000'000;
  const Bins bins = bins_of(std::vector<std::int64_t>(1000, kTenDays));
  ASSERT_EQ(bins.size(), 1U);
  EXPECT_EQ(bins[0].mean.count(), kTenDays);
}

}  // namespace
}  // namespace ina::cluster
