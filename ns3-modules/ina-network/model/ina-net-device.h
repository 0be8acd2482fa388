/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_NET_DEVICE_H
#define INA_NET_DEVICE_H

#include "ina-channel.h"
#include "ina-packet-end.h"
#include "ina-seldom-traced.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * \defgroup ina-network In-Network Aggregation: Network
 *
 * Devices, channels and switches that carry and aggregate frames of in-network aggregation.
 */

/**
 * \ingroup ina-network
 * A point-to-point device for frames of in-network aggregation (ina::Frame), with a line rate and
 * an egress FIFO.
 *
 * Most methods are in base classes: InaFrameSender and InaFrameEnd handle frames, InaPacketEnd
 * handles packets of ns-3, and this class implements NetDevice. The trace sources of frames pass
 * ina::Frame objects, which ina::wire::encode() converts to bytes.
 *
 * If the attribute Packets is true, it is also an Ethernet device for ns3::Packet.
 */
class InaNetDevice : public NetDevice, public InaPacketEnd
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of all trace sources of frames.
     *
     * \param [in] frame The frame.
     */
    typedef void (*FrameTracedCallback)(const ina::Frame& frame);

    void Attach(Ptr<InaChannel> channel);

    /** Called by InaPacketLine when a packet has arrived. */
    void DeliverPacket(Ptr<Packet> packet, int64_t ts);

    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

  protected:
    void NotifyConstructionCompleted() override;
    void NotifyNewAggregate() override;
    void DoDispose() override;

  private:
    void Watch();
    PacketType TypeOf(const Mac48Address& destination) const;
    void Sniff(Ptr<const Packet> packet) const;

    uint32_t m_ifIndex{0};
    Mac48Address m_address;
    Ptr<Node> m_node;
    NetDevice::ReceiveCallback m_receiveCallback;
    NetDevice::PromiscReceiveCallback m_promiscCallback;
};

inline InaNetDevice&
InaFrameSender::Device()
{
    return static_cast<InaNetDevice&>(*this);
}

inline const InaNetDevice&
InaFrameSender::Device() const
{
    return static_cast<const InaNetDevice&>(*this);
}

inline void
InaFrameEnd::Deliver(ina::Frame& frame, int64_t ts)
{
    CountReceived(1, frame.bytes);
    if (IsWatched()) [[unlikely]]
    {
        InaFireTrace(m_rxTrace, frame);
    }
    if (m_receiving.handler != nullptr)
    {
        m_receiving.handler->HandleFrame(Device(), frame, ts);
    }
}

inline void
InaLinkDirection::DeliverNext(int64_t ts)
{
    struct
    {
        InaFrameEnd& end;

        void
        Take(ina::Frame& frame, int64_t ts)
        {
            end.Deliver(frame, ts);
        }
    } receiver{m_receiver};

    TakeNext(ts, receiver);
}

/// Whether the event at `eventTs` may also deliver the next frame, which arrives at `next`. A frame
/// sent from now on arrives no earlier than one link delay from now, and can overtake only late
/// frames (see PushLate()).
inline bool
InaLinkDirection::MayGoOn(int64_t eventTs, int64_t next) const
{
    if (next == NEVER || m_oneByOne)
    {
        return false;
    }
    return m_late == nullptr || next != FirstLateTs() || next <= eventTs + m_receiver.DelaySteps();
}

template <class ConcreteHandler>
void
InaFrameEnd::HandOverTo(ConcreteHandler&& handler, InaLinkDirection& direction, int64_t eventTs)
{
    struct
    {
        InaNetDevice& device;
        ConcreteHandler& handler;
        const InaFrameHandler* const installed;

        void
        Take(ina::Frame& frame, int64_t ts)
        {
            device.CountReceived(1, frame.bytes);
            handler.HandleFrame(device, frame, ts);
        }

        bool
        GoesOn(int64_t ts, int64_t nextTs)
        {
            return device.GetHandler() == installed && handler.GoesOn(device, ts, nextTs);
        }
    } receiver{Device(), handler, GetHandler()};

    direction.TakeArrivals(eventTs, receiver);
}

} // namespace ns3

#endif // INA_NET_DEVICE_H
