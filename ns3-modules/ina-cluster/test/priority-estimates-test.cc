/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "cluster-test-support.h"

#include "hw/cluster/training/model_profile.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

constexpr int64_t MS = 1000 * US;
constexpr uint64_t MBPS = 1'000'000;

using ina::PriorityCode;
using ina::PriorityEstimates;
using ina::RemainingTime;

ina::Time
At(int64_t steps)
{
    return ina::Time(steps);
}

/** Layers of 31 250 parameters each: 1 Mbit, or 1 ms on a line of 1 Gbps. */
PriorityEstimates
MakeEstimates(uint32_t layers,
              int64_t computationOfEach,
              uint64_t lineRateMbps = 1000,
              const PriorityCode& code = {RemainingTime::at_submission})
{
    ModelProfile profile;
    profile.layers.assign(layers, {"layer", 31'250, 0, computationOfEach});
    return estimates_of(profile.layers, lineRateMbps * MBPS, code);
}

/** Code that packets carry for a priority in 1/ms. */
uint16_t
Code(double priority)
{
    return static_cast<uint16_t>(std::lround(ina::kPriorityScale * priority));
}

/** Priority of a tensor of layer `layer` that is submitted `elapsed` after the iteration began. */
uint16_t
PriorityOf(const PriorityEstimates& estimates, uint32_t layer, int64_t elapsed)
{
    const ina::Time now = At(7 * MS + elapsed);
    return estimates.priority(layer, At(7 * MS), now).at(now);
}

TEST(PriorityEstimates, TheFirstIterationTakesTheValuesOfTheProfile)
{
    // Comm = 4 ms, Comp = 8 ms, T = 12 ms - elapsed.
    const PriorityEstimates estimates = MakeEstimates(4, 2 * MS);
    EXPECT_EQ(PriorityOf(estimates, 3, 8 * MS), Code(1.0 / 4 * 4 / 4 * 4 / 8));
    EXPECT_EQ(PriorityOf(estimates, 3, 7 * MS), Code(0.1));
    EXPECT_EQ(PriorityOf(estimates, 3, 0), Code(0.5 / 12));
    EXPECT_EQ(PriorityOf(estimates, 3, 3 * MS), Code(0.5 / 9));
}

TEST(PriorityEstimates, ForwardCountsAsComputation)
{
    ModelProfile profile;
    profile.layers = {{"layer", 31'250, 3 * MS, 1 * MS}};
    const auto estimates =
        estimates_of(profile.layers, 1000 * MBPS, {RemainingTime::at_submission});
    EXPECT_EQ(PriorityOf(estimates, 0, 3 * MS), Code(1.0 / 2 * 1 / 4));
}

TEST(PriorityEstimates, LayersInFrontGetMore)
{
    const PriorityEstimates estimates = MakeEstimates(4, 2 * MS);
    EXPECT_EQ(PriorityOf(estimates, 0, 8 * MS), Code(0.5));
    EXPECT_EQ(PriorityOf(estimates, 1, 8 * MS), Code(0.25));
    EXPECT_EQ(PriorityOf(estimates, 2, 8 * MS), Code(0.5 / 3));
    EXPECT_EQ(PriorityOf(estimates, 3, 8 * MS), Code(0.125));
}

TEST(PriorityEstimates, AtLeastAQuarterOfTheIterationRemains)
{
    // Comm = Comp = 1 ms: the priority is 2 from 1.5 ms on.
    const PriorityEstimates estimates = MakeEstimates(1, MS);
    EXPECT_EQ(PriorityOf(estimates, 0, 1400 * US), Code(1 / 0.6));
    EXPECT_EQ(PriorityOf(estimates, 0, 1500 * US), Code(2));
    EXPECT_EQ(PriorityOf(estimates, 0, 1600 * US), Code(2));
    EXPECT_EQ(PriorityOf(estimates, 0, 2 * MS), Code(2));
    EXPECT_EQ(PriorityOf(estimates, 0, 9 * MS), Code(2));
}

TEST(PriorityEstimates, TheComputationIsAtLeastAHundredthOfAUnit)
{
    // Comm = 0.01 ms, Comp = 0, T = 0.01 ms: no more than 65 535.
    EXPECT_EQ(PriorityOf(MakeEstimates(1, 0, 100'000), 0, 0), 65'535U);
    for (const int64_t unit : {1, 2, 10})
    {
        const PriorityCode code{RemainingTime::at_submission, At(unit * MS)};
        PriorityEstimates measured = MakeEstimates(1, 0, 100'000, code);
        measured.update(At(8 * MS), At(0)); // T = 1.00875 ms
        EXPECT_EQ(PriorityOf(measured, 0, 0), Code(1 / 1.00875)) << unit;
    }
}

TEST(PriorityEstimates, StayWithin1And65535)
{
    // Comm = 1 ms, Comp = 1000 ms: the priority is 0.000001.
    EXPECT_EQ(PriorityOf(MakeEstimates(1, 1000 * MS), 0, 0), 1U);
    // A model without communication and computation.
    const auto nothing = ina::cluster::estimates_of({}, MBPS, {RemainingTime::at_sending});
    EXPECT_EQ(PriorityOf(nothing, 0, 0), 1U);
    // Communication of 10^30 years.
    ModelProfile endless;
    endless.layers = {{"layer", std::numeric_limits<uint64_t>::max(), 0, MS}};
    const auto never = estimates_of(endless.layers, 1, {RemainingTime::at_sending});
    EXPECT_EQ(PriorityOf(never, 0, 0), 65'535U);
}

TEST(PriorityEstimates, AreProportionalToTheUnit)
{
    for (const int64_t unit : {1, 2, 10})
    {
        // Comm = 4 ms, Comp = 8 ms, T = 12 ms
        const PriorityCode code{RemainingTime::at_submission, At(unit * MS)};
        const PriorityEstimates estimates = MakeEstimates(4, 2 * MS, 1000, code);
        EXPECT_EQ(PriorityOf(estimates, 3, 0), Code(0.5 / 12 * static_cast<double>(unit)));
    }
}

TEST(PriorityEstimates, FollowWhatIterationsTookByAnEighth)
{
    PriorityEstimates estimates = MakeEstimates(1, 8 * MS, 125); // T = 16 ms, Comm = Comp = 8 ms
    EXPECT_EQ(PriorityOf(estimates, 0, 11 * MS), Code(0.2));
    estimates.update(At(24 * MS), At(24 * MS)); // T = 17, Comp = 10
    EXPECT_EQ(PriorityOf(estimates, 0, 11 * MS), Code(1.0 / 6 * 8 / 10));
    estimates.update(At(9 * MS), At(2 * MS)); // T = 16, Comp = 9
    EXPECT_EQ(PriorityOf(estimates, 0, 11 * MS), Code(1.0 / 5 * 8 / 9));
}

TEST(PriorityEstimates, RemainingTimeIsThatOfTheHandInOrOfEachPacket)
{
    for (const RemainingTime remaining : {RemainingTime::at_submission, RemainingTime::at_sending})
    {
        const auto priority = MakeEstimates(4, 2 * MS, 1000, {remaining}).priority(3, At(0), At(0));
        EXPECT_EQ(priority.at(At(0)), Code(0.5 / 12));
        const bool follows = remaining == RemainingTime::at_sending;
        EXPECT_EQ(priority.at(At(7 * MS)), follows ? Code(0.1) : Code(0.5 / 12));
        EXPECT_EQ(priority.at(At(70 * MS)),
                  follows ? Code(0.5 / 3) : Code(0.5 / 12)); // T = 3 ms
    }
}

TEST(TensorPriority, IsFixedOrRoundedAndWithin1And65535)
{
    for (const uint16_t fixed : std::initializer_list<uint16_t>{1, 77, 65'535})
    {
        EXPECT_EQ(ina::TensorPriority(fixed).at(At(0)), fixed);
        EXPECT_EQ(ina::TensorPriority(fixed).at(At(9 * MS)), fixed);
    }
    const ina::TensorPriority rising(35'000, At(10'000), At(1));
    EXPECT_EQ(rising.at(At(0)), 4U); // 3.5
    EXPECT_EQ(rising.at(At(9'999)), 35'000U);
    EXPECT_EQ(ina::TensorPriority(1e6, At(10), At(1)).at(At(10)), 65'535U);
    EXPECT_EQ(ina::TensorPriority(1, At(10), At(1)).at(At(0)), 1U); // 0.1
}

} // namespace
} // namespace ns3
