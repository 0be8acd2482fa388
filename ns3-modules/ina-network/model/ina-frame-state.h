/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_FRAME_STATE_H
#define INA_FRAME_STATE_H

#include "ina-channel.h"
#include "ina-frame-handler.h"

#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/prefetchable.hpp"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup ina-network
 * State of a device that is used for every frame. It has only two cache lines, because with
 * thousands of devices each of these lines is a cache miss. Base class of InaFrameSender.
 */
class alignas(2 * ina::kCacheLineBytes) InaFrameState
{
  public:
    InaFrameState(const InaFrameState&) = delete;
    InaFrameState& operator=(const InaFrameState&) = delete;

    /** Whether trace sinks for frames are connected to this device. If so, every frame must be
     * handled exactly when the simulator's clock shows its time. */
    bool
    IsWatched() const
    {
        return m_receiving.isWatched;
    }

    /** Prefetches both cache lines of this state. */
    void
    FetchHotLines() const
    {
        ina::fetch_line_to_write(&m_sending);
        ina::fetch_line_to_write(&m_receiving);
    }

    /** After FetchHotLines(), prefetches the other data for the next arrivals. `step` counts from 0
     * and means the same as in InaEventSource::FetchAhead(). */
    void
    FetchHandling(unsigned step) const
    {
        if (m_receiving.handler == nullptr)
        {
            return;
        }
        if (step == 0)
        {
            ina::fetch_line(m_receiving.handler);
            FetchDirection();
            return;
        }
        if (step == 1)
        {
            FetchEndOfDirection();
        }
        if (m_receiving.handlerFetches != nullptr)
        {
            m_receiving.handlerFetches->fetch_ahead(step - 1);
        }
    }

    /** Prefetches the data outside this object that is used to send the next frame. */
    void
    FetchDirection() const
    {
        ina::fetch_line_to_write(m_sending.direction);
    }

    void
    FetchEndOfDirection() const
    {
        if (m_sending.direction != nullptr)
        {
            m_sending.direction->FetchEnd();
        }
    }

  protected:
    InaFrameState() = default;
    ~InaFrameState() = default;

    void
    InstallHandler(InaFrameHandler* handler)
    {
        m_receiving.handler = handler;
        m_receiving.handlerFetches = dynamic_cast<const ina::Prefetchable*>(handler);
    }

    /// State that is used for every sent frame.
    struct Sending
    {
        InaLinkDirection* direction{nullptr}; //!< part of the channel; set by the first frame sent
        int64_t delaySteps{0};
        int64_t idleAt{0}; //!< time step from which a frame need not wait
        int64_t lastSteps{0};
        /// length of a frame that occupies the line for lastSteps; cached, since it rarely changes
        uint32_t lastBytes{0};
        bool justPushes{true};  //!< no faults, no meter, no host stage at either end
        bool justStages{false}; //!< only host stages, which do not reorder
        uint64_t framesOffered{0};
        uint64_t frames{0};
        uint64_t bytes{0};
    };

    /// State that is used for every arriving frame.
    struct Receiving
    {
        InaFrameHandler* handler{nullptr};
        const ina::Prefetchable* handlerFetches{nullptr}; //!< null if it is not Prefetchable
        uint64_t frames{0};
        uint64_t bytes{0};
        bool isWatched{false}; //!< some trace source of frames has a sink
    };

    static_assert(sizeof(Sending) == ina::kCacheLineBytes);

    Sending m_sending;
    Receiving m_receiving;
};

} // namespace ns3

#endif // INA_FRAME_STATE_H
