/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-traffic-application.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaTrafficApplication");
NS_OBJECT_ENSURE_REGISTERED(InaTrafficApplication);

TypeId
InaTrafficApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::InaTrafficApplication")
                            .SetParent<InaHostApplication>()
                            .SetGroupName("Ina")
                            .AddConstructor<InaTrafficApplication>();
    return tid;
}

void
InaTrafficApplication::Install(Ptr<InaNetDevice> device,
                               ina::HostId address,
                               const ina::cluster::traffic::TrafficHost::Config& config,
                               ina::cluster::traffic::FlowObserver& observer)
{
    NS_LOG_FUNCTION(this << device << address);
    NS_ABORT_MSG_UNLESS(device, "InaTrafficApplication::Install() needs an InaNetDevice");
    m_host.emplace(address, config, observer);
    CarryTraffic();
    Begin(device);
}

void
InaTrafficApplication::HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts)
{
    NS_LOG_FUNCTION(this << ts);
    device.CountTrafficReceived(frame);
    m_host->receive(frame, ina::Time(ts));
    SendAll(ts);
}

void
InaTrafficApplication::SendAll(int64_t ts)
{
    SharedInterface()->Pump(ts);
    if (const ina::Time deadline = m_host->deadline(); deadline != ina::kNever)
    {
        ExpireNoLaterThan(std::max(deadline.count(), ts));
    }
}

bool
InaTrafficApplication::SendOne(int64_t ts)
{
    const uint64_t before = Device().GetBytesPut();
    const bool sent = Device().SendMade(ts,
                                        [this, ts](ina::Frame& frame)
                                        { return m_host->next(frame, ina::Time(ts)); });
    if (sent)
    {
        Device().CountTrafficOffer();
        Device().CountTrafficSince(before);
    }
    return sent;
}

void
InaTrafficApplication::Expire(int64_t ts)
{
    NS_LOG_FUNCTION(this << ts);
    m_host->expire(ina::Time(ts));
    SendAll(ts);
}

void
InaTrafficApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_host.reset();
    InaHostApplication::DoDispose();
}

} // namespace ns3
