/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-link-series.h"

#include "ns3/ina-cluster-helper.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace ns3
{

InaLinkSeries::InaLinkSeries(const Time& interval) : m_intervalSteps(interval.GetTimeStep()) {}

void
InaLinkSeries::ConnectTo(const InaCluster& cluster)
{
    const auto meter = [this](const std::string& name, const Ptr<InaNetDevice>& sender)
    {
        m_directions.push_back({name, InaLinkMeter(m_intervalSteps)});
        sender->SetMeter(&m_directions.back().meter);
    };
    for (const InaClusterLink& link : cluster.links)
    {
        meter(link.Up(), link.host);
        meter(link.Down(), link.port);
    }
}

void
InaLinkSeries::Report(const Time& now, const Sink& sink)
{
    HandOut([&now](const InaLinkMeter&) { return now.GetTimeStep(); }, sink);
}

void
InaLinkSeries::Finish(const Sink& sink)
{
    HandOut(&InaLinkMeter::QuietTs, sink);
}

/// Reports the intervals that are complete at `endOf(meter)`, in the order of time.
template <class EndOf>
void
InaLinkSeries::HandOut(EndOf endOf, const Sink& sink)
{
    std::vector<ina::results::LinkSeriesRow> rows;
    for (Direction& direction : m_directions)
    {
        const int64_t endTs = std::invoke(endOf, direction.meter);
        while (const auto interval = direction.meter.Take(endTs))
        {
            rows.push_back({.time = interval->endTs,
                            .link = direction.name,
                            .bytes_sent = interval->bytesSent,
                            .busy = interval->busySteps,
                            .longest_queue = interval->longestQueueBytes,
                            .queue = interval->queueBytes,
                            .marked = interval->framesMarked,
                            .dropped = interval->framesDropped});
        }
    }
    std::ranges::stable_sort(rows, {}, &ina::results::LinkSeriesRow::time);
    std::ranges::for_each(rows, sink);
}

} // namespace ns3
