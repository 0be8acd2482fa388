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

/// A trace source as ns-3's devices have them for packets.
using InaPacketTrace = TracedCallback<Ptr<const Packet>>;

/**
 * \ingroup ina-network
 * An InaNetDevice as one end of a link for frames and, with the attribute Packets, for ns3::Packet
 * too (InaPacketLine). Packets share the line with the frames, and have trace sources of their own.
 * Arrivals are then handled one by one, so that the simulator's clock is right for all who handle
 * packets.
 *
 * Its NetDeviceQueueInterface stops the queue disc before the device while the TxQueue is full.
 */
class InaPacketEnd : public InaFrameEnd
{
  public:
    bool
    CarriesPackets() const
    {
        return m_carriesPackets;
    }

    /** Sets what takes the packets that arrive, in place of the callbacks; null: these. */
    void
    SetPacketHandler(InaPacketHandler* handler)
    {
        m_packetHandler = handler;
    }

    /** Needs the attribute Packets, and both ends of the link. */
    InaPacketLine& PacketLine();
    /** Nothing of it, if none was used. */
    InaPacketCounters GetPacketCounters() const;
    std::size_t GetPacketsInFlight() const;
    /** From now on packets are dropped here, also those that wait; frames go on. */
    void ClosePackets();

    /** How long all frames and packets that were sent occupy the line, in time steps, framing of
     * each included. */
    int64_t LineSteps() const;

    /** Called by InaPacketLine, as what follows: a packet is dropped before the line at time step
     * `ts`, now or later. */
    void TracePacketDrop(Ptr<const Packet> packet, int64_t ts);
    /** The bits of a packet leave from time step `beginTs`, now or later, to `endTs`. */
    void TraceTransmission(Ptr<const Packet> packet, int64_t beginTs, int64_t endTs);
    /** A packet to this end is lost on the link: it does not arrive at time step `ts`. */
    void TraceReceptionDrop(Ptr<const Packet> packet, int64_t ts);
    /** A packet finds the receive queue of the host at this end full at time step `ts`. */
    void TraceHostDrop(Ptr<const Packet> packet, int64_t ts);
    /** Whether the ReceiveErrorModel drops a packet that arrives now, which is traced then. */
    bool DropsArrival(Ptr<Packet> packet);

    /** Puts a packet into the TxQueue. Whether there was room. */
    bool QueuePacket(Ptr<Packet> packet);
    /** Takes the next packet from the TxQueue; null if there is none. WakeQueueDisc() must follow.
     */
    Ptr<Packet> UnqueuePacket();
    /** Lets the queue disc before this device go on if there is room in the TxQueue. */
    void WakeQueueDisc();

  protected:
    InaPacketEnd() = default;
    ~InaPacketEnd() = default;

    void SetCarriesPackets(bool carries);
    /** Something was aggregated to the device. */
    void FindQueueInterface();
    void DisposePackets();

    /** Fires a trace source now, with a copy: the packet itself changes on its way up. */
    static void Report(const InaPacketTrace& trace, Ptr<const Packet> packet);

    uint16_t m_mtu{1500};
    InaPacketHandler* m_packetHandler{nullptr};
    Ptr<Queue<Packet>> m_packetQueue; //!< made with Packets, unless given
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
    std::unique_ptr<InaPacketLine> m_packetLine; //!< made for the first packet
    Ptr<NetDeviceQueue> m_queueState;            //!< of the NetDeviceQueueInterface
    uint32_t m_bytesUnqueued{0};                 //!< since WakeQueueDisc()
};

} // namespace ns3

#endif // INA_PACKET_END_H
