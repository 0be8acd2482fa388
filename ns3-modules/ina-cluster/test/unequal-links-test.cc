/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Workers of different speed, by link rate or compute time. Fast workers wait for the slowest one,
// and the difference must not cost more than that.
#include "cluster-test-support.h"

#include "hw/protocol/transport/interface_queue.hpp"

#include "ns3/data-rate.h"
#include "ns3/uinteger.h"
#include "scenarios/reader/trace_files.hpp"

#include "hw/files/whole_file.hpp"
#include "switch-models/policies/collision_policy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

constexpr uint32_t WORKERS = 4;
constexpr uint64_t FRAGMENTS = 48'390; // 3 million parameters

constexpr std::chrono::milliseconds PUBLISHED_REMINDER{1}; // DSA VI

/** Parameters of one case. */
struct Unequal
{
    const char* name;
    uint32_t jobs;
    uint64_t memory;                 //!< bytes of aggregators
    std::vector<uint32_t> slowHosts; //!< hosts whose links do not have 100 Gbps
    bool up;                         //!< direction: to the switch, or else from it
    const char* rate;                //!< rate of these links
    double slowdown;                 //!< factor of worker 0's computation
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
    job.compute_time_factors.assign(WORKERS, {1.0});
    job.compute_time_factors[0] = {unequal.slowdown};
    scenario.jobs.assign(unequal.jobs, JobScenario(job));
    scenario.topology.hosts = WORKERS * unequal.jobs;
    scenario.topology.parameter_servers = unequal.jobs;
    scenario.switch_.memory_bytes = unequal.memory;
    scenario.payload = Payload::none;
    return scenario;
}

struct Took
{
    double meanPs{0}; //!< mean JCT of the jobs
    uint64_t packets{0};
};

Took
RunOne(const Unequal& unequal, const Scenario& scenario)
{
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    const InaCluster& cluster = run.Build();
    for (const uint32_t host : unequal.slowHosts)
    {
        const InaClusterLink& link = cluster.links[host];
        const DataRate rate(unequal.rate);
        (unequal.up ? link.host : link.port)->SetAttribute("DataRate", DataRateValue(rate));
        if (unequal.up)
        {
            // Same queueing time in front of the line as on the other hosts.
            const uint64_t bytes =
                ina::kInterfaceQueueBytes * rate.GetBitRate() / scenario.topology.link.rate_bps;
            cluster.jobs[host / WORKERS]
                ->GetWorker(static_cast<uint16_t>(host % WORKERS))
                .GetApplication()
                .SetAttribute("InterfaceQueue", UintegerValue(bytes));
        }
    }
    const InaRunResult result = run.Run();
    Took took;
    for (const JobRow& job : result.jobs)
    {
        took.meanPs += static_cast<double>(*job.end - *job.start) / unequal.jobs;
        took.packets += job.packets_sent;
    }
    return took;
}

double
AtpPs(const Unequal& unequal, ina::wire::AddressingScheme addressing)
{
    Scenario scenario = ScenarioOf(unequal, system_called("atp"));
    scenario.of<ina::systems::Atp>().worker.addressing.scheme = addressing;
    return RunOne(unequal, scenario).meanPs;
}

double
AtpByHashPs(const Unequal& unequal)
{
    return AtpPs(unequal, ina::wire::AddressingScheme::hash);
}

double
AtpByTablePs(const Unequal& unequal)
{
    return AtpPs(unequal, ina::wire::AddressingScheme::table);
}

Scenario
WithPrioritiesWithinJobs(const Unequal& unequal)
{
    Scenario scenario = ScenarioOf(unequal, system_called("dsa"));
    scenario.of<ina::systems::Dsa>().program.policy = ina::policies::kDsaPolicy;
    return scenario;
}

/** DSA may take as long as ATP, plus 3 % for ports that mark later. The last task of a job may be
 * split between switch and server without a packet behind it; it then waits for one reminder. */
double
MostPs(double atpPs, ina::Time reminder)
{
    return 1.03 * atpPs + static_cast<double>(reminder.count());
}

uint64_t
HardlyAnythingTwice(const Unequal& unequal)
{
    return FRAGMENTS * WORKERS * unequal.jobs * 21 / 20;
}

class UnequalLinksTest : public testing::TestWithParam<Unequal>
{
};

TEST_P(UnequalLinksTest,
       DsaWithPrioritiesWithinJobsWaitsForOneReminderBesideAtpByHashAndSendsHardlyAnythingTwice)
{
    const Took dsa = RunOne(GetParam(), WithPrioritiesWithinJobs(GetParam()));
    EXPECT_LE(dsa.meanPs, MostPs(AtpByHashPs(GetParam()), PUBLISHED_REMINDER));
    EXPECT_LE(dsa.packets, HardlyAnythingTwice(GetParam()));
}

TEST_P(UnequalLinksTest, DsaWaitsForOneReminderBesideAtpByTableAndSendsHardlyAnythingTwice)
{
    const Took dsa = RunOne(GetParam(), ScenarioOf(GetParam(), system_called("dsa")));
    EXPECT_LE(dsa.meanPs, MostPs(AtpByTablePs(GetParam()), PUBLISHED_REMINDER));
    EXPECT_LE(dsa.packets, HardlyAnythingTwice(GetParam()));
}

TEST_P(UnequalLinksTest, DsaWithATenthOfThePublishedReminderWaitsForOneBesideAtpByTable)
{
    Scenario scenario = WithPrioritiesWithinJobs(GetParam());
    const ina::Time reminder = PUBLISHED_REMINDER / 10;
    scenario.of<ina::systems::Dsa>().reminder_min_timeout = reminder;
    const Took dsa = RunOne(GetParam(), scenario);
    EXPECT_LE(dsa.meanPs, MostPs(AtpByTablePs(GetParam()), reminder));
}

constexpr uint64_t MB = 1'000'000;

INSTANTIATE_TEST_SUITE_P(
    Slow,
    UnequalLinksTest,
    testing::Values(
        Unequal{"TwoUplinksAlmost", 2, 5 * MB, {0, 4}, true, "99Gbps", 1},
        Unequal{"TwoUplinksAlmostOfOneJob", 2, 5 * MB, {0, 1}, true, "99Gbps", 1},
        Unequal{"TwoUplinksHalf", 2, 5 * MB, {0, 1}, true, "50Gbps", 1},
        Unequal{"TwoDownlinksHalf", 2, 5 * MB, {0, 4}, false, "50Gbps", 1},
        Unequal{"TwoDownlinksHalfOfOneJob", 2, 5 * MB, {0, 1}, false, "50Gbps", 1},
        Unequal{"TwoDownlinksHalfMuchMemory", 2, 20 * MB, {0, 4}, false, "50Gbps", 1},
        Unequal{"AloneUplinksAlmost", 1, 5 * MB, {0, 1}, true, "99Gbps", 1},
        Unequal{"AloneUplinksHalf", 1, 5 * MB, {0, 1}, true, "50Gbps", 1},
        Unequal{"AloneMuchMemory", 1, 20 * MB, {0, 1}, false, "50Gbps", 1},
        Unequal{"TenTimesSlowerUplink", 2, 5 * MB, {0}, true, "10Gbps", 1},
        Unequal{"TenTimesSlowerDownlink", 2, 5 * MB, {0}, false, "10Gbps", 1},
        Unequal{"TenTimesSlowerDownlinkMuchMemory", 2, 20 * MB, {0}, false, "10Gbps", 1},
        Unequal{"TenTimesSlowerComputation", 2, 5 * MB, {}, true, "100Gbps", 10}),
    [](const testing::TestParamInfo<Unequal>& info) { return info.param.name; });

class AloneOnUnequalLinksTest : public testing::TestWithParam<Unequal>
{
};

TEST_P(AloneOnUnequalLinksTest, DsaWaitsForNoTimeoutAndNoLongerThanAtpByTable)
{
    Scenario scenario = ScenarioOf(GetParam(), system_called("dsa"));
    const Took took = RunOne(GetParam(), scenario);
    scenario.of<ina::systems::Dsa>().worker.min_rto = std::chrono::seconds(1);
    scenario.of<ina::systems::Dsa>().reminder_min_timeout = std::chrono::seconds(1);
    EXPECT_EQ(RunOne(GetParam(), scenario).meanPs, took.meanPs);
    EXPECT_LE(took.meanPs, AtpByTablePs(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Slow,
    AloneOnUnequalLinksTest,
    testing::Values(Unequal{"UplinksAlmost", 1, 5 * MB, {0, 1}, true, "99Gbps", 1},
                    Unequal{"UplinksHalf", 1, 5 * MB, {0, 1}, true, "50Gbps", 1},
                    Unequal{"DownlinksHalf", 1, 5 * MB, {0, 1}, false, "50Gbps", 1},
                    Unequal{"DownlinksHalfMuchMemory", 1, 20 * MB, {0, 1}, false, "50Gbps", 1}),
    [](const testing::TestParamInfo<Unequal>& info) { return info.param.name; });

constexpr uint32_t ITERATIONS = 6;
const Unequal TWO_JOBS{"", 2, 5 * MB, {}, true, "", 1};

/** Two jobs whose workers compute as fast as those of a recorded trace. */
Scenario
WithRealFactors(System system)
{
    Scenario scenario = ScenarioOf(TWO_JOBS, system);
    for (uint32_t job = 0; job < TWO_JOBS.jobs; ++job)
    {
        const std::filesystem::path file =
            traces_directory() / fmt::format("minibatch/alibaba-2020-job{}.csv", job + 1);
        scenario.jobs[job].compute_time_factors =
            parse_compute_time_factors(ina::files::read(file), file.string());
        scenario.jobs[job].iterations = ITERATIONS;
        for (LayerProfile& layer : scenario.jobs[job].profile.layers)
        {
            layer.forward_ps *= 20;
            layer.backward_ps *= 20;
        }
    }
    return scenario;
}

TEST(RealFactorsTest, DsaTakesLittleMoreThanAtpByTableAndHardlyMoreWithATenthOfThePublishedReminder)
{
    const Took atp = RunOne(TWO_JOBS, WithRealFactors(system_called("atp")));
    EXPECT_LT(atp.meanPs, 20'000 * US); // 14.4 ms of computation for equal workers
    Scenario scenario = WithRealFactors(system_called("dsa"));
    EXPECT_LE(RunOne(TWO_JOBS, scenario).meanPs, 1.3 * atp.meanPs);
    scenario.of<ina::systems::Dsa>().reminder_min_timeout = std::chrono::microseconds(100);
    EXPECT_LE(RunOne(TWO_JOBS, scenario).meanPs, 1.05 * atp.meanPs);
}

} // namespace
} // namespace ns3
