/* SPDX-License-Identifier: GPL-2.0-only */
#include "lean-net-device.h"

#include "hw/protocol/time.hpp"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LeanNetDevice");
NS_OBJECT_ENSURE_REGISTERED(LeanNetDevice);

TypeId
LeanNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LeanNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Ina")
            .AddConstructor<LeanNetDevice>()
            .AddAttribute("DataRate",
                          "Rate of the line; set it before the first frame.",
                          DataRateValue(DataRate("100Gbps")),
                          MakeDataRateAccessor(&LeanNetDevice::m_rate),
                          MakeDataRateChecker())
            .AddAttribute(
                "FramingBytes",
                "Bytes that each frame occupies the line beyond its own: preamble, frame check "
                "sequence and gap (24 on Ethernet).",
                UintegerValue(0),
                MakeUintegerAccessor(&LeanNetDevice::m_framingBytes),
                MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("Mtu",
                          "Largest frame, in bytes; for ns-3's own code, not enforced on frames.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&LeanNetDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>())
            .AddTraceSource("Tx",
                            "A frame entered the egress FIFO.",
                            MakeTraceSourceAccessor(&LeanNetDevice::m_txTrace),
                            "ns3::LeanNetDevice::FrameTracedCallback")
            .AddTraceSource("Rx",
                            "A frame arrived.",
                            MakeTraceSourceAccessor(&LeanNetDevice::m_rxTrace),
                            "ns3::LeanNetDevice::FrameTracedCallback")
            .AddTraceSource("Drop",
                            "A frame found no room in the buffer before this device.",
                            MakeTraceSourceAccessor(&LeanNetDevice::m_dropTrace),
                            "ns3::LeanNetDevice::FrameTracedCallback")
            .AddTraceSource("Lost",
                            "A frame that this device sent will not arrive.",
                            MakeTraceSourceAccessor(&LeanNetDevice::m_lostTrace),
                            "ns3::LeanNetDevice::FrameTracedCallback")
            .AddTraceSource("Corrupted",
                            "A frame that this device sent will arrive with a wrong checksum.",
                            MakeTraceSourceAccessor(&LeanNetDevice::m_corruptedTrace),
                            "ns3::LeanNetDevice::FrameTracedCallback")
            .AddTraceSource("Duplicated",
                            "A frame that this device sent will arrive twice.",
                            MakeTraceSourceAccessor(&LeanNetDevice::m_duplicatedTrace),
                            "ns3::LeanNetDevice::FrameTracedCallback")
            .AddTraceSource("Delayed",
                            "A frame that this device sent will be late, others may overtake it.",
                            MakeTraceSourceAccessor(&LeanNetDevice::m_delayedTrace),
                            "ns3::LeanNetDevice::FrameTracedCallback");
    return tid;
}

void
LeanNetDevice::Attach(Ptr<LeanChannel> channel)
{
    m_channel = channel;
    channel->Attach(this);
}

int64_t
LeanNetDevice::SerialisationSteps(uint32_t bytes)
{
    if (bytes != m_lastBytes) [[unlikely]]
    {
        ComputeSerialisation(bytes);
    }
    return m_lastSteps;
}

void
LeanNetDevice::ComputeSerialisation(uint32_t bytes)
{
    m_lastBytes = bytes;
    m_lastSteps = ina::serialisation_time(bytes + m_framingBytes, m_rate.GetBitRate()).count();
}

void
LeanNetDevice::FindDirection()
{
    m_direction = &m_channel->DirectionFrom(*this);
    m_delaySteps = m_channel->DelaySteps();
}

void
LeanNetDevice::SendFrame(ina::Frame&& frame, int64_t ts)
{
    if (m_direction == nullptr) [[unlikely]]
    {
        FindDirection();
    }
    ++m_counters.framesSent;
    m_counters.bytesSent += frame.bytes;
    FireIfTraced(m_txTrace, frame);
    m_idleAt = std::max(m_idleAt, ts) + SerialisationSteps(frame.bytes);
    if (m_faults.empty())
    {
        m_direction->Push(std::move(frame), m_idleAt + m_delaySteps);
    }
    else
    {
        SendThroughFaults(std::move(frame), m_idleAt);
    }
}

void
LeanNetDevice::AddFaults(Ptr<InaLinkFaults> faults)
{
    m_faults.push_back(faults);
}

/// What fails on the way is counted when it leaves.
void
LeanNetDevice::SendThroughFaults(ina::Frame&& frame, int64_t leavesTs)
{
    const int64_t arrivalTs = leavesTs + m_delaySteps;
    int64_t delaySteps = 0;
    for (const Ptr<InaLinkFaults>& faults : m_faults)
    {
        const auto fate = faults->Decide(frame, leavesTs);
        if (fate.lost)
        {
            ++m_counters.framesLost;
            m_counters.bytesLost += frame.bytes;
            m_lostTrace(frame);
            return;
        }
        if (fate.corrupted)
        {
            ++m_counters.framesCorrupted;
            m_counters.bytesLost += frame.bytes;
            m_corruptedTrace(frame);
            return;
        }
        if (fate.duplicated)
        {
            ++m_counters.framesDuplicated;
            m_counters.bytesDuplicated += frame.bytes;
            m_duplicatedTrace(frame);
            m_direction->Push(ina::Frame(frame), arrivalTs);
        }
        delaySteps += fate.delay.count();
    }
    if (delaySteps == 0)
    {
        m_direction->Push(std::move(frame), arrivalTs);
        return;
    }
    ++m_counters.framesDelayed;
    m_delayedTrace(frame);
    m_direction->PushLate(std::move(frame), arrivalTs + delaySteps);
}

void
LeanNetDevice::CountDrop(const ina::Frame& frame)
{
    NS_LOG_LOGIC("drops a frame of job " << frame.job << ", PSN " << frame.psn);
    ++m_counters.framesDropped;
    m_dropTrace(frame);
}

void
LeanNetDevice::CountMark()
{
    ++m_counters.framesMarked;
}

std::size_t
LeanNetDevice::FramesInFlight() const
{
    return m_direction == nullptr ? 0 : m_direction->InFlight();
}

void
LeanNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
LeanNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
LeanNetDevice::GetChannel() const
{
    return m_channel;
}

void
LeanNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
LeanNetDevice::GetAddress() const
{
    return m_address;
}

bool
LeanNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
LeanNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
LeanNetDevice::IsLinkUp() const
{
    return m_channel && m_channel->GetNDevices() == 2;
}

void
LeanNetDevice::AddLinkChangeCallback(Callback<void>)
{
    NS_LOG_LOGIC("a lean link never changes");
}

bool
LeanNetDevice::IsBroadcast() const
{
    return true;
}

Address
LeanNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
LeanNetDevice::IsMulticast() const
{
    return true;
}

Address
LeanNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
LeanNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
LeanNetDevice::IsBridge() const
{
    return false;
}

bool
LeanNetDevice::IsPointToPoint() const
{
    return true;
}

bool
LeanNetDevice::Send(Ptr<Packet>, const Address&, uint16_t)
{
    NS_LOG_WARN("LeanNetDevice carries ina::Frame only, see SendFrame()");
    return false;
}

bool
LeanNetDevice::SendFrom(Ptr<Packet>, const Address&, const Address&, uint16_t)
{
    NS_LOG_WARN("LeanNetDevice carries ina::Frame only, see SendFrame()");
    return false;
}

Ptr<Node>
LeanNetDevice::GetNode() const
{
    return m_node;
}

void
LeanNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
LeanNetDevice::NeedsArp() const
{
    return false;
}

void
LeanNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback)
{
    NS_LOG_LOGIC("no packets come up from a LeanNetDevice, see SetHandler()");
}

void
LeanNetDevice::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback)
{
    NS_LOG_LOGIC("no packets come up from a LeanNetDevice, see SetHandler()");
}

bool
LeanNetDevice::SupportsSendFrom() const
{
    return false;
}

void
LeanNetDevice::DoDispose()
{
    m_node = nullptr;
    m_channel = nullptr;
    m_direction = nullptr;
    m_handler = nullptr;
    m_faults.clear();
    NetDevice::DoDispose();
}

} // namespace ns3
