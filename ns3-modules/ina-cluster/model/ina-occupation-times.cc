/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-occupation-times.h"

#include "ns3/ina-cluster-helper.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

void
InaOccupationTimes::ConnectTo(const InaCluster& cluster)
{
    m_jobs = cluster.jobs.size();
    m_control = cluster.control;
    for (std::size_t at = 0; at < cluster.switches.size(); ++at)
    {
        m_switches.emplace_back(*this, cluster.topology.switches[at].name, cluster.switches[at]);
    }
}

std::vector<ina::results::OccupationRow>
InaOccupationTimes::Finish(const Time& end)
{
    m_over = true;
    std::vector<ina::results::OccupationRow> rows;
    for (AtSwitch& inaSwitch : m_switches)
    {
        inaSwitch.Release(end.GetTimeStep());
        inaSwitch.AddTo(rows);
    }
    return rows;
}

InaOccupationTimes::AtSwitch::AtSwitch(InaOccupationTimes& times,
                                       const std::string& name,
                                       const Ptr<InaSwitch>& inaSwitch) :
    m_times(times), m_name(name), m_histograms(times.m_jobs)
{
    inaSwitch->TraceConnectWithoutContext("AggregatorAllocated",
                                          MakeCallback(&AtSwitch::Allocated, this));
    inaSwitch->TraceConnectWithoutContext("AggregatorFreed", MakeCallback(&AtSwitch::Freed, this));
    inaSwitch->TraceConnectWithoutContext("WentDown", MakeCallback(&AtSwitch::WentDown, this));
}

/// On a preemption, the allocation is reported before the release of the previous owner.
void
InaOccupationTimes::AtSwitch::Allocated(uint16_t id, uint32_t, uint32_t index)
{
    if (m_aggregators.size() <= index)
    {
        m_aggregators.resize(index + std::size_t{1});
    }
    m_preempted =
        std::exchange(m_aggregators[index],
                      {Simulator::Now().GetTimeStep(), m_times.m_control->GetJob(id).value()});
}

void
InaOccupationTimes::AtSwitch::Freed(uint16_t, uint32_t, uint32_t index)
{
    if (!m_times.m_over)
    {
        Add(m_preempted.sinceTs == FREE ? m_aggregators[index] : m_preempted,
            Simulator::Now().GetTimeStep());
    }
}

/// A reboot clears the registers without an event for each aggregator.
void
InaOccupationTimes::AtSwitch::WentDown(uint32_t)
{
    Release(Simulator::Now().GetTimeStep());
}

void
InaOccupationTimes::AtSwitch::Release(int64_t ts)
{
    for (Aggregator& aggregator : m_aggregators)
    {
        if (aggregator.sinceTs != FREE)
        {
            Add(aggregator, std::max(ts, aggregator.sinceTs));
        }
    }
}

void
InaOccupationTimes::AtSwitch::AddTo(std::vector<ina::results::OccupationRow>& rows) const
{
    for (std::size_t job = 0; job < m_histograms.size(); ++job)
    {
        for (const auto& bin : m_histograms[job].bins())
        {
            rows.push_back({.name = m_name,
                            .job = job,
                            .from = bin.from.count(),
                            .until = bin.until.count(),
                            .occupations = bin.count,
                            .mean = bin.mean.count()});
        }
    }
}

void
InaOccupationTimes::AtSwitch::Add(Aggregator& aggregator, int64_t ts)
{
    m_histograms[aggregator.job].add(ina::Time(ts - aggregator.sinceTs));
    aggregator.sinceTs = FREE;
}

} // namespace ns3
