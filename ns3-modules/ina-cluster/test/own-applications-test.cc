/* SPDX-License-Identifier: GPL-2.0-only */
/** ns-3's own helpers and its FlowMonitor on a cluster, beside its job. */
#include "cluster-test-support.h"

#include "tests/support/every_system.hpp"

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/flow-monitor-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

constexpr uint16_t PORT = 9;
constexpr uint64_t BYTES = 1'000'000;

class OwnApplications : public testing::TestWithParam<System>
{
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         OwnApplications,
                         testing::Values(System::dsa, System::ring),
                         NameOfSystem);

TEST_P(OwnApplications, SendBesideAJobAndAreSeenByFlowMonitor)
{
    const Scenario scenario = MakeScenario(GetParam(), 4, {MakeLayer(2000, 0, 20'000 * US)});
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
    const auto sinks =
        PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT))
            .Install(hosts.Get(1));
    BulkSendHelper senders("ns3::TcpSocketFactory",
                           InetSocketAddress(addresses.GetAddress(1), PORT));
    senders.SetAttribute("MaxBytes", UintegerValue(BYTES));
    senders.Install(hosts.Get(0));
    FlowMonitorHelper helper;
    const Ptr<FlowMonitor> monitor = helper.Install(hosts);

    const InaRunResult result = run.Run();

    EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::finished);
    EXPECT_EQ(DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx(), BYTES);
    const auto& flows = monitor->GetFlowStats();
    ASSERT_EQ(flows.size(), 2U) << "there and back";
    EXPECT_GT(flows.begin()->second.rxBytes, BYTES);
}

} // namespace
} // namespace ns3
