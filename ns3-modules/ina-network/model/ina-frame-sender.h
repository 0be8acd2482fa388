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
#include <utility>
#include <vector>

namespace ns3
{

class InaLinkMeter;

/**
 * \ingroup ina-network
 * Observer of sent frames that are lost or corrupted on the link, or lost at a full host. It is
 * called when the frame is sent, which may be ahead of the clock, and must not change anything.
 */
class InaLossObserver
{
  public:
    virtual ~InaLossObserver() = default;
    virtual void FrameLost(const ina::Frame& frame) = 0;
};

/** Frame counters of a device. */
struct InaLinkCounters
{
    uint64_t framesOffered{0}; //!< frames to send, counted before they are sent or dropped
    uint64_t framesSent{0};
    uint64_t bytesSent{0};
    uint64_t framesReceived{0};
    uint64_t bytesReceived{0};
    uint64_t framesDropped{0};    //!< tail drop before the link
    uint64_t framesMarked{0};     //!< marked with ECN before the link
    uint64_t framesLost{0};       //!< on the link or at a full host, after they were sent
    uint64_t framesCorrupted{0};  //!< on the link; they do not arrive
    uint64_t bytesLost{0};        //!< of lost and corrupted frames
    uint64_t framesDuplicated{0}; //!< on the link
    uint64_t bytesDuplicated{0};
    uint64_t framesDelayed{0}; //!< on the link; later frames may overtake them
};

/**
 * \ingroup ina-network
 * Sending half of an InaNetDevice: the line, its egress FIFO, and the link faults of the frames
 * that this device sends. Base class of InaFrameEnd.
 *
 * The FIFO is represented by the time at which the line becomes idle. The time at which a frame
 * leaves is therefore known when the frame is enqueued. The FIFO itself is unlimited: switches and
 * hosts limit it, since they check Backlog() before they send. If the sending or the receiving host
 * has an InaHostStage, frames also pass that stage.
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

    /** Makes later changes of the line's attributes abort, since other objects read them. */
    void
    FixLine()
    {
        m_lineIsFixed = true;
    }

    /** Adds faults for the direction in which this device sends. If called repeatedly, the faults
     * are applied in the order of the calls. */
    void AddFaults(Ptr<InaLinkFaults> faults);

    /** Reports every frame and packet to `meter`, which must outlive this device's use. */
    void SetMeter(InaLinkMeter* meter);
    /** Reports every lost or corrupted frame of a job to `observer`. The observer must outlive the
     * use of this device. */
    void SetLossObserver(InaLossObserver* observer);

    /** Sends a frame. It enters the egress FIFO after `delay`, which must not be negative. */
    void SendFrame(ina::Frame frame, const Time& delay = Time(0));

    /**
     * Counts a frame as offered. A sender calls this first, and then either PutFrame() or
     * CountDrop(). At the end of a run, every offered frame must have been sent or dropped.
     */
    void
    CountOffer()
    {
        ++m_sending.framesOffered;
    }

    /** Used by other INA modules: moves or copies a frame into the egress FIFO at time step `ts`,
     * which is now or later. Call CountOffer() first. */
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
            OccupyLineBy(frame.bytes, ts); // after m_txTrace, whose sinks may send frames
            m_sending.direction->Push(std::forward<FrameOrCopy>(frame),
                                      m_sending.idleAt + m_sending.delaySteps);
        }
        else
        {
            PutThrough(std::forward<FrameOrCopy>(frame), ts);
        }
    }

    /**
     * Sends a frame without copying it: `make(frame)` fills it in at its position on the link. If
     * `make` returns true, the frame is sent. `make` must not send through this device.
     *
     * \returns whether the frame was sent.
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

    /** Bytes of all frames that this device has sent. */
    uint64_t
    GetBytesPut() const
    {
        return m_sending.bytes;
    }

    /** Number of time steps that a frame sent at `ts` waits until the line is idle. If there is a
     * host stage, the frame waits until the stage accepts it (see OccupyStageAndLine()). */
    int64_t
    Backlog(int64_t ts) const
    {
        return m_sending.idleAt > ts ? m_sending.idleAt - ts : 0;
    }

    /** Number of time steps for which a frame of `bytes` occupies the line, including framing. */
    int64_t
    SerialisationSteps(uint32_t bytes)
    {
        if (bytes != m_sending.lastBytes) [[unlikely]]
        {
            ComputeSerialisation(bytes);
        }
        return m_sending.lastSteps;
    }

    /** Time step at which the line will have sent all frames and packets. */
    int64_t
    IdleTs() const
    {
        return m_sendingStage != nullptr ? m_lineIdleAt : m_sending.idleAt;
    }

    /** Counts a frame that is dropped before this device's FIFO at time step `ts`, now or later. */
    void CountDrop(const ina::Frame& frame, int64_t ts);
    void CountMark(const ina::Frame& frame);

    /** Counts a frame of background traffic (ina::kNoJob) as offered, in addition to CountOffer().
     * GetPacketCounters() includes such frames, and GetCounters() does not. Senders and receivers
     * count them by this and the next two functions. */
    void
    CountTrafficOffer()
    {
        ++m_traffic.framesOffered;
    }

    /** Counts the frame of background traffic that was sent since GetBytesPut() returned `before`,
     * if there was one. */
    void
    CountTrafficSince(uint64_t before)
    {
        m_traffic.framesSent += m_sending.bytes != before ? 1 : 0;
        m_traffic.bytesSent += m_sending.bytes - before;
    }

    void
    CountTrafficReceived(const ina::Frame& frame)
    {
        ++m_traffic.framesReceived;
        m_traffic.bytesReceived += frame.bytes;
    }

    std::size_t GetFramesInFlight() const;

    /** Used by InaPacketLine, as are the functions below: occupies the line with `bytes`, sent at
     * `ts`. \return the time step at which the last bit leaves the line. */
    int64_t OccupyLine(uint32_t bytes, int64_t ts);

    /** Passes `bytes` that arrive at `arrivalTs` to the receiving host. \return the time step at
     * which the host has processed them, or InaLinkDirection::NEVER if it has no room. */
    int64_t
    TakenByReceiver(uint32_t bytes, int64_t arrivalTs)
    {
        if (m_receivingStage == nullptr)
        {
            return arrivalTs;
        }
        return m_receivingStage->receive(bytes, ina::Time(arrivalTs)).count();
    }

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
    /** Called before an attribute of the line changes. Aborts if FixLine() was called. */
    void BeginChange(const char* attribute);
    InaFrameSender() = default;
    ~InaFrameSender() = default;

    /// The device to which this half belongs. Defined in ina-net-device.h.
    inline InaNetDevice& Device();
    inline const InaNetDevice& Device() const;

    // Not inlined, since it would use registers in code that handles every frame.
    [[gnu::cold, gnu::noinline]] void FindDirection();
    void DisposeSending();

    Ptr<InaChannel> m_channel;
    DataRate m_rate;
    uint32_t m_framingBytes{0};
    InaLinkCounters m_counters; //!< of jobs, without the counters in m_sending and m_receiving
    InaLinkCounters m_traffic;  //!< of background traffic

    using FrameTrace = TracedCallback<const ina::Frame&>;

    FrameTrace m_txTrace;
    FrameTrace m_dropTrace;
    FrameTrace m_lostTrace;
    FrameTrace m_corruptedTrace;
    FrameTrace m_duplicatedTrace;
    FrameTrace m_delayedTrace;

  private:
    /// Fires a trace source when the simulator's clock reaches `ts`, which is now or later.
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

    /// Sends a frame if host stages, faults or a meter prevent a simple push.
    template <InaFrameOrCopy FrameOrCopy>
    [[gnu::noinline]] void
    PutThrough(FrameOrCopy&& frame, int64_t ts)
    {
        if (!m_sending.justStages)
        {
            const int64_t leavesTs = OccupyLine(frame.bytes, ts);
            SendThroughFaults(ina::Frame(std::forward<FrameOrCopy>(frame)), leavesTs);
        }
        else if (const int64_t taken = PassStages(frame, ts); taken != InaLinkDirection::NEVER)
        {
            m_sending.direction->Push(std::forward<FrameOrCopy>(frame), taken);
        }
    }

    /// Passes a frame through the host stages only. Returns the result of TakenOrLost().
    int64_t
    PassStages(const ina::Frame& frame, int64_t ts)
    {
        OccupyStageAndLine(frame.bytes, ts);
        return TakenOrLost(frame, IdleTs() + m_sending.delaySteps);
    }

    /// Returns the time step at which the frame has passed the stage. The next frame must wait for
    /// a free core of the stage. It also waits so long that the line is idle when it has passed the
    /// stage, if it spends the same time there as this frame.
    int64_t
    OccupyStageAndLine(uint32_t bytes, int64_t ts)
    {
        if (m_sendingStage == nullptr)
        {
            OccupyLineBy(bytes, ts);
            return ts;
        }
        const int64_t beginTs = std::max(m_sendingStage->idle_at().count(), ts);
        const int64_t entersTs = m_sendingStage->send(bytes, ina::Time(ts)).count();
        m_lineIdleAt = std::max(m_lineIdleAt, entersTs) + SerialisationSteps(bytes);
        m_sending.idleAt = std::max({m_sending.idleAt,
                                     m_sendingStage->idle_at().count(),
                                     m_lineIdleAt - (entersTs - beginTs)});
        return entersTs;
    }

    /// Calls TakenByReceiver(), and counts the frame as lost if the host has no room.
    int64_t
    TakenOrLost(const ina::Frame& frame, int64_t arrivalTs)
    {
        const int64_t taken = TakenByReceiver(frame.bytes, arrivalTs);
        if (taken == InaLinkDirection::NEVER) [[unlikely]]
        {
            CountNoRoom(frame, arrivalTs);
        }
        return taken;
    }

    InaLinkCounters&
    CountersOf(const ina::Frame& frame)
    {
        return frame.job == ina::kNoJob ? m_traffic : m_counters;
    }

    /// Host stage of this end; null if packets take no time there.
    InaHostStage* StageInUse() const;
    void ChoosePath();

    // Not inlined, for the same reason as FindDirection().
    [[gnu::cold, gnu::noinline]] void ComputeSerialisation(uint32_t bytes);
    [[gnu::noinline]] void PutStaged(int64_t ts);
    [[gnu::cold, gnu::noinline]] void CountNoRoom(const ina::Frame& frame, int64_t arrivalTs);
    void SendThroughFaults(ina::Frame&& frame, int64_t leavesTs);
    [[gnu::always_inline]] inline void PushToHost(ina::Frame&& frame,
                                                  int64_t arrivalTs,
                                                  int64_t delaySteps);
    void CountLoss(const FrameTrace& trace, const ina::Frame& frame, int64_t ts);

    bool m_lineIsFixed{false};
    Ptr<InaHostStage> m_hostStage; //!< value of the attribute HostStage
    /// null if packets take no time at this end; set when the first frame is sent
    ina::cluster::HostStage* m_sendingStage{nullptr};
    /// null if packets take no time at the other end; set when the first frame is sent
    ina::cluster::HostStage* m_receivingStage{nullptr};
    int64_t m_lineIdleAt{0}; //!< time when the line becomes idle, if there is a stage
    std::vector<Ptr<InaLinkFaults>> m_faults;
    InaLinkMeter* m_meter{nullptr};
    InaLossObserver* m_lossObserver{nullptr};
};

} // namespace ns3

#endif // INA_FRAME_SENDER_H
