/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Checks that workers, simulated or not, draw the same values as ns-3's generators.
#include "hw/cluster/random_stream.hpp"

#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ns3
{
namespace
{

TEST(RandomStream, DrawsWhatNs3sUniformRandomVariableDraws)
{
    RngSeedManager::SetSeed(1);
    for (const uint64_t run : {uint64_t{1}, uint64_t{7}, uint64_t{1} << 40})
    {
        RngSeedManager::SetRun(run);
        for (const int64_t stream : {0, 1, 5, 1'000'000})
        {
            const auto theirs = CreateObject<UniformRandomVariable>();
            theirs->SetStream(stream);
            ina::cluster::RandomStream ours(static_cast<uint64_t>(stream), run);
            for (int i = 0; i < 100; ++i)
            {
                ASSERT_EQ(ours.between(ina::Time(3), ina::Time(300'000'000)).count(),
                          std::llround(theirs->GetValue(3, 300'000'000)))
                    << "run " << run << ", stream " << stream << ", number " << i;
            }
        }
    }
    RngSeedManager::SetRun(1);
}

TEST(RandomStream, HasTheSeedsThatNs3sUniformRandomVariableHas)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(3);
    for (int64_t stream = 0; stream < 100; ++stream)
    {
        const auto theirs = CreateObject<UniformRandomVariable>();
        theirs->SetStream(stream);
        EXPECT_EQ(ina::cluster::RandomStream(static_cast<uint64_t>(stream), 3).seed(),
                  theirs->GetInteger(0, std::numeric_limits<uint32_t>::max() - 1));
    }
    RngSeedManager::SetRun(1);
}

} // namespace
} // namespace ns3
