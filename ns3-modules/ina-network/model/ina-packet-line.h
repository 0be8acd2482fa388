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

/** What of ns-3's packets crossed a device, or did not; as InaLinkCounters has it of frames. */
struct InaPacketCounters
{
    uint64_t offered{0}; //!< by whoever sends, before they are sent or dropped, or wait
    uint64_t sent{0};
    uint64_t bytesSent{0};
    uint64_t received{0};
    uint64_t bytesReceived{0};
    uint64_t dropped{0}; //!< before the link
    uint64_t marked{0};  //!< with ECN, before the link
    uint64_t lost{0};    //!< on the link, for a wrong checksum, or by the host at the other end
    uint64_t bytesLost{0};
    uint64_t duplicated{0}; //!< on the link
    uint64_t bytesDuplicated{0};
};

/**
 * \ingroup ina-network
 * Who takes ns-3's packets that arrive at a device, with their Ethernet headers, in place of the
 * callbacks of NetDevice: a switch.
 */
class InaPacketHandler
{
  public:
    virtual ~InaPacketHandler() = default;
    virtual void HandlePacket(InaNetDevice& device, Ptr<Packet> packet, int64_t ts) = 0;
};

/**
 * \ingroup ina-network
 * What a device needs besides to carry ns-3's packets beside frames: both follow each other on its
 * line in the order in which they were put there, each for as long as its bytes take.
 *
 * Packets here begin with their Ethernet headers. At a host they wait in the device's TxQueue, and
 * stand on the line ahead up to as much as frames do, or PACKETS_AHEAD_BYTES if that is more: who
 * sends frames looks at Backlog() first, and both get even parts of the line.
 */
class InaPacketLine
{
  public:
    static constexpr uint32_t PACKETS_AHEAD_BYTES = 6000;

    explicit InaPacketLine(InaNetDevice& device);

    /** Sends a packet at time step `ts`, now or later. */
    void Put(Ptr<Packet> packet, int64_t ts);
    /** Puts it on the line as soon as its turn comes. Whether there was room in the queue. */
    bool Enqueue(Ptr<Packet> packet, int64_t ts);
    /** Counts and traces a packet that is dropped before the line at time step `ts`, now or later.
     */
    void CountDrop(Ptr<const Packet> packet, int64_t ts);
    /** Counts a packet as offered, and as dropped now. */
    void Refuse(Ptr<const Packet> packet);
    /** Nothing that is not on the line yet is sent any more. */
    void Close();

    std::size_t
    InFlight() const
    {
        return m_inFlight.Size();
    }

    InaPacketCounters counters;

  private:
    /// In the order of arrival, which faults on the link may change.
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

    /// Feeds the line of a host.
    class Feed : public InaEventSource
    {
      public:
        Feed(uint32_t node, InaPacketLine& line);

      private:
        void Fire(int64_t ts) override;

        InaPacketLine& m_line;
    };

    /// A packet of a host that makes others wait: on the line, or in the host's stage before it.
    struct OnLine
    {
        int64_t untilTs;
        int64_t steps; //!< for which it makes them wait
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
    std::deque<OnLine> m_onLine; //!< of those that Enqueue() took
    int64_t m_stepsOnLine{0};    //!< of all these
    int64_t m_aheadSteps;        //!< that these may take in any case
    bool m_closed{false};
};

} // namespace ns3

#endif // INA_PACKET_LINE_H
