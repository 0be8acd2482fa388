/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LEAN_CHANNEL_H
#define LEAN_CHANNEL_H

#include "ina-event-source.h"

#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/wire/frame.hpp"

#include "ns3/channel.h"
#include "ns3/nstime.h"

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

class InaNetDevice;

/**
 * \ingroup ina-network
 * Frames that others on the same link direction overtake.
 */
class InaLateFrames : public InaEventSource
{
  public:
    InaLateFrames(uint32_t receiverNode, InaNetDevice& receiver);

    void Push(ina::Frame&& frame, int64_t arrivalTs);

    /** Until when other frames may arrive in one event: the next arrival; the end of time if there
     * is none. */
    int64_t
    NextTs() const
    {
        return m_oneByOne ? std::numeric_limits<int64_t>::min() : FirstTs();
    }

    /** Each frame of the direction arrives in an event of its own. */
    void
    HoldAll()
    {
        m_oneByOne = true;
    }

    std::size_t
    Size() const
    {
        return m_frames.size();
    }

  private:
    void Fire(int64_t ts) override;
    int64_t FirstTs() const;

    InaNetDevice& m_receiver;
    std::multimap<int64_t, ina::Frame> m_frames; //!< by arrival
    bool m_oneByOne{false};
};

/**
 * \ingroup ina-network
 * One direction of a full-duplex link. What is in flight stands in a ring in the order of arrival,
 * and only the arrival of the oldest frame is an event; see InaFrameHandler::QuietUntil for those
 * behind it.
 */
class alignas(64) InaLinkDirection : public InaEventSource
{
  public:
    InaLinkDirection(uint32_t receiverNode, InaNetDevice& receiver);

    /** A frame that arrives at `arrivalTs`, not before those that were pushed earlier. */
    void
    Push(ina::Frame&& frame, int64_t arrivalTs)
    {
        m_inFlight.emplace_back(arrivalTs, std::move(frame));
        if (!IsArmed() && !m_delivering)
        {
            Arm(arrivalTs, &m_inFlight.front());
        }
    }

    /** Brings where the next frame will be pushed into the cache. */
    void
    FetchEnd() const
    {
        m_inFlight.prefetch(m_inFlight.size());
    }

    /** A frame that arrives at `arrivalTs`, whatever was pushed earlier or will be. */
    void PushLate(ina::Frame&& frame, int64_t arrivalTs);
    /** Hands over each frame in an event of its own: something else than frames arrives, too. */
    void DeliverOneByOne();

    std::size_t
    InFlight() const
    {
        return m_inFlight.size() + (m_late ? m_late->Size() : 0);
    }

  private:
    /// Fills a cache line: a frame costs one miss, not two.
    struct alignas(64) Arrival
    {
        int64_t ts{0};
        ina::Frame frame;
    };

    void Fire(int64_t ts) override;
    bool GoesOn(int64_t ts) const;
    InaLateFrames& Late();

    // What every frame needs fills a cache line, with the event source.
    bool m_delivering{false};
    InaNetDevice& m_receiver;
    ina::GrowingRing<Arrival> m_inFlight; //!< in the order of arrival

    std::unique_ptr<InaLateFrames> m_late; //!< made for the first one, or to hold all others
    uint32_t m_receiverNode;
};

/**
 * \ingroup ina-network
 * A full-duplex link between two LeanNetDevices that carries plain frames, without an ns3::Packet
 * for each.
 */
class InaChannel : public Channel
{
  public:
    static TypeId GetTypeId();

    /** Connects a device; both ends of a link attach to it. */
    void Attach(const Ptr<InaNetDevice>& device);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /** The direction in which `sender` sends. Both ends must be attached. */
    InaLinkDirection& DirectionFrom(const InaNetDevice& sender);

    InaNetDevice& OtherEnd(const InaNetDevice& device) const;

    int64_t
    DelaySteps() const
    {
        return m_delay.GetTimeStep();
    }

  protected:
    void DoDispose() override;

  private:
    static constexpr std::size_t ENDS = 2;

    Time m_delay;
    std::size_t m_attached{0};
    std::array<Ptr<InaNetDevice>, ENDS> m_devices;
    std::array<std::unique_ptr<InaLinkDirection>, ENDS> m_directions; //!< by sender
};

} // namespace ns3

#endif // LEAN_CHANNEL_H
