/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Two hosts send the same fragment of a gradient to a switch that runs DSA's data plane. The switch
// adds both and multicasts the sum.
//
//   host 0 ---- switch ---- host 1        100 Gbps, 2.5 us each

#include "switch-models/programs/make_program.hpp"

#include "ns3/command-line.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-net-device.h"
#include "ns3/ina-switch-helper.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iostream>
#include <memory>

using namespace ns3;

namespace
{

constexpr uint16_t HOSTS = 2;
constexpr ina::JobId JOB = 0;

void
PrintFrame(ina::HostId host, Ptr<InaNetDevice>, ina::Frame& frame)
{
    std::cout << Simulator::Now().GetTimeStep() << " ps: host " << host << " gets PSN " << frame.psn
              << ", every value " << frame.values.data()[0] << std::endl;
}

void
PrintCompletion(uint16_t job, uint32_t psn, uint32_t index)
{
    std::cout << Simulator::Now().GetTimeStep() << " ps: aggregator " << index << " has all of job "
              << job << ", PSN " << psn << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    int32_t value = 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("value", "every value of host 1's gradient; host 0 sends 1", value);
    cmd.Parse(argc, argv);

    Time::SetResolution(Time::PS); // a frame lasts 24.48 ns
    ina::ValuePool pool(ina::wire::kFragmentValues);

    InaSwitchHelper switches;
    switches.SetProgram(
        [&]() { return ina::programs::make_dsa({.aggregators = 1000, .width = pool.count()}); });
    const Ptr<InaSwitch> inaSwitch = switches.Install(CreateObject<Node>());
    const NetDeviceContainer devices =
        InaSwitchHelper::Connect(inaSwitch,
                                 NodeContainer(HOSTS),
                                 InaLinkHelper(ina::wire::Format::dsa));
    inaSwitch->GetProgram().install_job(JOB, {HOSTS, 0, 0, 0});
    inaSwitch->SetGroup(JOB, {0, 1});
    inaSwitch->TraceConnectWithoutContext("AggregatorCompleted", MakeCallback(&PrintCompletion));

    for (uint16_t host = 0; host < HOSTS; ++host)
    {
        const auto device = DynamicCast<InaNetDevice>(devices.Get(host));
        device->SetFrameReceiveCallback(MakeBoundCallback(&PrintFrame, host));

        ina::Frame frame;
        frame.job = JOB;
        frame.psn = 5;
        frame.aggregator().index = 17;
        frame.worker = host;
        frame.aggregator().bitmap0 = 1U << host;
        frame.aggregator().fan_in_degree0 = HOSTS;
        frame.bytes = 306;
        frame.values = pool.take();
        std::fill_n(frame.values.data(), pool.count(), host == 0 ? 1 : value);
        device->SendFrame(frame);
    }
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
