/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_RUN_ESTIMATE_H
#define INA_RUN_ESTIMATE_H

#include "scenarios/reader/experiment.hpp"

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup ina-cluster
 * Estimate of what runs will take, in a line of words: packet-hops, the memory of the largest,
 * disk, and the time on this machine. Memory follows from the scenario. For the rest, a run of each
 * combination of swept values begins, for a fraction of a second, and is extrapolated by the share
 * of its fragments that are done; nothing is written. A run that fails says so, and is left out.
 * \param name of the experiment \param runs of the experiment \param processes runs at a time, at
 * least 1
 */
std::string EstimateRuns(const std::string& name,
                         const std::vector<const ina::scenarios::ExperimentPoint*>& runs,
                         unsigned processes);

} // namespace ns3

#endif // INA_RUN_ESTIMATE_H
