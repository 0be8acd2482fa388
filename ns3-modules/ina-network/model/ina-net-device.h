/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_NET_DEVICE_H
#define INA_NET_DEVICE_H

#include "ina-channel.h"
#include "ina-link-faults.h"
#include "ina-packet-line.h"
#include "ina-seldom-traced.h"

#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

class InaArrivals;
class InaLinkMeter;

/**
 * \ingroup ina-network
 * Who takes the frames that arrive at a device: a host application or a switch.
 */
class InaFrameHandler
{
  public:
    virtual ~InaFrameHandler() = default;
    /** `frame` arrived at `device` at time step `ts`, which is now; it may be taken or changed. */
    virtual void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) = 0;

    /**
     * Frames arrive at `device` by `direction`, the first one at time step `eventTs`, which is now.
     * Calls `device.HandOver()`, as it is here, or `device.HandOverTo()`: without these no frame is
     * taken, and none expected any more.
     */
    virtual void HandleArrivals(InaNetDevice& device, InaLinkDirection& direction, int64_t eventTs);

    /**
     * The next time step, at or after `ts`, at which something else than an arrival at its one
     * device happens to this handler. The arrivals before it are handed over in one event, each
     * with its own time: nothing can come between, since what is in flight on a link arrives before
     * what is sent later; but for frames that faults delay, which wait for their time.
     * Simulator::Now() then lags behind `ts`.
     */
    virtual int64_t
    QuietUntil(int64_t ts) const
    {
        return ts;
    }

    /**
     * Does what this handler does by itself before `ts`, the next arrival, if that needs no event
     * of its own: where QuietUntil() is later than now. Whether nothing is left to be done before.
     */
    virtual bool
    RunAhead(int64_t /* ts */)
    {
        return false;
    }

    /** Frames arrive soon: brings what they will need into the cache, in steps from 0 on, before
     * which the begin of this object has been brought. They are the last ones of
     * InaEventSource::Prefetch(), whose first two are the link's and the device's. */
    virtual void
    Prefetch(unsigned /* step */) const
    {
    }
};

/** What crossed a device, or did not. */
struct InaLinkCounters
{
    uint64_t framesOffered{0}; //!< by whoever sends, before they are sent or dropped
    uint64_t framesSent{0};
    uint64_t bytesSent{0};
    uint64_t framesReceived{0};
    uint64_t bytesReceived{0};
    uint64_t framesDropped{0};    //!< tail drop before the link
    uint64_t framesMarked{0};     //!< with ECN, before the link
    uint64_t framesLost{0};       //!< on the link, or before a slow host; after they were sent
    uint64_t framesCorrupted{0};  //!< on the link: the receiver does not take them
    uint64_t bytesLost{0};        //!< of frames lost or corrupted
    uint64_t framesDuplicated{0}; //!< on the link
    uint64_t bytesDuplicated{0};
    uint64_t framesDelayed{0}; //!< on the link: others may overtake them
};

/**
 * \ingroup ina-network
 * A point-to-point device for in-network aggregation frames (ina::Frame), at line rate with an
 * egress FIFO.
 *
 * When a frame leaves is known when it comes: the FIFO is only the time at which the line falls
 * idle. The FIFO is unlimited here; whoever sends (a switch's traffic manager, a host's pacing)
 * looks at Backlog() first. A host of few PacketsPerSecond sends no faster, and takes frames one
 * after the other from a receive queue, behind whose end they are lost; when it takes a frame is
 * known when that leaves the other end. The trace sources hand out frames, which PcapHelper-like
 * users turn into bytes with ina::wire::encode.
 *
 * With the attribute Packets it is an Ethernet device for ns3::Packet, too (InaPacketLine), which
 * share the line with the frames, and have trace sources of their own. Arrivals are then handled
 * one by one, so that the simulator's clock is right for all who handle packets.
 */
class InaNetDevice : public NetDevice
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of frames that are sent, received or dropped.
     *
     * \param [in] frame The frame.
     */
    typedef void (*FrameTracedCallback)(const ina::Frame& frame);

    void Attach(Ptr<InaChannel> channel);

    void
    SetHandler(InaFrameHandler* handler)
    {
        m_receiving.handler = handler;
    }

    /** Null: nobody takes its frames. */
    InaFrameHandler*
    Handler() const
    {
        return m_receiving.handler;
    }

    /** What arrives is handled in the order of `arrivals`, where this device has that number. */
    void
    SetArrivals(InaArrivals* arrivals, std::size_t index)
    {
        m_arrivals = arrivals;
        m_arrivalsIndex = index;
        if (m_receiving.direction != nullptr)
        {
            m_receiving.direction->SetArrivals(arrivals, index);
        }
    }

    /** Called by the channel when both ends are attached: what arrives here comes by `direction`.
     */
    void
    ReceiveBy(InaLinkDirection& direction)
    {
        m_receiving.direction = &direction;
        direction.SetArrivals(m_arrivals, m_arrivalsIndex);
    }

    /** Hands over what arrives until `ts`, which is now: at an instant, before all that the host
     * does by itself. */
    void
    DeliverUntil(int64_t ts)
    {
        if (m_receiving.direction != nullptr)
        {
            m_receiving.direction->DeliverUntil(ts);
        }
    }

    /** Whether somebody traces frames that are dropped here. */
    bool
    TracesDrops() const
    {
        return !m_dropTrace.IsEmpty();
    }

    /** Whether somebody traces frames as they arrive or leave, and wants the simulator's clock to
     * be right. */
    bool
    TracesFrames() const
    {
        return !m_rxTrace.IsEmpty() || !m_txTrace.IsEmpty();
    }

    /** Adds faults to what this device sends; frames meet them in the order of these calls. */
    void AddFaults(Ptr<InaLinkFaults> faults);

    /** Tells `meter` of every frame from now on; it must outlive this device's use. */
    void SetMeter(InaLinkMeter* meter);

    /**
     * Counts a frame that somebody wants to send. Whoever decides on it calls this first, and then
     * SendFrame() or CountDrop(): at the end of a run, both together must have seen every frame.
     */
    void
    CountOffer()
    {
        ++m_sending.framesOffered;
    }

    /** Puts a frame, moved or copied, into the egress FIFO at time step `ts`, now or later. */
    template <InaFrameOrCopy FrameOrCopy>
    void
    SendFrame(FrameOrCopy&& frame, int64_t ts)
    {
        if (m_sending.direction == nullptr) [[unlikely]]
        {
            FindDirection();
        }
        CountSent(frame, ts);
        if (m_sending.justPushes) [[likely]]
        {
            m_sending.direction->Push(std::forward<FrameOrCopy>(frame),
                                      m_sending.idleAt + m_sending.delaySteps);
        }
        else
        {
            SendWatched(ina::Frame(std::forward<FrameOrCopy>(frame)), ts);
        }
    }

    /**
     * The same without a copy: lets `make(frame)` fill in a frame where it will stand on the link,
     * and sends it, with an offer, if that returns true. Nothing else may be sent here meanwhile.
     *
     * \returns whether it did.
     */
    template <class Make>
    [[gnu::always_inline]] bool
    SendMade(int64_t ts, Make&& make)
    {
        if (m_sending.direction == nullptr) [[unlikely]]
        {
            FindDirection();
        }
        InaLinkDirection& direction = *m_sending.direction;
        ina::Frame& frame = direction.Stage();
        if (!make(frame))
        {
            direction.DropStaged();
            return false;
        }
        CountOffer();
        if (m_sending.justPushes && m_txTrace.IsEmpty()) [[likely]]
        {
            CountFrame(frame);
            OccupyLineBy(frame.bytes, ts);
            direction.PushStaged(m_sending.idleAt + m_sending.delaySteps);
        }
        else
        {
            ina::Frame made = std::move(frame);
            direction.DropStaged();
            SendFrame(std::move(made), ts);
        }
        return true;
    }

    /** What every frame needs of this object, into the cache. */
    void
    FetchHotLines() const
    {
        __builtin_prefetch(&m_sending, 1);
        __builtin_prefetch(&m_receiving, 1); // and the traces
    }

    /** Frames arrive soon: the steps of InaEventSource::Prefetch() after FetchHotLines(). */
    void
    PrefetchHandling(unsigned step) const
    {
        if (m_receiving.handler == nullptr)
        {
            return;
        }
        if (step == 0)
        {
            __builtin_prefetch(m_receiving.handler);
            __builtin_prefetch(m_sending.direction, 1);
            return;
        }
        if (step == 1)
        {
            FetchEndOfDirection();
        }
        m_receiving.handler->Prefetch(step - 1);
    }

    /** Before a frame is sent: what that needs beyond this object, into the cache. */
    void
    FetchDirection() const
    {
        __builtin_prefetch(m_sending.direction, 1);
    }

    void
    FetchEndOfDirection() const
    {
        if (m_sending.direction != nullptr)
        {
            m_sending.direction->FetchEnd();
        }
    }

    /** How long the line is still busy with what was sent before, in time steps, seen at `ts`. */
    int64_t
    Backlog(int64_t ts) const
    {
        return m_sending.idleAt > ts ? m_sending.idleAt - ts : 0;
    }
    /** Time steps that `bytes` occupy the line, framing included. */
    int64_t
    SerialisationSteps(uint32_t bytes)
    {
        if (bytes != m_sending.lastBytes) [[unlikely]]
        {
            ComputeSerialisation(bytes);
        }
        return m_sending.lastSteps;
    }

    /** Time step at which the line has sent all that was put on it, frames and packets. */
    int64_t
    IdleTs() const
    {
        return m_sending.idleAt;
    }

    /** How long all frames that were sent occupy the line, in time steps, framing included. */
    int64_t LineSteps() const;

    /** Counts a frame that was refused before this device's FIFO at time step `ts`. */
    void CountDrop(const ina::Frame& frame, int64_t ts);
    void CountMark();

    InaLinkCounters Counters() const;
    std::size_t FramesInFlight() const;

    bool
    CarriesPackets() const
    {
        return m_carriesPackets;
    }

    /** Who takes the packets that arrive, in place of the callbacks; null: these. */
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

    /** Called by the link. */
    void
    Deliver(ina::Frame& frame, int64_t ts)
    {
        CountReceived(1, frame.bytes);
        InaFireIfTraced(m_rxTrace, frame);
        if (m_receiving.handler != nullptr)
        {
            m_receiving.handler->HandleFrame(*this, frame, ts);
        }
    }

    /** Called by the link: frames arrive, the first one at `eventTs`, which is now. */
    void HandleArrivals(InaLinkDirection& direction, int64_t eventTs);

    /** Hands over the frame that arrives at `eventTs`, and those behind it up to QuietUntil(), each
     * by HandleFrame() of who handles frames here then. */
    void HandOver(InaLinkDirection& direction, int64_t eventTs);

    /**
     * The same while nobody traces what arrives, to `handler`: an object with HandleFrame() as
     * InaFrameHandler has it, of a class that the compiler knows, in place of who handles frames
     * here now, and as long as that does and `handler.GoesOn(device, ts, nextTs)`, which asks
     * MayHandOverAhead().
     */
    template <class ConcreteHandler>
    void HandOverTo(ConcreteHandler&& handler, InaLinkDirection& direction, int64_t eventTs);

    /** Whether the frame that arrives at `nextTs` may be handed over to `handler` at `ts`, too. */
    template <class Handler>
    bool
    MayHandOverAhead(Handler& handler, int64_t ts, int64_t nextTs) const
    {
        if (TracesFrames())
        {
            return false;
        }
        const int64_t quietUntil = handler.QuietUntil(ts);
        return nextTs < quietUntil || (quietUntil > ts && handler.RunAhead(nextTs));
    }

    /** Frames arrived, and are handled without Deliver(). */
    void
    CountReceived(uint64_t frames, uint64_t bytes)
    {
        m_receiving.frames += frames;
        m_receiving.bytes += bytes;
    }

    /** Called by InaPacketLine, as what follows: a packet arrived. */
    void DeliverPacket(Ptr<Packet> packet, int64_t ts);
    /** Something of `bytes` enters the line at `ts`; when it will have left. */
    int64_t OccupyLine(uint32_t bytes, int64_t ts);
    /** When the host at the other end takes what arrives there then; nothing: it has no room. */
    std::optional<int64_t> TakenByReceiver(int64_t arrivalTs);
    InaNetDevice& Receiver() const;
    void TracePacketDrop(Ptr<const Packet> packet);

    Queue<Packet>&
    PacketQueue() const
    {
        return *m_packetQueue;
    }

    const std::vector<Ptr<InaLinkFaults>>&
    Faults() const
    {
        return m_faults;
    }

    int64_t
    DelaySteps() const
    {
        return m_sending.delaySteps;
    }

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
    void DoDispose() override;

  private:
    /// A frame that enters the FIFO at `ts`: when the line falls idle, without faults.
    void
    CountSent(const ina::Frame& frame, int64_t ts)
    {
        CountFrame(frame);
        InaFireIfTraced(m_txTrace, frame);
        OccupyLineBy(frame.bytes, ts); // behind what a sink has sent
    }

    void
    CountFrame(const ina::Frame& frame)
    {
        ++m_sending.frames;
        m_sending.bytes += frame.bytes;
    }

    void
    OccupyLineBy(uint32_t bytes, int64_t ts)
    {
        m_sending.idleAt = std::max(m_sending.idleAt, ts) + SerialisationSteps(bytes);
    }

    // Out of line: they would take registers of every frame's way.
    [[gnu::cold, gnu::noinline]] void FindDirection();
    [[gnu::cold, gnu::noinline]] void ComputeSerialisation(uint32_t bytes);
    [[gnu::noinline]] void SendWatched(ina::Frame&& frame, int64_t ts);
    void SendThroughFaults(ina::Frame&& frame, int64_t leavesTs);
    [[gnu::always_inline]] inline void PushToHost(ina::Frame&& frame,
                                                  int64_t arrivalTs,
                                                  int64_t delaySteps);
    void CountLoss(const ina::Frame& frame);
    std::optional<int64_t> TakenAt(int64_t arrivalTs);
    void SetCarriesPackets(bool carries);
    PacketType TypeOf(const Mac48Address& destination) const;

    /// What every frame that is sent needs: with thousands of devices, a cache line is a miss.
    struct Sending
    {
        InaLinkDirection* direction{nullptr}; //!< the channel's; set by the first frame
        int64_t delaySteps{0};
        int64_t idleAt{0};
        int64_t lastSteps{0};
        uint32_t lastBytes{0}; //!< whose serialisation is lastSteps: sizes hardly change
        bool justPushes{true}; //!< no faults, no meter, and the other end takes what comes
        uint64_t framesOffered{0};
        uint64_t frames{0};
        uint64_t bytes{0};
    };

    /// What every frame that arrives needs.
    struct Receiving
    {
        InaFrameHandler* handler{nullptr};
        uint64_t frames{0};
        uint64_t bytes{0};
        InaLinkDirection* direction{nullptr}; //!< the channel's; set by ReceiveBy()
    };

    alignas(128) Sending m_sending;
    Receiving m_receiving;
    // Whether these are empty is asked for every frame, too: the first word of each tells, and is
    // in the cache line of m_receiving.
    TracedCallback<const ina::Frame&> m_rxTrace;
    TracedCallback<const ina::Frame&> m_txTrace;
    InaArrivals* m_arrivals{nullptr}; //!< null: its frames arrive in events of its own
    std::size_t m_arrivalsIndex{0};   //!< there

    DataRate m_rate;
    uint32_t m_framingBytes{0};
    uint64_t m_packetsPerSecond{0};
    uint32_t m_receiveQueue{0};
    uint16_t m_mtu{1500};
    uint32_t m_ifIndex{0};
    Mac48Address m_address;
    Ptr<Node> m_node;
    Ptr<InaChannel> m_channel;
    InaNetDevice* m_receiver{nullptr}; //!< the other end, if it is slow
    int64_t m_packetSteps{0};          //!< of each frame in this host; set by the first frame
    int64_t m_takenAt{0};              //!< when this host has taken all that is on its way
    InaLinkCounters m_counters;        //!< all but those of m_sending and m_receiving
    std::vector<Ptr<InaLinkFaults>> m_faults;
    InaLinkMeter* m_meter{nullptr};

    bool m_carriesPackets{false};
    InaPacketHandler* m_packetHandler{nullptr};
    Ptr<Queue<Packet>> m_packetQueue;            //!< made with Packets, unless given
    std::unique_ptr<InaPacketLine> m_packetLine; //!< made for the first packet
    NetDevice::ReceiveCallback m_receiveCallback;
    NetDevice::PromiscReceiveCallback m_promiscCallback;

    TracedCallback<const ina::Frame&> m_dropTrace;
    TracedCallback<const ina::Frame&> m_lostTrace;
    TracedCallback<const ina::Frame&> m_corruptedTrace;
    TracedCallback<const ina::Frame&> m_duplicatedTrace;
    TracedCallback<const ina::Frame&> m_delayedTrace;
    TracedCallback<Ptr<const Packet>> m_macTxTrace;
    TracedCallback<Ptr<const Packet>> m_macTxDropTrace;
    TracedCallback<Ptr<const Packet>> m_macRxTrace;
};

inline void
InaLinkDirection::DeliverNext(int64_t ts)
{
    struct
    {
        InaNetDevice& device;

        void
        Take(ina::Frame& frame, int64_t ts)
        {
            device.Deliver(frame, ts);
        }
    } receiver{m_receiver};

    TakeNext(ts, receiver);
}

/// Whether the next frame, which arrives at `next`, may be handed over in the event at `eventTs`,
/// too. One that is sent later comes later than all that is in flight now, but for what others
/// overtake: that may be overtaken by all that is sent from now on.
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
InaNetDevice::HandOverTo(ConcreteHandler&& handler, InaLinkDirection& direction, int64_t eventTs)
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
            return device.m_receiving.handler == installed && handler.GoesOn(device, ts, nextTs);
        }
    } receiver{*this, handler, m_receiving.handler};

    direction.TakeArrivals(eventTs, receiver);
}

} // namespace ns3

#endif // INA_NET_DEVICE_H
