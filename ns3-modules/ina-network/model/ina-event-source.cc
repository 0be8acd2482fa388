/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-event-source.h"

#include "ina-simulator-impl.h"

#include "ns3/abort.h"
#include "ns3/make-event.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

InaEventSource::InaEventSource(uint32_t context) :
    m_impl(DynamicCast<InaSimulatorImpl>(Simulator::GetImplementation())), m_context(context)
{
    if (m_impl)
    {
        m_number = m_impl->Register(*this);
    }
}

InaEventSource::~InaEventSource()
{
    Disarm();
    if (m_impl)
    {
        m_impl->Unregister(m_number);
    }
}

void
InaEventSource::Arm(int64_t ts)
{
    const bool wasArmed = std::exchange(m_armed, true);
    if (m_impl) [[likely]]
    {
        m_impl->Arm(m_number, wasArmed, ts);
    }
    else
    {
        ScheduleOrdinary(wasArmed, ts);
    }
}

int64_t
InaEventSource::NextOrdinaryTs() const
{
    return m_impl ? m_impl->NextOrdinaryTs() : 0;
}

void
InaEventSource::Disarm()
{
    if (!m_armed)
    {
        return;
    }
    m_armed = false;
    if (m_impl)
    {
        m_impl->Disarm(*this);
    }
    else
    {
        m_event->Cancel();
    }
}

void
InaEventSource::ScheduleOrdinary(bool wasArmed, int64_t ts)
{
    if (wasArmed)
    {
        m_event->Cancel();
    }
    const Time delay = TimeStep(static_cast<uint64_t>(ts)) - Simulator::Now();
    NS_ABORT_MSG_IF(delay.IsStrictlyNegative(),
                    "an event is due at " << ts << " ps, which is in the past: the time is "
                                          << Simulator::Now().GetTimeStep() << " ps");
    EventImpl* const event = MakeEvent(
        [this, ts]()
        {
            m_armed = false;
            Fire(ts);
        });
    m_event = Ptr<EventImpl>(event);
    Simulator::ScheduleWithContext(m_context, delay, event);
}

} // namespace ns3
