/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-worker-application.h"

#include "hw/protocol/transport/interface_queue.hpp"

#include "ns3/ina-seldom-traced.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaWorkerApplication");
NS_OBJECT_ENSURE_REGISTERED(InaWorkerApplication);

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
                "stays with the transport, so that retransmissions do not wait behind it.",
                UintegerValue(ina::kInterfaceQueueBytes),
                MakeUintegerAccessor(&InaWorkerApplication::m_interfaceQueueBytes),
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
    if (m_transport)
    {
        m_earlierStatistics += m_transport->statistics();
    }
    else
    {
        m_interfaceQueueSteps = device->SerialisationSteps(m_interfaceQueueBytes);
    }
    m_transport = std::move(transport);
    Begin(device);
}

ina::WorkerStatistics
InaWorkerApplication::Statistics() const
{
    ina::WorkerStatistics all = m_earlierStatistics;
    return all += m_transport->statistics();
}

void
InaWorkerApplication::Submit(const ina::Tensor& tensor, int64_t ts)
{
    NS_LOG_INFO("tensor from PSN " << tensor.first_psn << ", " << tensor.fragments
                                   << " fragments, priority " << tensor.priority.at(ina::Time(ts)));
    m_transport->submit(tensor, ina::Time(ts));
    if (!IsYetToStart())
    {
        Pump(ts);
    }
}

int64_t
InaWorkerApplication::QuietUntil(int64_t ts) const
{
    if (!m_windowTrace.IsEmpty())
    {
        return ts; // who traces wants the simulator's clock to be right
    }
    return InaHostApplication::QuietUntil(ts);
}

void
InaWorkerApplication::Prefetch(unsigned step) const
{
    InaHostApplication::Prefetch(step);
    if (step == 0)
    {
        __builtin_prefetch(&m_transport);
        __builtin_prefetch(&m_windowTrace);
    }
    else if (step == 1)
    {
        __builtin_prefetch(m_transport.get());
    }
    else if (m_transport)
    {
        m_transport->prefetch(step - 2);
    }
}

void
InaWorkerApplication::HandleFrame(InaNetDevice&, ina::Frame& frame, int64_t ts)
{
    m_transport->receive(frame, ina::Time(ts));
    if (!m_windowTrace.IsEmpty()) [[unlikely]]
    {
        InaFireTrace(m_windowTrace, m_transport->window(), m_transport->in_flight());
    }
    Pump(ts);
}

/// Whether there was a frame to send.
[[gnu::always_inline]] inline bool
InaWorkerApplication::PutNextOnLine(int64_t ts)
{
    return PutOnLine(ts,
                     [this, ts](ina::Frame& frame)
                     { return m_transport->next(frame, ina::Time(ts)); });
}

inline void
InaWorkerApplication::ArmDeadline(int64_t ts)
{
    if (const ina::Time deadline = m_transport->deadline(); deadline != ina::kNever)
    {
        ExpireNoLaterThan(std::max(deadline.count(), ts));
    }
}

void
InaWorkerApplication::Pump(int64_t ts)
{
    if (SharedInterface() != nullptr) [[unlikely]]
    {
        SharedInterface()->Pump(ts);
        ArmDeadline(ts);
        return;
    }
    int64_t backlog = Device().Backlog(ts);
    while (backlog < m_interfaceQueueSteps && PutNextOnLine(ts))
    {
        backlog = Device().Backlog(ts);
        if (!m_transport->may_have_another())
        {
            break;
        }
    }
    if (backlog >= m_interfaceQueueSteps)
    {
        ExpireNoLaterThan(ts + backlog - m_interfaceQueueSteps / 2);
    }
    ArmDeadline(ts);
}

/// On a device that is shared, others may have made it send.
bool
InaWorkerApplication::SendOne(int64_t ts)
{
    const bool sent = PutNextOnLine(ts);
    if (sent)
    {
        ArmDeadline(ts);
    }
    return sent;
}

void
InaWorkerApplication::Expire(int64_t ts)
{
    if (m_transport->deadline() <= ina::Time(ts))
    {
        NS_LOG_INFO("time-out with " << m_transport->in_flight() << " packets in flight");
        m_transport->expire(ina::Time(ts));
    }
    Pump(ts);
}

void
InaWorkerApplication::DoDispose()
{
    m_transport.reset();
    InaHostApplication::DoDispose();
}

} // namespace ns3
