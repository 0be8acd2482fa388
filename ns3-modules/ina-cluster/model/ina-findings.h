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

/** A cause that influences the results of a run more than the user may expect. */
struct InaFinding
{
    std::string what; //!< kind of the finding, such as "waiting" or "dropped"
    std::string key;  //!< JSON pointer of the scenario key to change
    double amount;    //!< magnitude; comparable between findings of the same kind
    std::string text; //!< message of one line, which ends with the key
};

/** Thresholds above which findings are reported (docs/reference/findings.md). */
struct InaFindingThresholds
{
    /// Share of retransmissions in all packets that hosts sent, in a run without losses. A few
    /// early timeouts cause a smaller share, which does not change a mean JCT.
    static constexpr double RESENT = 0.001;
    /// Part of the time of a job's iterations that it waits for timeouts. A smaller part is less
    /// than the usual difference in JCT between seeds.
    static constexpr double WAITING = 0.01;
    /// Part of the time of a job's iterations that it waits for memory, or for the window. A tenth
    /// is normal if a tensor is only a few windows long, since the initial window must grow.
    static constexpr double MEMORY_OR_WINDOW = 0.2;
    /// Minimum timeout of a system, in unloaded round trips. RFC 6298 (section 2.2) begins with a
    /// timeout of three, and an automatic `reminder_min_timeout` has five.
    static constexpr double ROUND_TRIPS = 10;
    /// Share of computation in every job's time. Above it, systems differ by less than a twentieth.
    static constexpr double COMPUTATION = 0.95;
    /// Time that a shared link needs for all sums of a fragment, divided by the time that a
    /// worker's link needs for one sum.
    static constexpr double SHARED_LINK = 1;
    /// Share of the run during which the shared link sends. A less busy link hardly delays any job.
    static constexpr double BUSY_LINK = 0.1;
};

/**
 * \ingroup ina-cluster
 * Finds the causes that dominate a run, in a fixed order, at most one for each kind and key.
 *
 * \param resolved Scenario of the run.
 * \param result Result of the run.
 */
std::vector<InaFinding> InaFindingsOf(const ina::scenarios::Resolved& resolved,
                                      const InaRunResult& result);

} // namespace ns3

#endif // INA_FINDINGS_H
