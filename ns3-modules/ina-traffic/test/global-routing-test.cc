/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** ns-3's global routing in networks of switches. */
#include "traffic-test-support.h"

#include "ns3-modules/ina-network/test/network-test-support.h"

#include "ns3/boolean.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-switch-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"

namespace ns3
{
namespace
{

class GlobalRoutingTest : public testing::TestWithParam<const char*>
{
  protected:
    GlobalRoutingTest()
    {
        m_links.SetDeviceAttribute("Packets", BooleanValue(true));
    }

    /** Adds a switch with a host and the router. */
    NetDeviceContainer
    AddNetwork(uint32_t host)
    {
        const auto inaSwitch = InaSwitchHelper().Install(CreateObject<Node>());
        return InaSwitchHelper::Connect(inaSwitch,
                                        NodeContainer(m_hosts.Get(host), m_router),
                                        m_links);
    }

    FreshSimulator m_simulator{GetParam()};
    InaLinkHelper m_links{ina::wire::Format::atp};
    NodeContainer m_hosts{2};
    Ptr<Node> m_router = CreateObject<Node>();
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         GlobalRoutingTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(GlobalRoutingTest, LeadsThroughSwitchesToTheRouterBetweenThem)
{
    const NetDeviceContainer first = AddNetwork(0);
    const NetDeviceContainer second = AddNetwork(1);
    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(NodeContainer(m_hosts, NodeContainer(m_router)));
    Ipv4InterfaceContainer addresses;
    addresses.Add(Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(first).Get(0));
    addresses.Add(Ipv4AddressHelper("10.2.0.0", "255.255.0.0").Assign(second).Get(0));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    const Ptr<PacketSink> sink = SendFromFirstToSecond(m_hosts, addresses);
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(sink->GetTotalRx(), BULK_BYTES);
}

} // namespace
} // namespace ns3
