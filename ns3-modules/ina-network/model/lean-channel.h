/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LEAN_CHANNEL_H
#define LEAN_CHANNEL_H

#include "event-source.h"

#include "hw/protocol/wire/frame.hpp"

#include "ns3/channel.h"
#include "ns3/nstime.h"

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

class LeanNetDevice;

/**
 * \ingroup ina-network
 * Frames in flight in the order of their arrival: a ring that doubles when it is full.
 */
class FrameRing
{
  public:
    struct Arrival
    {
        int64_t ts{0};
        ina::Frame frame;
    };

    bool
    Empty() const
    {
        return m_size == 0;
    }

    std::size_t
    Size() const
    {
        return m_size;
    }

    Arrival&
    Front()
    {
        return m_arrivals[m_first];
    }

    void
    PushBack(ina::Frame&& frame, int64_t ts)
    {
        if (m_size == m_arrivals.size())
        {
            Grow();
        }
        Arrival& arrival = m_arrivals[(m_first + m_size++) & (m_arrivals.size() - 1)];
        arrival.ts = ts;
        arrival.frame = std::move(frame);
        // The next frame of this link comes after those of many others: its place is out of the
        // cache by then.
        __builtin_prefetch(&m_arrivals[(m_first + m_size) & (m_arrivals.size() - 1)], 1);
    }

    void
    PopFront()
    {
        Front().frame.values.reset();
        m_first = (m_first + 1) & (m_arrivals.size() - 1);
        --m_size;
    }

  private:
    static constexpr std::size_t INITIAL_SIZE = 64;

    void Grow();

    std::vector<Arrival> m_arrivals =
        std::vector<Arrival>(INITIAL_SIZE); //!< a power of two of them
    std::size_t m_first{0};
    std::size_t m_size{0};
};

/**
 * \ingroup ina-network
 * Frames that others on the same link direction overtake.
 */
class LateFrames : public EventSource
{
  public:
    LateFrames(uint32_t receiverNode, LeanNetDevice& receiver);

    void Push(ina::Frame&& frame, int64_t arrivalTs);

    /** The next arrival; the end of time if there is none. */
    int64_t NextTs() const;

    std::size_t
    Size() const
    {
        return m_frames.size();
    }

  private:
    void Fire(int64_t ts) override;

    LeanNetDevice& m_receiver;
    std::multimap<int64_t, ina::Frame> m_frames; //!< by arrival
};

/**
 * \ingroup ina-network
 * One direction of a full-duplex link. What is in flight stands in a ring in the order of arrival,
 * and only the arrival of the oldest frame is an event; see FrameHandler::QuietUntil for those
 * behind it.
 */
class LeanLinkDirection : public EventSource
{
  public:
    LeanLinkDirection(uint32_t receiverNode, LeanNetDevice& receiver);

    /** A frame that arrives at `arrivalTs`, not before those that were pushed earlier. */
    void Push(ina::Frame&& frame, int64_t arrivalTs);
    /** A frame that arrives at `arrivalTs`, whatever was pushed earlier or will be. */
    void PushLate(ina::Frame&& frame, int64_t arrivalTs);

    std::size_t
    InFlight() const
    {
        return m_inFlight.Size() + (m_late ? m_late->Size() : 0);
    }

  private:
    void Fire(int64_t ts) override;
    int64_t DeliverableUntil(int64_t ts) const;

    uint32_t m_receiverNode;
    LeanNetDevice& m_receiver;
    FrameRing m_inFlight;
    std::unique_ptr<LateFrames> m_late; //!< made for the first one
    bool m_delivering{false};
};

/**
 * \ingroup ina-network
 * A full-duplex link between two LeanNetDevices that carries plain frames, without an ns3::Packet
 * for each.
 */
class LeanChannel : public Channel
{
  public:
    static TypeId GetTypeId();

    /** Connects a device; both ends of a link attach to it. */
    void Attach(const Ptr<LeanNetDevice>& device);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /** The direction in which `sender` sends. Both ends must be attached. */
    LeanLinkDirection& DirectionFrom(const LeanNetDevice& sender);

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
    std::array<Ptr<LeanNetDevice>, ENDS> m_devices;
    std::array<std::unique_ptr<LeanLinkDirection>, ENDS> m_directions; //!< by sender
};

} // namespace ns3

#endif // LEAN_CHANNEL_H
