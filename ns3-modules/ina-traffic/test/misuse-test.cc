/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Missing and wrong parts of traffic terminate the program with a message that names them.
#include "ns3-modules/ina-network/test/network-test-support.h"

#include "ns3/boolean.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-stack-traffic.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

/** An endless flow from the first host to the host `to`. */
ina::cluster::traffic::Pattern
MakePattern(uint32_t to)
{
    ina::cluster::traffic::Pattern pattern;
    pattern.from = {0};
    pattern.to = {to};
    return pattern;
}

/** Two hosts on a link. */
class TrafficMisuseDeathTest : public testing::Test
{
  protected:
    TrafficMisuseDeathTest()
    {
        InaLinkHelper links(ina::wire::Format::atp);
        links.SetDeviceAttribute("Packets", BooleanValue(true));
        m_devices = links.Install(m_hosts);
    }

    Ptr<InaNetDevice>
    Device(uint32_t host) const
    {
        return DynamicCast<InaNetDevice>(m_devices.Get(host));
    }

    FreshSimulator m_fresh;
    NodeContainer m_hosts{2};
    NetDeviceContainer m_devices;
};

TEST_F(TrafficMisuseDeathTest, AHostWithoutADeviceForPackets)
{
    const auto traffic = CreateObject<InaStackTraffic>();
    EXPECT_DEATH(traffic->AddHost(0, nullptr), "needs an InaNetDevice on a node");
    EXPECT_DEATH(traffic->AddHost(0, CreateObject<InaNetDevice>()),
                 "needs an InaNetDevice on a node");
    EXPECT_DEATH(traffic->AddHost(0, TestLink().left), "with the attribute Packets");
}

TEST_F(TrafficMisuseDeathTest, NoPatterns)
{
    EXPECT_DEATH(CreateObject<InaStackTraffic>()->Start(), "no patterns: call Configure\\(\\)");
}

TEST_F(TrafficMisuseDeathTest, AFlowOfAMachineWithoutAHost)
{
    const auto traffic = CreateObject<InaStackTraffic>();
    traffic->AddHost(0, Device(0));
    traffic->Configure({.patterns = {MakePattern(7)}, .onOffs = {}, .seed = 1});
    traffic->Start();
    EXPECT_DEATH(Simulator::Run(), "needs machine 7: call AddHost\\(\\)");
}

constexpr std::size_t MOST_FLOWS = 10'000;

/** Takes ten seconds, since ns-3 searches all sockets of a host for each packet. */
using TrafficOverloadTest = TrafficMisuseDeathTest;

TEST_F(TrafficOverloadTest, AFailureSinkGetsTheMessageInPlaceOfAnAbort)
{
    const auto traffic = CreateObject<InaStackTraffic>();
    traffic->AddHost(0, Device(0));
    traffic->AddHost(1, Device(1));
    traffic->Configure({.patterns = {MOST_FLOWS + 1, MakePattern(1)}, .onOffs = {}, .seed = 1});
    std::vector<std::string> failures;
    traffic->SetFailureSink(
        [&failures](const std::string& what)
        {
            failures.push_back(what);
            Simulator::Stop();
        });
    traffic->Start();
    EXPECT_NO_THROW(Simulator::Run());
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_NE(failures[0].find("flow 10000 of the traffic"), std::string::npos) << failures[0];
}

} // namespace
} // namespace ns3
