/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-link-meter.h"

#include <algorithm>

namespace ns3
{

InaLinkMeter::InaLinkMeter(int64_t intervalSteps) : m_intervalSteps(intervalSteps)
{
    m_interval.endTs = intervalSteps;
}

void
InaLinkMeter::Sent(int64_t ts, int64_t leavesTs, uint32_t bytes, uint64_t framesMarked)
{
    Advance(ts);
    m_queued.push_back({leavesTs, bytes});
    m_idleTs = leavesTs;
    m_queueBytes += bytes;
    m_interval.longestQueueBytes = std::max(m_interval.longestQueueBytes, m_queueBytes);
    m_interval.framesMarked += framesMarked - m_framesMarked;
    m_framesMarked = framesMarked;
}

void
InaLinkMeter::Dropped(int64_t ts)
{
    Advance(ts);
    ++m_interval.framesDropped;
}

std::optional<InaLinkMeter::Interval>
InaLinkMeter::Take(int64_t ts)
{
    Advance(ts);
    if (m_over.empty() || m_over.front().endTs > ts)
    {
        return std::nullopt;
    }
    const Interval interval = m_over.front();
    m_over.pop_front();
    return interval;
}

int64_t
InaLinkMeter::QuietTs() const
{
    const int64_t intervals = (m_idleTs + m_intervalSteps - 1) / m_intervalSteps;
    return std::max(m_interval.endTs, intervals * m_intervalSteps);
}

/// Advances to `ts`, and closes all intervals before it. If the line is idle after an interval,
/// skips directly to the interval of `ts`.
void
InaLinkMeter::Advance(int64_t ts)
{
    while (m_interval.endTs <= ts)
    {
        LetLeave(m_interval.endTs);
        Close();
        m_interval.endTs += m_intervalSteps;
        if (m_queued.empty())
        {
            m_interval.endTs =
                std::max(m_interval.endTs, (ts / m_intervalSteps + 1) * m_intervalSteps);
        }
    }
    LetLeave(ts);
}

/// Accounts for the time until `ts`. The line is busy from m_seenTs until it becomes idle, without
/// a gap.
void
InaLinkMeter::LetLeave(int64_t ts)
{
    if (ts <= m_seenTs)
    {
        return;
    }
    m_interval.busySteps += std::max<int64_t>(std::min(ts, m_idleTs) - m_seenTs, 0);
    m_seenTs = ts;
    while (!m_queued.empty() && m_queued.front().leavesTs <= ts)
    {
        m_interval.bytesSent += m_queued.front().bytes;
        m_queueBytes -= m_queued.front().bytes;
        m_queued.pop_front();
    }
}

void
InaLinkMeter::Close()
{
    m_interval.queueBytes = m_queueBytes;
    if (m_interval.bytesSent != 0 || m_interval.longestQueueBytes != 0 ||
        m_interval.framesDropped != 0)
    {
        m_over.push_back(m_interval);
    }
    const int64_t endTs = m_interval.endTs;
    m_interval = Interval();
    m_interval.endTs = endTs;
    m_interval.longestQueueBytes = m_queueBytes;
}

} // namespace ns3
