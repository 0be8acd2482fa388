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
 * What one direction of a link does in each of many equally long intervals, the first of which
 * begins at time 0. It goes by the times that its device gives it, and asks the simulator for
 * nothing: a frame is known before it leaves, and hosts are handed some arrivals early.
 */
class InaLinkMeter
{
  public:
    /** One interval. A frame that leaves or enters at its very end leaves in it, and enters in the
     * next. */
    struct Interval
    {
        int64_t endTs{0};
        uint64_t bytesSent{0};         //!< of frames that left the line
        int64_t busySteps{0};          //!< in which the line sent, framing included
        uint64_t longestQueueBytes{0}; //!< of frames that had not left the line
        uint64_t queueBytes{0};        //!< likewise, at the end
        uint64_t framesMarked{0};
        uint64_t framesDropped{0};
    };

    /** \param intervalSteps of each interval, in time steps */
    explicit InaLinkMeter(int64_t intervalSteps);

    /**
     * A frame entered the queue at `ts`; the times of these calls never go back.
     *
     * \param ts When.
     * \param leavesTs When its last bit leaves the line.
     * \param bytes Of the frame.
     * \param framesMarked All that were marked so far.
     */
    void Sent(int64_t ts, int64_t leavesTs, uint32_t bytes, uint64_t framesMarked);
    /** A frame found no room at `ts`. */
    void Dropped(int64_t ts);

    /** The next interval, in their order, that was over at `ts` and in which there was anything on
     * the line or before it; nothing: there is none. */
    std::optional<Interval> Take(int64_t ts);
    /** The end of the interval in which the line falls idle, if nothing more comes. */
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
    int64_t m_seenTs{0};         //!< what happened until then is counted
    int64_t m_idleTs{0};         //!< when the line falls idle
    std::deque<Queued> m_queued; //!< that had not left the line at m_seenTs
    uint64_t m_queueBytes{0};    //!< of these
    uint64_t m_framesMarked{0};  //!< of all intervals
    Interval m_interval;         //!< that is not over
    std::deque<Interval> m_over; //!< and were not taken
};

} // namespace ns3

#endif // INA_LINK_METER_H
