/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-worker-application.h"

#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/interface_queue.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"

#include "ns3/abort.h"
#include "ns3/fatal-error.h"
#include "ns3/ina-abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaWorkerApplication");
NS_OBJECT_ENSURE_REGISTERED(InaWorkerApplication);

namespace
{

constexpr const char* TRANSPORT = "the transport of an InaWorkerApplication";

} // namespace

TypeId
InaWorkerApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InaWorkerApplication")
            .SetParent<InaHostApplication>()
            .SetGroupName("Ina")
            .AddConstructor<InaWorkerApplication>()
            .AddAttribute(
                "InterfaceQueue",
                "Bytes that the host puts before its line at most; what the window allows beyond "
                "stays with the transport, so that retransmissions do not wait behind it. Set it "
                "before the simulation starts.",
                UintegerValue(ina::kInterfaceQueueBytes),
                MakeUintegerAccessor(&InaWorkerApplication::SetInterfaceQueue,
                                     &InaWorkerApplication::GetInterfaceQueue),
                MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource(
                "Window",
                "After each frame received: packets that may be in flight, packets in flight.",
                MakeTraceSourceAccessor(&InaWorkerApplication::m_windowTrace),
                "ns3::InaWorkerApplication::WindowTracedCallback");
    return tid;
}

void
InaWorkerApplication::Install(Ptr<InaNetDevice> device,
                              std::unique_ptr<ina::WorkerTransport> transport)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_UNLESS(device, "InaWorkerApplication::Install() needs an InaNetDevice");
    NS_ABORT_MSG_UNLESS(transport, "InaWorkerApplication::Install() needs a transport");
    AbortIfWorking("Install");
    if (m_transport)
    {
        m_earlierStatistics += m_transport->statistics();
    }
    m_submitted.clear();
    m_transport = std::move(transport);
    m_transportFetches = dynamic_cast<const ina::Prefetchable*>(m_transport.get());
    // Other transports send few packets of an MTU each, and need no specialised function.
    m_handleArrivals = FindArrivalsFunction<ina::SwitchmlWorker, ina::AtpWorker, ina::DsaWorker>();
    Begin(device);
}

ina::WorkerStatistics
InaWorkerApplication::GetStatistics() const
{
    AbortUnlessInstalled();
    ina::WorkerStatistics all = m_earlierStatistics;
    return all += m_transport->statistics();
}

const ina::WorkerTransport&
InaWorkerApplication::GetTransport() const
{
    AbortUnlessInstalled();
    return *m_transport;
}

void
InaWorkerApplication::AbortUnlessInstalled() const
{
    NS_ABORT_MSG_UNLESS(m_transport,
                        "an InaWorkerApplication has no transport: call Install() first");
}

void
InaWorkerApplication::ReadLine()
{
    m_interfaceQueueSteps = Device().SerialisationSteps(m_interfaceQueueBytes);
}

class InaWorkerApplication::Working
{
  public:
    explicit Working(InaWorkerApplication& application) :
        m_isWorking(application.m_isWorking), m_wasWorking(std::exchange(m_isWorking, true))
    {
    }

    ~Working()
    {
        m_isWorking = m_wasWorking;
    }

    Working(const Working&) = delete;
    Working& operator=(const Working&) = delete;

  private:
    bool& m_isWorking;
    bool m_wasWorking;
};

void
InaWorkerApplication::AbortIfWorking(const char* method) const
{
    NS_ABORT_MSG_IF(m_isWorking,
                    "InaWorkerApplication::"
                        << method
                        << "() was called from within a GradientSource, a ResultSink or a trace "
                           "sink: schedule the call instead, for example with "
                           "Simulator::ScheduleNow()");
}

void
InaWorkerApplication::SetInterfaceQueue(uint32_t bytes)
{
    NS_ABORT_MSG_IF(IsInitialized(),
                    "InterfaceQueue of an InaWorkerApplication can no longer be changed: set it "
                    "before the simulation starts");
    m_interfaceQueueBytes = bytes;
}

uint32_t
InaWorkerApplication::GetInterfaceQueue() const
{
    return m_interfaceQueueBytes;
}

void
InaWorkerApplication::Submit(const ina::Tensor& tensor)
{
    AbortUnlessInstalled();
    AbortIfWorking("Submit");
    NoteSubmitted(tensor);
    SubmitAt(tensor, Simulator::Now().GetTimeStep());
}

void
InaWorkerApplication::NoteSubmitted(const ina::Tensor& tensor)
{
    NS_ABORT_MSG_IF(tensor.fragments == 0, "a tensor has no fragments: set Tensor::fragments");
    const uint64_t end = uint64_t{tensor.first_psn} + tensor.fragments;
    const auto after = m_submitted.lower_bound(tensor.first_psn);
    const auto before = after == m_submitted.begin() ? m_submitted.end() : std::prev(after);
    NS_ABORT_MSG_IF((after != m_submitted.end() && after->first < end) ||
                        (before != m_submitted.end() && before->second > tensor.first_psn),
                    "a tensor with PSNs " << tensor.first_psn << " to " << end - 1
                                          << " was submitted, but some of these PSNs were already "
                                             "used: PSNs continue from tensor to tensor");
    m_submitted.emplace(tensor.first_psn, end);
}

/// Checks that PSNs are complete. Transports send PSNs in order, starting with 0, so a missing
/// range blocks all later ones.
void
InaWorkerApplication::TellOfGap() const
{
    uint64_t end = 0;
    for (const auto& [first, last] : m_submitted)
    {
        if (first != end)
        {
            NS_FATAL_ERROR_CONT("a worker never sent the tensor from PSN "
                                << first << ", because PSNs " << end << " to " << first - 1
                                << " were not submitted");
            return;
        }
        end = last;
    }
}

void
InaWorkerApplication::SubmitAt(const ina::Tensor& tensor, int64_t ts)
{
    NS_LOG_FUNCTION(this << ts);
    AbortUnlessInstalled();
    NS_ABORT_MSG_UNLESS(tensor.source, "a tensor has no values: set Tensor::source");
    NS_ABORT_MSG_IF(ts < m_handledTs || ts < Simulator::Now().GetTimeStep(),
                    "a tensor is submitted at "
                        << ts << " ps, but this worker has already handled arrivals until "
                        << m_handledTs << " ps: it runs ahead (attribute RunAhead)");
    NS_LOG_INFO("tensor from PSN " << tensor.first_psn << ", " << tensor.fragments
                                   << " fragments, priority " << tensor.priority.at(ina::Time(ts)));
    const Working working(*this);
    m_transport->submit(tensor, ina::Time(ts));
    Pump(ts);
}

void
InaWorkerApplication::fetch_ahead(unsigned step) const
{
    InaHostApplication::fetch_ahead(step);
    if (step == 0)
    {
        ina::fetch_between(&m_interfaceQueueSteps, &m_interfaceQueueBytes);
    }
    else if (step == 1)
    {
        ina::fetch_line(m_transport.get());
    }
    else if (m_transportFetches != nullptr)
    {
        m_transportFetches->fetch_ahead(step - 2);
    }
}

void
InaWorkerApplication::HandleFrame(InaNetDevice&, ina::Frame& frame, int64_t ts)
{
    NS_LOG_FUNCTION(this << ts);
    m_handledTs = ts;
    {
        const Working working(*this);
        InaAbortIfOtherFormat(TRANSPORT, [&]() { m_transport->receive(frame, ina::Time(ts)); });
    }
    if (!m_windowTrace.IsEmpty()) [[unlikely]]
    {
        m_windowTrace(m_transport->window(), m_transport->in_flight());
    }
    const Working working(*this);
    Pump(ts);
}

void
InaWorkerApplication::HandleArrivals(InaNetDevice& device,
                                     InaLinkDirection& direction,
                                     int64_t eventTs)
{
    if (device.IsWatched() || !m_windowTrace.IsEmpty()) [[unlikely]]
    {
        // A sink may stop this application or replace its transport.
        device.HandOver(direction, eventTs);
        return;
    }
    (this->*m_handleArrivals)(device, direction, eventTs);
}

/// Selects the function for the class of the transport, which avoids virtual calls for each frame.
template <class Worker, class... Others>
InaWorkerApplication::ArrivalsFunction
InaWorkerApplication::FindArrivalsFunction() const
{
    if (dynamic_cast<const Worker*>(m_transport.get()) != nullptr)
    {
        return &InaWorkerApplication::HandleArrivalsBy<Worker>;
    }
    if constexpr (sizeof...(Others) == 0)
    {
        return &InaWorkerApplication::HandleArrivalsBy<ina::WorkerTransport>;
    }
    else
    {
        return FindArrivalsFunction<Others...>();
    }
}

/// Handles frames for this application. There is one class for each class of transports.
template <class Worker>
class InaWorkerApplication::ArrivalHandler
{
  public:
    explicit ArrivalHandler(InaWorkerApplication& application) :
        m_application(application), m_transport(static_cast<Worker&>(*application.m_transport))
    {
    }

    void
    HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts)
    {
        m_handledTs = ts;
        m_transport.receive(frame, ina::Time(ts));
        if (m_application.IsRunning()) [[likely]]
        {
            m_application.PumpOwnLine(device, m_transport, ts);
        }
    }

    bool
    GoesOn(const InaNetDevice& device, int64_t ts, int64_t nextTs)
    {
        if (!HasTransport())
        {
            return false;
        }
        if (nextTs >= m_noDeadlineBefore) [[unlikely]]
        {
            ArmDeadline();
            m_noDeadlineBefore = m_transport.no_deadline_before(ina::Time(ts)).count();
        }
        return device.MayHandOverAhead(m_application, ts, nextTs) && HasTransport();
    }

    int64_t
    HandledTs() const
    {
        return m_handledTs;
    }

    /// Called after the last frame of an event.
    void
    ArmDeadline() const
    {
        if (HasTransport())
        {
            m_application.ArmDeadline(m_transport, m_handledTs);
        }
    }

  private:
    /// Whether the application still has the same transport.
    bool
    HasTransport() const
    {
        return m_application.m_transport.get() == &m_transport;
    }

    InaWorkerApplication& m_application;
    Worker& m_transport;
    int64_t m_handledTs{0};
    /// until then, GoesOn() need not arm the deadline for each frame
    int64_t m_noDeadlineBefore{0};
};

template <class Worker>
void
InaWorkerApplication::HandleArrivalsBy(InaNetDevice& device,
                                       InaLinkDirection& direction,
                                       int64_t eventTs)
{
    const Working working(*this);
    ArrivalHandler<Worker> handler(*this);
    InaAbortIfOtherFormat(TRANSPORT, [&]() { device.HandOverTo(handler, direction, eventTs); });
    handler.ArmDeadline();
    m_handledTs = handler.HandledTs();
}

/// \return whether there was a frame to send.
template <class Worker>
[[gnu::always_inline]] inline bool
InaWorkerApplication::PutNextOnLine(InaNetDevice& device, Worker& transport, int64_t ts)
{
    return device.SendMade(ts,
                           [&transport, ts](ina::Frame& frame)
                           { return transport.next(frame, ina::Time(ts)); });
}

template <class Worker>
inline void
InaWorkerApplication::ArmDeadline(const Worker& transport, int64_t ts)
{
    const ina::Time deadline = transport.deadline();
    if (deadline != ina::kNever && IsRunning())
    {
        ExpireNoLaterThan(std::max(deadline.count(), ts));
    }
}

/// Sends as much as transport and line allow, for an application that does not share its device.
template <class Worker>
void
InaWorkerApplication::PumpOwnLine(InaNetDevice& device, Worker& transport, int64_t ts)
{
    int64_t backlog = device.Backlog(ts);
    while (backlog < m_interfaceQueueSteps && PutNextOnLine(device, transport, ts))
    {
        backlog = device.Backlog(ts);
        if (!transport.may_have_another())
        {
            break;
        }
    }
    if (backlog >= m_interfaceQueueSteps)
    {
        ExpireNoLaterThan(ts + backlog - m_interfaceQueueSteps / 2);
    }
}

void
InaWorkerApplication::Pump(int64_t ts)
{
    if (!IsRunning() || IsYetToStart())
    {
        return; // a sink may have paused or stopped it
    }
    if (SharedInterface() == nullptr)
    {
        PumpOwnLine(Device(), *m_transport, ts);
    }
    else
    {
        SharedInterface()->Pump(ts);
    }
    ArmDeadline(*m_transport, ts);
}

/// Sends one frame. On a shared device, other applications determine when.
bool
InaWorkerApplication::SendOne(int64_t ts)
{
    const Working working(*this);
    const bool sent = PutNextOnLine(Device(), *m_transport, ts);
    if (sent)
    {
        ArmDeadline(*m_transport, ts);
    }
    return sent;
}

void
InaWorkerApplication::Expire(int64_t ts)
{
    NS_LOG_FUNCTION(this << ts);
    if (m_transport->deadline() <= ina::Time(ts))
    {
        NS_LOG_INFO("time-out with " << m_transport->in_flight() << " packets in flight");
        const Working working(*this);
        m_transport->expire(ina::Time(ts));
    }
    const Working working(*this);
    Pump(ts);
}

void
InaWorkerApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    TellOfGap();
    m_transportFetches = nullptr;
    m_transport.reset();
    InaHostApplication::DoDispose();
}

} // namespace ns3
