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

/** A finding: a cause that influences the results of a run more than the user may expect. */
struct InaFinding
{
    std::string what; //!< kind, such as "waiting" or "dropped"
    std::string key;  //!< JSON pointer of the scenario key to change
    double amount;    //!< magnitude, comparable between findings of one kind
    std::string text; //!< one line, ending with the key
};

/** Thresholds above which findings are reported (docs/reference/findings.md). */
struct InaFindingThresholds
{
    /// Resent share of the packets that hosts sent, in a run without losses. Below it, a few early
    /// timeouts change no mean.
    static constexpr double RESENT = 0.001;
    /// Share of the time of a job's iterations. Below it, waiting is smaller than the usual noise
    /// between seeds.
    static constexpr double WAITING = 0.01;
    /// Share of the time of a job's iterations. Even without a bottleneck, a tensor of a few
    /// windows waits a tenth of its time until the initial window has grown.
    static constexpr double MEMORY_OR_WINDOW = 0.2;
    /// Minimum timeout, in unloaded round trips. A first timeout needs three (RFC 6298, 2.2), and
    /// an automatic `reminder_min_timeout` has five.
    static constexpr double ROUND_TRIPS = 10;
    /// Share of the time of a job's iterations. Above it, systems differ by less than a twentieth.
    static constexpr double COMPUTATION = 0.95;
    /// Time that a link needs for all sums of a fragment, relative to that of a worker's link for
    /// one of them.
    static constexpr double SHARED_LINK = 1;
    /// Share of the run in which that shared link sends. Below it, sharing delays hardly any job.
    static constexpr double BUSY_LINK = 0.1;
};

/**
 * \ingroup ina-cluster
 * Finds the causes that dominate a run: at most one finding per kind and key, in a fixed order.
 *
 * \param resolved Scenario of the run.
 * \param result Result of the run.
 */
std::vector<InaFinding> InaFindingsOf(const ina::scenarios::Resolved& resolved,
                                      const InaRunResult& result);

} // namespace ns3

#endif // INA_FINDINGS_H
