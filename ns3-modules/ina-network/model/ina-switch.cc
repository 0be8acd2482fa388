/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-switch.h"

#include "ina-abort.h"
#include "ina-packet-flow.h"
#include "ina-seldom-traced.h"
#include "ina-watched-trace.h"

#include "hw/protocol/numeric/split_mix.hpp"
#include "hw/protocol/time.hpp"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ethernet-header.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <boost/functional/hash.hpp>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaSwitch");
NS_OBJECT_ENSURE_REGISTERED(InaSwitch);

using ina::programs::AggregatorEvent;
using ina::rmt::Verdict;

namespace
{

constexpr const char* PROGRAM = "the program of an InaSwitch"; // for InaAbortIfOtherFormat()

bool
MayBeMarked(const ina::Frame& frame)
{
    return frame.job != ina::kNoJob || frame.flow().may_be_marked;
}

/// The node of a switch. Aborts if there is none.
Ptr<Node>
NodeOf(const InaSwitch& inaSwitch)
{
    const auto node = inaSwitch.GetObject<Node>();
    NS_ABORT_MSG_UNLESS(node, "an InaSwitch has no node: call Node::AggregateObject() first");
    return node;
}

} // namespace

TypeId
InaSwitch::GetTypeId()
{
    const char* const aggregatorCallback = "ns3::InaSwitch::AggregatorTracedCallback";
    static TypeId tid =
        TypeId("ns3::InaSwitch")
            .SetParent<Object>()
            .SetGroupName("Ina")
            .AddConstructor<InaSwitch>()
            .AddAttribute(
                "BufferSize",
                "Packet buffer that all egress queues share, in bytes; tail drop beyond it.",
                UintegerValue(16000000),
                MakeUintegerAccessor(&InaSwitch::m_bufferBytes),
                MakeUintegerChecker<uint64_t>(1))
            .AddAttribute(
                "EcnThreshold",
                "Length of an egress queue beyond which frames are marked, in bytes.",
                UintegerValue(60000),
                MakeUintegerAccessor(&InaSwitch::SetEcnThreshold, &InaSwitch::GetEcnThreshold),
                MakeUintegerChecker<uint64_t>(1))
            .AddAttribute(
                "PipelineLatency",
                "Time from a frame's arrival to its egress queue. Set it before the simulation "
                "starts.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&InaSwitch::SetPipelineLatency, &InaSwitch::GetPipelineLatency),
                MakeTimeChecker(Time(0)))
            .AddAttribute("ChargePasses",
                          "Whether all further passes cost time and bandwidth, also those that the "
                          "values of a frame take. If not, only resubmissions of frames that leave "
                          "do (DSA's preemption). Without effect if the program separates passes, "
                          "which all cost time.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&InaSwitch::m_chargePasses),
                          MakeBooleanChecker())
            .AddAttribute("PassLatency",
                          "Time that each further pass takes.",
                          TimeValue(NanoSeconds(400)),
                          MakeTimeAccessor(&InaSwitch::m_passLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ResubmitBandwidth",
                          "Bandwidth of the path back to the ingress for resubmitted frames.",
                          DataRateValue(DataRate("100Gbps")),
                          MakeDataRateAccessor(&InaSwitch::SetResubmitBandwidth,
                                               &InaSwitch::GetResubmitBandwidth),
                          MakeDataRateChecker())
            .AddAttribute("RecirculateBandwidth",
                          "Bandwidth of all ports that are looped back; 16 ports of 100 Gbps are "
                          "those of one pipe.",
                          DataRateValue(DataRate("1600Gbps")),
                          MakeDataRateAccessor(&InaSwitch::SetRecirculateBandwidth,
                                               &InaSwitch::GetRecirculateBandwidth),
                          MakeDataRateChecker())
            .AddAttribute("RunAhead",
                          "Whether frames are handled ahead of the simulator's clock, those of a "
                          "window in one event, where nobody traces them: faster, with the same "
                          "results. The program must take the time from its argument, and jobs, "
                          "routes and groups change in events that were scheduled before.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&InaSwitch::m_runsAhead),
                          MakeBooleanChecker())
            .AddTraceSource("AggregatorAllocated",
                            "A packet reserved an aggregator: job, PSN, aggregator index.",
                            MakeInaWatchedTraceAccessor<InaSwitch>(&InaSwitch::m_allocatedTrace,
                                                                   &InaSwitch::Watch),
                            aggregatorCallback)
            .AddTraceSource("AggregatorCollided",
                            "A packet found its aggregator in use by another task: the packet's "
                            "job, PSN, index.",
                            MakeInaWatchedTraceAccessor<InaSwitch>(&InaSwitch::m_collidedTrace,
                                                                   &InaSwitch::Watch),
                            aggregatorCallback)
            .AddTraceSource("AggregatorPreempted",
                            "A packet took an aggregator in use: the packet's job, PSN, index.",
                            MakeInaWatchedTraceAccessor<InaSwitch>(&InaSwitch::m_preemptedTrace,
                                                                   &InaSwitch::Watch),
                            aggregatorCallback)
            .AddTraceSource("AggregatorEvicted",
                            "A partial aggregate left for the server: its job, PSN, index.",
                            MakeInaWatchedTraceAccessor<InaSwitch>(&InaSwitch::m_evictedTrace,
                                                                   &InaSwitch::Watch),
                            aggregatorCallback)
            .AddTraceSource("AggregatorFallback",
                            "Something left for the server because of a collision: job and PSN of "
                            "what left, index.",
                            MakeInaWatchedTraceAccessor<InaSwitch>(&InaSwitch::m_fallbackTrace,
                                                                   &InaSwitch::Watch),
                            aggregatorCallback)
            .AddTraceSource("AggregatorCompleted",
                            "An aggregator has the contributions of all workers: job, PSN, index.",
                            MakeInaWatchedTraceAccessor<InaSwitch>(&InaSwitch::m_completedTrace,
                                                                   &InaSwitch::Watch),
                            aggregatorCallback)
            .AddTraceSource(
                "AggregatorFreed",
                "An aggregator fell free: job, PSN, index.",
                MakeInaWatchedTraceAccessor<InaSwitch>(&InaSwitch::m_freedTrace, &InaSwitch::Watch),
                aggregatorCallback)
            .AddTraceSource(
                "Queue",
                "A frame entered an egress queue: port, bytes queued before it.",
                MakeInaWatchedTraceAccessor<InaSwitch>(&InaSwitch::m_queueTrace, &InaSwitch::Watch),
                "ns3::InaSwitch::QueueTracedCallback")
            .AddTraceSource("Refused",
                            "A frame that no member of its job may send: port, frame.",
                            MakeInaWatchedTraceAccessor<InaSwitch>(&InaSwitch::m_refusedTrace,
                                                                   &InaSwitch::Watch),
                            "ns3::InaSwitch::RefusedTracedCallback")
            .AddTraceSource("WentDown",
                            "A reboot begins: node.",
                            MakeTraceSourceAccessor(&InaSwitch::m_wentDownTrace),
                            "ns3::InaSwitch::RebootTracedCallback")
            .AddTraceSource("CameBack",
                            "A reboot has ended, the program's registers are empty: node.",
                            MakeTraceSourceAccessor(&InaSwitch::m_cameBackTrace),
                            "ns3::InaSwitch::RebootTracedCallback");
    return tid;
}

void
InaSwitch::SetProgram(std::unique_ptr<ina::programs::SwitchProgram> program)
{
    NS_LOG_FUNCTION(this);
    m_node.set_program(std::move(program));
    AdoptProgram();
    Watch();
}

void
InaSwitch::GoDown(std::unique_ptr<ina::programs::SwitchProgram> program)
{
    NS_LOG_FUNCTION(this);
    NS_LOG_INFO("goes down");
    GetProgram(); // aborts without a program
    m_node.go_down(std::move(program));
    AdoptProgram();
    ObserveProgram();
    m_resubmitPath = {};
    m_recirculationPath = {};
    m_wentDownTrace(NodeOf(*this)->GetId());
}

void
InaSwitch::AdoptProgram()
{
    m_programFetches = dynamic_cast<const ina::FramePrefetchable*>(m_node.program());
    m_programWidth = GetProgram().width();
    m_separatesPasses = GetProgram().separates_passes();
}

ina::programs::SwitchProgram&
InaSwitch::GetProgram()
{
    NS_ABORT_MSG_UNLESS(m_node.program(), "an InaSwitch has no program: call SetProgram()");
    return *m_node.program();
}

void
InaSwitch::SetEcnThreshold(uint64_t bytes)
{
    m_ecnThresholdBytes = bytes;
    for (Egress& egress : m_egress)
    {
        ReadLine(egress);
    }
}

uint64_t
InaSwitch::GetEcnThreshold() const
{
    return m_ecnThresholdBytes;
}

void
InaSwitch::SetPipelineLatency(const Time& latency)
{
    NS_ABORT_MSG_IF(IsInitialized(),
                    "PipelineLatency of an InaSwitch can no longer be changed: set it before the "
                    "simulation starts");
    m_pipelineLatency = latency;
}

void
InaSwitch::SetResubmitBandwidth(DataRate rate)
{
    InaAbortIfZero(rate, "ResubmitBandwidth of an InaSwitch");
    m_resubmitBandwidth = rate;
}

DataRate
InaSwitch::GetResubmitBandwidth() const
{
    return m_resubmitBandwidth;
}

void
InaSwitch::SetRecirculateBandwidth(DataRate rate)
{
    InaAbortIfZero(rate, "RecirculateBandwidth of an InaSwitch");
    m_recirculateBandwidth = rate;
}

DataRate
InaSwitch::GetRecirculateBandwidth() const
{
    return m_recirculateBandwidth;
}

Time
InaSwitch::GetPipelineLatency() const
{
    return m_pipelineLatency;
}

void
InaSwitch::ComeBack()
{
    NS_LOG_FUNCTION(this);
    NS_LOG_INFO("is back");
    m_node.come_back();
    m_cameBackTrace(NodeOf(*this)->GetId());
}

void
InaSwitch::AddDevice(Ptr<InaNetDevice> device, ina::node::PortIndex index)
{
    NS_ABORT_MSG_UNLESS(device, "a port of an InaSwitch needs an InaNetDevice");
    NodeOf(*this); // aborts without a node
    NS_ABORT_MSG_UNLESS(device->GetNode(),
                        "the device of a port of an InaSwitch has no node: call Node::AddDevice() "
                        "first");
    NS_ABORT_MSG_IF(device->GetHandler() != nullptr,
                    "the device of a port of an InaSwitch already has a handler: it is a port, or "
                    "the device of an application");
    m_egress.push_back({.device = device});
    ReadLine(m_egress.back());
    if (IsInitialized())
    {
        device->FixLine();
    }
    m_ports.push_back(std::make_unique<Port>(*this, index));
    device->SetHandler(m_ports.back().get());
    device->SetPacketHandler(m_ports.back().get());
    if (device->CarriesPackets())
    {
        ShowPortToRouting(device);
    }
    if (!m_events)
    {
        m_events = std::make_unique<Events>(device->GetNode()->GetId(), *this);
    }
    m_events->AddDevice(*device);
}

/// Reads the rate of a port's line, in the units that the code for each frame uses.
void
InaSwitch::ReadLine(Egress& egress) const
{
    const uint64_t bps = egress.device->GetDataRate().GetBitRate();
    egress.ecnThresholdSteps = ina::serialisation_time(m_ecnThresholdBytes, bps).count();
    egress.bytesPerStep = static_cast<double>(bps) / 8e12;
}

void
InaSwitch::AddPort(Ptr<InaNetDevice> device, ina::HostId host)
{
    NS_LOG_FUNCTION(this << device << host);
    NS_ABORT_MSG_IF(host == ina::kAllWorkers, "no host has the address " << host);
    NS_ABORT_MSG_UNLESS(m_hostsWithPort.insert(host).second,
                        "host " << host << " already has a port at this InaSwitch");
    AddDevice(device, m_node.add_port(host));
}

ina::node::PortIndex
InaSwitch::AddTrunk(Ptr<InaNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    const ina::node::PortIndex port = m_node.add_trunk({});
    AddDevice(device, port);
    return port;
}

void
InaSwitch::SetRoutes(const std::vector<ina::HostId>& hosts,
                     const std::vector<ina::node::PortIndex>& ports)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(ports.empty(), "InaSwitch::SetRoutes() needs a port");
    for (const ina::node::PortIndex port : ports)
    {
        NS_ABORT_MSG_IF(port >= m_ports.size(),
                        "InaSwitch: found port " << port << "; allowed: below " << m_ports.size());
    }
    m_node.set_routes(hosts, ports);
}

void
InaSwitch::SetGroup(ina::JobId job, const std::vector<ina::HostId>& hosts)
{
    NS_LOG_FUNCTION(this << job);
    InaAbortIfThrown([&]() { m_node.set_group(job, hosts); });
}

ina::node::PortIndex
InaSwitch::GetPort(ina::HostId host) const
{
    return InaAbortIfThrown([&]() { return m_node.port_to(host); });
}

void
InaSwitch::InstallJob(ina::JobId job,
                      const ina::programs::JobEntry& entry,
                      const ina::node::JobMembers& members)
{
    NS_LOG_FUNCTION(this << job);
    GetProgram(); // aborts without a program
    InaAbortIfThrown([&]() { m_node.install_job(job, entry, members); });
    m_knownJobs.insert(job);
    ExpectDeadline(Simulator::Now().GetTimeStep());
}

uint64_t
InaSwitch::RemoveJob(ina::JobId job)
{
    NS_LOG_FUNCTION(this << job);
    GetProgram(); // aborts without a program
    const uint64_t held = m_node.remove_job(job);
    ExpectDeadline(Simulator::Now().GetTimeStep());
    return held;
}

InaSwitch::Port::Port(InaSwitch& inaSwitch, ina::node::PortIndex index) :
    inaSwitch(inaSwitch), index(index)
{
}

void
InaSwitch::Port::HandlePacket(InaNetDevice&, Ptr<Packet> packet, int64_t ts)
{
    inaSwitch.ReceivePacket(index, packet, ts);
}

void
InaSwitch::AddStation(const Mac48Address& address, ina::HostId host)
{
    NS_LOG_FUNCTION(this << address << host);
    m_stations.insert_or_assign(address, host);
}

void
InaSwitch::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    if (m_isDisposed)
    {
        return; // disposed of before the simulation started
    }
    InaAbortUnlessPicoseconds();
    m_pipelineSteps = m_pipelineLatency.GetTimeStep();
    for (Egress& egress : m_egress)
    {
        ReadLine(egress);
        egress.device->FixLine();
    }
    ObserveProgram();
    Object::DoInitialize();
}

void
InaSwitch::ObserveProgram()
{
    const bool isLogged = g_log.IsEnabled(LOG_LOGIC);
    bool isTraced = isLogged;
    for (const AggregatorTrace* trace : {&m_allocatedTrace,
                                         &m_collidedTrace,
                                         &m_preemptedTrace,
                                         &m_evictedTrace,
                                         &m_fallbackTrace,
                                         &m_completedTrace,
                                         &m_freedTrace})
    {
        isTraced |= !trace->IsEmpty();
    }
    m_isTraced = isTraced || !m_queueTrace.IsEmpty() || !m_refusedTrace.IsEmpty();
    GetProgram().set_observer(isTraced ? this : m_observer);
}

/// Called when trace sinks were connected or disconnected.
void
InaSwitch::Watch()
{
    if (IsInitialized())
    {
        ObserveProgram();
    }
}

void
InaSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_isDisposed = true;
    m_events.reset();
    m_resubmitPath = {};
    m_recirculationPath = {};
    m_programFetches = nullptr;
    m_node = ina::node::SwitchNode();
    m_egress.clear();
    m_ports.clear();
    m_packetMarker.Nullify();
    m_bridge = nullptr;
    Object::DoDispose();
}

void
InaSwitch::aggregator_event(AggregatorEvent event, ina::JobId job, ina::Psn psn, uint32_t index)
{
    NS_LOG_LOGIC(
        "aggregator " << index << " "
                      << ina::programs::kAggregatorEventNames[static_cast<std::size_t>(event)]
                      << ": job " << job << ", PSN " << psn);
    if (m_observer != nullptr)
    {
        m_observer->aggregator_event(event, job, psn, index);
    }
    switch (event)
    {
    case AggregatorEvent::allocated:
        m_allocatedTrace(job, psn, index);
        break;
    case AggregatorEvent::collided:
        m_collidedTrace(job, psn, index);
        break;
    case AggregatorEvent::preempted:
        m_preemptedTrace(job, psn, index);
        break;
    case AggregatorEvent::evicted:
        m_evictedTrace(job, psn, index);
        break;
    case AggregatorEvent::completed:
        m_completedTrace(job, psn, index);
        break;
    case AggregatorEvent::freed:
        m_freedTrace(job, psn, index);
        break;
    case AggregatorEvent::fallback:
        m_fallbackTrace(job, psn, index);
        break;
    case AggregatorEvent::added:
    case AggregatorEvent::duplicate:
        break;
    }
}

template <class Output>
void
InaSwitch::Receive(ina::node::PortIndex port, ina::Frame& frame, int64_t ts, Output&& output)
{
    if (frame.job == ina::kNoJob) [[unlikely]]
    {
        output.Finish();
        ForwardTraffic(port, frame, ts);
        return;
    }
    if (!m_node.admit(frame, port)) [[unlikely]]
    {
        Refused(port, frame);
        return;
    }
    if (m_separatesPasses) [[unlikely]]
    {
        ina::rmt::Carry carry;
        const Verdict verdict = m_node.first_pass(frame, carry, port, ina::Time(ts));
        AfterPass(frame, carry, verdict, ts);
        return;
    }
    const Verdict verdict = m_node.process(frame, port, ina::Time(ts));
    output.Finish();
    if (JustLeaves(verdict))
    {
        output.Leave(frame, verdict.exit, ts);
    }
    else
    {
        Follow(frame, verdict, ts);
    }
}

void
InaSwitch::ReceiveNow(ina::node::PortIndex port, ina::Frame& frame, int64_t ts)
{
    struct
    {
        InaSwitch& inaSwitch;

        void
        Finish() const
        {
        }

        void
        Leave(ina::Frame& leaving, Verdict::Exit exit, int64_t leavesTs) const
        {
            inaSwitch.Leave(leaving, exit, leavesTs);
        }
    } output{*this};

    AbortUnlessReady(frame);
    const uint64_t rejectedBefore = m_node.rejected();
    InaAbortIfOtherFormat(PROGRAM, [&]() { Receive(port, frame, ts, output); });
    if (m_node.rejected() != rejectedBefore) [[unlikely]]
    {
        TellIfUnknown(frame.job);
    }
    if (m_node.is_active()) [[unlikely]]
    {
        SendOwn(ts);
        ExpectDeadline(ts);
    }
}

/// Checks a frame before the program sees it.
void
InaSwitch::AbortUnlessReady(const ina::Frame& frame) const
{
    NS_ABORT_MSG_UNLESS(m_node.program(),
                        "a frame arrived at an InaSwitch without a program: call SetProgram()");
    NS_ABORT_MSG_IF(frame.kind == ina::FrameKind::gradient && frame.job != ina::kNoJob &&
                        frame.values.size() < m_programWidth,
                    "the program of an InaSwitch adds "
                        << m_programWidth << " values per gradient, but a gradient has "
                        << frame.values.size() << ": take Frame::values from a ValuePool");
}

/// Reports a frame of an unknown job, once per job. Hosts may invent jobs, but the usual cause is a
/// missing InstallJob().
void
InaSwitch::TellIfUnknown(ina::JobId job)
{
    if (job >= m_node.program()->jobs_end() && m_knownJobs.insert(job).second)
    {
        NS_FATAL_ERROR_CONT("an InaSwitch drops the frames of job "
                            << job << ", which was never installed there: call InstallJob()");
    }
}

bool
InaSwitch::JustLeaves(const Verdict& verdict) const
{
    return verdict.exit != Verdict::Exit::drop && verdict.resubmits == 0 && !m_chargePasses;
}

void
InaSwitch::Follow(ina::Frame& frame, const Verdict& verdict, int64_t ts)
{
    if (verdict.exit != Verdict::Exit::drop)
    {
        TakeFurtherPass(frame, verdict, ts);
    }
    else if (m_chargePasses) [[unlikely]]
    {
        CountAbsorbed(frame, verdict, ts);
    }
}

void
InaSwitch::ForwardTraffic(ina::node::PortIndex from, ina::Frame& frame, int64_t ts)
{
    m_egress[from].device->CountTrafficReceived(frame);
    const uint64_t flow = ina::numeric::split_mix(frame.psn, frame.source);
    const auto way = IsDown() ? std::nullopt : m_node.way_of_flow(frame.destination, flow);
    if (!way)
    {
        ++m_packetsNotForwarded;
        return;
    }
    InaNetDevice& device = *m_egress[*way].device;
    const uint64_t before = device.GetBytesPut();
    device.CountTrafficOffer();
    Enqueue(*way, std::move(frame), ts + m_pipelineSteps);
    device.CountTrafficSince(before);
}

void
InaSwitch::Refused(ina::node::PortIndex port, const ina::Frame& frame)
{
    if (IsDown())
    {
        return;
    }
    NS_LOG_LOGIC("port " << port << " refuses job " << frame.job << ", PSN " << frame.psn);
    TellIfUnknown(frame.job);
    m_refusedTrace(port, frame);
}

/// Executes the remaining steps of the verdict: resubmissions, then recirculations, then the exit.
void
InaSwitch::TakeFurtherPass(ina::Frame& frame, const Verdict& verdict, int64_t ts)
{
    Verdict rest = verdict;
    if (verdict.resubmits != 0)
    {
        --rest.resubmits;
        Resubmit({0, rest, {}, std::move(frame)}, true, ts);
    }
    else if (verdict.recirculations != 0 && m_chargePasses)
    {
        rest.recirculations = 0;
        Recirculate({0, rest, {}, std::move(frame)},
                    verdict.recirculations,
                    verdict.recirculated_bytes,
                    ts);
    }
    else
    {
        Leave(frame, verdict.exit, ts);
    }
}

/// Executes a resubmission. Resubmitted frames that leave the switch later share one path of
/// limited bandwidth back to the ingress. A frame that does not leave is resubmitted without its
/// values, which have been added, and takes no bandwidth.
void
InaSwitch::Resubmit(PassPath::Waiting waiting, bool leaves, int64_t ts)
{
    const uint32_t bytes = waiting.frame.bytes;
    m_bytesResubmitted += bytes;
    const uint64_t bps = m_resubmitBandwidth.GetBitRate();
    const int64_t steps = leaves ? ina::serialisation_time(bytes, bps).count() : 0;
    m_events->ExpectOwn(
        m_resubmitPath.Push(std::move(waiting), steps, m_passLatency.GetTimeStep(), ts));
}

/// Executes the recirculations of a frame. They occupy the ports together, and their latencies add
/// up.
void
InaSwitch::Recirculate(PassPath::Waiting waiting, uint8_t passes, uint32_t bytes, int64_t ts)
{
    m_bytesRecirculated += bytes;
    const int64_t latency = passes * m_passLatency.GetTimeStep();
    m_events->ExpectOwn(
        m_recirculationPath.Push(std::move(waiting), RecirculationSteps(bytes), latency, ts));
}

int64_t
InaSwitch::RecirculationSteps(uint64_t bytes) const
{
    return ina::serialisation_time(bytes, m_recirculateBandwidth.GetBitRate()).count();
}

void
InaSwitch::AfterPass(ina::Frame& frame,
                     const ina::rmt::Carry& carry,
                     const Verdict& verdict,
                     int64_t ts)
{
    const bool leaves = verdict.exit != Verdict::Exit::drop;
    if (verdict.resubmits != 0)
    {
        Resubmit({0, {}, carry, std::move(frame)}, leaves, ts);
    }
    else if (verdict.recirculations != 0)
    {
        if (m_recirculationPath.Backlog(ts) > RecirculationSteps(m_bufferBytes))
        {
            ++m_framesLostBetweenPasses;
            return;
        }
        Recirculate({0, {}, carry, std::move(frame)}, 1, verdict.recirculated_bytes, ts);
    }
    else if (leaves)
    {
        Leave(frame, verdict.exit, ts);
    }
}

/// Counts the passes of an absorbed frame. Resubmissions of absorbed frames use passes of the
/// pipelines, which have enough spare capacity for all ports, but not the resubmission path.
/// Recirculations occupy the looped ports.
void
InaSwitch::CountAbsorbed(const ina::Frame& frame, const Verdict& verdict, int64_t ts)
{
    m_bytesResubmitted += uint64_t{verdict.resubmits} * frame.bytes;
    if (verdict.recirculations != 0)
    {
        m_bytesRecirculated += verdict.recirculated_bytes;
        m_recirculationPath.Occupy(RecirculationSteps(verdict.recirculated_bytes), ts);
    }
}

int64_t
InaSwitch::PassPath::Push(Waiting waiting, int64_t bandwidthSteps, int64_t latencySteps, int64_t ts)
{
    Occupy(bandwidthSteps, ts);
    waiting.doneTs = m_idleAt + latencySteps;
    if (!m_waiting.empty())
    {
        // no frame overtakes another on the path
        waiting.doneTs = std::max(waiting.doneTs, m_waiting.back().doneTs);
    }
    m_waiting.push_back(std::move(waiting));
    return m_waiting.back().doneTs;
}

int64_t
InaSwitch::PassPath::Backlog(int64_t ts) const
{
    return std::max(m_idleAt - ts, int64_t{0});
}

void
InaSwitch::PassPath::Occupy(int64_t bandwidthSteps, int64_t ts)
{
    m_idleAt = std::max(m_idleAt, ts) + bandwidthSteps;
}

int64_t
InaSwitch::PassPath::NextTs() const
{
    return m_waiting.empty() ? InaArrivals::NEVER : m_waiting.front().doneTs;
}

InaSwitch::PassPath::Waiting
InaSwitch::PassPath::Pop()
{
    Waiting done = std::move(m_waiting.front());
    m_waiting.pop_front();
    return done;
}

InaSwitch::Events::Events(uint32_t node, InaSwitch& inaSwitch) :
    InaArrivals(node), m_switch(inaSwitch)
{
}

int64_t
InaSwitch::Events::RunOwn(int64_t ts)
{
    return m_switch.ActAt(ts);
}

bool
InaSwitch::Events::MayRunAhead() const
{
    // An active program may send frames between those of a window, and each frame moves its
    // deadline.
    return !m_switch.IsWatched() && !m_switch.m_node.is_active();
}

/// Lets each frame leave after the next frame has been processed. Reading a frame immediately would
/// stall on the program's writes. The delay also gives time to fetch the ports into the cache.
class InaSwitch::WindowReceiver
{
  public:
    explicit WindowReceiver(InaSwitch& inaSwitch) : m_switch(inaSwitch) {}

    void
    FetchFor(const ina::Frame& frame) const
    {
        if (m_switch.m_programFetches != nullptr && frame.job != ina::kNoJob)
        {
            m_switch.m_programFetches->fetch_ahead(frame);
        }
    }

    void
    Deliver(std::size_t device, ina::Frame& frame, int64_t ts)
    {
        m_switch.Receive(static_cast<ina::node::PortIndex>(device), frame, ts, *this);
        if (m_leaving != &frame)
        {
            frame.values.reset();
        }
    }

    void
    Leave(ina::Frame& frame, Verdict::Exit exit, int64_t ts)
    {
        m_ports = m_switch.OutputPorts(frame, exit);
        if (!m_ports.empty()) [[likely]]
        {
            m_switch.FetchPorts(m_ports);
            m_leaving = &frame;
            m_ts = ts;
        }
    }

    void
    Finish()
    {
        if (m_leaving != nullptr)
        {
            m_switch.Send(m_ports, *m_leaving, m_ts);
            m_leaving->values.reset();
            m_leaving = nullptr;
        }
    }

  private:
    InaSwitch& m_switch;
    Ports m_ports;
    ina::Frame* m_leaving{nullptr};
    int64_t m_ts{0};
};

// Flatten: compiles everything that is called for each frame into one function.
[[gnu::flatten]] bool
InaSwitch::Events::HandleWindow()
{
    if (m_switch.m_separatesPasses)
    {
        return false; // further passes of earlier frames come between the frames of a window
    }
    const bool portsHandle =
        AllOfWindow([this](const InaNetDevice& device, std::size_t number)
                    { return device.GetHandler() == m_switch.m_ports[number].get(); });
    if (portsHandle)
    {
        InaAbortIfOtherFormat(PROGRAM, [&]() { HandleWindowBy(WindowReceiver(m_switch)); });
    }
    return portsHandle;
}

/// Ends a pass that is due at `ts`. If no pass is due, lets the program's deadline expire. Returns
/// the time step of the next pass or deadline.
int64_t
InaSwitch::ActAt(int64_t ts)
{
    const int64_t nextPassTs = EndPass(ts);
    if (!m_node.is_active() || nextPassTs <= ts) [[likely]]
    {
        return nextPassTs;
    }
    ExpireProgram(ts);
    return std::min(nextPassTs, std::max(m_node.deadline().count(), ts));
}

/// Expires the program if its deadline has passed. The deadline may have moved after it was
/// scheduled.
void
InaSwitch::ExpireProgram(int64_t ts)
{
    const ina::Time now(ts);
    if (m_node.deadline() <= now)
    {
        m_node.expire(now);
        SendOwn(ts);
    }
}

/// Sends the program's own frames, with the passes that their verdicts require.
void
InaSwitch::SendOwn(int64_t ts)
{
    m_node.send_own(ina::Time(ts),
                    [this, ts](ina::Frame& frame, const Verdict& verdict)
                    { TakeFurtherPass(frame, verdict, ts); });
}

/// Schedules the program's deadline, if there is one. A past deadline is due now.
void
InaSwitch::ExpectDeadline(int64_t ts)
{
    const int64_t deadlineTs = m_node.deadline().count();
    if (deadlineTs != InaArrivals::NEVER)
    {
        m_events->ExpectOwn(std::max(deadlineTs, ts));
    }
}

bool
InaSwitch::IsIdle() const
{
    return m_resubmitPath.NextTs() == InaArrivals::NEVER &&
           m_recirculationPath.NextTs() == InaArrivals::NEVER && m_node.deadline() == ina::kNever;
}

/// Ends one pass that is due at `ts`, unless a reboot has discarded the pass. Returns the end of
/// the next pass.
int64_t
InaSwitch::EndPass(int64_t ts)
{
    const bool isResubmit = m_resubmitPath.NextTs() <= m_recirculationPath.NextTs();
    PassPath& path = isResubmit ? m_resubmitPath : m_recirculationPath;
    if (path.NextTs() <= ts)
    {
        PassPath::Waiting done = path.Pop();
        if (done.carry.step != 0)
        {
            const Verdict verdict = m_node.next_pass(done.frame, done.carry, ina::Time(ts));
            AfterPass(done.frame, done.carry, verdict, ts);
        }
        else
        {
            TakeFurtherPass(done.frame, done.verdict, ts);
        }
    }
    return std::min(m_resubmitPath.NextTs(), m_recirculationPath.NextTs());
}

/// Whether observers need the exact clock, since they trace installed or removed jobs, events of
/// the program or of queues, or rejected frames.
bool
InaSwitch::IsWatched() const
{
    return !m_runsAhead || m_isTraced;
}

template <InaFrameOrCopy FrameOrCopy>
void
InaSwitch::Enqueue(ina::node::PortIndex port, FrameOrCopy&& frame, int64_t ts)
{
    const Egress& egress = m_egress[port];
    InaNetDevice& device = *egress.device;
    device.CountOffer();
    if (!BufferHolds(frame.bytes, ts))
    {
        NS_LOG_LOGIC("port " << port << " drops job " << frame.job << ", PSN " << frame.psn);
        device.CountDrop(frame, ts);
        return;
    }
    const bool marks = device.Backlog(ts) > egress.ecnThresholdSteps && MayBeMarked(frame);
    if (marks)
    {
        device.CountMark(frame);
    }
    if (m_isTraced) [[unlikely]]
    {
        TraceQueue(port, QueueBytes(egress, ts), ts);
    }
    if (marks)
    {
        ina::Frame marked(std::forward<FrameOrCopy>(frame));
        marked.set(ina::flag::ecn);
        device.PutFrame(std::move(marked), ts);
        return;
    }
    device.PutFrame(std::forward<FrameOrCopy>(frame), ts);
}

/// Traces a frame or packet that enters its queue at `ts`, now or later.
void
InaSwitch::TraceQueue(ina::node::PortIndex port, uint64_t bytes, int64_t ts)
{
    const uint32_t node = m_egress[port].device->GetNode()->GetId();
    InaFireTraceAt(Ptr<InaSwitch>(this), node, ts, m_queueTrace, uint32_t{port}, bytes);
}

/// Forwards a frame whose last pass ended at `ts`.
void
InaSwitch::Leave(ina::Frame& frame, Verdict::Exit exit, int64_t ts)
{
    const Ports ports = OutputPorts(frame, exit);
    if (ports.empty()) [[unlikely]]
    {
        return;
    }
    if (ports.size() > 1)
    {
        FetchPorts(ports);
    }
    Send(ports, frame, ts);
}

/// Output ports of a frame; empty if there is no route.
InaSwitch::Ports
InaSwitch::OutputPorts(const ina::Frame& frame, Verdict::Exit exit)
{
    const Ports ports = m_node.egress(frame, exit);
    if (ports.empty()) [[unlikely]]
    {
        NS_LOG_LOGIC("no port for host " << frame.destination << ", job " << frame.job << ", PSN "
                                         << frame.psn);
    }
    return ports;
}

void
InaSwitch::Send(Ports ports, ina::Frame& frame, int64_t ts)
{
    const int64_t out = ts + m_pipelineSteps;
    ina::node::send_to_each(ports,
                            frame,
                            [this, out]<class F>(ina::node::PortIndex port, F&& leaving)
                            { Enqueue(port, std::forward<F>(leaving), out); });
}

/// Fetches the data of all ports at once, which takes the time of one port. Sending to a port
/// follows three pointers to data that other ports have evicted from the cache.
void
InaSwitch::FetchPorts(Ports ports) const
{
    for (const auto port : ports)
    {
        m_egress[port].device->FetchHotLines();
    }
    for (const auto port : ports)
    {
        m_egress[port].device->FetchDirection();
    }
    for (const auto port : ports)
    {
        m_egress[port].device->FetchEndOfDirection();
    }
}

std::size_t
InaSwitch::AddressHash::operator()(const Mac48Address& address) const
{
    std::array<uint8_t, 6> bytes;
    address.CopyTo(bytes.data());
    return boost::hash_range(bytes.begin(), bytes.end());
}

/// Adds a BridgeNetDevice, by which GlobalRouter finds the ports of a node. The bridge gets no
/// packets, because the device passes packets directly to the port of this switch.
void
InaSwitch::ShowPortToRouting(Ptr<InaNetDevice> device)
{
    NS_ABORT_MSG_UNLESS(device->GetChannel(),
                        "a port with Packets has no channel: call Attach() before AddPort()");
    if (!m_bridge)
    {
        m_bridge = CreateObject<BridgeNetDevice>();
        device->GetNode()->AddDevice(m_bridge);
    }
    m_bridge->AddBridgePort(device);
}

void
InaSwitch::ReceivePacket(ina::node::PortIndex port, Ptr<Packet> packet, int64_t ts)
{
    m_events->RunUntil(ts);
    if (IsDown())
    {
        ++m_packetsNotForwarded;
        return;
    }
    EthernetHeader header(false);
    packet->PeekHeader(header);
    const int64_t out = ts + m_pipelineSteps;
    if (!m_stations.empty())
    {
        const auto station = m_stations.find(header.GetDestination());
        const auto way = station == m_stations.end()
                             ? std::nullopt
                             : m_node.way_of_flow(station->second, InaFlowOf(packet));
        if (!way)
        {
            ++m_packetsNotForwarded;
            return;
        }
        EnqueuePacket(*way, packet, out);
        return;
    }
    m_learned.insert_or_assign(header.GetSource(), port);
    const auto learned = m_learned.find(header.GetDestination());
    if (learned == m_learned.end())
    {
        Flood(port, packet, out);
    }
    else if (learned->second != port)
    {
        EnqueuePacket(learned->second, packet, out);
    }
}

void
InaSwitch::Flood(ina::node::PortIndex from, Ptr<Packet> packet, int64_t ts)
{
    for (std::size_t port = 0; port < m_egress.size(); ++port)
    {
        if (port != from && m_egress[port].device->CarriesPackets())
        {
            EnqueuePacket(static_cast<ina::node::PortIndex>(port), packet->Copy(), ts);
        }
    }
}

void
InaSwitch::EnqueuePacket(ina::node::PortIndex port, Ptr<Packet> packet, int64_t ts)
{
    const Egress& egress = m_egress[port];
    InaNetDevice& device = *egress.device;
    InaPacketLine& line = device.PacketLine();
    ++line.counters.offered;
    if (!BufferHolds(packet->GetSize(), ts))
    {
        NS_LOG_LOGIC("port " << port << " drops a packet");
        line.CountDrop(packet, ts);
        return;
    }
    if (device.Backlog(ts) > egress.ecnThresholdSteps && !m_packetMarker.IsNull() &&
        m_packetMarker(packet))
    {
        ++line.counters.marked;
    }
    TraceQueue(port, QueueBytes(egress, ts), ts);
    line.Put(packet, ts);
}

bool
InaSwitch::BufferHolds(uint32_t bytes, int64_t ts)
{
    if (m_bufferedAtMost + bytes > m_bufferBytes)
    {
        m_bufferedAtMost = 0;
        for (const Egress& egress : m_egress)
        {
            m_bufferedAtMost += QueueBytes(egress, ts);
        }
        if (m_bufferedAtMost + bytes > m_bufferBytes)
        {
            return false;
        }
    }
    m_bufferedAtMost += bytes;
    return true;
}

uint64_t
InaSwitch::QueueBytes(const Egress& egress, int64_t ts)
{
    return static_cast<uint64_t>(static_cast<double>(egress.device->Backlog(ts)) *
                                 egress.bytesPerStep);
}

} // namespace ns3
