/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-cluster-run.h"

#include "hw/cluster/training/verification_error.hpp"
#include "hw/fields/counted.hpp"
#include "hw/fields/quantity.hpp"

#include "ns3/abort.h"
#include "ns3/application.h"
#include "ns3/ina-abort.h"
#include "ns3/ina-protocol-time.h"
#include "ns3/ina-simulator-impl.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <stdexcept>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaClusterRun");

using namespace ina::scenarios;

using ina::programs::AggregatorEvent;

namespace
{

constexpr uint64_t AGGREGATORS_NAMED = 3; // maximum in a message

double
CpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string
Describe(const ina::programs::OccupiedAggregator& aggregator, const InaControlPlane& control)
{
    return fmt::format("job {}{}, aggregator {}",
                       control.GetJob(aggregator.job).value_or(aggregator.job),
                       aggregator.psn ? fmt::format(", PSN {}", *aggregator.psn) : "",
                       aggregator.index);
}

/// The run that was built and has not ended; null if there is none.
const InaClusterRun* g_built = nullptr;

/// Describes a worker that is not done.
std::string
DescribeLate(InaTrainingJob& job, uint32_t rank)
{
    const InaTrainingWorker& worker = job.GetWorker(static_cast<uint16_t>(rank));
    const auto missing = worker.first_missing();
    return fmt::format(
        "job {}, worker {}, in iteration {} of {}, with {} of {} results ({}) and {} "
        "in flight",
        job.GetNumber(),
        rank,
        worker.iteration(),
        job.GetIterationCount(),
        worker.fragments_done(),
        job.GetFragmentsInAll() / job.GetNWorkers(),
        missing ? fmt::format("PSN {} is missing", *missing) : "no PSN is missing",
        counted(worker.GetApplication().GetTransport().in_flight(), "packet"));
}

/// State of a switch at one instant, for one job.
ina::results::SwitchRow
RowOf(int64_t ts,
      const std::string& name,
      ina::JobId job,
      const ina::programs::AggregatorCounters& counters)
{
    return {.time = ts,
            .name = name,
            .job = job,
            .occupied = counters.occupied(),
            .allocated = counters[AggregatorEvent::allocated],
            .collided = counters[AggregatorEvent::collided],
            .preempted = counters[AggregatorEvent::preempted],
            .evicted = counters[AggregatorEvent::evicted],
            .completed = counters[AggregatorEvent::completed],
            .fallbacks = counters[AggregatorEvent::fallback],
            .added = counters[AggregatorEvent::added]};
}

/// Frames on one direction of a link.
ina::results::LinkRow
FrameRowOf(const std::string& name, const InaNetDevice& from, const InaNetDevice& to)
{
    const InaLinkCounters& sent = from.GetCounters();
    const InaLinkCounters& received = to.GetCounters();
    const int64_t idleTs = from.IdleTs();
    return {.link = name,
            .frames_sent = sent.framesSent,
            .bytes_sent = sent.bytesSent,
            .frames_received = received.framesReceived,
            .bytes_received = received.bytesReceived,
            .dropped = sent.framesDropped,
            .marked = sent.framesMarked,
            .lost = sent.framesLost,
            .corrupted = sent.framesCorrupted,
            .duplicated = sent.framesDuplicated,
            .delayed = sent.framesDelayed,
            .busy = from.LineSteps(),
            .last_sent = idleTs == 0 ? std::nullopt : std::optional(idleTs)};
}

/// Packets on one direction of a link.
ina::results::PacketRow
PacketRowOf(const std::string& name, const InaNetDevice& from, const InaNetDevice& to)
{
    const InaPacketCounters sent = from.GetPacketCounters();
    const InaPacketCounters received = to.GetPacketCounters();
    return {.link = name,
            .packets_sent = sent.sent,
            .bytes_sent = sent.bytesSent,
            .packets_received = received.received,
            .bytes_received = received.bytesReceived,
            .dropped = sent.dropped,
            .marked = sent.marked,
            .lost = sent.lost,
            .duplicated = sent.duplicated};
}

/// Outcome of a flow. The caller fills in its kind and its hosts.
ina::results::FlowRow
RowOf(const InaFlowResult& result)
{
    ina::results::FlowRow row;
    row.flow = result.flow.number;
    row.start = result.flow.start.count();
    row.bytes_received = result.bytesReceived;
    if (result.flow.bytes != 0)
    {
        row.bytes = result.flow.bytes;
    }
    if (result.bytesReceived != 0)
    {
        row.last_received = result.last.GetTimeStep();
    }
    if (result.completed)
    {
        row.completion = result.completed->GetTimeStep() - row.start;
    }
    return row;
}

/// Verifies one direction of a link.
void
VerifyBalance(const std::string& link,
              const char* way,
              const InaNetDevice& from,
              const InaNetDevice& to)
{
    const InaLinkCounters& sent = from.GetCounters();
    const InaLinkCounters& received = to.GetCounters();
    const uint64_t framesToArrive =
        sent.framesSent + sent.framesDuplicated - sent.framesLost - sent.framesCorrupted;
    const uint64_t bytesToArrive = sent.bytesSent + sent.bytesDuplicated - sent.bytesLost;
    if (sent.framesOffered != sent.framesSent + sent.framesDropped ||
        framesToArrive != received.framesReceived || bytesToArrive != received.bytesReceived ||
        from.GetFramesInFlight() != 0)
    {
        const bool faulty = sent.framesLost + sent.framesCorrupted + sent.framesDuplicated != 0;
        const std::string faults = faulty ? fmt::format("{} lost, {} corrupted, {} duplicated, ",
                                                        sent.framesLost,
                                                        sent.framesCorrupted,
                                                        sent.framesDuplicated)
                                          : "";
        throw ina::cluster::VerificationError(
            fmt::format("link {}, {} the switch: {} offered, {} sent ({} B), {} "
                        "dropped, {}{} received ({} B), {} under way",
                        link,
                        way,
                        counted(sent.framesOffered, "frame"),
                        sent.framesSent,
                        sent.bytesSent,
                        sent.framesDropped,
                        faults,
                        received.framesReceived,
                        received.bytesReceived,
                        from.GetFramesInFlight()));
    }
}

/// Like VerifyBalance(), for packets.
void
VerifyPackets(const std::string& name, const InaNetDevice& from, const InaNetDevice& to)
{
    const InaPacketCounters sent = from.GetPacketCounters();
    const InaPacketCounters received = to.GetPacketCounters();
    const uint64_t toArrive = sent.sent + sent.duplicated - sent.lost;
    const uint64_t bytesToArrive = sent.bytesSent + sent.bytesDuplicated - sent.bytesLost;
    if (sent.offered != sent.sent + sent.dropped || toArrive != received.received ||
        bytesToArrive != received.bytesReceived || from.GetPacketsInFlight() != 0)
    {
        throw ina::cluster::VerificationError(
            fmt::format("link {}: {} offered, {} sent ({} B), {} dropped, {} lost, {} duplicated, "
                        "{} received ({} B), {} under way",
                        name,
                        counted(sent.offered, "packet"),
                        sent.sent,
                        sent.bytesSent,
                        sent.dropped,
                        sent.lost,
                        sent.duplicated,
                        received.received,
                        received.bytesReceived,
                        from.GetPacketsInFlight()));
    }
}

} // namespace

InaClusterRun::InaClusterRun(const Scenario& scenario, InaRunSinks sinks) :
    m_resolved(resolve(scenario)), m_sinks(std::move(sinks))
{
    m_result.jobs.resize(m_resolved.scenario.jobs.size());
    m_result.breakdowns.resize(m_resolved.scenario.jobs.size());
    m_result.iterations.resize(m_resolved.scenario.jobs.size());
    CollectWhatNobodyTakes();
}

InaClusterRun::~InaClusterRun()
{
    Release();
}

InaCluster&
InaClusterRun::Build()
{
    NS_LOG_FUNCTION(this);
    if (m_state == State::BUILT)
    {
        return m_cluster;
    }
    NS_ABORT_MSG_IF(m_state == State::ENDED,
                    "an InaClusterRun can run only once: create a new one for each run");
    NS_ABORT_MSG_IF(m_resolved.scenario.outputs.switch_interval_ps <= 0,
                    "the interval between two samples of the switch must be positive");
    InaAbortUnlessPicoseconds();
    AbortUnlessAtBegin();
    NS_ABORT_MSG_IF(
        g_built != nullptr,
        "another InaClusterRun has not ended: call its Run(), or destroy it, before Build()");
    g_built = this;
    m_state = State::BUILT;
    Simulator::ScheduleDestroy(&InaClusterRun::Abandon, m_isAbandoned);
    m_cluster = InaClusterHelper(m_resolved).Build();
    if (!m_resolved.scenario.faults.links.empty())
    {
        m_taskTypes.ConnectTo(m_cluster);
    }
    if (const auto interval = m_resolved.scenario.outputs.link_interval_ps)
    {
        m_linkSeries = std::make_unique<InaLinkSeries>(TimeStep(static_cast<uint64_t>(*interval)));
        m_linkSeries->ConnectTo(m_cluster);
    }
    if (m_resolved.scenario.outputs.occupation)
    {
        m_occupation = std::make_unique<InaOccupationTimes>();
        m_occupation->ConnectTo(m_cluster);
    }
    return m_cluster;
}

/// Keeps the applications alive until the simulator is destroyed.
void
InaClusterRun::Keep(ApplicationContainer)
{
}

/// Called after the simulator has been destroyed, together with the cluster.
void
InaClusterRun::Abandon(std::shared_ptr<bool> isAbandoned)
{
    *isAbandoned = true;
}

/// Checks that the run begins at time 0, because times in the scenario are absolute simulator
/// times.
void
InaClusterRun::AbortUnlessAtBegin()
{
    NS_ABORT_MSG_UNLESS(Simulator::Now().IsZero(),
                        "an InaClusterRun must begin at time 0, but the time is "
                            << Simulator::Now().As(Time::US)
                            << ": call Simulator::Destroy() after the previous run");
}

/// Shuts the cluster down. Its nodes do nothing any more, even if the simulator continues.
void
InaClusterRun::Release()
{
    NS_LOG_FUNCTION(this);
    if (m_state != State::BUILT)
    {
        return;
    }
    m_state = State::ENDED;
    g_built = nullptr;
    for (const InaClusterLink& link : m_cluster.links)
    {
        if (const Ptr<Channel> channel = link.host->GetChannel())
        {
            channel->Dispose();
        }
    }
    ApplicationContainer applications;
    for (auto node = m_cluster.nodes.Begin(); node != m_cluster.nodes.End(); ++node)
    {
        for (uint32_t i = 0; i < (*node)->GetNApplications(); ++i)
        {
            applications.Add((*node)->GetApplication(i));
        }
        (*node)->Dispose();
    }
    if (!*m_isAbandoned)
    {
        // If the run never began, a pending event of ns-3 still initialises the applications.
        Simulator::ScheduleDestroy(&InaClusterRun::Keep, applications);
        for (EventId* const event : {&m_sampleTick, &m_linkTick, &m_timeLimit, &m_quietTick})
        {
            event->Cancel();
        }
    }
    if (m_cluster.control) // null if memory was insufficient to build it
    {
        m_cluster.control->Dispose();
    }
    m_cluster = InaCluster();
}

InaRunResult
InaClusterRun::Run()
{
    NS_LOG_FUNCTION(this);
    Build();
    AbortUnlessAtBegin();
    NS_ABORT_MSG_IF(*m_isAbandoned,
                    "Simulator::Destroy() was called between Build() and Run() of an "
                    "InaClusterRun");
    for (std::size_t index = 0; index < m_cluster.jobs.size(); ++index)
    {
        m_cluster.jobs[index]->SetIterationSink(
            [this, index](uint32_t iteration, const ina::cluster::JobIteration& result)
            { EndIteration(index, iteration, result); });
        m_cluster.jobs[index]->SetFailureSink(
            [this](const std::string& what)
            { Fail(std::make_exception_ptr(ina::cluster::VerificationError(what))); });
        m_cluster.jobs[index]->Start();
    }
    for (const auto& inaSwitch : m_cluster.switches)
    {
        inaSwitch->Initialize();
    }
    m_lastCounters.resize(m_cluster.switches.size() * m_cluster.jobs.size());
    Sample();
    if (m_linkSeries)
    {
        SampleLinks();
    }
    m_cluster.control->SetEndSink([this](Time end) { EndJobs(end); });
    if (m_cluster.traffic)
    {
        m_cluster.traffic->SetFailureSink(
            [this](const std::string& what)
            { Fail(std::make_exception_ptr(std::runtime_error(what))); });
        m_cluster.traffic->Start();
        if (m_cluster.jobs.empty())
        {
            EndJobs(Time(0));
        }
    }
    const double before = CpuSeconds();
    RunUntilQuiet();
    if (m_failure)
    {
        std::rethrow_exception(m_failure);
    }
    m_result.cpuSeconds = CpuSeconds() - before;
    CollectTimes();
    SweepLateCopies();
    VerifyEnd();
    Collect();
    Report(m_result.simulatedTime);
    Release();
    return std::move(m_result);
}

/// Runs for at most the time limit. When all jobs have ended, frames in flight get the same time
/// again, so that verification does not treat these frames as lost.
void
InaClusterRun::RunUntilQuiet()
{
    const Time limit = TimeStep(static_cast<uint64_t>(m_resolved.time_limit_ps));
    m_timeLimit = Simulator::Schedule(limit, &Simulator::Stop);
    Simulator::Run();
    if (!m_failure && !m_isQuiet && m_cluster.control->HasEnded())
    {
        m_timeLimit = Simulator::Schedule(limit, &Simulator::Stop);
        Simulator::Run();
    }
}

/// Called in an event of the simulator, through which no exception may pass: Run() throws it. Only
/// the first failure counts.
void
InaClusterRun::Fail(std::exception_ptr failure)
{
    if (!m_failure)
    {
        m_failure = failure;
        Simulator::Stop();
    }
}

/// Called when all jobs have ended. The clock may then lag behind the host whose job ended last.
void
InaClusterRun::EndJobs(const Time& lastJobEnd)
{
    NS_LOG_FUNCTION(this << lastJobEnd);
    if (m_cluster.traffic)
    {
        const ina::Time until(m_resolved.scenario.traffic.until_ps.value_or(0));
        const Time end = std::max(lastJobEnd, InaFromProtocol(until));
        Simulator::Schedule(end - Simulator::Now(), &InaTraffic::Stop, m_cluster.traffic);
        return; // connections end on their own
    }
    m_quietTick = Simulator::Schedule(lastJobEnd - Simulator::Now() + m_quietInterval,
                                      &InaClusterRun::StopIfQuiet,
                                      this);
}

/// Stops the simulator once the cluster is quiet, because other users could keep the simulator
/// running forever.
void
InaClusterRun::StopIfQuiet()
{
    m_isQuiet = IsQuiet();
    if (m_isQuiet)
    {
        Simulator::Stop();
    }
    else
    {
        m_quietInterval += m_quietInterval; // timeouts and samples may be days away
        m_quietTick = Simulator::Schedule(m_quietInterval, &InaClusterRun::StopIfQuiet, this);
    }
}

/// Whether no frame or packet is in flight, no timeout is pending, and all samples were taken.
bool
InaClusterRun::IsQuiet() const
{
    const auto carriesNothing = [](const Ptr<InaNetDevice>& device)
    { return device->GetFramesInFlight() == 0 && device->GetPacketsInFlight() == 0; };
    const auto isEmpty = [&](const InaClusterLink& link)
    { return carriesNothing(link.host) && carriesNothing(link.port); };
    const auto isIdle = [](const auto& part) { return part->IsIdle(); };
    return m_sampleTick.IsExpired() && m_linkTick.IsExpired() &&
           std::ranges::all_of(m_cluster.links, isEmpty) &&
           std::ranges::all_of(m_cluster.switches, isIdle) &&
           std::ranges::all_of(m_cluster.jobs, isIdle) &&
           std::ranges::all_of(m_cluster.servers,
                               [&](const auto& ofJob)
                               { return std::ranges::all_of(ofJob, isIdle); });
}

bool
InaClusterRun::IsOver() const
{
    return m_cluster.control->HasEnded() &&
           Simulator::Now().GetTimeStep() >= m_resolved.scenario.traffic.until_ps.value_or(0);
}

void
InaClusterRun::CollectWhatNobodyTakes()
{
    if (!m_sinks.sample)
    {
        m_sinks.sample = [this](const ina::results::SwitchRow& row)
        { m_result.samples.push_back(row); };
    }
    if (!m_sinks.linkSample)
    {
        m_sinks.linkSample = [this](const ina::results::LinkSeriesRow& row)
        { m_result.linkSamples.push_back(row); };
    }
    if (!m_sinks.iteration)
    {
        m_sinks.iteration = [this](const ina::results::IterationRow& row)
        { m_result.iterations[row.job].push_back(row); };
    }
}

/// If an iteration was repeated, its breakdown counts the discarded work as recovery.
void
InaClusterRun::EndIteration(std::size_t job,
                            uint32_t iteration,
                            const ina::cluster::JobIteration& result)
{
    if (result.beginnings == 1)
    {
        m_result.breakdowns[job] += result.breakdown;
    }
    const auto row = ina::results::IterationRow::of(job, iteration, result);
    m_result.jobs[job].times.add(row.period);
    m_sinks.iteration(row);
}

/// Omits rows without changed counters, except at the first and the last tick.
void
InaClusterRun::Sample()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const bool isLast = IsOver();
    auto last = m_lastCounters.begin();
    for (uint32_t at = 0; at < m_cluster.switches.size(); ++at)
    {
        for (const auto& job : m_cluster.jobs)
        {
            const auto counters = m_cluster.control->GetCounters(job->GetNumber(), at);
            if (now == 0 || isLast || counters.count != last->count)
            {
                m_sinks.sample(
                    RowOf(now, m_cluster.topology.switches[at].name, job->GetNumber(), counters));
            }
            *last++ = counters;
        }
    }
    Report(Simulator::Now());
    if (!isLast)
    {
        m_sampleTick =
            ScheduleTick(m_resolved.scenario.outputs.switch_interval_ps, &InaClusterRun::Sample);
    }
}

void
InaClusterRun::SampleLinks()
{
    m_linkSeries->Report(Simulator::Now(), m_sinks.linkSample);
    if (!IsOver())
    {
        m_linkTick = ScheduleTick(*m_resolved.scenario.outputs.link_interval_ps,
                                  &InaClusterRun::SampleLinks);
    }
}

/// Schedules the next tick. If only ticks would happen before, it schedules a later one instead, so
/// that idle time costs nothing. Only InaSimulatorImpl knows the next event, and only once all
/// sources have begun.
EventId
InaClusterRun::ScheduleTick(int64_t intervalSteps, void (InaClusterRun::*tick)())
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const auto simulator = DynamicCast<InaSimulatorImpl>(Simulator::GetImplementation());
    int64_t intervals = 1;
    if (simulator && now > 0)
    {
        const int64_t next = simulator->NextTsExcept({m_sampleTick, m_linkTick});
        intervals = std::max<int64_t>((next - now - 1) / intervalSteps + 1, 1);
    }
    return Simulator::Schedule(TimeStep(static_cast<uint64_t>(intervals * intervalSteps)),
                               tick,
                               this);
}

uint64_t
InaClusterRun::PacketHops() const
{
    uint64_t hops = 0;
    for (const InaClusterLink& link : m_cluster.links)
    {
        hops += link.host->GetCounters().framesReceived + link.port->GetCounters().framesReceived;
    }
    return hops;
}

void
InaClusterRun::Report(const Time& now)
{
    if (!m_sinks.progress)
    {
        return;
    }
    InaRunProgress progress{0, 0, PacketHops(), now};
    for (const auto& job : m_cluster.jobs)
    {
        progress.fragmentsDone += job->GetFragmentsDone();
        progress.fragmentsInAll += job->GetFragmentsInAll();
    }
    m_sinks.progress(progress);
}

void
InaClusterRun::VerifyEnd() const
{
    VerifyJobsEnded();
    const auto& switches = m_cluster.topology.switches;
    for (uint32_t at = 0; at < switches.size(); ++at)
    {
        const std::string& name = switches[at].name;
        VerifyNothingOccupied(at, switches.size() == 1 ? "" : name + ": ");
        if (const uint64_t lost = m_cluster.switches[at]->GetFramesWithoutRoute(); lost != 0)
        {
            throw ina::cluster::VerificationError(
                fmt::format("{}: {} to nowhere", name, counted(lost, "frame")));
        }
    }
    for (const InaClusterLink& link : m_cluster.links)
    {
        VerifyBalance(link.name, "to", *link.host, *link.port);
        VerifyBalance(link.name, "from", *link.port, *link.host);
        VerifyPackets(link.Up(), *link.host, *link.port);
        VerifyPackets(link.Down(), *link.port, *link.host);
    }
}

void
InaClusterRun::VerifyJobsEnded() const
{
    uint32_t late = 0;
    std::string first;
    for (const auto& job : m_cluster.jobs)
    {
        const bool ended =
            m_cluster.control->GetStatus(job->GetNumber()) != ina::cluster::JobStatus::running;
        for (uint32_t rank = 0; !ended && rank < job->GetNWorkers(); ++rank)
        {
            if (!job->GetWorker(static_cast<uint16_t>(rank)).done() && late++ == 0)
            {
                first = DescribeLate(*job, rank);
            }
        }
    }
    if (late == 0)
    {
        return;
    }
    const std::string now = format_time(Simulator::Now().GetTimeStep());
    if (!m_timeLimit.IsExpired())
    {
        throw ina::cluster::VerificationError(
            fmt::format("Simulator::Stop() was called at {}, before all jobs had ended: {}",
                        now,
                        first));
    }
    throw ina::cluster::TimeLimitReached(
        fmt::format("/time_limit: not done after {} of simulated time: {}{}; allowed: a longer "
                    "time_limit, if these workers only need more time",
                    now,
                    first,
                    late == 1 ? "" : fmt::format("; and {}", counted(late - 1, "more worker"))));
}

/// Frees aggregators that late packets have reserved. A copy of a packet may arrive after its task
/// was completed, and reserve an aggregator that no server or worker tracks. A packet whose swap
/// waited for a separate pass may do the same (hw/protocol/CORRECTNESS.md). The control plane frees
/// such aggregators after the job has ended.
void
InaClusterRun::SweepLateCopies()
{
    const auto& faults = m_resolved.scenario.faults.links;
    const bool copiesMayBeLate = std::any_of(
        faults.begin(),
        faults.end(),
        [](const LinkFaultsScenario& link) { return link.duplication > 0 || link.reordering > 0; });
    const Scenario& scenario = m_resolved.scenario;
    const bool swaps = scenario.systems.with(scenario.system,
                                             [](const auto& settings)
                                             {
                                                 return requires
                                                 {
                                                     settings.program.policy;
                                                 };
                                             });
    const bool swapsMayBeLate = swaps && scenario.switch_.passes == Passes::separate;
    if (!(copiesMayBeLate || swapsMayBeLate) || !m_resolved.scenario.hosts().traits().has_servers)
    {
        return;
    }
    m_result.sweptLateCopies = m_cluster.control->RemoveJobs();
}

/// Checks both the registers and the balance of events. `where`: start of the message.
void
InaClusterRun::VerifyNothingOccupied(uint32_t at, const std::string& where) const
{
    const auto& program = m_cluster.switches[at]->GetProgram();
    uint64_t occupied = 0;
    std::string first;
    program.visit_occupied(
        [&](const ina::programs::OccupiedAggregator& aggregator)
        {
            if (++occupied <= AGGREGATORS_NAMED)
            {
                first += (occupied == 1 ? "" : "; ") + Describe(aggregator, *m_cluster.control);
            }
        });
    if (occupied != 0)
    {
        throw ina::cluster::VerificationError(
            fmt::format("{}still occupied when all jobs have ended: {}{}",
                        where,
                        first,
                        occupied > AGGREGATORS_NAMED
                            ? fmt::format("; and {} more", occupied - AGGREGATORS_NAMED)
                            : ""));
    }
    for (const auto& job : m_cluster.jobs)
    {
        const auto counters = m_cluster.control->GetCounters(job->GetNumber(), at);
        if (counters.occupied() != 0)
        {
            throw ina::cluster::VerificationError(
                fmt::format("{}job {}: {} allocated, but {} freed",
                            where,
                            job->GetNumber(),
                            counted(counters[AggregatorEvent::allocated], "aggregator"),
                            counters[AggregatorEvent::freed]));
        }
    }
}

/// Collects the times of jobs and links. The simulator's clock is later, since the simulator ran
/// until the cluster was quiet.
void
InaClusterRun::CollectTimes()
{
    m_result.simulatedTime =
        TimeStep(static_cast<uint64_t>(m_resolved.scenario.traffic.until_ps.value_or(0)));
    for (std::size_t job = 0; job < m_cluster.jobs.size(); ++job)
    {
        m_result.simulatedTime = std::max(m_result.simulatedTime, m_cluster.control->GetEnd(job));
    }
    if (m_linkSeries)
    {
        m_linkSeries->Finish(m_sinks.linkSample);
    }
    if (m_occupation)
    {
        m_result.occupations = m_occupation->Finish(m_result.simulatedTime);
    }
}

void
InaClusterRun::Collect()
{
    for (std::size_t job = 0; job < m_cluster.jobs.size(); ++job)
    {
        CollectJob(job, m_result.jobs[job]);
        CollectSharedLinks(job);
    }
    for (const InaClusterLink& link : m_cluster.links)
    {
        m_result.links.push_back(FrameRowOf(link.Up(), *link.host, *link.port));
        m_result.links.push_back(FrameRowOf(link.Down(), *link.port, *link.host));
    }
    CollectTraffic();
    m_result.packetHops = PacketHops();
    for (const auto& inaSwitch : m_cluster.switches)
    {
        m_result.switchRejectedFrames +=
            inaSwitch->GetFramesRejected() + inaSwitch->GetFramesRefused();
        m_result.framesWhileDown += inaSwitch->GetFramesWhileDown();
        m_result.framesWithoutRoute += inaSwitch->GetFramesWithoutRoute();
        m_result.framesLostBetweenPasses += inaSwitch->GetFramesLostBetweenPasses();
    }
}

void
InaClusterRun::CollectTraffic()
{
    if (!m_cluster.traffic)
    {
        return;
    }
    const std::vector<std::string>& names = m_resolved.network.host_names;
    std::set<std::size_t> patterns;
    for (const InaFlowResult& flow : m_cluster.traffic->GetFlows())
    {
        patterns.insert(flow.flow.pattern);
        const auto kind = m_resolved.scenario.traffic.flows[flow.flow.pattern].kind;
        ina::results::FlowRow& row = m_result.flows.emplace_back(RowOf(flow));
        row.kind = ina::cluster::traffic::name_of(kind);
        row.from = names[flow.flow.from];
        row.to = names[flow.flow.to];
    }
    m_result.patternsWithoutAFlow = m_resolved.scenario.traffic.flows.size() - patterns.size();
    for (const InaClusterLink& link : m_cluster.links)
    {
        m_result.packets.push_back(PacketRowOf(link.Up(), *link.host, *link.port));
        m_result.packets.push_back(PacketRowOf(link.Down(), *link.port, *link.host));
    }
}

void
InaClusterRun::CollectJob(std::size_t index, ina::results::JobRow& row) const
{
    const InaTrainingJob& job = *m_cluster.jobs[index];
    row.job = index;
    row.profile = job.GetProfileName();
    row.workers = job.GetNWorkers();
    for (const auto& layer : job.GetLayers())
    {
        row.values += layer.parameters;
    }
    const InaControlPlane& control = *m_cluster.control;
    row.status = control.GetStatus(index);
    row.registrations = control.GetRegistrations(index);
    if (const std::optional<Time> start = job.GetStart())
    {
        row.start = start->GetTimeStep();
    }
    row.end = control.GetEnd(index).GetTimeStep();
    const auto counters = control.GetCounters(index);
    row.fallbacks = counters[AggregatorEvent::fallback];
    row.preemptions = counters[AggregatorEvent::preempted];
    row.losses.emplace();
    row.tasks.emplace();
    if (!m_resolved.scenario.faults.links.empty())
    {
        row.losses = m_taskTypes.LossesOf(job.GetNumber());
        row.tasks = m_taskTypes.TasksOf(job.GetNumber(), job.GetIterationsDone());
    }
    const auto count = [&row](const InaHostApplication& host)
    {
        row.packets_sent += host.GetFramesSent();
        row.packets_received += host.GetFramesReceived();
    };
    for (uint32_t rank = 0; rank < row.workers; ++rank)
    {
        InaWorkerApplication& worker =
            m_cluster.jobs[index]->GetWorker(static_cast<uint16_t>(rank)).GetApplication();
        count(worker);
        const ina::WorkerStatistics statistics = worker.GetStatistics();
        row.retransmissions += statistics.retransmissions;
        row.rejected_frames += statistics.rejected_frames;
    }
    if (!m_cluster.servers.empty())
    {
        for (const auto& server : m_cluster.servers[index])
        {
            count(*server);
            row.rejected_frames += server->GetRejectedFrames();
        }
    }
}

void
InaClusterRun::CollectSharedLinks(std::size_t job)
{
    if (!m_resolved.scenario.hosts().traits().has_aggregators)
    {
        return;
    }
    const ina::cluster::Topology& topology = m_cluster.topology;
    const ina::cluster::JobTree& tree = m_cluster.control->GetTree(job);
    const bool serversAnswer = m_resolved.scenario.hosts().traits().results_from_servers;
    const std::vector<uint32_t> ofWorkers = tree.sums_up(topology);
    for (ina::cluster::SwitchIndex at = 0; at < ofWorkers.size(); ++at)
    {
        const bool hasResult = serversAnswer && tree.passes_all_results_up(at);
        const uint32_t sums = ofWorkers[at] + (hasResult ? 1 : 0);
        if (sums > 1)
        {
            const ina::cluster::TrunkIndex trunk = *tree.up(at);
            const InaClusterLink& link = m_cluster.LinkOf(trunk);
            const bool isUp = link.below == topology.switches[at].name;
            m_result.sharedLinks.push_back(
                {isUp ? link.Up() : link.Down(), trunk, job, sums, hasResult});
        }
    }
}

} // namespace ns3
