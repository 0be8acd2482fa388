/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-task-types.h"

#include "ns3/ina-cluster-helper.h"

#include <algorithm>

namespace ns3
{

using namespace ina::scenarios;

void
InaTaskTypes::ConnectTo(const InaCluster& cluster)
{
    for (const Ptr<InaTrainingJob>& job : cluster.jobs)
    {
        m_tasksPerIteration.push_back(job->GetPartitions().fragments_per_iteration());
        Registered(job->GetNumber(), cluster.control->GetId(job->GetNumber()), 0);
    }
    m_types.resize(cluster.jobs.size());
    cluster.control->TraceConnectWithoutContext("JobRegistered",
                                                MakeCallback(&InaTaskTypes::Registered, this));
    for (const Ptr<InaSwitch>& inaSwitch : cluster.switches)
    {
        inaSwitch->SetObserver(&m_switches.emplace_back(*this));
    }
    for (const InaClusterLink& link : cluster.links)
    {
        link.host->SetLossObserver(this);
        link.port->SetLossObserver(this);
    }
}

InaTaskTypes::Counts
InaTaskTypes::LossesOf(ina::JobId job) const
{
    Counts counts{};
    for (const Task& task : m_lost)
    {
        if (task.job == job)
        {
            ++counts[TypeOf(task)];
        }
    }
    return counts;
}

InaTaskTypes::Counts
InaTaskTypes::TasksOf(ina::JobId job, uint32_t iterations) const
{
    const std::size_t count = std::size_t{m_tasksPerIteration[job]} * iterations;
    Counts counts{count, 0, 0};
    for (std::size_t index = 0; index < std::min(count, m_types[job].size()); ++index)
    {
        --counts[FIRST];
        ++counts[m_types[job][index]];
    }
    return counts;
}

void
InaTaskTypes::Registered(uint16_t job, uint16_t id, uint32_t iteration)
{
    m_registrations.resize(std::max(m_registrations.size(), id + std::size_t{1}));
    m_registrations[id] = {job, iteration * m_tasksPerIteration[job]};
}

InaTaskTypes::Task
InaTaskTypes::TaskOf(ina::JobId id, ina::Psn psn) const
{
    return {m_registrations[id].job, m_registrations[id].first + psn};
}

/// Switches may report a task in any order, since the type of a task only rises.
void
InaTaskTypes::AtSwitch::aggregator_event(ina::programs::AggregatorEvent event,
                                         ina::JobId job,
                                         ina::Psn psn,
                                         uint32_t index)
{
    using ina::programs::AggregatorEvent;
    switch (event)
    {
    case AggregatorEvent::allocated:
        Allocated(m_types.TaskOf(job, psn), index);
        break;
    case AggregatorEvent::collided:
        m_types.Raise(m_types.TaskOf(job, psn), SECOND);
        m_types.Raise(m_owners[index], SECOND);
        break;
    case AggregatorEvent::fallback:
        m_types.Raise(m_types.TaskOf(job, psn), THIRD);
        break;
    default:
        break;
    }
}

void
InaTaskTypes::AtSwitch::Allocated(const Task& task, uint32_t index)
{
    if (m_owners.size() <= index)
    {
        m_owners.resize(index + std::size_t{1});
    }
    m_owners[index] = task;
}

void
InaTaskTypes::FrameLost(const ina::Frame& frame)
{
    m_lost.push_back(TaskOf(frame.job, frame.psn));
}

void
InaTaskTypes::Raise(const Task& task, Type type)
{
    std::vector<Type>& types = m_types[task.job];
    if (types.size() <= task.index)
    {
        types.resize(task.index + std::size_t{1}, FIRST);
    }
    types[task.index] = std::max(types[task.index], type);
}

InaTaskTypes::Type
InaTaskTypes::TypeOf(const Task& task) const
{
    const std::vector<Type>& types = m_types[task.job];
    return task.index < types.size() ? types[task.index] : FIRST;
}

} // namespace ns3
