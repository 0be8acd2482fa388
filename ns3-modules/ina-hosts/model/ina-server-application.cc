/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-server-application.h"

#include "ns3/abort.h"
#include "ns3/ina-abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaServerApplication");
NS_OBJECT_ENSURE_REGISTERED(InaServerApplication);

TypeId
InaServerApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::InaServerApplication")
                            .SetParent<InaHostApplication>()
                            .SetGroupName("Ina")
                            .AddConstructor<InaServerApplication>();
    return tid;
}

void
InaServerApplication::Install(Ptr<InaNetDevice> device,
                              std::unique_ptr<ina::ParameterServer> server)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_UNLESS(device, "InaServerApplication::Install() needs an InaNetDevice");
    NS_ABORT_MSG_UNLESS(server, "InaServerApplication::Install() needs a server");
    if (m_server)
    {
        m_earlierRejectedFrames += m_server->statistics().rejected_frames;
    }
    m_server = std::move(server);
    Begin(device);
}

const ina::ParameterServer&
InaServerApplication::GetServer() const
{
    NS_ABORT_MSG_UNLESS(m_server, "an InaServerApplication has no server: call Install() first");
    return *m_server;
}

void
InaServerApplication::HandleFrame(InaNetDevice&, ina::Frame& frame, int64_t ts)
{
    NS_LOG_FUNCTION(this << ts);
    InaAbortIfOtherFormat("the server of an InaServerApplication",
                          [&]() { m_server->receive(std::move(frame), ina::Time(ts)); });
    SendAll(ts);
}

void
InaServerApplication::SendAll(int64_t ts)
{
    if (SharedInterface() != nullptr) [[unlikely]]
    {
        SharedInterface()->Pump(ts);
    }
    else
    {
        while (SendOne(ts))
        {
        }
    }
    if (const ina::Time deadline = m_server->deadline(); deadline != ina::kNever)
    {
        ExpireNoLaterThan(std::max(deadline.count(), ts));
    }
}

bool
InaServerApplication::SendOne(int64_t ts)
{
    return Device().SendMade(ts, [this](ina::Frame& frame) { return m_server->next(frame); });
}

void
InaServerApplication::Expire(int64_t ts)
{
    NS_LOG_FUNCTION(this << ts);
    if (m_server->deadline() <= ina::Time(ts))
    {
        NS_LOG_INFO("time-out with " << m_server->open_entries() << " open entries");
        m_server->expire(ina::Time(ts));
    }
    SendAll(ts);
}

void
InaServerApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_server.reset();
    InaHostApplication::DoDispose();
}

} // namespace ns3
