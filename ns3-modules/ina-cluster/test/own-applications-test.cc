/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** ns-3's own helpers and its FlowMonitor on a cluster, alongside its job. */
#include "cluster-test-support.h"

#include "ns3-modules/ina-traffic/test/traffic-test-support.h"
#include "tests/support/every_system.hpp"

#include "ns3/boolean.h"
#include "ns3/flow-monitor-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"

namespace ns3
{

using namespace ina::scenarios;

namespace
{

class OwnApplications : public testing::TestWithParam<System>
{
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         OwnApplications,
                         testing::Values(system_called("dsa"), system_called("ring")),
                         NameOfSystem);

TEST_P(OwnApplications, SendBesideAJobAndAreSeenByFlowMonitor)
{
    const Scenario scenario = MakeScenario(GetParam(), 4, {MakeLayer(2000, 0, 20'000 * US)});
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    const InaCluster& cluster = run.Build();
    NodeContainer hosts;
    NetDeviceContainer devices;
    for (const InaClusterLink& link : cluster.links)
    {
        link.host->SetAttribute("Packets", BooleanValue(true));
        link.port->SetAttribute("Packets", BooleanValue(true));
        hosts.Add(link.host->GetNode());
        devices.Add(link.host);
    }
    InternetStackHelper().Install(hosts);
    const auto addresses = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(devices);
    const Ptr<PacketSink> sink = SendFromFirstToSecond(hosts, addresses);
    FlowMonitorHelper helper;
    const Ptr<FlowMonitor> monitor = helper.Install(hosts);

    const InaRunResult result = run.Run();

    EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::finished);
    EXPECT_EQ(sink->GetTotalRx(), BULK_BYTES);
    const auto& flows = monitor->GetFlowStats();
    ASSERT_EQ(flows.size(), 2U) << "there and back";
    EXPECT_GT(flows.begin()->second.rxBytes, BULK_BYTES);
}

} // namespace
} // namespace ns3
