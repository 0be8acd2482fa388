/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-channel.h"

#include "ina-net-device.h"

#include "ns3/abort.h"
#include "ns3/node.h"

#include <limits>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InaChannel);

namespace
{

constexpr std::size_t FRAMES_AHEAD = 3;

} // namespace

InaLateFrames::InaLateFrames(uint32_t receiverNode, InaNetDevice& receiver) :
    InaEventSource(receiverNode), m_receiver(receiver)
{
}

void
InaLateFrames::Push(ina::Frame&& frame, int64_t arrivalTs)
{
    m_frames.emplace(arrivalTs, std::move(frame));
    Arm(FirstTs());
}

int64_t
InaLateFrames::FirstTs() const
{
    return m_frames.empty() ? std::numeric_limits<int64_t>::max() : m_frames.begin()->first;
}

void
InaLateFrames::Fire(int64_t ts)
{
    ina::Frame frame = std::move(m_frames.begin()->second);
    m_frames.erase(m_frames.begin());
    if (!m_frames.empty())
    {
        Arm(FirstTs());
    }
    m_receiver.Deliver(frame, ts);
}

InaLinkDirection::InaLinkDirection(uint32_t receiverNode, InaNetDevice& receiver) :
    InaEventSource(receiverNode), m_receiver(receiver), m_receiverNode(receiverNode)
{
}

InaLateFrames&
InaLinkDirection::Late()
{
    if (!m_late)
    {
        m_late = std::make_unique<InaLateFrames>(m_receiverNode, m_receiver);
    }
    return *m_late;
}

void
InaLinkDirection::PushLate(ina::Frame&& frame, int64_t arrivalTs)
{
    Late().Push(std::move(frame), arrivalTs);
}

void
InaLinkDirection::DeliverOneByOne()
{
    Late().HoldAll();
}

/// Whether the next frame is handed over in the event at `ts`, too. A late frame is the only thing
/// that can come between: one that is sent later comes later than all that is in flight now.
bool
InaLinkDirection::GoesOn(int64_t ts) const
{
    if (m_inFlight.empty())
    {
        return false;
    }
    const int64_t next = m_inFlight.front().ts;
    return next < m_receiver.DeliverableUntil(ts) && (!m_late || next < m_late->NextTs());
}

void
InaLinkDirection::Fire(int64_t ts)
{
    m_delivering = true;
    do
    {
        // A host takes many in one event, faster than memory gives them.
        m_inFlight.prefetch(FRAMES_AHEAD);
        ts = m_inFlight.front().ts;
        m_receiver.Deliver(m_inFlight.front().frame, ts);
        m_inFlight.pop_front();
    } while (GoesOn(ts));
    m_delivering = false;
    if (!m_inFlight.empty())
    {
        Arm(m_inFlight.front().ts, &m_inFlight.front());
    }
}

TypeId
InaChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InaChannel")
            .SetParent<Channel>()
            .SetGroupName("Ina")
            .AddConstructor<InaChannel>()
            .AddAttribute("Delay",
                          "Propagation delay of one direction; read at the first frame.",
                          TimeValue(NanoSeconds(2500)),
                          MakeTimeAccessor(&InaChannel::m_delay),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
InaChannel::Attach(const Ptr<InaNetDevice>& device)
{
    NS_ABORT_MSG_IF(m_attached == ENDS, "a InaChannel has two ends");
    m_devices[m_attached++] = device;
    if (m_attached == ENDS)
    {
        for (std::size_t sender = 0; sender < ENDS; ++sender)
        {
            InaNetDevice& receiver = *m_devices[1 - sender];
            m_directions[sender] =
                std::make_unique<InaLinkDirection>(receiver.GetNode()->GetId(), receiver);
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
    return m_devices.at(i);
}

InaLinkDirection&
InaChannel::DirectionFrom(const InaNetDevice& sender)
{
    NS_ABORT_MSG_IF(m_attached != ENDS, "a InaChannel needs both of its ends");
    return *m_directions[PeekPointer(m_devices[0]) == &sender ? 0 : 1];
}

InaNetDevice&
InaChannel::OtherEnd(const InaNetDevice& device) const
{
    NS_ABORT_MSG_IF(m_attached != ENDS, "a InaChannel needs both of its ends");
    return *m_devices[PeekPointer(m_devices[0]) == &device ? 1 : 0];
}

void
InaChannel::DoDispose()
{
    for (std::size_t end = 0; end < ENDS; ++end)
    {
        m_directions[end].reset();
        m_devices[end] = nullptr;
    }
    Channel::DoDispose();
}

} // namespace ns3
