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

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/queue.h"
#include "ns3/traced-callback.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup ina-network
 * An InaNetDevice as one end of a link for frames and, with the attribute Packets, for ns3::Packet
 * too (InaPacketLine). Packets share the line with the frames, and have trace sources of their own.
 * Arrivals are then handled one by one, so that the simulator's clock is right for all who handle
 * packets.
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
    InaPacketCounters PacketCounters() const;
    std::size_t PacketsInFlight() const;
    /** From now on packets are dropped here, also those that wait; frames go on. */
    void ClosePackets();

    /** How long all frames and packets that were sent occupy the line, in time steps, framing of
     * each included. */
    int64_t LineSteps() const;

    /** Called by InaPacketLine, as what follows. */
    void TracePacketDrop(Ptr<const Packet> packet);

    Queue<Packet>&
    PacketQueue() const
    {
        return *m_packetQueue;
    }

  protected:
    InaPacketEnd() = default;
    ~InaPacketEnd() = default;

    void SetCarriesPackets(bool carries);
    void DisposePackets();

    InaPacketHandler* m_packetHandler{nullptr};
    Ptr<Queue<Packet>> m_packetQueue; //!< made with Packets, unless given
    TracedCallback<Ptr<const Packet>> m_macTxDropTrace;

  private:
    bool m_carriesPackets{false};
    std::unique_ptr<InaPacketLine> m_packetLine; //!< made for the first packet
};

} // namespace ns3

#endif // INA_PACKET_END_H
