/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-control-plane.h"
#include "hw/cluster/systems/all.hpp"

#include "switch-models/programs/make_program.hpp"
#include "switch-models/systems/job_place.hpp"

#include "ns3/abort.h"
#include "ns3/ina-protocol-time.h"
#include "ns3/ina-watched-trace.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaControlPlane");
NS_OBJECT_ENSURE_REGISTERED(InaControlPlane);

using ina::cluster::JobEvent;
using ina::cluster::JobHost;
using ina::cluster::Registration;
using ina::programs::AggregatorCounters;

namespace
{

ina::Time
SimulatedNow()
{
    return ina::Time(Simulator::Now().GetTimeStep());
}

} // namespace

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
            .AddTraceSource(
                "JobFailed",
                "A job was killed, or given up since a worker is lost: job.",
                MakeInaWatchedTraceAccessor<InaControlPlane>(&InaControlPlane::m_failedTrace,
                                                             &InaControlPlane::KeepToClock),
                "ns3::InaControlPlane::JobTracedCallback")
            .AddTraceSource(
                "AllEnded",
                "The last job ended, or failed: when.",
                MakeInaWatchedTraceAccessor<InaControlPlane>(&InaControlPlane::m_allEndedTrace,
                                                             &InaControlPlane::KeepToClock),
                "ns3::InaControlPlane::EndTracedCallback");
    return tid;
}

InaControlPlane::InaControlPlane() = default;
InaControlPlane::~InaControlPlane() = default;

void
InaControlPlane::Configure(const Setup& setup)
{
    NS_LOG_FUNCTION(this);
    m_setup = setup;
    for (std::size_t at = 0; at < setup.switches.size(); ++at)
    {
        setup.switches[at]->SetProgram(MakeProgram(at));
    }
    set_routes(setup.control.topology);
    m_control = std::make_unique<ina::cluster::ControlPlane>(
        setup.control,
        static_cast<ina::cluster::ControlWorld&>(*this));
}

void
InaControlPlane::AddJob(const Ptr<InaTrainingJob>& training,
                        const std::vector<Host>& hosts,
                        const std::vector<Server>& servers)
{
    NS_LOG_FUNCTION(this << training);
    Control(); // aborts unless Configure() was called
    NS_ABORT_MSG_UNLESS(training, "InaControlPlane::AddJob() needs an InaTrainingJob");
    const auto number = static_cast<uint32_t>(m_jobs.size());
    m_jobs.push_back({training, hosts, servers, {}});
    ina::cluster::JobHosts where;
    std::ranges::transform(hosts, std::back_inserter(where.workers), &Host::id);
    std::ranges::transform(hosts, std::back_inserter(where.racks), &Host::rack);
    if (!servers.empty())
    {
        std::vector<ina::HostId> ids;
        for (const Server& server : servers)
        {
            ids.push_back(server.host.id);
            where.server_racks.push_back(server.host.rack);
        }
        where.servers = ina::wire::JobServers(ids);
    }
    m_control->add_job(where, training->GetIterationCount(), SimulatedNow());
    training->SetWorkerSink([this, number](uint16_t rank, const Time& at)
                            { m_control->iteration_ended(number, rank, InaToProtocol(at)); });
}

/// Makes the workers of all jobs keep to the simulator's clock, because a job ends when its last
/// worker ends.
void
InaControlPlane::KeepToClock()
{
    NS_LOG_FUNCTION(this);
    for (const Job& job : m_jobs)
    {
        job.training->KeepToClock();
    }
}

/// Schedules the faults before the simulation starts, so that faults precede all other events of an
/// instant.
void
InaControlPlane::Plan(const std::vector<ina::faults::PlannedNodeFault>& faults)
{
    NS_LOG_FUNCTION(this);
    for (const ina::faults::PlannedNodeFault& fault : faults)
    {
        Control().plan(fault);
        ScheduleExpiry(fault.at);
        if (ina::faults::lasts(fault.fault))
        {
            ScheduleExpiry(fault.end());
        }
    }
}

void
InaControlPlane::ScheduleExpiry(ina::Time at)
{
    const Ptr<InaControlPlane> plane(this);
    Simulator::Schedule(TimeStep(static_cast<uint64_t>(at.count())),
                        [plane]()
                        {
                            if (plane->m_control)
                            {
                                plane->m_control->expire(SimulatedNow());
                            }
                        });
}

// ---- switches

void
InaControlPlane::install_job(std::size_t rack, const Registration& registration)
{
    const auto at = static_cast<ina::cluster::SwitchIndex>(rack);
    ina::systems::JobPlace place = ina::systems::place_of(registration, at);
    place.members.ports = ina::systems::ports_of(registration,
                                                 at,
                                                 m_setup.trunkPorts[rack],
                                                 [this, rack](ina::HostId host)
                                                 { return m_setup.switches[rack]->GetPort(host); });
    // With one level of ATP, the root receives more contributions, but adds none from other racks.
    const uint16_t contributions =
        std::min<uint16_t>(place.contributions, ina::wire::kMaxWorkersPerSwitch);
    m_setup.switches[rack]->InstallJob(
        registration.id,
        place.complete(
            m_setup.system->MakeJobEntry(registration.job, contributions, place.members.servers)),
        place.members);
}

void
InaControlPlane::remove_job(std::size_t rack, const Registration& registration)
{
    m_heldAtRemoval += m_setup.switches[rack]->RemoveJob(registration.id);
}

void
InaControlPlane::take_switch_down(std::size_t rack)
{
    m_setup.switches[rack]->GoDown(MakeProgram(rack));
}

/// Makes the program of a switch. A switch that adds nothing gets no aggregators, which would only
/// take memory.
std::unique_ptr<ina::programs::SwitchProgram>
InaControlPlane::MakeProgram(std::size_t at) const
{
    if (!m_setup.control.may_add_up(static_cast<ina::cluster::SwitchIndex>(at)))
    {
        return ina::programs::make_forwarding();
    }
    return m_setup.system->MakeProgram(m_setup.jobs, m_setup.carriedValues);
}

void
InaControlPlane::bring_switch_back(std::size_t rack)
{
    m_setup.switches[rack]->ComeBack();
}

/// Sets the routes from every switch to the hosts at all other switches. Unreachable hosts keep
/// their routes.
void
InaControlPlane::set_routes(const ina::cluster::Topology& topology)
{
    std::vector<std::vector<ina::HostId>> hosts(topology.switches.size());
    for (std::size_t host = 0; host < topology.switch_of.size(); ++host)
    {
        hosts[topology.switch_of[host]].push_back(static_cast<ina::HostId>(host));
    }
    const ina::cluster::LiveTrunks trunks(topology);
    for (ina::cluster::SwitchIndex to = 0; to < topology.racks(); ++to)
    {
        const ina::cluster::ShortestPaths paths(topology, trunks, to);
        for (std::size_t from = 0; from < topology.switches.size(); ++from)
        {
            std::vector<ina::node::PortIndex> ports;
            for (const auto trunk : paths.ways(static_cast<ina::cluster::SwitchIndex>(from)))
            {
                ports.push_back(m_setup.trunkPorts[from].at(trunk));
            }
            if (!ports.empty())
            {
                m_setup.switches[from]->SetRoutes(hosts[to], ports);
            }
        }
    }
}

// ---- hosts

InaHostApplication&
InaControlPlane::Application(const JobHost& host) const
{
    const Job& job = m_jobs[host.job];
    if (host.rank)
    {
        return job.training->GetWorker(*host.rank).GetApplication();
    }
    return *job.servers[host.server].application;
}

/// At the first registration, InaTrainingJob::Start() begins instead.
void
InaControlPlane::start_workers(const Registration& registration, ina::Time now)
{
    NS_LOG_INFO("job " << registration.job << " is registered as " << registration.id);
    Job& job = m_jobs[registration.job];
    job.ids.push_back(registration.id);
    m_jobOf.resize(std::max(m_jobOf.size(), registration.id + std::size_t{1}));
    m_jobOf[registration.id] = static_cast<uint16_t>(registration.job);
    job.training->SetGradientsOf(registration.id);
    for (uint16_t rank = 0; rank < job.hosts.size(); ++rank)
    {
        InaTrainingWorker& worker = job.training->GetWorker(rank);
        worker.GetApplication().JoinGroup(registration.id);
        worker.GetApplication().Install(
            job.hosts[rank].device,
            m_setup.system->MakeTransport(registration.worker(rank), *m_setup.pool, worker));
    }
    if (m_control->registrations(registration.job) > 1)
    {
        job.training->Repeat(registration.first_iteration, InaFromProtocol(now));
    }
}

void
InaControlPlane::start_server(const Registration& registration, uint16_t index, ina::Time)
{
    const Job& job = m_jobs[registration.job];
    const ina::ServerIdentity identity =
        registration.server(index, job.training->GetPartitions().fragments_per_iteration());
    const Server& server = job.servers[index];
    server.application->Install(server.host.device,
                                m_setup.system->MakeServer(identity, *m_setup.pool));
}

void
InaControlPlane::stop(const JobHost& host, ina::Time)
{
    Application(host).Stop();
}

void
InaControlPlane::pause(const JobHost& host, ina::Time until, ina::Time)
{
    Application(host).Pause(InaFromProtocol(until));
}

void
InaControlPlane::resume(const JobHost& host, ina::Time)
{
    Application(host).Resume();
}

void
InaControlPlane::expect(const JobHost& host, ina::Time at)
{
    Application(host).HoldAt(InaFromProtocol(at));
}

// ---- outcomes

void
InaControlPlane::job_event(JobEvent event, const JobHost& host)
{
    const auto job = static_cast<uint16_t>(host.job);
    switch (event)
    {
    case JobEvent::registered_again:
    {
        const Registration& registration = m_control->registration(host.job);
        m_registeredTrace(job, registration.id, registration.first_iteration);
        break;
    }
    case JobEvent::worker_died:
        // A job with a dead worker leaves the switches as soon as the other workers have ended.
        for (const auto& inaSwitch : m_setup.switches)
        {
            inaSwitch->SetRunAhead(false);
        }
        m_workerDiedTrace(job, *host.rank);
        break;
    case JobEvent::worker_returned:
        m_workerReturnedTrace(job, *host.rank);
        break;
    case JobEvent::server_restarted:
        m_serverRestartedTrace(job);
        break;
    case JobEvent::killed:
        m_killedTrace(job);
        break;
    case JobEvent::failed:
        m_failedTrace(job);
        TraceEnd();
        break;
    case JobEvent::finished:
        TraceEnd();
        break;
    }
}

void
InaControlPlane::TraceEnd()
{
    if (!HasEnded())
    {
        return;
    }
    Time last;
    for (std::size_t job = 0; job < m_jobs.size(); ++job)
    {
        last = std::max(last, GetEnd(job));
    }
    m_allEndedTrace(last);
    if (m_endSink)
    {
        m_endSink(last);
    }
}

ina::cluster::ControlPlane&
InaControlPlane::Control() const
{
    NS_ABORT_MSG_UNLESS(
        m_control,
        "an InaControlPlane has no switches: call Configure() first, and no function "
        "after Dispose()");
    return *m_control;
}

/// Number of a job. Aborts if there is no such job.
uint32_t
InaControlPlane::Checked(std::size_t job) const
{
    NS_ABORT_MSG_UNLESS(job < m_jobs.size(),
                        "InaControlPlane: found job " << job << "; allowed: below "
                                                      << m_jobs.size());
    return static_cast<uint32_t>(job);
}

bool
InaControlPlane::HasEnded() const
{
    return Control().all_ended();
}

ina::cluster::JobStatus
InaControlPlane::GetStatus(std::size_t job) const
{
    return Control().status(Checked(job));
}

Time
InaControlPlane::GetEnd(std::size_t job) const
{
    return InaFromProtocol(Control().ended_at(Checked(job)));
}

uint32_t
InaControlPlane::GetRegistrations(std::size_t job) const
{
    return Control().registrations(Checked(job));
}

ina::JobId
InaControlPlane::GetId(std::size_t job) const
{
    return Control().registration(Checked(job)).id;
}

std::optional<uint16_t>
InaControlPlane::GetJob(ina::JobId id) const
{
    return id < m_jobOf.size() ? m_jobOf[id] : std::nullopt;
}

const ina::cluster::JobTree&
InaControlPlane::GetTree(std::size_t job) const
{
    return Control().registration(Checked(job)).tree;
}

AggregatorCounters
InaControlPlane::GetCounters(std::size_t job, std::size_t at) const
{
    AggregatorCounters sum;
    for (const ina::JobId id : m_jobs[Checked(job)].ids)
    {
        sum += m_setup.switches[at]->GetCounters(id);
    }
    return sum;
}

AggregatorCounters
InaControlPlane::GetCounters(std::size_t job) const
{
    AggregatorCounters sum;
    for (std::size_t at = 0; at < m_setup.switches.size(); ++at)
    {
        sum += GetCounters(job, at);
    }
    return sum;
}

uint64_t
InaControlPlane::RemoveJobs()
{
    NS_LOG_FUNCTION(this);
    const uint64_t before = m_heldAtRemoval;
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        m_control->remove_from_switches(job);
    }
    return m_heldAtRemoval - before;
}

void
InaControlPlane::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_jobs.clear();
    m_control.reset();
    m_setup = Setup();
    Object::DoDispose();
}

} // namespace ns3
