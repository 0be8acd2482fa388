/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SELDOM_TRACED_H
#define INA_SELDOM_TRACED_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simulator.h"

#include <cstdint>

namespace ns3
{

/** Fires a trace source that rarely has sinks, from code that handles every frame. It is not
 * inlined, since the loop over the sinks would use registers of every caller. */
template <class Trace, class... Args>
[[gnu::cold, gnu::noinline]] void
InaFireTrace(const Trace& trace, const Args&... args)
{
    trace(args...);
}

/**
 * Fires a trace source when the simulator's clock reaches a time step, now or later.
 *
 * \param owner Object that has the trace source as a member.
 * \param node Node to which the event belongs.
 * \param ts The time step.
 * \param trace The trace source.
 * \param args Arguments for the sinks; copied if `ts` is in the future.
 */
template <class Owner, class Trace, class... Args>
[[gnu::cold, gnu::noinline]] void
InaFireTraceAt(Ptr<Owner> owner, uint32_t node, int64_t ts, const Trace& trace, const Args&... args)
{
    if (trace.IsEmpty())
    {
        return;
    }
    const Time delay = TimeStep(static_cast<uint64_t>(ts)) - Simulator::Now();
    if (delay.IsZero())
    {
        trace(args...);
        return;
    }
    Simulator::ScheduleWithContext(node, delay, [owner, &trace, args...]() { trace(args...); });
}

} // namespace ns3

#endif // INA_SELDOM_TRACED_H
