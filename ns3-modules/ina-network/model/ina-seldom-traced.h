/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SELDOM_TRACED_H
#define INA_SELDOM_TRACED_H

namespace ns3
{

/** The calls of InaFireIfTraced(): out of line, or their loop would take registers of every caller.
 */
template <class Trace, class... Args>
[[gnu::cold, gnu::noinline]] void
InaFireTrace(const Trace& trace, const Args&... args)
{
    trace(args...);
}

/** Fires a trace source of the hot path, to which nobody listens as a rule. */
template <class Trace, class... Args>
void
InaFireIfTraced(const Trace& trace, const Args&... args)
{
    if (!trace.IsEmpty()) [[unlikely]]
    {
        InaFireTrace(trace, args...);
    }
}

} // namespace ns3

#endif // INA_SELDOM_TRACED_H
