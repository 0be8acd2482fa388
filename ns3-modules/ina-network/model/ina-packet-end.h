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

/// A trace source for packets, as in ns-3's devices.
using InaPacketTrace = TracedCallback<Ptr<const Packet>>;

/**
 * \ingroup ina-network
 * An InaNetDevice as the end of a link for frames and, with the attribute Packets, for ns3::Packet
 * (InaPacketLine). Packets share the line with frames and have their own trace sources. Each
 * arrival then has its own event, so that Simulator::Now() is right for all packet handlers.
 *
 * Its NetDeviceQueueInterface stops the queue disc in front of the device while the TxQueue is
 * full.
 */
class InaPacketEnd : public InaFrameEnd
{
  public:
    bool
    CarriesPackets() const
    {
        return m_carriesPackets;
    }

    /** Sets the receiver of packets, instead of NetDevice's callbacks; null restores those. */
    void
    SetPacketHandler(InaPacketHandler* handler)
    {
        m_packetHandler = handler;
    }

    /** Aborts unless both ends of the link are attached and have the attribute Packets. */
    InaPacketLine& PacketLine();
    /** All zero if no packet was sent or received. */
    InaPacketCounters GetPacketCounters() const;
    std::size_t GetPacketsInFlight() const;
    /** Drops the queued packets and all that are sent from now on. Frames are not affected. */
    void ClosePackets();

    /** Total time for which all sent frames and packets occupy the line, in time steps, including
     * framing. */
    int64_t LineSteps() const;

    /** Called by InaPacketLine, like the following functions: a packet is dropped before the line
     * at time step `ts`, now or later. */
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
    /** Removes the next packet from the TxQueue; null if it is empty. WakeQueueDisc() must follow.
     */
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

    /** Fires a trace source now with a copy, because the packet changes on its way up the stack. */
    static void Report(const InaPacketTrace& trace, Ptr<const Packet> packet);

    uint16_t m_mtu{1500};
    InaPacketHandler* m_packetHandler{nullptr};
    Ptr<Queue<Packet>> m_packetQueue; //!< TxQueue; if not set, Packets creates one
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
    uint32_t m_bytesUnqueued{0};                 //!< since the last WakeQueueDisc()
};

} // namespace ns3

#endif // INA_PACKET_END_H
