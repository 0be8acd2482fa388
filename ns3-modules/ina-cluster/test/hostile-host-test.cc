/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "cluster-test-support.h"

#include "ns3/simulator.h"

#include <random>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

constexpr uint32_t FORGERIES = 2000;
constexpr uint32_t WORKERS = 3;

/** Two jobs, and one host that belongs to neither. */
class HostileHostTest : public testing::TestWithParam<System>
{
  protected:
    static Scenario
    Make()
    {
        Scenario scenario = MakeScenario(GetParam(), WORKERS, {MakeLayer(300, US, US)});
        scenario.jobs[0].iterations = 2;
        scenario.jobs.push_back(scenario.jobs[0]);
        scenario.topology.hosts = 2 * WORKERS + 1;
        scenario.topology.parameter_servers = 2;
        scenario.switch_.memory_bytes = 100'000;
        return scenario;
    }

    /** A frame of the job with id `job` that `host` is not allowed to send. */
    ina::Frame
    Forge(ina::HostId host, ina::JobId job, ina::ValuePool& pool)
    {
        const auto draw = [this](uint32_t below)
        { return static_cast<uint32_t>(m_random() % below); };
        ina::Frame frame;
        frame.kind = static_cast<ina::FrameKind>(1 + draw(6));
        frame.psn = draw(600);
        const uint32_t index = draw(400);
        frame.job = job;
        frame.worker = static_cast<uint16_t>(draw(WORKERS));
        const uint32_t bitmap = draw(2) == 0 ? 1U << frame.worker : draw(1U << WORKERS);
        frame.source = draw(2) == 0 ? host : static_cast<ina::HostId>(draw(2 * WORKERS + 3));
        frame.destination =
            draw(2) == 0 ? ina::kAllWorkers : static_cast<ina::HostId>(draw(2 * WORKERS + 3));
        frame.flags = static_cast<uint8_t>(draw(256));
        const auto fanIn = static_cast<uint8_t>(draw(WORKERS + 1));
        frame.fields = ina::wire::fields_of(ina::cluster::traits_of(GetParam()).format);
        if (auto* const fields = std::get_if<ina::AggregatorFields>(&frame.fields))
        {
            *fields = {.index = index,
                       .bitmap0 = bitmap,
                       .priority = 0xffff,
                       .fan_in_degree0 = fanIn};
        }
        else if (auto* const slot = std::get_if<ina::SwitchmlFields>(&frame.fields))
        {
            *slot = {.slot = index, .version = (frame.flags & 16) != 0};
        }
        frame.bytes = 306;
        frame.values = pool.take();
        std::fill_n(frame.values.data(), frame.values.size(), 12345);
        return frame;
    }

    /** Runs with forged frames from one host, which belongs to the second job or to none. */
    InaRunResult
    RunWith(ina::HostId host)
    {
        const Scenario scenario = Make();
        const InaOwnSimulator simulator(scenario);
        InaClusterRun run(scenario);
        InaCluster& cluster = run.Build();
        InaNetDevice& device = *cluster.links[host].host;
        ina::ValuePool& pool = *cluster.pool;
        const ina::JobId job = cluster.control->GetId(0);
        for (uint32_t i = 0; i < FORGERIES; ++i)
        {
            Simulator::Schedule(TimeStep(uint64_t{i} * 50'000),
                                [this, &device, &pool, job, host]()
                                {
                                    device.CountOffer();
                                    device.PutFrame(Forge(host, job, pool),
                                                    Simulator::Now().GetTimeStep());
                                });
        }
        const Ptr<InaSwitch> inaSwitch = cluster.switches.back();
        inaSwitch->TraceConnectWithoutContext(
            "Refused",
            Callback<void, uint32_t, const ina::Frame&>([this](uint32_t, const ina::Frame&)
                                                        { ++m_refused; }));
        return run.Run();
    }

    static constexpr uint64_t SEED = 11;
    std::mt19937 m_random{SEED};
    uint32_t m_refused{0};
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         HostileHostTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

// Run() verifies every sum and that no aggregator is left.
TEST_P(HostileHostTest, AStrangerChangesNoResultOfAJob)
{
    const InaRunResult with = RunWith(2 * WORKERS);
    EXPECT_EQ(m_refused, FORGERIES);
    const InaRunResult without = RunAlone(Make());
    for (std::size_t job = 0; job < 2; ++job)
    {
        EXPECT_EQ(EndOf(with.iterations[job].back()), EndOf(without.iterations[job].back()));
        EXPECT_EQ(with.jobs[job].packets_sent, without.jobs[job].packets_sent);
    }
}

TEST_P(HostileHostTest, AMemberOfAnotherJobChangesNoResult)
{
    RunWith(WORKERS);
    EXPECT_EQ(m_refused, FORGERIES);
}

} // namespace
} // namespace ns3
