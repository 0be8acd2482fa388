/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-control-plane.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3
{

using namespace ina::scenarios;

NS_LOG_COMPONENT_DEFINE("InaControlPlane");
NS_OBJECT_ENSURE_REGISTERED(InaControlPlane);

using ina::faults::NodeFault;
using ina::programs::AggregatorCounters;
using ina::programs::AggregatorEvent;

namespace
{

int64_t
NowSteps()
{
    return Simulator::Now().GetTimeStep();
}

void
Add(AggregatorCounters& sum, const AggregatorCounters& more)
{
    for (std::size_t i = 0; i < sum.count.size(); ++i)
    {
        sum.count[i] += more.count[i];
    }
}

} // namespace

const char*
NameOf(JobStatus status)
{
    switch (status)
    {
    case JobStatus::running:
        return "running";
    case JobStatus::finished:
        return "finished";
    case JobStatus::killed:
        return "killed";
    case JobStatus::worker_lost:
        break;
    }
    return "worker_lost";
}

TypeId
InaControlPlane::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InaControlPlane")
            .SetParent<Object>()
            .SetGroupName("Ina")
            .AddConstructor<InaControlPlane>()
            .AddTraceSource("JobRegistered",
                            "A job is registered again: job, its new id, iteration.",
                            MakeTraceSourceAccessor(&InaControlPlane::m_registeredTrace),
                            "ns3::InaControlPlane::RegisteredTracedCallback")
            .AddTraceSource("WorkerDied",
                            "A worker died: job, rank.",
                            MakeTraceSourceAccessor(&InaControlPlane::m_workerDiedTrace),
                            "ns3::InaControlPlane::WorkerTracedCallback")
            .AddTraceSource("WorkerReturned",
                            "A worker that died is back: job, rank.",
                            MakeTraceSourceAccessor(&InaControlPlane::m_workerReturnedTrace),
                            "ns3::InaControlPlane::WorkerTracedCallback")
            .AddTraceSource("ServerRestarted",
                            "A parameter server is back without its state: job.",
                            MakeTraceSourceAccessor(&InaControlPlane::m_serverRestartedTrace),
                            "ns3::InaControlPlane::JobTracedCallback")
            .AddTraceSource("JobKilled",
                            "A job was killed: job.",
                            MakeTraceSourceAccessor(&InaControlPlane::m_killedTrace),
                            "ns3::InaControlPlane::JobTracedCallback")
            .AddTraceSource("JobFailed",
                            "A job was killed, or given up since a worker is lost: job.",
                            MakeTraceSourceAccessor(&InaControlPlane::m_failedTrace),
                            "ns3::InaControlPlane::JobTracedCallback");
    return tid;
}

void
InaControlPlane::Configure(const Setup& setup)
{
    m_setup = setup;
    m_switchDownUntil.assign(setup.switches.size(), 0);
    for (const auto& fabric : setup.switches)
    {
        fabric->SetProgram(setup.system->MakeProgram(setup.jobs, setup.carriedValues));
    }
}

void
InaControlPlane::AddJob(const Ptr<TrainingJob>& training,
                        const std::vector<Host>& hosts,
                        const std::optional<Server>& server)
{
    Job job;
    job.training = training;
    job.hosts = hosts;
    job.server = server;
    job.shares = Shares(hosts);
    job.paths = Paths(hosts);
    m_jobs.push_back(job);
    Register(m_jobs.back());
    training->TraceConnectWithoutContext("IterationEnd",
                                         MakeCallback(&InaControlPlane::IterationEnded, this));
}

// ---- registrations

ina::HostId
InaControlPlane::ServerHost(const Job& job) const
{
    return job.server ? job.server->host.id : ina::programs::MemberTable::kNobody;
}

std::size_t
InaControlPlane::ServerRack() const
{
    return m_setup.switches.size() - 1;
}

/// A leaf's are the workers of its rack; to the servers' switch come the frames of all.
std::vector<InaControlPlane::Share>
InaControlPlane::Shares(const std::vector<Host>& hosts) const
{
    std::vector<Share> shares(m_setup.switches.size());
    for (const Host& host : hosts)
    {
        shares[ServerRack()].workers.push_back(host.id);
        if (host.rack != ServerRack())
        {
            shares[host.rack].workers.push_back(host.id);
        }
    }
    return shares;
}

std::vector<ina::wire::AggregationPath>
InaControlPlane::Paths(const std::vector<Host>& hosts) const
{
    std::vector<uint16_t> racks;
    std::ranges::transform(hosts, std::back_inserter(racks), &Host::rack);
    return ina::wire::aggregation_paths(racks, static_cast<uint16_t>(ServerRack()), m_setup.levels);
}

void
InaControlPlane::Register(Job& job)
{
    NS_ABORT_MSG_IF(m_nextId == std::numeric_limits<ina::JobId>::max(), "no job ids are left");
    job.id = m_nextId++;
    ++job.registrations;
    NS_LOG_INFO("job " << job.training->Id() << " is registered as " << job.id);
    Admit(job);
    for (std::size_t rack = 0; rack < job.shares.size(); ++rack)
    {
        Install(job, rack);
    }
    // Of its own: a contribution that is left of another registration makes a wrong sum.
    job.training->SetGradients(m_setup.gradientSeed + job.id);
    const auto workers = static_cast<uint16_t>(job.hosts.size());
    for (uint16_t rank = 0; rank < workers; ++rank)
    {
        const ina::WorkerIdentity identity{job.id,
                                           rank,
                                           workers,
                                           job.hosts[rank].id,
                                           ServerHost(job),
                                           job.paths[rank]};
        TrainingWorker& worker = job.training->Worker(rank);
        worker.Application().Install(
            job.hosts[rank].device,
            m_setup.system->MakeTransport(identity, *m_setup.pool, worker));
    }
    StartServer(job);
}

void
InaControlPlane::RegisterAgain(Job& job)
{
    Uninstall(job);
    Register(job);
    m_registeredTrace(job.training->Id(), job.id, job.training->IterationsDone());
    job.training->Repeat(NowSteps());
}

void
InaControlPlane::StartServer(Job& job)
{
    if (!job.server || NowSteps() < job.serverDownUntil)
    {
        return;
    }
    const ina::ServerIdentity identity{job.id,
                                       static_cast<uint16_t>(job.hosts.size()),
                                       job.server->host.id,
                                       job.training->Partitions().fragments_per_iteration(),
                                       ina::wire::branches(job.paths),
                                       job.shares[ServerRack()].workers};
    job.server->application->Install(job.server->host.device,
                                     m_setup.system->MakeServer(identity, *m_setup.pool));
}

/// Tells the switches whose frames they let in.
void
InaControlPlane::Admit(const Job& job)
{
    const std::vector<ina::HostId>& all = job.shares[ServerRack()].workers;
    for (std::size_t rack = 0; rack < job.shares.size(); ++rack)
    {
        if (!job.shares[rack].workers.empty())
        {
            m_setup.switches[rack]->SetGroup(job.id, job.shares[rack].workers);
            m_setup.switches[rack]->SetMembers(job.id, all, ServerHost(job), job.paths);
        }
    }
}

void
InaControlPlane::Install(Job& job, std::size_t rack)
{
    Share& share = job.shares[rack];
    if (share.workers.empty() || m_setup.switches[rack]->IsDown())
    {
        return;
    }
    m_setup.switches[rack]->Program().install_job(
        job.id,
        m_setup.system->MakeJobEntry(job.training->Id(),
                                     static_cast<uint16_t>(share.workers.size()),
                                     ServerHost(job)));
    share.installed = true;
}

void
InaControlPlane::Uninstall(Job& job)
{
    for (std::size_t rack = 0; rack < job.shares.size(); ++rack)
    {
        Share& share = job.shares[rack];
        m_setup.switches[rack]->RemoveMembers(job.id);
        if (share.installed)
        {
            ina::programs::SwitchProgram& program = m_setup.switches[rack]->Program();
            program.remove_job(job.id);
            Add(share.earlier, program.counters(job.id));
            share.installed = false;
        }
    }
}

// ---- ends

void
InaControlPlane::IterationEnded(uint16_t place, uint32_t iteration, Time)
{
    Job& job = m_jobs[place];
    if (iteration + 1 < job.training->IterationCount())
    {
        return;
    }
    job.status = JobStatus::finished;
    job.endedAt = job.training->LastEnd();
    if (!job.deadUntil.empty())
    {
        // The dead answer nobody who asks for fragments, even if nobody needs them.
        Remove(job);
    }
}

void
InaControlPlane::Remove(Job& job)
{
    job.removed = true;
    Uninstall(job);
    StopHosts(job);
}

void
InaControlPlane::Fail(Job& job, JobStatus status)
{
    NS_LOG_INFO("job " << job.training->Id() << " failed: " << NameOf(status));
    job.status = status;
    job.endedAt = NowSteps();
    Remove(job);
    m_failedTrace(job.training->Id());
}

void
InaControlPlane::StopHosts(Job& job)
{
    for (std::size_t rank = 0; rank < job.hosts.size(); ++rank)
    {
        job.training->Worker(static_cast<uint16_t>(rank)).Application().Stop();
    }
    if (job.server)
    {
        job.server->application->Stop();
    }
}

// ---- faults

void
InaControlPlane::Plan(const std::vector<NodeFaultScenario>& faults)
{
    std::ranges::for_each(faults, [this](const auto& fault) { PlanOne(fault); });
}

/// All that is planned is scheduled first, so that it comes first of all that happens at an
/// instant.
void
InaControlPlane::PlanOne(const NodeFaultScenario& fault)
{
    const int64_t endTs = fault.at_ps + (ina::faults::lasts(fault.fault) ? fault.duration_ps : 0);
    for (const Job& job : m_jobs)
    {
        const bool concerned =
            !ina::faults::strikes_job(fault.fault) || job.training->Id() == fault.job;
        if (concerned)
        {
            HoldHosts(job, fault.at_ps);
            HoldHosts(job, endTs);
        }
    }
    Simulator::Schedule(TimeStep(static_cast<uint64_t>(fault.at_ps)),
                        [this, fault]() { Strike(fault); });
    if (ina::faults::lasts(fault.fault))
    {
        Simulator::Schedule(TimeStep(static_cast<uint64_t>(endTs)),
                            [this, fault]() { End(fault); });
    }
}

void
InaControlPlane::HoldHosts(const Job& job, int64_t ts)
{
    for (std::size_t rank = 0; rank < job.hosts.size(); ++rank)
    {
        job.training->Worker(static_cast<uint16_t>(rank)).Application().HoldAt(ts);
    }
    if (job.server)
    {
        job.server->application->HoldAt(ts);
    }
}

void
InaControlPlane::Strike(const NodeFaultScenario& fault)
{
    const int64_t untilTs = fault.at_ps + fault.duration_ps;
    if (fault.fault == NodeFault::switch_reboots)
    {
        TakeSwitchDown(ServerRack(), untilTs);
        return;
    }
    Job& job = m_jobs[fault.job];
    if (job.status != JobStatus::running)
    {
        return;
    }
    const auto rank = static_cast<uint16_t>(fault.worker);
    NS_LOG_INFO(ina::faults::name_of(fault.fault) << ": job " << fault.job);
    switch (fault.fault)
    {
    case NodeFault::worker_pauses:
        job.training->Worker(rank).Application().Pause(NowSteps(), untilTs);
        break;
    case NodeFault::server_pauses:
        job.server->application->Pause(NowSteps(), untilTs);
        break;
    case NodeFault::server_restarts:
        job.serverDownUntil = std::max(job.serverDownUntil, untilTs);
        job.server->application->Stop();
        break;
    case NodeFault::job_is_killed:
        m_killedTrace(job.training->Id());
        Fail(job, JobStatus::killed);
        break;
    default:
        Kill(job, rank, untilTs);
    }
}

void
InaControlPlane::End(const NodeFaultScenario& fault)
{
    if (fault.fault == NodeFault::switch_reboots)
    {
        BringSwitchBack(ServerRack());
        return;
    }
    Job& job = m_jobs[fault.job];
    const auto rank = static_cast<uint16_t>(fault.worker);
    const bool running = job.status == JobStatus::running;
    switch (fault.fault)
    {
    case NodeFault::worker_pauses:
        job.training->Worker(rank).Application().Resume(NowSteps());
        break;
    case NodeFault::server_pauses:
        job.server->application->Resume(NowSteps());
        break;
    case NodeFault::server_restarts:
        if (running && NowSteps() == job.serverDownUntil)
        {
            StartServer(job);
            m_serverRestartedTrace(job.training->Id());
        }
        break;
    case NodeFault::worker_is_lost:
        if (running)
        {
            Fail(job, JobStatus::worker_lost);
        }
        break;
    default:
        if (running)
        {
            Return(job, rank);
        }
    }
}

void
InaControlPlane::Kill(Job& job, uint16_t rank, int64_t untilTs)
{
    int64_t& until = job.deadUntil[rank];
    until = std::max(until, untilTs);
    job.training->Worker(rank).Application().Stop();
    m_workerDiedTrace(job.training->Id(), rank);
}

/// The job waits for the last one of its dead.
void
InaControlPlane::Return(Job& job, uint16_t rank)
{
    const auto dead = job.deadUntil.find(rank);
    if (dead == job.deadUntil.end() || NowSteps() < dead->second)
    {
        return;
    }
    job.deadUntil.erase(dead);
    m_workerReturnedTrace(job.training->Id(), rank);
    if (job.deadUntil.empty())
    {
        RegisterAgain(job);
    }
}

void
InaControlPlane::TakeSwitchDown(std::size_t rack, int64_t untilTs)
{
    InaSwitch& fabric = *m_setup.switches[rack];
    m_switchDownUntil[rack] = std::max(m_switchDownUntil[rack], untilTs);
    if (AllEnded() || fabric.IsDown())
    {
        return;
    }
    m_earlierForeignFrames += fabric.Program().foreign_frames();
    for (Job& job : m_jobs)
    {
        Share& share = job.shares[rack];
        if (share.installed)
        {
            Add(share.earlier, fabric.Program().counters(job.id));
            share.earlier[AggregatorEvent::freed] = share.earlier[AggregatorEvent::allocated];
            share.installed = false;
        }
    }
    fabric.GoDown(m_setup.system->MakeProgram(m_setup.jobs, m_setup.carriedValues));
}

void
InaControlPlane::BringSwitchBack(std::size_t rack)
{
    InaSwitch& fabric = *m_setup.switches[rack];
    if (!fabric.IsDown() || NowSteps() < m_switchDownUntil[rack])
    {
        return;
    }
    fabric.ComeBack();
    for (Job& job : m_jobs)
    {
        if (job.removed)
        {
            continue;
        }
        if (ina::faults::jobs_survive_reboot(m_setup.system->Protocol()))
        {
            Install(job, rack);
        }
        else if (job.status == JobStatus::running && job.deadUntil.empty())
        {
            RegisterAgain(job);
        }
    }
}

// ---- what became of it

bool
InaControlPlane::AllEnded() const
{
    return std::ranges::all_of(m_jobs,
                               [](const Job& job) { return job.status != JobStatus::running; });
}

JobStatus
InaControlPlane::Status(std::size_t job) const
{
    return m_jobs[job].status;
}

int64_t
InaControlPlane::EndedAt(std::size_t job) const
{
    return m_jobs[job].endedAt;
}

uint32_t
InaControlPlane::Registrations(std::size_t job) const
{
    return m_jobs[job].registrations;
}

AggregatorCounters
InaControlPlane::Counters(std::size_t place, std::size_t rack) const
{
    const Job& job = m_jobs[place];
    const Share& share = job.shares[rack];
    AggregatorCounters counters = share.earlier;
    if (share.installed)
    {
        Add(counters, m_setup.switches[rack]->Program().counters(job.id));
    }
    return counters;
}

AggregatorCounters
InaControlPlane::Counters(std::size_t place) const
{
    AggregatorCounters sum;
    for (std::size_t rack = 0; rack < m_setup.switches.size(); ++rack)
    {
        Add(sum, Counters(place, rack));
    }
    return sum;
}

uint64_t
InaControlPlane::ForeignFrames() const
{
    uint64_t frames = m_earlierForeignFrames;
    for (const auto& fabric : m_setup.switches)
    {
        frames += fabric->Program().foreign_frames();
    }
    return frames;
}

uint64_t
InaControlPlane::RemoveJobs()
{
    uint64_t held = 0;
    for (const Job& job : m_jobs)
    {
        for (std::size_t rack = 0; rack < job.shares.size(); ++rack)
        {
            held += job.shares[rack].installed
                        ? m_setup.switches[rack]->Program().remove_job(job.id)
                        : 0;
        }
    }
    return held;
}

void
InaControlPlane::DoDispose()
{
    m_jobs.clear();
    m_setup = Setup();
    Object::DoDispose();
}

} // namespace ns3
