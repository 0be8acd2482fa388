/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// A custom collision policy in DSA's data plane: two jobs share a switch with few aggregators, and
// only job 0 takes them from job 1.

#include "switch-models/programs/dsa.hpp"

#include "ns3/ina-host-helper.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-switch-helper.h"
#include "ns3/ina-system.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <string_view>

using namespace ns3;

constexpr uint32_t AGGREGATORS = 8;
constexpr uint32_t FRAGMENTS = 100;
constexpr auto PREEMPTED = ina::programs::AggregatorEvent::preempted;

/** The job with the lower number takes or keeps the aggregator. */
class LowerJobFirst
{
  public:
    static constexpr std::string_view kName = "lower-job-first";
    static constexpr unsigned kComparisons = 1;
    static constexpr bool kExpires = true; // no collision frees an aggregator of the lowest job

    ina::policies::Decision
    collide(const ina::policies::Collision& collision)
    {
        const bool preempts = collision.packet_job < collision.aggregator_job;
        return {preempts, preempts ? collision.packet_priority : collision.aggregator_priority};
    }
};

/** The gradient of all workers, and a count of correct sums. */
class Worker : public ina::GradientSource, public ina::ResultSink
{
  public:
    void
    read(ina::Psn psn, std::span<int32_t> out) const override
    {
        std::ranges::fill(out, static_cast<int32_t>(psn));
    }

    void
    fragment_complete(const ina::Frame& result, const ina::Delivery&, ina::Time) override
    {
        rightSums += result.values.data()[0] == static_cast<int32_t>(2 * result.psn) ? 1 : 0;
    }

    void
    tensor_complete(ina::Psn, ina::Time) override
    {
    }

    uint32_t rightSums{0};
};

int
main()
{
    Time::SetResolution(Time::PS);
    ina::ValuePool pool(ina::wire::kFragmentValues);
    InaSwitchHelper switches;
    switches.SetProgram<ina::programs::DsaProgram<LowerJobFirst>>(AGGREGATORS,
                                                                  pool.count(),
                                                                  LowerJobFirst());
    const Ptr<InaSwitch> inaSwitch = switches.Install(CreateObject<Node>());
    const NodeContainer nodes(6); // workers of job 0, workers of job 1, their servers
    InaSwitchHelper::Connect(inaSwitch, nodes, InaLinkHelper(ina::wire::Format::dsa));
    ObjectFactory systems("ns3::InaDsaSystem", "Aggregators", UintegerValue(AGGREGATORS));
    const InaHostHelper hosts(systems.Create<InaSystem>(), pool);
    Worker worker;
    ina::Tensor tensor;
    tensor.fragments = FRAGMENTS;
    tensor.source = &worker;

    // Job 1 begins. Its second worker is late, so that its aggregators wait for that one.
    const std::array<InaJob, 2> jobs{InaJob{.id = 0, .workers = {0, 1}, .servers = {4}},
                                     InaJob{.id = 1, .workers = {2, 3}, .servers = {5}}};
    const std::array<Time, 4> starts{MicroSeconds(1), MicroSeconds(1), Time(0), MicroSeconds(2)};
    for (const InaJob& job : jobs)
    {
        hosts.InstallJob(inaSwitch, job);
        hosts.InstallServers(job, nodes.Get(job.servers[0]), FRAGMENTS);
        const auto applications =
            hosts.InstallWorkers(job,
                                 {nodes.Get(job.workers[0]), nodes.Get(job.workers[1])},
                                 [&](uint16_t) -> ina::ResultSink& { return worker; });
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            Simulator::Schedule(starts[job.workers[rank]],
                                &InaWorkerApplication::Submit,
                                DynamicCast<InaWorkerApplication>(applications.Get(rank)),
                                tensor);
        }
    }
    Simulator::Run();
    const uint64_t byJob0 = inaSwitch->GetCounters(0)[PREEMPTED];
    const uint64_t byJob1 = inaSwitch->GetCounters(1)[PREEMPTED];
    Simulator::Destroy();

    std::cout << LowerJobFirst::kName << ": " << worker.rightSums << " sums are right; job 0 took "
              << byJob0 << " aggregators in use, and job 1 took " << byJob1 << std::endl;
    return worker.rightSums == 4 * FRAGMENTS && byJob0 > 0 && byJob1 == 0 ? 0 : 1;
}
