/* SPDX-License-Identifier: GPL-2.0-only */
#include "lean-channel.h"

#include "lean-net-device.h"

#include "ns3/abort.h"
#include "ns3/node.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LeanChannel);

LateFrames::LateFrames(uint32_t receiverNode, LeanNetDevice& receiver) :
    EventSource(receiverNode), m_receiver(receiver)
{
}

void
LateFrames::Push(ina::Frame&& frame, int64_t arrivalTs)
{
    m_frames.emplace(arrivalTs, std::move(frame));
    Arm(NextTs());
}

int64_t
LateFrames::NextTs() const
{
    return m_frames.empty() ? std::numeric_limits<int64_t>::max() : m_frames.begin()->first;
}

void
LateFrames::Fire(int64_t ts)
{
    ina::Frame frame = std::move(m_frames.begin()->second);
    m_frames.erase(m_frames.begin());
    if (!m_frames.empty())
    {
        Arm(NextTs());
    }
    m_receiver.Deliver(frame, ts);
}

LeanLinkDirection::LeanLinkDirection(uint32_t receiverNode, LeanNetDevice& receiver) :
    EventSource(receiverNode), m_receiverNode(receiverNode), m_receiver(receiver)
{
}

void
LeanLinkDirection::PushLate(ina::Frame&& frame, int64_t arrivalTs)
{
    if (!m_late)
    {
        m_late = std::make_unique<LateFrames>(m_receiverNode, m_receiver);
    }
    m_late->Push(std::move(frame), arrivalTs);
}

/// A late frame is the only thing that can come between: one that is sent later comes later than
/// all that is in flight now.
int64_t
LeanLinkDirection::DeliverableUntil(int64_t ts) const
{
    const int64_t until = m_receiver.DeliverableUntil(ts);
    return m_late ? std::min(until, m_late->NextTs()) : until;
}

void
LeanLinkDirection::Fire(int64_t ts)
{
    m_delivering = true;
    do
    {
        ts = m_inFlight.front().ts;
        m_receiver.Deliver(m_inFlight.front().frame, ts);
        m_inFlight.pop_front();
    } while (!m_inFlight.empty() && m_inFlight.front().ts < DeliverableUntil(ts));
    m_delivering = false;
    if (!m_inFlight.empty())
    {
        Arm(m_inFlight.front().ts);
    }
}

TypeId
LeanChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LeanChannel")
            .SetParent<Channel>()
            .SetGroupName("Ina")
            .AddConstructor<LeanChannel>()
            .AddAttribute("Delay",
                          "Propagation delay of one direction; read at the first frame.",
                          TimeValue(NanoSeconds(2500)),
                          MakeTimeAccessor(&LeanChannel::m_delay),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
LeanChannel::Attach(const Ptr<LeanNetDevice>& device)
{
    NS_ABORT_MSG_IF(m_attached == ENDS, "a LeanChannel has two ends");
    m_devices[m_attached++] = device;
    if (m_attached == ENDS)
    {
        for (std::size_t sender = 0; sender < ENDS; ++sender)
        {
            LeanNetDevice& receiver = *m_devices[1 - sender];
            m_directions[sender] =
                std::make_unique<LeanLinkDirection>(receiver.GetNode()->GetId(), receiver);
        }
    }
}

std::size_t
LeanChannel::GetNDevices() const
{
    return m_attached;
}

Ptr<NetDevice>
LeanChannel::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

LeanLinkDirection&
LeanChannel::DirectionFrom(const LeanNetDevice& sender)
{
    NS_ABORT_MSG_IF(m_attached != ENDS, "a LeanChannel needs both of its ends");
    return *m_directions[PeekPointer(m_devices[0]) == &sender ? 0 : 1];
}

void
LeanChannel::DoDispose()
{
    for (std::size_t end = 0; end < ENDS; ++end)
    {
        m_directions[end].reset();
        m_devices[end] = nullptr;
    }
    Channel::DoDispose();
}

} // namespace ns3
