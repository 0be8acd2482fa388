/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-traffic.h"

#include "ns3/abort.h"
#include "ns3/ina-protocol-time.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaTraffic");
NS_OBJECT_ENSURE_REGISTERED(InaTraffic);

using ina::cluster::traffic::Flow;

TypeId
InaTraffic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::InaTraffic").SetParent<Object>().SetGroupName("Ina");
    return tid;
}

void
InaTraffic::Configure(const Setup& setup)
{
    NS_LOG_FUNCTION(this);
    m_schedule.emplace(setup.patterns, setup.seed);
    m_onOffs = setup.onOffs;
}

void
InaTraffic::Start()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(m_schedule, "an InaTraffic has no patterns: call Configure() first");
    ScheduleNext();
}

void
InaTraffic::Stop()
{
    NS_LOG_FUNCTION(this);
    m_stopped = true;
    StopHosts();
}

void
InaTraffic::ScheduleNext()
{
    const auto flow = m_schedule->next();
    if (!flow)
    {
        return;
    }
    const Time start = InaFromProtocol(flow->start);
    Simulator::Schedule(start - Simulator::Now(), &InaTraffic::Begin, this, *flow);
}

void
InaTraffic::Begin(const Flow& flow)
{
    if (m_stopped)
    {
        return;
    }
    NS_LOG_INFO("flow " << flow.number << " from " << flow.from << " to " << flow.to);
    for (const uint32_t machine : {flow.from, flow.to})
    {
        NS_ABORT_MSG_UNLESS(HasHost(machine),
                            "flow " << flow.number << " of an InaTraffic needs machine " << machine
                                    << ": call AddHost()");
    }
    m_flows.push_back({.flow = flow});
    StartFlow(flow);
    ScheduleNext();
}

void
InaTraffic::Fail(const std::string& what) const
{
    NS_ABORT_MSG_UNLESS(m_failureSink, what);
    m_failureSink(what);
}

const InaTraffic::OnOff*
InaTraffic::OnOffOf(const Flow& flow) const
{
    const auto found = m_onOffs.find(flow.pattern);
    return found == m_onOffs.end() ? nullptr : &found->second;
}

bool
InaTraffic::AddReceived(uint64_t flow, uint64_t bytes, const Time& at)
{
    InaFlowResult& result = m_flows[flow];
    if (m_stopped || result.completed)
    {
        return false;
    }
    result.bytesReceived += bytes;
    result.last = at;
    if (result.flow.bytes == 0 || result.bytesReceived < result.flow.bytes)
    {
        return false;
    }
    result.completed = at;
    return true;
}

} // namespace ns3
