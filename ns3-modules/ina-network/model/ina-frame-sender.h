/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_FRAME_SENDER_H
#define INA_FRAME_SENDER_H

#include "ina-channel.h"
#include "ina-frame-state.h"
#include "ina-host-stage.h"
#include "ina-link-faults.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

class InaLinkMeter;

/**
 * \ingroup ina-network
 * Is told of frames that a device has sent and that will not arrive, lost or corrupted. The
 * simulator's clock may lag behind: an observer may only look.
 */
class InaLossObserver
{
  public:
    virtual ~InaLossObserver() = default;
    virtual void FrameLost(const ina::Frame& frame) = 0;
};

/** Frames that crossed a device, or did not. */
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
 * The sending half of an InaNetDevice: the line, the egress FIFO before it, and what happens to
 * frames on their way to the other end. The base of InaFrameEnd.
 *
 * When a frame leaves is known when it comes: the FIFO is only the time at which the line falls
 * idle. The FIFO is unlimited; whoever sends (a switch's traffic manager, a host's pacing) looks at
 * Backlog() first. A host with an InaHostStage sends through that, and the host at the other end
 * takes what arrives through its own.
 */
class InaFrameSender : public InaFrameState
{
  public:
    void SetDataRate(DataRate rate);

    DataRate
    GetDataRate() const
    {
        return m_rate;
    }

    void SetFramingBytes(uint32_t bytes);

    uint32_t
    GetFramingBytes() const
    {
        return m_framingBytes;
    }

    void SetHostStage(Ptr<InaHostStage> stage);

    Ptr<InaHostStage>
    GetHostStage() const
    {
        return m_hostStage;
    }

    /** Somebody has read what these give: they cannot change any more. */
    void
    FixLine()
    {
        m_lineIsFixed = true;
    }

    /** Adds faults to what this device sends; frames meet them in the order of these calls. */
    void AddFaults(Ptr<InaLinkFaults> faults);

    /** Tells `meter` of every frame from now on; it must outlive this device's use. */
    void SetMeter(InaLinkMeter* meter);
    /** Tells `observer` of every frame that is lost on the way; it must outlive this device's use.
     */
    void SetLossObserver(InaLossObserver* observer);

    /** Sends a frame: it enters the egress FIFO now, or after a delay. */
    void SendFrame(ina::Frame frame, const Time& delay = Time(0));

    /**
     * Counts a frame that somebody wants to send. Whoever decides on it calls this first, and then
     * PutFrame() or CountDrop(): at the end of a run, both together must have seen every frame.
     */
    void
    CountOffer()
    {
        ++m_sending.framesOffered;
    }

    /** For modules: puts a frame, moved or copied, into the egress FIFO at time step `ts`, which is
     * now or later. */
    template <InaFrameOrCopy FrameOrCopy>
    void
    PutFrame(FrameOrCopy&& frame, int64_t ts)
    {
        if (m_sending.direction == nullptr) [[unlikely]]
        {
            FindDirection();
        }
        CountFrame(frame);
        if (IsWatched()) [[unlikely]]
        {
            FireAt(m_txTrace, frame, ts);
        }
        if (m_sending.justPushes) [[likely]]
        {
            OccupyLineBy(frame.bytes, ts); // behind what a sink has sent
            m_sending.direction->Push(std::forward<FrameOrCopy>(frame),
                                      m_sending.idleAt + m_sending.delaySteps);
        }
        else
        {
            PutThrough(std::forward<FrameOrCopy>(frame), ts);
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
        if (m_sending.justPushes && !IsWatched()) [[likely]]
        {
            CountFrame(frame);
            OccupyLineBy(frame.bytes, ts);
            direction.PushStaged(m_sending.idleAt + m_sending.delaySteps);
        }
        else
        {
            PutStaged(ts);
        }
        return true;
    }

    /** How long a frame that is sent at `ts` waits for what was sent before, in time steps: until
     * the line is idle, or until the host's stage lets it get there. */
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
        return m_sendingStage ? m_lineIdleAt : m_sending.idleAt;
    }

    /** Counts a frame that was refused before this device's FIFO at time step `ts`. */
    void CountDrop(const ina::Frame& frame, int64_t ts);
    void CountMark();

    std::size_t GetFramesInFlight() const;

    /** Called by InaPacketLine, as what follows: something of `bytes` is sent at `ts`; when it will
     * have left the line. */
    int64_t OccupyLine(uint32_t bytes, int64_t ts);
    /** When the host at the other end takes what arrives there then; nothing: it has no room. */
    std::optional<int64_t> TakenByReceiver(uint32_t bytes, int64_t arrivalTs);
    InaNetDevice& Receiver() const;

    const std::vector<Ptr<InaLinkFaults>>&
    GetFaults() const
    {
        return m_faults;
    }

    int64_t
    DelaySteps() const
    {
        return m_sending.delaySteps;
    }

  protected:
    InaFrameSender() = default;
    ~InaFrameSender() = default;

    /// The device whose half this is. Defined in ina-net-device.h.
    inline InaNetDevice& Device();
    inline const InaNetDevice& Device() const;

    // Out of line: it would take registers of every frame's way.
    [[gnu::cold, gnu::noinline]] void FindDirection();
    void DisposeSending();

    Ptr<InaChannel> m_channel;
    DataRate m_rate;
    uint32_t m_framingBytes{0};
    InaLinkCounters m_counters; //!< all but those of m_sending and m_receiving

    using FrameTrace = TracedCallback<const ina::Frame&>;

    FrameTrace m_txTrace;
    FrameTrace m_dropTrace;
    FrameTrace m_lostTrace;
    FrameTrace m_corruptedTrace;
    FrameTrace m_duplicatedTrace;
    FrameTrace m_delayedTrace;

  private:
    /// Fires a trace source when the simulator's clock is at `ts`, which is now or later.
    [[gnu::cold, gnu::noinline]] void FireAt(const FrameTrace& trace,
                                             const ina::Frame& frame,
                                             int64_t ts);

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

    /// Sends a frame where it may not just be pushed: through stages of hosts, and through faults.
    template <InaFrameOrCopy FrameOrCopy>
    [[gnu::noinline]] void
    PutThrough(FrameOrCopy&& frame, int64_t ts)
    {
        const int64_t leavesTs = OccupyLine(frame.bytes, ts);
        if (!m_sending.justStages)
        {
            SendThroughFaults(ina::Frame(std::forward<FrameOrCopy>(frame)), leavesTs);
        }
        else if (const auto taken = TakenOrLost(frame, leavesTs + m_sending.delaySteps))
        {
            m_sending.direction->Push(std::forward<FrameOrCopy>(frame), *taken);
        }
    }

    /// One of the attributes of the line changes, unless they are fixed.
    void BeginChange(const char* attribute);
    /// Null: packets take no time in the host at this end.
    Ptr<InaHostStage> StageInUse() const;
    void ChoosePath();

    // Out of line, as FindDirection().
    [[gnu::cold, gnu::noinline]] void ComputeSerialisation(uint32_t bytes);
    [[gnu::noinline]] void PutStaged(int64_t ts);
    int64_t OccupyStageAndLine(uint32_t bytes, int64_t ts);
    std::optional<int64_t> TakenOrLost(const ina::Frame& frame, int64_t arrivalTs);
    void SendThroughFaults(ina::Frame&& frame, int64_t leavesTs);
    [[gnu::always_inline]] inline void PushToHost(ina::Frame&& frame,
                                                  int64_t arrivalTs,
                                                  int64_t delaySteps);
    void CountLoss(const FrameTrace& trace, const ina::Frame& frame, int64_t ts);

    bool m_lineIsFixed{false};
    Ptr<InaHostStage> m_hostStage;      //!< the attribute
    Ptr<InaHostStage> m_sendingStage;   //!< that of this end, if it is on; set by the first frame
    Ptr<InaHostStage> m_receivingStage; //!< that of the other end, likewise
    int64_t m_lineIdleAt{0};            //!< behind m_sendingStage
    std::vector<Ptr<InaLinkFaults>> m_faults;
    InaLinkMeter* m_meter{nullptr};
    InaLossObserver* m_lossObserver{nullptr};
};

} // namespace ns3

#endif // INA_FRAME_SENDER_H
