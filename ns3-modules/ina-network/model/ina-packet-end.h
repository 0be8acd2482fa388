/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_PACKET_END_H
#define INA_PACKET_END_H

#include "ina-frame-end.h"
#include "ina-packet-line.h"

#include "ns3/error-model.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/queue.h"
#include "ns3/traced-callback.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{

/// A trace source for packets, of the type that ns-3's devices use.
using InaPacketTrace = TracedCallback<Ptr<const Packet>>;

/**
 * \ingroup ina-network
 * The part of an InaNetDevice that carries ns3::Packet (by an InaPacketLine), if the attribute
 * Packets is true. Packets share the line with frames and have their own trace sources. Each
 * arrival then has a separate event, so that Simulator::Now() is right for all packet handlers.
 *
 * While the TxQueue is full, the NetDeviceQueueInterface of the device stops the queue disc in
 * front of it.
 */
class InaPacketEnd : public InaFrameEnd
{
  public:
    bool
    CarriesPackets() const
    {
        return m_carriesPackets;
    }

    /** Sets the receiver of packets. Null restores the default, the callbacks of NetDevice. */
    void
    SetPacketHandler(InaPacketHandler* handler)
    {
        m_packetHandler = handler;
    }

    /** Aborts unless both ends are attached and their attribute Packets is true. */
    InaPacketLine& PacketLine();
    /** Counters of packets, and of frames of background traffic. */
    InaPacketCounters GetPacketCounters() const;
    std::size_t GetPacketsInFlight() const;
    /** Drops the queued packets and all packets of later sends. Frames are not affected. */
    void ClosePackets();

    /** Number of time steps for which all frames and packets sent so far occupy the line in total,
     * including framing. */
    int64_t LineSteps() const;

    /** InaPacketLine calls this and the following functions. Here, a packet is dropped before the
     * line at time step `ts`, which is now or later. */
    void TracePacketDrop(Ptr<const Packet> packet, int64_t ts);
    /** A packet occupies the line from time step `beginTs`, now or later, to `endTs`. */
    void TraceTransmission(Ptr<const Packet> packet, int64_t beginTs, int64_t endTs);
    /** A packet to this end is lost on the link and would have arrived at time step `ts`. */
    void TraceReceptionDrop(Ptr<const Packet> packet, int64_t ts);
    /** A packet finds the receive queue of this end's host full at time step `ts`. */
    void TraceHostDrop(Ptr<const Packet> packet, int64_t ts);
    /** Whether the ReceiveErrorModel drops a packet that arrives now. If so, the drop is traced. */
    bool DropsArrival(Ptr<Packet> packet);

    /** Puts a packet into the TxQueue. \return whether there was room. */
    bool QueuePacket(Ptr<Packet> packet);
    /** Removes and returns the next packet of the TxQueue, or null if the queue is empty. Call
     * WakeQueueDisc() afterwards. */
    Ptr<Packet> UnqueuePacket();
    /** Lets the queue disc in front of this device continue if the TxQueue has room. */
    void WakeQueueDisc();

  protected:
    InaPacketEnd() = default;
    ~InaPacketEnd() = default;

    void SetCarriesPackets(bool carries);
    /** Called when an object was aggregated to the device. */
    void FindQueueInterface();
    void DisposePackets();

    /** Fires a trace source with a copy, because the stack later changes the packet itself. */
    static void Report(const InaPacketTrace& trace, Ptr<const Packet> packet);

    uint16_t m_mtu{1500};
    InaPacketHandler* m_packetHandler{nullptr};
    Ptr<Queue<Packet>> m_packetQueue; //!< TxQueue; by default created when Packets is set
    Ptr<ErrorModel> m_receiveErrorModel;

    InaPacketTrace m_macTxTrace;
    InaPacketTrace m_macTxDropTrace;
    InaPacketTrace m_macRxTrace;
    InaPacketTrace m_macRxDropTrace;
    InaPacketTrace m_phyTxBeginTrace;
    InaPacketTrace m_phyTxEndTrace;
    InaPacketTrace m_phyRxDropTrace;
    InaPacketTrace m_snifferTrace;
    InaPacketTrace m_promiscSnifferTrace;

  private:
    void ReportAt(int64_t ts, const InaPacketTrace& trace, Ptr<const Packet> packet);
    bool MayOverflow() const;

    bool m_carriesPackets{false};
    std::unique_ptr<InaPacketLine> m_packetLine; //!< created for the first packet
    Ptr<NetDeviceQueue> m_queueState;            //!< part of the NetDeviceQueueInterface
    uint32_t m_bytesUnqueued{0}; //!< taken from the TxQueue since the last WakeQueueDisc()
};

} // namespace ns3

#endif // INA_PACKET_END_H
