/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-flow-traffic.h"

#include "ns3/abort.h"
#include "ns3/ina-protocol-time.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaFlowTraffic");
NS_OBJECT_ENSURE_REGISTERED(InaFlowTraffic);

using ina::cluster::traffic::Flow;
using ina::cluster::traffic::TrafficHost;

namespace
{

TrafficHost::OnOff
DatagramsOf(const InaTraffic::OnOff& onOff)
{
    return {.interval = InaToProtocol(onOff.rate.CalculateBytesTxTime(onOff.packetBytes)),
            .on = InaToProtocol(onOff.on),
            .off = InaToProtocol(onOff.off),
            .bytes = static_cast<uint16_t>(onOff.packetBytes)};
}

} // namespace

TypeId
InaFlowTraffic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::InaFlowTraffic")
                            .SetParent<InaTraffic>()
                            .SetGroupName("Ina")
                            .AddConstructor<InaFlowTraffic>();
    return tid;
}

void
InaFlowTraffic::AddHost(uint32_t machine, Ptr<InaNetDevice> device, Ptr<InaHostInterface> interface)
{
    NS_LOG_FUNCTION(this << machine << device);
    NS_ABORT_MSG_UNLESS(device && device->GetNode(),
                        "InaFlowTraffic::AddHost() needs an InaNetDevice on a node");
    const auto application = CreateObject<InaTrafficApplication>();
    device->GetNode()->AddApplication(application);
    const auto address = static_cast<ina::HostId>(machine);
    application->Share(interface, address);
    application->Install(device, address, m_config, *this);
    m_hosts[machine] = application;
}

bool
InaFlowTraffic::HasHost(uint32_t machine) const
{
    return m_hosts.contains(machine);
}

void
InaFlowTraffic::StartFlow(const Flow& flow)
{
    const OnOff* const onOff = OnOffOf(flow);
    const ina::Time now = InaToProtocol(Simulator::Now());
    m_hosts.at(flow.to)->With([&](TrafficHost& host) { host.expect(flow); });
    m_hosts.at(flow.from)->With(
        [&](TrafficHost& host)
        {
            if (onOff != nullptr)
            {
                host.start(flow, DatagramsOf(*onOff), now);
            }
            else
            {
                host.start(flow, now);
            }
        });
}

void
InaFlowTraffic::StopHosts()
{
    for (const auto& [machine, application] : m_hosts)
    {
        application->With([](TrafficHost& host) { host.stop(); });
    }
}

void
InaFlowTraffic::received(uint64_t flow, uint64_t bytes, ina::Time now)
{
    AddReceived(flow, bytes, InaFromProtocol(now));
}

void
InaFlowTraffic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_hosts.clear();
    InaTraffic::DoDispose();
}

} // namespace ns3
