/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-channel.h"

#include "ina-arrivals.h"
#include "ina-net-device.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaChannel");
NS_OBJECT_ENSURE_REGISTERED(InaChannel);

InaLinkDirection::InaLinkDirection(uint32_t receiverNode, InaFrameEnd& receiver) :
    InaEventSource(receiverNode), m_receiver(receiver)
{
}

void
InaLinkDirection::PushLate(ina::Frame&& frame, int64_t arrivalTs)
{
    if (!m_late)
    {
        m_late = std::make_unique<std::multimap<int64_t, ina::Frame>>();
    }
    m_late->emplace(arrivalTs, std::move(frame));
    if (NextTs() == arrivalTs)
    {
        ExpectArrival();
    }
}

int64_t
InaLinkDirection::FirstLateTs() const
{
    return m_late->empty() ? NEVER : m_late->begin()->first;
}

/// Called when the time of the next arrival has changed.
void
InaLinkDirection::ExpectArrival()
{
    if (m_arrivals != nullptr)
    {
        m_arrivals->Expect(m_arrivalsIndex, *this, NextTs());
    }
    else if (!m_delivering)
    {
        Arm(NextTs());
    }
}

void
InaLinkDirection::FetchAhead(unsigned step) const
{
    if (step == 0)
    {
        FetchFirst();
        m_receiver.FetchHotLines();
    }
    else
    {
        m_receiver.FetchHandling(step - 1);
    }
}

ina::Frame
InaLinkDirection::TakeLate()
{
    ina::Frame frame = std::move(m_late->begin()->second);
    m_late->erase(m_late->begin());
    return frame;
}

void
InaLinkDirection::ForgetLate(int64_t lastTs)
{
    m_late->erase(m_late->begin(), m_late->upper_bound(lastTs));
}

void
InaLinkDirection::DeliverUntil(int64_t ts)
{
    if (NextTs() > ts)
    {
        return;
    }
    m_delivering = true;
    while (NextTs() <= ts)
    {
        DeliverNext(NextTs());
    }
    m_delivering = false;
    Disarm();
    if (NextTs() != NEVER)
    {
        ExpectArrival();
    }
}

void
InaLinkDirection::Fire(int64_t eventTs)
{
    m_receiver.HandleArrivals(*this, eventTs);
}

TypeId
InaChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InaChannel")
            .SetParent<Channel>()
            .SetGroupName("Ina")
            .AddConstructor<InaChannel>()
            .AddAttribute(
                "Delay",
                "Propagation delay of one direction. It can no longer be changed once a device "
                "has sent a frame.",
                TimeValue(NanoSeconds(2500)),
                MakeTimeAccessor(&InaChannel::SetDelay, &InaChannel::GetDelay),
                MakeTimeChecker(Time(0)));
    return tid;
}

void
InaChannel::SetDelay(const Time& delay)
{
    NS_LOG_FUNCTION(this << delay);
    NS_ABORT_MSG_IF(
        m_delayIsFixed,
        "Delay of an InaChannel can no longer be changed: set it before a device sends");
    m_delay = delay;
}

void
InaChannel::Attach(const Ptr<InaNetDevice>& device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_attached == ENDS, "both ends of an InaChannel are already attached");
    m_devices[m_attached++] = device;
    if (m_attached == ENDS)
    {
        NS_ABORT_MSG_IF(m_devices[0]->GetNode() == m_devices[1]->GetNode(),
                        "both ends of an InaChannel are on one node");
        for (std::size_t sender = 0; sender < ENDS; ++sender)
        {
            InaNetDevice& receiver = *m_devices[1 - sender];
            m_directions[sender] =
                std::make_unique<InaLinkDirection>(receiver.GetNode()->GetId(), receiver);
            receiver.ReceiveBy(*m_directions[sender]);
        }
    }
}

std::size_t
InaChannel::GetNDevices() const
{
    return m_attached;
}

Ptr<NetDevice>
InaChannel::GetDevice(std::size_t i) const
{
    NS_ABORT_MSG_IF(i >= m_attached, "an InaChannel has no device " << i);
    return m_devices[i];
}

InaLinkDirection&
InaChannel::DirectionFrom(const InaNetDevice& sender)
{
    NS_ABORT_MSG_IF(
        m_attached != ENDS,
        "an InaChannel has only one attached end: call InaNetDevice::Attach() for the other one");
    m_delayIsFixed = true;
    return *m_directions[PeekPointer(m_devices[0]) == &sender ? 0 : 1];
}

InaNetDevice&
InaChannel::OtherEnd(const InaNetDevice& device) const
{
    NS_ABORT_MSG_IF(
        m_attached != ENDS,
        "an InaChannel has only one attached end: call InaNetDevice::Attach() for the other one");
    return *m_devices[PeekPointer(m_devices[0]) == &device ? 1 : 0];
}

void
InaChannel::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (std::size_t end = 0; end < ENDS; ++end)
    {
        m_directions[end].reset();
        m_devices[end] = nullptr;
    }
    Channel::DoDispose();
}

} // namespace ns3
