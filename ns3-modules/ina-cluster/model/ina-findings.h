/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_FINDINGS_H
#define INA_FINDINGS_H

#include "ina-cluster-run.h"

#include "scenarios/resolve/resolved.hpp"

#include <string>
#include <vector>

namespace ns3
{

/** A cause on which the results of a run depend more than their reader may expect. */
struct InaFinding
{
    std::string what; //!< its kind: "waiting", "dropped"
    std::string key;  //!< JSON pointer of the scenario's key to change
    double amount;    //!< how much of it there is, to compare findings of one kind
    std::string text; //!< one line, which ends with the key
};

/** The shares and times from which findings are reported (docs/reference/findings.md). */
struct InaFindingThresholds
{
    /// Share of the packets that hosts sent, in a run that lost none. Below it a few early
    /// time-outs change no mean.
    static constexpr double RESENT = 0.001;
    /// Share of the time of a job's iterations. Below it waiting is less than a seed's usual noise.
    static constexpr double WAITING = 0.01;
    /// Share of the time of a job's iterations. A tensor of a few windows waits for a tenth of its
    /// time until the first window has grown.
    static constexpr double MEMORY_OR_WINDOW = 0.2;
    /// Unloaded round trips of a floor of time-outs. A first time-out needs three (RFC 6298, 2.2),
    /// and a `reminder_min_timeout` that is "auto" has five.
    static constexpr double ROUND_TRIPS = 10;
    /// Share of the time of a job's iterations. Above it systems differ by less than a twentieth.
    static constexpr double COMPUTATION = 0.95;
    /// Time that a link needs for all sums of a fragment, over that of a worker's line for one.
    static constexpr double SHARED_LINK = 1;
    /// Share of the run in which that link sends. Below it its sums hardly hold up anybody.
    static constexpr double BUSY_LINK = 0.1;
};

/**
 * \ingroup ina-cluster
 * Finds what dominates a run: at most one finding of each kind and key, in a fixed order.
 *
 * \param resolved The run's scenario.
 * \param result The run's.
 */
std::vector<InaFinding> InaFindingsOf(const ina::scenarios::Resolved& resolved,
                                      const InaRunResult& result);

} // namespace ns3

#endif // INA_FINDINGS_H
