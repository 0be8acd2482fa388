/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-link-series.h"

#include "ns3/ina-cluster-helper.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace ns3
{

InaLinkSeries::InaLinkSeries(int64_t intervalSteps) : m_intervalSteps(intervalSteps) {}

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
InaLinkSeries::Report(int64_t ts, const Sink& sink)
{
    HandOut([ts](const InaLinkMeter&) { return ts; }, sink);
}

void
InaLinkSeries::Finish(const Sink& sink)
{
    HandOut(&InaLinkMeter::QuietTs, sink);
}

/// The intervals that are over at `endOf(meter)`, in the order of time.
template <class EndOf>
void
InaLinkSeries::HandOut(EndOf endOf, const Sink& sink)
{
    std::vector<InaLinkSample> samples;
    for (Direction& direction : m_directions)
    {
        const int64_t endTs = std::invoke(endOf, direction.meter);
        while (const auto interval = direction.meter.Take(endTs))
        {
            samples.push_back({direction.name, *interval});
        }
    }
    std::ranges::stable_sort(samples,
                             {},
                             [](const InaLinkSample& sample) { return sample.interval.endTs; });
    std::ranges::for_each(samples, sink);
}

} // namespace ns3
