/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-host-interface.h"

#include "ina-host-application.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaHostInterface");

namespace
{

// Limit of what background traffic may catch up when it has had nothing to send.
constexpr int64_t LONGEST_FRAME_BYTES = 1514;

/// Aborts if the device is null, has no node, or already has a handler.
const Ptr<InaNetDevice>&
Checked(const Ptr<InaNetDevice>& device)
{
    NS_ABORT_MSG_UNLESS(device, "an InaHostInterface needs an InaNetDevice");
    NS_ABORT_MSG_UNLESS(device->GetNode(),
                        "the device of an InaHostInterface has no node: call Node::AddDevice() "
                        "first");
    NS_ABORT_MSG_IF(device->GetHandler() != nullptr,
                    "the device of an InaHostInterface already has a handler: create the interface "
                    "before applications are installed");
    return device;
}

} // namespace

InaHostInterface::InaHostInterface(Ptr<InaNetDevice> device) :
    m_device(Checked(device)),
    m_queueSteps(std::numeric_limits<int64_t>::max()),
    m_alarms(device->GetNode()->GetId(), [this](int64_t ts) { RunAlarms(ts); })
{
    device->SetHandler(this);
}

std::size_t
InaHostInterface::Attach(InaHostApplication& application, ina::HostId address)
{
    NS_LOG_FUNCTION(this << address);
    m_attachments.push_back({.application = &application, .address = address});
    ReadLine();
    return m_attachments.size() - 1;
}

void
InaHostInterface::ReadLine()
{
    m_queueSteps = std::numeric_limits<int64_t>::max();
    for (const Attachment& attachment : m_attachments)
    {
        const uint32_t bytes = attachment.application->GetInterfaceQueueBytes();
        m_queueSteps = std::min(m_queueSteps, m_device->SerialisationSteps(bytes));
    }
}

void
InaHostInterface::SetHandler(std::size_t attachment, InaFrameHandler* handler)
{
    m_attachments[attachment].handler = handler;
}

void
InaHostInterface::JoinGroup(std::size_t attachment, ina::JobId job)
{
    NS_LOG_FUNCTION(this << attachment << job);
    m_attachments[attachment].group = job;
}

void
InaHostInterface::RunAlarms(int64_t ts)
{
    m_device->DeliverUntil(ts);
    for (const Attachment& attachment : m_attachments)
    {
        attachment.application->RunAlarms(ts);
    }
    if (m_alarms.NextTs() <= ts)
    {
        m_alarms.Clear(InaHostAlarms::PROTOCOL);
        Pump(ts);
    }
}

void
InaHostInterface::Pump(int64_t ts)
{
    while (m_device->Backlog(ts) < m_queueSteps)
    {
        if (!SendNext(ts))
        {
            return;
        }
    }
    m_alarms.SetNoLaterThan(InaHostAlarms::PROTOCOL, ts + m_device->Backlog(ts) - m_queueSteps / 2);
}

/// Sends a frame of the next application that has one, in turn. Background traffic waits while it
/// is ahead of the other applications.
bool
InaHostInterface::SendNext(int64_t ts)
{
    for (std::size_t asked = 0; asked < m_attachments.size(); ++asked)
    {
        const std::size_t turn = m_turn;
        m_turn = (m_turn + 1) % m_attachments.size();
        if ((turn != m_traffic || m_trafficAhead <= 0) && SendOf(turn, ts))
        {
            return true;
        }
    }
    m_trafficAhead = 0;
    return m_traffic && SendOf(*m_traffic, ts);
}

bool
InaHostInterface::SendOf(std::size_t attachment, int64_t ts)
{
    Attachment& sender = m_attachments[attachment];
    const uint64_t before = m_device->GetBytesPut();
    if (!sender.application->TakeTurn(ts))
    {
        return false;
    }
    ++sender.framesSent;
    if (m_traffic)
    {
        const auto bytes = static_cast<int64_t>(m_device->GetBytesPut() - before);
        m_trafficAhead += attachment == m_traffic ? bytes : -bytes;
        m_trafficAhead = std::max(m_trafficAhead, -LONGEST_FRAME_BYTES);
    }
    return true;
}

void
InaHostInterface::CarryTraffic(std::size_t attachment)
{
    NS_LOG_FUNCTION(this << attachment);
    m_traffic = attachment;
}

void
InaHostInterface::HandleFrame(InaNetDevice&, ina::Frame& frame, int64_t ts)
{
    if (frame.job == ina::kNoJob)
    {
        if (m_traffic)
        {
            Deliver(m_attachments[*m_traffic], frame, ts);
        }
        return;
    }
    for (Attachment& attachment : m_attachments)
    {
        if (frame.destination == attachment.address)
        {
            Deliver(attachment, frame, ts);
            return;
        }
        if (frame.destination == ina::kAllWorkers && frame.job == attachment.group)
        {
            ina::Frame copy(frame); // shares the values
            Deliver(attachment, copy, ts);
        }
    }
}

void
InaHostInterface::Deliver(Attachment& attachment, ina::Frame& frame, int64_t ts)
{
    ++attachment.framesReceived;
    if (attachment.handler != nullptr)
    {
        attachment.handler->HandleFrame(*m_device, frame, ts);
    }
}

/// Minimum over all applications, because an event at one application may make another one send.
int64_t
InaHostInterface::QuietUntil(int64_t ts) const
{
    int64_t until = m_alarms.NextTs();
    for (const Attachment& attachment : m_attachments)
    {
        until =
            std::min(until,
                     attachment.handler == nullptr ? until : attachment.handler->QuietUntil(ts));
    }
    return until;
}

} // namespace ns3
