/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Two workers all-reduce a tensor with ATP: the switch adds, a parameter server answers.
//
//   worker 0 ----+
//   worker 1 ---- switch        100 Gbps, 2.5 us each
//   server  -----+

#include "ns3/command-line.h"
#include "ns3/ina-host-helper.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-switch-helper.h"
#include "ns3/ina-system.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>

using namespace ns3;

namespace
{

constexpr uint16_t WORKERS = 2;
constexpr ina::HostId SERVER = WORKERS;

/** A worker's program: provides its gradient and prints the sums. */
class Worker : public ina::GradientSource, public ina::ResultSink
{
  public:
    explicit Worker(uint16_t rank) : m_rank(rank) {}

    void
    read(ina::Psn psn, std::span<int32_t> out) const override
    {
        std::fill(out.begin(), out.end(), static_cast<int32_t>(1000 * (m_rank + 1) + psn));
    }

    void
    fragment_complete(const ina::Frame& result, const ina::Delivery&, ina::Time) override
    {
        m_total += result.values.data()[0];
    }

    void
    tensor_complete(ina::Psn, ina::Time now) override
    {
        std::cout << now.count() << " ps: worker " << m_rank
                  << " has all results; their first values add up to " << m_total << std::endl;
    }

  private:
    uint16_t m_rank;
    int64_t m_total{0};
};

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t fragments = 1000;
    CommandLine cmd(__FILE__);
    cmd.AddValue("fragments", "number of fragments of the tensor, 62 values each", fragments);
    cmd.Parse(argc, argv);

    Time::SetResolution(Time::PS); // a frame lasts 24.48 ns
    ina::ValuePool pool(ina::wire::kFragmentValues);
    const auto atp =
        ObjectFactory("ns3::InaAtpSystem", "Aggregators", UintegerValue(1000)).Create<InaSystem>();
    InaSwitchHelper switches;
    switches.SetProgram([&]() { return atp->MakeProgram(1, pool.count()); });
    const Ptr<InaSwitch> inaSwitch = switches.Install(CreateObject<Node>());
    NodeContainer workerNodes(WORKERS);
    NodeContainer serverNodes(1);
    InaSwitchHelper::Connect(inaSwitch,
                             NodeContainer(workerNodes, serverNodes),
                             InaLinkHelper(ina::wire::Format::atp));

    const InaJob job{.id = 0, .workers = {0, 1}, .servers = {SERVER}};
    const InaHostHelper hosts(atp, pool);
    std::array<Worker, WORKERS> workers{Worker(0), Worker(1)};
    hosts.InstallJob(inaSwitch, job);
    const ApplicationContainer servers = hosts.InstallServers(job, serverNodes, fragments);
    const ApplicationContainer applications =
        hosts.InstallWorkers(job,
                             workerNodes,
                             [&](uint16_t rank) -> ina::ResultSink& { return workers[rank]; });
    for (uint16_t rank = 0; rank < WORKERS; ++rank)
    {
        ina::Tensor tensor;
        tensor.fragments = fragments;
        tensor.source = &workers[rank];
        Simulator::Schedule(Time(0),
                            &InaWorkerApplication::Submit,
                            DynamicCast<InaWorkerApplication>(applications.Get(rank)),
                            tensor);
    }

    Simulator::Run();
    std::cout
        << "the server completed "
        << DynamicCast<InaServerApplication>(servers.Get(0))->GetServer().statistics().completed
        << " fragments, "
        << inaSwitch->GetCounters(job.id)[ina::programs::AggregatorEvent::fallback]
        << " packets found their aggregator in use" << std::endl;
    Simulator::Destroy();
    return 0;
}
