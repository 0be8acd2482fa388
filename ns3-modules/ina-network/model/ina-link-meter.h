/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_LINK_METER_H
#define INA_LINK_METER_H

#include <cstdint>
#include <deque>
#include <optional>

namespace ns3
{

/**
 * \ingroup ina-network
 * Activity of one direction of a link in consecutive intervals of equal length, starting at time 0.
 * It uses only the times that its device passes and never the simulator's clock, since the device
 * reports frames before they leave, and hosts handle some arrivals ahead of the clock.
 */
class InaLinkMeter
{
  public:
    /** One interval. A frame that leaves exactly at its end belongs to it; a frame that enters
     * exactly at its end belongs to the next one. */
    struct Interval
    {
        int64_t endTs{0};
        uint64_t bytesSent{0};         //!< in frames that left the line
        int64_t busySteps{0};          //!< sending time in the interval, including framing
        uint64_t longestQueueBytes{0}; //!< maximum, in frames that had not left the line
        uint64_t queueBytes{0};        //!< the same at the end of the interval
        uint64_t framesMarked{0};
        uint64_t framesDropped{0};
    };

    /** \param intervalSteps length of each interval, in time steps */
    explicit InaLinkMeter(int64_t intervalSteps);

    /**
     * Records a frame or packet that enters the queue. Times of consecutive calls never decrease.
     *
     * \param ts Time step at which it enters the queue.
     * \param leavesTs Time step at which its last bit leaves the line.
     * \param bytes Length of the frame, without framing.
     * \param framesMarked Total number of frames marked so far.
     */
    void Sent(int64_t ts, int64_t leavesTs, uint32_t bytes, uint64_t framesMarked);
    /** Records a frame that was dropped before the queue at `ts`. */
    void Dropped(int64_t ts);

    /** Removes and returns the first interval that had activity and has ended by `ts`; nothing if
     * there is none. */
    std::optional<Interval> Take(int64_t ts);
    /** End of the interval in which the line becomes idle if no further frame is sent. */
    int64_t QuietTs() const;

  private:
    struct Queued
    {
        int64_t leavesTs;
        uint32_t bytes;
    };

    void Advance(int64_t ts);
    void LetLeave(int64_t ts);
    void Close();

    int64_t m_intervalSteps;
    int64_t m_seenTs{0};         //!< everything until then is counted
    int64_t m_idleTs{0};         //!< when the line becomes idle
    std::deque<Queued> m_queued; //!< had not left the line at m_seenTs
    uint64_t m_queueBytes{0};    //!< in m_queued
    uint64_t m_framesMarked{0};  //!< over all intervals
    Interval m_interval;         //!< the current interval
    std::deque<Interval> m_over; //!< complete intervals that were not taken
};

} // namespace ns3

#endif // INA_LINK_METER_H
