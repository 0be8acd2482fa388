/* SPDX-License-Identifier: GPL-2.0-only */
// Workers that are not equally fast: links of different rates, and different speeds of computation.
// Whoever is faster waits for the slowest worker; it must not cost more than that.
#include "cluster-test-support.h"

#include "ns3/data-rate.h"

#include <vector>

namespace ns3
{
namespace
{

constexpr uint32_t WORKERS = 4;
constexpr uint64_t FRAGMENTS = 48'390; // 3 million parameters

/** A case, and what it may take. */
struct Unequal
{
    const char* name;
    uint32_t jobs;
    uint64_t memory;                 //!< bytes of aggregators
    std::vector<uint32_t> slowHosts; //!< that have links of another rate than 100 Gbps
    bool up;                         //!< to the switch; else from it
    const char* rate;                //!< of these
    double slowdown;                 //!< of worker 0's computation
};

void
PrintTo(const Unequal& unequal, std::ostream* out)
{
    *out << unequal.name;
}

Scenario
ScenarioOf(const Unequal& unequal, System system)
{
    Scenario scenario = MakeScenario(
        system,
        WORKERS,
        {{"front", 1'000'000, 20 * US, 40 * US}, {"back", 2'000'000, 20 * US, 40 * US}});
    JobScenario& job = scenario.jobs[0];
    job.speeds.assign(WORKERS, {1.0});
    job.speeds[0] = {unequal.slowdown};
    scenario.jobs.assign(unequal.jobs, JobScenario(job));
    scenario.topology.hosts = WORKERS * unequal.jobs;
    scenario.topology.parameter_servers = unequal.jobs;
    scenario.switch_.memory_bytes = unequal.memory;
    scenario.atp.addressing = ina::wire::AddressingScheme::hash; // as DSA's
    scenario.payload = Payload::none;
    return scenario;
}

struct Took
{
    double meanPs{0}; //!< of the jobs' JCT
    uint64_t packets{0};
};

Took
RunOne(const Unequal& unequal, System system)
{
    const Scenario scenario = ScenarioOf(unequal, system);
    ClusterRun run(scenario);
    const Cluster& cluster = run.Build();
    for (const uint32_t host : unequal.slowHosts)
    {
        const ClusterLink& link = cluster.links[host];
        (unequal.up ? link.host : link.port)
            ->SetAttribute("DataRate", DataRateValue(DataRate(unequal.rate)));
    }
    const RunResult result = run.Run();
    Took took;
    for (const JobResult& job : result.jobs)
    {
        took.meanPs += static_cast<double>(job.end - *job.start) / unequal.jobs;
        took.packets += job.packetsSent;
    }
    return took;
}

class UnequalLinksTest : public testing::TestWithParam<Unequal>
{
};

TEST_P(UnequalLinksTest, DsaTakesLittleMoreThanAtpAndSendsHardlyAnythingTwice)
{
    const Took atp = RunOne(GetParam(), System::atp);
    const Took dsa = RunOne(GetParam(), System::dsa);
    EXPECT_LE(dsa.meanPs, 1.3 * atp.meanPs);
    EXPECT_LE(dsa.packets, FRAGMENTS * WORKERS * GetParam().jobs * 21 / 20);
}

constexpr uint64_t MB = 1'000'000;

INSTANTIATE_TEST_SUITE_P(
    Slow,
    UnequalLinksTest,
    testing::Values(
        Unequal{"TwoUplinksAlmost", 2, 5 * MB, {0, 4}, true, "99Gbps", 1},
        Unequal{"TwoUplinksHalf", 2, 5 * MB, {0, 1}, true, "50Gbps", 1},
        Unequal{"TwoDownlinksHalf", 2, 5 * MB, {0, 4}, false, "50Gbps", 1},
        Unequal{"TwoDownlinksHalfMuchMemory", 2, 20 * MB, {0, 4}, false, "50Gbps", 1},
        Unequal{"AloneMuchMemory", 1, 20 * MB, {0, 1}, false, "50Gbps", 1},
        Unequal{"TenTimesSlowerUplink", 2, 5 * MB, {0}, true, "10Gbps", 1},
        Unequal{"TenTimesSlowerDownlink", 2, 5 * MB, {0}, false, "10Gbps", 1},
        Unequal{"TenTimesSlowerDownlinkMuchMemory", 2, 20 * MB, {0}, false, "10Gbps", 1},
        Unequal{"TenTimesSlowerComputation", 2, 5 * MB, {}, true, "100Gbps", 10}),
    [](const testing::TestParamInfo<Unequal>& info) { return info.param.name; });

} // namespace
} // namespace ns3
