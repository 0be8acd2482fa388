/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-test-support.h"

#include "ns3/priority-estimates.h"

namespace ns3
{
namespace
{

constexpr int64_t MS = 1000 * US;
constexpr uint64_t MBPS = 1'000'000;

using ina::PriorityEstimates;

ina::Time
At(int64_t steps)
{
    return ina::Time(steps);
}

/** Each layer with 31 250 parameters: 1 Mbit, 1 ms of a line of 1 Gbps. */
PriorityEstimates
MakeEstimates(uint32_t layers, int64_t computationOfEach, uint64_t lineRateMbps = 1000)
{
    ModelProfile profile;
    profile.layers.assign(layers, {"layer", 31'250, 0, computationOfEach});
    return EstimatesOf(profile, lineRateMbps * MBPS);
}

TEST(PriorityEstimates, TheFirstIterationTakesTheValuesOfTheProfile)
{
    // Comm = 4 ms, Comp = 8 ms, T = 12 ms - elapsed.
    const PriorityEstimates estimates = MakeEstimates(4, 2 * MS);
    EXPECT_EQ(estimates.priority(3, At(8 * MS)), 8U); // 64 * 1/4 * 4/4 * 4/8
    EXPECT_EQ(estimates.priority(3, At(10 * MS)), 16U);
    EXPECT_EQ(estimates.priority(3, At(0)), 3U);      // 2.67
    EXPECT_EQ(estimates.priority(3, At(3 * MS)), 4U); // 3.56
    EXPECT_EQ(estimates.priority(3, At(2 * MS)), 3U); // 3.2
}

TEST(PriorityEstimates, ForwardCountsAsComputation)
{
    ModelProfile profile;
    profile.layers = {{"layer", 31'250, 3 * MS, 1 * MS}};
    EXPECT_EQ(EstimatesOf(profile, 1000 * MBPS).priority(0, At(4 * MS)), 16U); // 64 * 1/1 * 1/4
}

TEST(PriorityEstimates, LayersInFrontGetMore)
{
    const PriorityEstimates estimates = MakeEstimates(4, 2 * MS);
    EXPECT_EQ(estimates.priority(0, At(8 * MS)), 32U);
    EXPECT_EQ(estimates.priority(1, At(8 * MS)), 16U);
    EXPECT_EQ(estimates.priority(2, At(8 * MS)), 11U); // 10.67
    EXPECT_EQ(estimates.priority(3, At(8 * MS)), 8U);
}

TEST(PriorityEstimates, TheRemainingTimeIsAtLeastTenMicroseconds)
{
    // Comm = Comp = 1 ms: 64 * 100 from 10 us before the end on.
    const PriorityEstimates estimates = MakeEstimates(1, MS);
    EXPECT_EQ(estimates.priority(0, At(2 * MS - 20 * US)), 3200U);
    EXPECT_EQ(estimates.priority(0, At(2 * MS - 10 * US)), 6400U);
    EXPECT_EQ(estimates.priority(0, At(2 * MS - 5 * US)), 6400U);
    EXPECT_EQ(estimates.priority(0, At(2 * MS)), 6400U);
    EXPECT_EQ(estimates.priority(0, At(9 * MS)), 6400U);
}

TEST(PriorityEstimates, SoIsTheComputation)
{
    // Comm = 1 ms, Comp = 0.01 ms for none, T = 1 ms.
    EXPECT_EQ(MakeEstimates(1, 0).priority(0, At(10 * US)), 6400U);
    PriorityEstimates measured = MakeEstimates(1, 0);
    measured.update(At(1010 * US), At(1 * MS), At(0));
    EXPECT_EQ(measured.priority(0, At(10 * US)), 6400U);
}

TEST(PriorityEstimates, StayWithin1And65535)
{
    // Comm = 1 ms, Comp = 1000 ms: 0.000064 at the start.
    EXPECT_EQ(MakeEstimates(1, 1000 * MS).priority(0, At(0)), 1U);
    // Comm = 0.2 ms, Comp = 0.01 ms, T = 0.02 ms: 64 000; T = 0.01 ms: 128 000.
    const PriorityEstimates high = MakeEstimates(1, 0, 5000);
    EXPECT_EQ(high.priority(0, At(190 * US)), 64'000U);
    EXPECT_EQ(high.priority(0, At(200 * US)), 65'535U);
}

TEST(PriorityEstimates, FollowWhatIterationsTookByAnEighth)
{
    PriorityEstimates estimates = MakeEstimates(1, 8 * MS, 125); // T = 16 ms, Comm = Comp = 8 ms
    EXPECT_EQ(estimates.priority(0, At(15 * MS)), 64U);
    estimates.update(At(24 * MS), At(16 * MS), At(24 * MS)); // T = 17, Comm = 9, Comp = 10
    EXPECT_EQ(estimates.priority(0, At(15 * MS)), 29U);      // 64 * 1/2 * 9/10 = 28.8
    estimates.update(At(9 * MS), At(1 * MS), At(2 * MS));    // T = 16, Comm = 8, Comp = 9
    EXPECT_EQ(estimates.priority(0, At(15 * MS)), 57U);      // 56.9
    EXPECT_EQ(estimates.priority(0, At(12 * MS)), 14U);      // 14.2
}

} // namespace
} // namespace ns3
