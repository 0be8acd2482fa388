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

/** Fires a trace source of the hot path, to which nobody listens as a rule. Out of line, or the
 * loop over the sinks would take registers of every caller. */
template <class Trace, class... Args>
[[gnu::cold, gnu::noinline]] void
InaFireTrace(const Trace& trace, const Args&... args)
{
    trace(args...);
}

} // namespace ns3

#endif // INA_SELDOM_TRACED_H
