/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-timeline.h"

#include "ns3/ina-cluster-helper.h"
#include "ns3/simulator.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t COMPUTE = 1;       //!< thread of a worker
constexpr uint32_t COMMUNICATION = 2; //!< thread of a worker
constexpr std::string_view COMPLETED = "completed";

std::string
Quoted(std::string_view text)
{
    return nlohmann::json(text).dump();
}

/// Formats picoseconds as the microseconds of the format, without loss.
std::string
Microseconds(int64_t ps)
{
    constexpr int64_t PS_PER_US = 1'000'000;
    return fmt::format("{}.{:06}", ps / PS_PER_US, ps % PS_PER_US);
}

std::string_view
NameOf(ina::FrameKind kind)
{
    switch (kind)
    {
    case ina::FrameKind::gradient:
        return "gradient";
    case ina::FrameKind::result:
        return "result";
    case ina::FrameKind::reminder:
        return "reminder";
    case ina::FrameKind::fragment_request:
        return "fragment request";
    case ina::FrameKind::notification:
        return "notification";
    case ina::FrameKind::release:
        return "release";
    case ina::FrameKind::acknowledgement:
        return "acknowledgement";
    case ina::FrameKind::segment:
        return "segment";
    case ina::FrameKind::datagram:
        return "datagram";
    }
    return "frame";
}

} // namespace

bool
InaTimeline::Event::operator<(const Event& other) const
{
    using Key = std::
        tuple<int64_t, bool, int64_t, Pid, Tid, char, uint64_t, std::string_view, std::string_view>;
    const auto key = [](const Event& event)
    {
        return Key(event.ts,
                   event.phase != 'e',
                   event.durationTs,
                   event.pid,
                   event.tid,
                   event.phase,
                   event.id,
                   event.name,
                   event.arguments);
    };
    return key(*this) < key(other);
}

InaTimeline::InaTimeline(const Config& config) :
    m_config(config), m_fromTs(config.from.GetTimeStep()), m_toTs(config.to.GetTimeStep())
{
}

void
InaTimeline::ConnectTo(const InaCluster& cluster)
{
    ConnectToJobs(cluster);
    ConnectToSwitches(cluster);
    ConnectToLinks(cluster);
}

void
InaTimeline::NameProcess(Pid pid, const std::string& name)
{
    m_names.push_back(
        fmt::format(R"({{"ph":"M","name":"process_name","pid":{0},"tid":0,"args":{{"name":{1}}}}})",
                    pid,
                    Quoted(name)));
    m_names.push_back(fmt::format(
        R"({{"ph":"M","name":"process_sort_index","pid":{0},"tid":0,"args":{{"sort_index":{0}}}}})",
        pid));
}

void
InaTimeline::NameThread(Pid pid, Tid tid, const std::string& name)
{
    m_names.push_back(
        fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                    pid,
                    tid,
                    Quoted(name)));
    m_names.push_back(fmt::format(
        R"({{"ph":"M","name":"thread_sort_index","pid":{0},"tid":{1},"args":{{"sort_index":{1}}}}})",
        pid,
        tid));
}

void
InaTimeline::ConnectToJobs(const InaCluster& cluster)
{
    Pid pid = 1;
    for (const Ptr<InaTrainingJob>& job : cluster.jobs)
    {
        std::vector<Pid>& pids = m_pidOf.emplace_back();
        for (uint32_t rank = 0; rank < job->GetNWorkers(); ++rank, ++pid)
        {
            pids.push_back(pid);
            NameProcess(pid,
                        fmt::format("job {} ({}) worker {}",
                                    job->GetNumber(),
                                    job->GetProfileName(),
                                    rank));
            NameThread(pid, COMPUTE, "compute");
            NameThread(pid, COMMUNICATION, "communication");
        }
        job->TraceConnectWithoutContext("Computes", MakeCallback(&InaTimeline::Computes, this));
        job->TraceConnectWithoutContext("PartitionSubmitted",
                                        MakeCallback(&InaTimeline::Submitted, this));
        job->TraceConnectWithoutContext("PartitionCompleted",
                                        MakeCallback(&InaTimeline::Received, this));
    }
    m_links = pid;
    m_control = cluster.control;
}

void
InaTimeline::ConnectToSwitches(const InaCluster& cluster)
{
    for (std::size_t at = 0; at < cluster.switches.size(); ++at)
    {
        const Pid pid = m_links++;
        NameProcess(pid, cluster.topology.switches[at].name);
        m_switches.emplace_back(*this, pid, cluster.switches[at]);
    }
}

void
InaTimeline::ConnectToLinks(const InaCluster& cluster)
{
    NameProcess(m_links, "links");
    if (!m_config.frames)
    {
        return;
    }
    Tid tid = 0;
    for (const InaClusterLink& link : cluster.links)
    {
        const Tid up = ++tid;
        const Tid down = ++tid;
        NameThread(m_links, up, link.Up());
        NameThread(m_links, down, link.Down());
        m_devices.emplace_back(*this, up, down, link.host);
        m_devices.emplace_back(*this, down, up, link.port);
    }
}

// ---- workers

void
InaTimeline::Computes(const InaLayerTime& time)
{
    int64_t beginTs = time.begin.GetTimeStep();
    int64_t endTs = time.end.GetTimeStep();
    if (endTs == beginTs || !Cut(beginTs, endTs))
    {
        return;
    }
    const char* const pass = time.pass == ina::cluster::Pass::backward ? "backward" : "forward";
    Add({.ts = beginTs,
         .durationTs = endTs - beginTs,
         .pid = m_pidOf[time.job][time.rank],
         .tid = COMPUTE,
         .phase = 'X',
         .id = 0,
         .name = fmt::format("{}, layer {}", pass, time.layer + 1),
         .arguments = fmt::format(R"({{"iteration":{}}})", time.iteration)});
}

/// Begins a submission. A repeated submission after a crash closes the earlier one.
void
InaTimeline::Submitted(const InaPartitionEvent& event)
{
    const Communication key(event.job, event.rank, event.partition);
    if (const auto before = m_open.find(key); before != m_open.end())
    {
        AddCommunication(before->second, event.at.GetTimeStep());
    }
    m_open.insert_or_assign(key, event);
}

void
InaTimeline::Received(const InaPartitionEvent& event)
{
    const auto submitted = m_open.find({event.job, event.rank, event.partition});
    AddCommunication(submitted->second, event.at.GetTimeStep());
    m_open.erase(submitted);
}

void
InaTimeline::AddCommunication(const InaPartitionEvent& submitted, int64_t endTs)
{
    int64_t beginTs = submitted.at.GetTimeStep();
    if (endTs == beginTs || !Cut(beginTs, endTs))
    {
        return;
    }
    const Pid pid = m_pidOf[submitted.job][submitted.rank];
    Event event{.ts = beginTs,
                .durationTs = 0,
                .pid = pid,
                .tid = COMMUNICATION,
                .phase = 'b',
                .id = (uint64_t{pid} << 32 | submitted.partition) + 1,
                .name =
                    fmt::format("layer {}, partition {}", submitted.layer + 1, submitted.number),
                .arguments = fmt::format(R"({{"iteration":{}}})", submitted.iteration)};
    Add(event);
    event.ts = endTs;
    event.phase = 'e';
    event.arguments.clear();
    Add(std::move(event));
}

// ---- switches

InaTimeline::AtSwitch::AtSwitch(InaTimeline& timeline, Pid pid, const Ptr<InaSwitch>& inaSwitch) :
    m_timeline(timeline), m_pid(pid)
{
    inaSwitch->TraceConnectWithoutContext("AggregatorAllocated",
                                          MakeCallback(&AtSwitch::Allocated, this));
    inaSwitch->TraceConnectWithoutContext("AggregatorCompleted",
                                          MakeCallback(&AtSwitch::Completed, this));
    inaSwitch->TraceConnectWithoutContext("AggregatorFreed", MakeCallback(&AtSwitch::Freed, this));
    inaSwitch->TraceConnectWithoutContext("WentDown", MakeCallback(&AtSwitch::WentDown, this));
}

/// On a preemption, the allocation is reported before the release of the previous owner.
void
InaTimeline::AtSwitch::Allocated(uint16_t id, uint32_t psn, uint32_t index)
{
    const uint16_t job = m_timeline.m_control->GetJob(id).value();
    const Task task{job, psn, Simulator::Now().GetTimeStep(), false};
    if (const auto owner = m_tasks.find(index); owner != m_tasks.end())
    {
        End(index, owner->second, "preempted");
    }
    m_tasks.insert_or_assign(index, task);
    Count(task.job, 1);
}

void
InaTimeline::AtSwitch::Completed(uint16_t, uint32_t psn, uint32_t index)
{
    if (const auto task = m_tasks.find(index); task != m_tasks.end() && task->second.psn == psn)
    {
        task->second.complete = true;
    }
    else if (m_ended.event != 0 && m_ended.psn == psn && m_ended.index == index)
    {
        m_timeline.m_events[m_ended.event - 1].arguments = Arguments(psn, COMPLETED);
    }
}

void
InaTimeline::AtSwitch::Freed(uint16_t id, uint32_t psn, uint32_t index)
{
    const auto task = m_tasks.find(index);
    if (task == m_tasks.end() || task->second.psn != psn ||
        task->second.job != m_timeline.m_control->GetJob(id))
    {
        return; // it was preempted
    }
    const bool isEvent = End(index, task->second, task->second.complete ? COMPLETED : "freed");
    m_ended = {psn, index, isEvent ? m_timeline.m_events.size() : 0};
    m_tasks.erase(task);
}

/// A reboot clears the registers without an event for each aggregator.
void
InaTimeline::AtSwitch::WentDown(uint32_t)
{
    Close();
}

void
InaTimeline::AtSwitch::Finish()
{
    for (auto& [job, inUse] : m_inUse)
    {
        Tell(job, inUse);
    }
    Close();
    for (const uint32_t index : m_used)
    {
        m_timeline.NameThread(m_pid, index + 1, fmt::format("aggregator {}", index));
    }
}

void
InaTimeline::AtSwitch::Close()
{
    for (const auto& [index, task] : std::exchange(m_tasks, {}))
    {
        End(index, task, "lost");
    }
}

std::string
InaTimeline::AtSwitch::Arguments(uint32_t psn, std::string_view how)
{
    return fmt::format(R"({{"psn":{},"ended":"{}"}})", psn, how);
}

bool
InaTimeline::AtSwitch::End(uint32_t index, const Task& task, std::string_view how)
{
    Count(task.job, -1);
    int64_t beginTs = task.sinceTs;
    int64_t endTs = m_timeline.m_over ? m_timeline.m_toTs : Simulator::Now().GetTimeStep();
    if (!m_timeline.Cut(beginTs, endTs))
    {
        return false;
    }
    m_used.insert(index);
    m_timeline.Add({.ts = beginTs,
                    .durationTs = endTs - beginTs,
                    .pid = m_pid,
                    .tid = index + 1,
                    .phase = 'X',
                    .id = 0,
                    .name = fmt::format("job {}", task.job),
                    .arguments = Arguments(task.psn, m_timeline.m_over ? "held" : how)});
    return true;
}

void
InaTimeline::AtSwitch::Count(uint16_t job, int change)
{
    if (m_timeline.m_over)
    {
        return;
    }
    InUse& inUse = m_inUse[job];
    const int64_t ts = Simulator::Now().GetTimeStep();
    if (ts > inUse.sinceTs && ts > m_timeline.m_fromTs)
    {
        Tell(job, inUse);
    }
    inUse.count += change;
    inUse.sinceTs = ts;
}

/// Writes the number of aggregators that the job holds at the start of the window.
void
InaTimeline::AtSwitch::Tell(uint16_t job, InUse& inUse)
{
    const int64_t ts = std::max(inUse.sinceTs, m_timeline.m_fromTs);
    if (inUse.count == inUse.told || !m_timeline.Holds(ts))
    {
        return;
    }
    inUse.told = inUse.count;
    m_timeline.Add({.ts = ts,
                    .durationTs = 0,
                    .pid = m_pid,
                    .tid = 0,
                    .phase = 'C',
                    .id = 0,
                    .name = fmt::format("aggregators of job {}", job),
                    .arguments = fmt::format(R"({{"in use":{}}})", inUse.count)});
}

// ---- links

void
InaTimeline::AddLinkSample(const ina::results::LinkSeriesRow& sample)
{
    if (!Holds(sample.time))
    {
        return;
    }
    Add({.ts = sample.time,
         .durationTs = 0,
         .pid = m_links,
         .tid = 0,
         .phase = 'C',
         .id = 0,
         .name = "queue " + sample.link,
         .arguments = fmt::format(R"({{"bytes":{}}})", sample.queue)});
}

InaTimeline::AtDevice::AtDevice(InaTimeline& timeline,
                                Tid out,
                                Tid in,
                                const Ptr<InaNetDevice>& device) :
    m_timeline(timeline), m_out(out), m_in(in)
{
    device->TraceConnectWithoutContext("Tx", MakeCallback(&AtDevice::Sent, this));
    device->TraceConnectWithoutContext("Rx", MakeCallback(&AtDevice::Arrived, this));
    device->TraceConnectWithoutContext("Drop", MakeCallback(&AtDevice::Dropped, this));
    device->TraceConnectWithoutContext("Lost", MakeCallback(&AtDevice::Lost, this));
}

void
InaTimeline::AtDevice::Sent(const ina::Frame& frame)
{
    Add("sent", m_out, frame);
}

void
InaTimeline::AtDevice::Arrived(const ina::Frame& frame)
{
    Add("arrived", m_in, frame);
}

void
InaTimeline::AtDevice::Dropped(const ina::Frame& frame)
{
    Add("dropped", m_out, frame);
}

void
InaTimeline::AtDevice::Lost(const ina::Frame& frame)
{
    Add("lost", m_out, frame);
}

void
InaTimeline::AtDevice::Add(std::string_view what, Tid tid, const ina::Frame& frame)
{
    const int64_t ts = Simulator::Now().GetTimeStep();
    if (!m_timeline.Holds(ts))
    {
        return;
    }
    const std::string owner =
        frame.job == ina::kNoJob
            ? fmt::format(R"("flow":{})", frame.psn)
            : fmt::format(R"("job":{},"psn":{},"worker":{})",
                          m_timeline.m_control->GetJob(frame.job).value_or(frame.job),
                          frame.psn,
                          frame.worker);
    m_timeline.Add({.ts = ts,
                    .durationTs = 0,
                    .pid = m_timeline.m_links,
                    .tid = tid,
                    .phase = 'i',
                    .id = 0,
                    .name = fmt::format("{} {}", NameOf(frame.kind), what),
                    .arguments = fmt::format(R"({{{},"flags":{},"from":{},"to":{}}})",
                                             owner,
                                             frame.flags,
                                             frame.source,
                                             frame.destination)});
}

// ---- the window

bool
InaTimeline::Cut(int64_t& beginTs, int64_t& endTs) const
{
    if (beginTs == endTs)
    {
        return Holds(beginTs);
    }
    beginTs = std::max(beginTs, m_fromTs);
    endTs = std::min(endTs, m_toTs);
    return beginTs < endTs;
}

bool
InaTimeline::Holds(int64_t ts) const
{
    return m_fromTs <= ts && ts < m_toTs;
}

void
InaTimeline::Add(Event event)
{
    if (m_events.size() == m_config.mostEvents)
    {
        if (!m_isFull && !m_over)
        {
            Simulator::Stop();
        }
        m_isFull = true;
        return;
    }
    m_events.push_back(std::move(event));
}

void
InaTimeline::Finish(const Time& end)
{
    m_over = true;
    m_toTs = std::min(m_toTs, end.GetTimeStep());
    for (const auto& [key, submitted] : std::exchange(m_open, {}))
    {
        AddCommunication(submitted, m_toTs);
    }
    for (AtSwitch& inaSwitch : m_switches)
    {
        inaSwitch.Finish();
    }
    std::sort(m_events.begin(), m_events.end());
}

void
InaTimeline::Write(std::ostream& out) const
{
    out << R"("displayTimeUnit":"ns","traceEvents":[)";
    const char* separator = "\n";
    for (const std::string& name : m_names)
    {
        out << std::exchange(separator, ",\n") << name;
    }
    for (const Event& event : m_events)
    {
        fmt::print(out,
                   R"({}{{"ph":"{}","ts":{},"pid":{},"tid":{},"name":{})",
                   std::exchange(separator, ",\n"),
                   event.phase,
                   Microseconds(event.ts),
                   event.pid,
                   event.tid,
                   Quoted(event.name));
        if (event.phase == 'X')
        {
            fmt::print(out, R"(,"dur":{})", Microseconds(event.durationTs));
        }
        if (event.id != 0)
        {
            fmt::print(out, R"(,"cat":"communication","id":{})", event.id);
        }
        if (event.phase == 'i')
        {
            out << R"(,"s":"t")";
        }
        if (!event.arguments.empty())
        {
            out << R"(,"args":)" << event.arguments;
        }
        out << '}';
    }
    out << "\n]";
}

} // namespace ns3
