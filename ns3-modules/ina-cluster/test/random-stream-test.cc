/* SPDX-License-Identifier: GPL-2.0-only */
// That processes draw what simulated workers draw.
#include "ns3/ina-training-worker.h"

#include "hw/cluster/random_stream.hpp"

#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"

#include <gtest/gtest.h>

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
                          InaDrawSteps(*theirs, 3, 300'000'000))
                    << "run " << run << ", stream " << stream << ", number " << i;
            }
        }
    }
    RngSeedManager::SetRun(1);
}

} // namespace
} // namespace ns3
