/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-host-application.h"

#include "hw/protocol/cache_line.hpp"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ina-abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaHostApplication");
NS_OBJECT_ENSURE_REGISTERED(InaHostApplication);

TypeId
InaHostApplication::GetTypeId()
{
    const char* const callback = "ns3::InaHostApplication::ProcessTracedCallback";
    static TypeId tid =
        TypeId("ns3::InaHostApplication")
            .SetParent<Application>()
            .SetGroupName("Ina")
            .AddAttribute(
                "RunAhead",
                "Whether frames are handled ahead of the simulator's clock, several in one "
                "event, where nobody traces them: faster, with the same results. What the "
                "transport or server calls must take the time from its argument, and what "
                "happens at this host be scheduled with At().",
                BooleanValue(false),
                MakeBooleanAccessor(&InaHostApplication::m_runsAhead),
                MakeBooleanChecker())
            .AddTraceSource("Begun",
                            "The process begins, also anew after it stopped: node.",
                            MakeTraceSourceAccessor(&InaHostApplication::m_begunTrace),
                            callback)
            .AddTraceSource("Paused",
                            "The process pauses: node.",
                            MakeTraceSourceAccessor(&InaHostApplication::m_pausedTrace),
                            callback)
            .AddTraceSource("Resumed",
                            "The process goes on after a pause: node.",
                            MakeTraceSourceAccessor(&InaHostApplication::m_resumedTrace),
                            callback)
            .AddTraceSource("Stopped",
                            "The process stopped, and forgot everything: node.",
                            MakeTraceSourceAccessor(&InaHostApplication::m_stoppedTrace),
                            callback);
    return tid;
}

void
InaHostApplication::Share(Ptr<InaHostInterface> interface, ina::HostId address)
{
    NS_LOG_FUNCTION(this << interface << address);
    NS_ABORT_MSG_UNLESS(interface, "InaHostApplication::Share() needs an InaHostInterface");
    NS_ABORT_MSG_IF(m_device, "InaHostApplication::Share() was called after Install()");
    m_interface = interface;
    m_attachment = interface->Attach(*this, address);
}

void
InaHostApplication::JoinGroup(ina::JobId job)
{
    NS_LOG_FUNCTION(this << job);
    if (m_interface)
    {
        m_interface->JoinGroup(m_attachment, job);
    }
}

void
InaHostApplication::CarryTraffic()
{
    NS_ABORT_MSG_UNLESS(
        m_interface,
        "an InaHostApplication for background traffic needs a shared device: call Share()");
    m_interface->CarryTraffic(m_attachment);
}

Ptr<InaNetDevice>
InaHostApplication::GetDevice() const
{
    NS_ABORT_MSG_UNLESS(m_device,
                        "an " << GetInstanceTypeId().GetName().substr(5)
                              << " has no device: call Install() first");
    return m_device;
}

uint64_t
InaHostApplication::GetFramesSent() const
{
    return m_interface ? m_interface->GetFramesSent(m_attachment)
                       : GetDevice()->GetCounters().framesSent;
}

uint64_t
InaHostApplication::GetFramesReceived() const
{
    return m_interface ? m_interface->GetFramesReceived(m_attachment)
                       : GetDevice()->GetCounters().framesReceived;
}

void
InaHostApplication::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    Application::DoInitialize();
    if (m_device)
    {
        FixLine();
    }
    if (IsYetToStart() && m_device && m_state == State::RUNNING)
    {
        m_alarms->Clear(InaHostAlarms::PROTOCOL);
        Enter(State::WAITING);
    }
    if (m_stopTime.IsStrictlyPositive())
    {
        HoldAt(Simulator::Now() + m_stopTime);
    }
}

void
InaHostApplication::FixLine()
{
    ReadLine();
    if (m_interface)
    {
        m_interface->ReadLine();
    }
    m_device->FixLine();
}

void
InaHostApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    m_started = true;
    if (!m_device || IsStopped())
    {
        return;
    }
    const bool hasWaited = m_state == State::WAITING;
    if (hasWaited)
    {
        Enter(State::RUNNING);
    }
    m_begunTrace(m_device->GetNode()->GetId());
    if (!hasWaited)
    {
        return;
    }
    const int64_t ts = Simulator::Now().GetTimeStep();
    RunAgenda(ts);
    if (m_state == State::RUNNING)
    {
        Expire(ts);
    }
}

void
InaHostApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_ended = true;
    if (m_device)
    {
        Stop();
    }
}

/// Changes the state, and installs the handler of arriving frames for the new state.
void
InaHostApplication::Enter(State state)
{
    m_state = state;
    InaFrameHandler* handler = &m_downHandler;
    if (state == State::RUNNING)
    {
        handler = this;
    }
    if (m_interface)
    {
        m_interface->SetHandler(m_attachment, handler);
    }
    else
    {
        m_device->SetHandler(handler);
    }
}

void
InaHostApplication::Begin(Ptr<InaNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    InaAbortUnlessPicoseconds();
    NS_ABORT_MSG_UNLESS(GetNode(),
                        "an " << GetInstanceTypeId().GetName().substr(5)
                              << " has no node: call Node::AddApplication() before Install()");
    const uint32_t node = device->GetNode()->GetId();
    const InaFrameHandler* const handler = device->GetHandler();
    NS_ABORT_MSG_IF(
        !m_interface && handler != nullptr && handler != this && handler != &m_downHandler,
        "the InaNetDevice of node "
            << node
            << " already has a handler: call Share() first if several applications use one device");
    m_device = device;
    ReadLine();
    if (IsInitialized())
    {
        FixLine();
    }
    NS_LOG_INFO("host of node " << node << " begins");
    if (!m_alarms)
    {
        m_alarms.emplace(node, [this](int64_t ts) { Wake(ts); });
        ArmAgenda(Simulator::Now().GetTimeStep());
    }
    m_agenda.clear();
    m_alarms->Clear(InaHostAlarms::PROTOCOL);
    if (m_ended || IsYetToStart())
    {
        Enter(m_ended ? State::STOPPED : State::WAITING);
        return;
    }
    if (m_state != State::PAUSED)
    {
        Enter(State::RUNNING);
    }
    if (m_started)
    {
        m_begunTrace(node);
    }
}

void
InaHostApplication::At(const Time& at, std::function<void(const Time&)> action)
{
    NS_LOG_FUNCTION(this << at);
    GetDevice(); // aborts without a device
    const int64_t ts = at.GetTimeStep();
    NS_ABORT_MSG_IF(at < Simulator::Now(),
                    "InaHostApplication::At() was called for "
                        << at.As(Time::NS) << ", which is in the past: the time is "
                        << Simulator::Now().As(Time::NS));
    m_agenda.emplace(ts, std::move(action));
    if (m_state == State::RUNNING)
    {
        m_alarms->SetNoLaterThan(InaHostAlarms::AGENDA, ts);
    }
}

void
InaHostApplication::HoldAt(const Time& at)
{
    NS_LOG_FUNCTION(this << at);
    const int64_t ts = at.GetTimeStep();
    m_holds.insert(std::ranges::lower_bound(m_holds, ts, std::greater()), ts);
    if (m_alarms)
    {
        m_alarms->SetNoLaterThan(InaHostAlarms::AGENDA, ts);
    }
}

/// Handles what is due at `ts`. Arrivals come before alarms.
void
InaHostApplication::Wake(int64_t ts)
{
    if (m_interface)
    {
        m_interface->RunAlarms(ts);
        return;
    }
    m_device->DeliverUntil(ts);
    RunAlarms(ts);
}

void
InaHostApplication::RunAlarms(int64_t ts)
{
    while (m_alarms && m_alarms->NextTs() <= ts)
    {
        if (m_alarms->Due(InaHostAlarms::AGENDA) <= ts)
        {
            m_alarms->Clear(InaHostAlarms::AGENDA);
            RunAgenda(ts);
        }
        else
        {
            m_alarms->Clear(InaHostAlarms::PROTOCOL);
            Expire(ts);
        }
    }
}

/// Expires the protocol before `ts`. Returns false if an action of the agenda or a hold is due
/// first, because both need events of their own: an action may affect other objects, and a hold may
/// announce a pause that precedes arrivals at the same time.
bool
InaHostApplication::RunAhead(int64_t ts)
{
    while (m_alarms->NextTs() < ts)
    {
        const int64_t dueTs = m_alarms->Due(InaHostAlarms::PROTOCOL);
        if (m_alarms->Due(InaHostAlarms::AGENDA) <= dueTs)
        {
            return false;
        }
        m_alarms->Clear(InaHostAlarms::PROTOCOL);
        Expire(dueTs);
    }
    return m_alarms->Due(InaHostAlarms::AGENDA) > ts;
}

void
InaHostApplication::fetch_ahead(unsigned step) const
{
    if (step == 0)
    {
        ina::fetch_between(&m_state, &m_alarms + 1);
    }
}

void
InaHostApplication::RunAgenda(int64_t ts)
{
    while (m_state == State::RUNNING && !m_agenda.empty() && m_agenda.begin()->first <= ts)
    {
        const auto action = std::move(m_agenda.begin()->second);
        m_agenda.erase(m_agenda.begin());
        action(Time(ts));
    }
    ArmAgenda(ts);
}

/// Arms the alarm for the next action or hold after `ts`.
void
InaHostApplication::ArmAgenda(int64_t ts)
{
    while (!m_holds.empty() && m_holds.back() <= ts)
    {
        m_holds.pop_back();
    }
    if (!m_holds.empty())
    {
        m_alarms->SetNoLaterThan(InaHostAlarms::AGENDA, m_holds.back());
    }
    if (!m_agenda.empty() && m_state == State::RUNNING)
    {
        m_alarms->SetNoLaterThan(InaHostAlarms::AGENDA, std::max(m_agenda.begin()->first, ts));
    }
}

void
InaHostApplication::Pause(const Time& until)
{
    NS_LOG_FUNCTION(this << until);
    GetDevice(); // aborts without a device
    const int64_t ts = Simulator::Now().GetTimeStep();
    if (m_state == State::STOPPED || m_state == State::WAITING)
    {
        return;
    }
    NS_LOG_INFO("host of node " << m_device->GetNode()->GetId() << " pauses");
    m_pausedUntil = std::max(m_pausedUntil, until.GetTimeStep());
    Enter(State::PAUSED);
    m_alarms->Clear(InaHostAlarms::PROTOCOL);
    m_alarms->Clear(InaHostAlarms::AGENDA);
    ArmAgenda(ts);
    m_pausedTrace(m_device->GetNode()->GetId());
}

void
InaHostApplication::Resume()
{
    NS_LOG_FUNCTION(this);
    const int64_t ts = Simulator::Now().GetTimeStep();
    if (m_state != State::PAUSED || ts < m_pausedUntil)
    {
        return;
    }
    NS_LOG_INFO("host of node " << m_device->GetNode()->GetId() << " goes on");
    m_resumedTrace(m_device->GetNode()->GetId());
    Enter(State::RUNNING);
    for (ina::Frame& frame : std::exchange(m_downHandler.kept, {}))
    {
        if (IsRunning())
        {
            HandleFrame(*m_device, frame, ts);
        }
        else // a callback has paused or stopped the process
        {
            m_downHandler.HandleFrame(*m_device, frame, ts);
        }
    }
    RunAgenda(ts);
    if (m_state == State::RUNNING) // an action may have ended the job
    {
        Expire(ts);
    }
}

void
InaHostApplication::Stop()
{
    NS_LOG_FUNCTION(this);
    GetDevice(); // aborts without a device
    if (m_state == State::STOPPED)
    {
        return;
    }
    NS_LOG_INFO("host of node " << m_device->GetNode()->GetId() << " stops");
    m_pausedUntil = 0;
    Enter(State::STOPPED);
    m_downHandler.kept.clear();
    m_agenda.clear();
    m_alarms->Clear(InaHostAlarms::PROTOCOL);
    m_stoppedTrace(m_device->GetNode()->GetId());
}

void
InaHostApplication::DownHandler::HandleFrame(InaNetDevice&, ina::Frame& frame, int64_t)
{
    if (m_state == State::PAUSED)
    {
        kept.push_back(std::move(frame));
    }
}

void
InaHostApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_alarms.reset();
    m_agenda.clear();
    m_downHandler.kept.clear();
    m_interface = nullptr;
    m_device = nullptr;
    Application::DoDispose();
}

} // namespace ns3
