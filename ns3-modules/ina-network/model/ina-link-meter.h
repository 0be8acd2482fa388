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
 * Activity of one direction of a link in consecutive intervals of equal length from time 0 on. The
 * meter uses only the times that its device passes, not the simulator's clock: the device reports
 * frames before they leave, and hosts handle some arrivals ahead of the clock.
 */
class InaLinkMeter
{
  public:
    /** One interval. At the instant of its end, a frame that leaves still belongs to it; a frame
     * that enters the queue belongs to the next interval. */
    struct Interval
    {
        int64_t endTs{0};
        uint64_t bytesSent{0};         //!< of frames that left the line
        int64_t busySteps{0};          //!< sending time in the interval, including framing
        uint64_t longestQueueBytes{0}; //!< maximum queue length, in all frames not yet sent
        uint64_t queueBytes{0};        //!< queue length at the end of the interval
        uint64_t framesMarked{0};
        uint64_t framesDropped{0};
    };

    /** \param intervalSteps length of each interval, in time steps */
    explicit InaLinkMeter(int64_t intervalSteps);

    /**
     * Records a frame or packet that enters the queue. `ts` and `leavesTs` must never decrease.
     *
     * \param ts Time step at which the frame enters the queue.
     * \param leavesTs Time step at which its last bit leaves the line.
     * \param bytes Length of the frame, without framing.
     * \param framesMarked Total number of frames marked so far.
     */
    void Sent(int64_t ts, int64_t leavesTs, uint32_t bytes, uint64_t framesMarked);
    /** Records a frame that was dropped before the queue at `ts`. */
    void Dropped(int64_t ts);

    /** Removes and returns the first interval with activity, if it has ended by `ts`. Returns
     * nothing if there is no such interval. */
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
    int64_t m_seenTs{0};         //!< all frames until this time are counted
    int64_t m_idleTs{0};         //!< when the line becomes idle
    std::deque<Queued> m_queued; //!< frames that had not left the line at m_seenTs
    uint64_t m_queueBytes{0};    //!< in m_queued
    uint64_t m_framesMarked{0};  //!< over all intervals
    Interval m_interval;         //!< the current interval
    std::deque<Interval> m_over; //!< ended intervals that wait for Take()
};

} // namespace ns3

#endif // INA_LINK_METER_H
