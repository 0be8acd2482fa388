/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_PACKET_LINE_H
#define INA_PACKET_LINE_H

#include "ina-event-source.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/queue.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>

namespace ns3
{

class InaNetDevice;

/** Counters of a device's packets, and of its frames of background traffic. InaLinkCounters has
 * those of jobs' frames. */
struct InaPacketCounters
{
    uint64_t offered{0}; //!< packets to send, counted before they are sent, dropped or queued
    uint64_t sent{0};
    uint64_t bytesSent{0};
    uint64_t received{0};
    uint64_t bytesReceived{0};
    uint64_t dropped{0}; //!< before the link
    uint64_t marked{0};  //!< marked with ECN before the link
    uint64_t lost{0};    //!< lost or corrupted on the link, or lost at the receiving host
    uint64_t bytesLost{0};
    uint64_t duplicated{0}; //!< on the link
    uint64_t bytesDuplicated{0};
};

/**
 * \ingroup ina-network
 * Receiver of the ns-3 packets that arrive at a device, used instead of the callbacks of NetDevice.
 * The packets have their Ethernet headers. Switches implement this interface.
 */
class InaPacketHandler
{
  public:
    virtual ~InaPacketHandler() = default;
    virtual void HandlePacket(InaNetDevice& device, Ptr<Packet> packet, int64_t ts) = 0;
};

/**
 * \ingroup ina-network
 * Part of a device that carries ns-3 packets in addition to frames. Frames and packets leave the
 * shared line in the order in which they were put on it.
 *
 * Packets have their Ethernet headers here. At a host, they wait in the device's TxQueue. The
 * line's backlog may contain as much from packets as from frames, and at least PACKETS_AHEAD_BYTES.
 * Since senders of frames check Backlog() first, frames and packets get equal shares of the line.
 */
class InaPacketLine
{
  public:
    static constexpr uint32_t PACKETS_AHEAD_BYTES = 6000;

    explicit InaPacketLine(InaNetDevice& device);

    /** Puts a packet on the line at time step `ts`, now or later. The caller counts offers. */
    void Put(Ptr<Packet> packet, int64_t ts);
    /** Queues a packet, or counts it as dropped. \return whether the queue had room. */
    bool Enqueue(Ptr<Packet> packet, int64_t ts);
    /** Counts and traces a packet that is dropped before the line at time step `ts`, which is now
     * or later. */
    void CountDrop(Ptr<const Packet> packet, int64_t ts);
    /** Counts a packet as offered and as dropped now. */
    void Refuse(Ptr<const Packet> packet);
    /** Drops all queued packets and all later ones. Packets on the line still leave. */
    void Close();

    std::size_t
    InFlight() const
    {
        return m_inFlight.Size();
    }

    InaPacketCounters counters;

  private:
    /// Packets in flight, by time of arrival. Faults on the link may change their order.
    class Flight : public InaEventSource
    {
      public:
        Flight(uint32_t receiverNode, InaPacketLine& line);

        void Push(Ptr<Packet> packet, int64_t arrivalTs);

        std::size_t
        Size() const
        {
            return m_packets.size();
        }

      private:
        void Fire(int64_t ts) override;

        InaPacketLine& m_line;
        std::multimap<int64_t, Ptr<Packet>> m_packets; //!< by arrival
    };

    /// Event that moves packets from a host's TxQueue to the line.
    class Feed : public InaEventSource
    {
      public:
        Feed(uint32_t node, InaPacketLine& line);

      private:
        void Fire(int64_t ts) override;

        InaPacketLine& m_line;
    };

    /// A packet that has left a host's TxQueue but occupies the line, or the host stage before the
    /// line, so that later packets wait.
    struct OnLine
    {
        int64_t untilTs;
        int64_t steps; //!< increase of the backlog by this packet
    };

    void FeedLine(int64_t ts);
    bool FillLine(int64_t ts);
    bool MayFeed(int64_t ts) const;
    void LetLeave(int64_t ts);
    void SendThroughFaults(Ptr<Packet> packet, int64_t leavesTs);
    void PushToHost(Ptr<Packet> packet, int64_t arrivalTs, int64_t delaySteps);
    void Arrive(Ptr<Packet> packet, int64_t ts);
    void CountLoss(Ptr<const Packet> packet);

    InaNetDevice& m_device;
    InaNetDevice& m_receiver;
    Flight m_inFlight;
    Feed m_feed;
    std::deque<OnLine> m_onLine; //!< packets taken from the TxQueue
    int64_t m_stepsOnLine{0};    //!< sum of OnLine::steps over m_onLine
    int64_t m_aheadSteps;        //!< minimum of the limit of m_stepsOnLine
    bool m_closed{false};
};

} // namespace ns3

#endif // INA_PACKET_LINE_H
