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
 * Estimates the cost of runs as one line of text: packet-hops, memory of the largest run, disk
 * space, and time on this computer. Memory is computed from the scenario. The other costs come from
 * one run per combination of swept values. Each of these runs is stopped after 0.1 to 3 s of CPU
 * time and extrapolated from its share of fragments done. Nothing is written to files. If a run
 * fails, it prints a message and is not counted.
 * \param name name of the experiment
 * \param runs runs of the experiment
 * \param processes maximum number of simultaneous runs, at least 1
 */
std::string EstimateRuns(const std::string& name,
                         const std::vector<const ina::scenarios::ExperimentPoint*>& runs,
                         unsigned processes);

} // namespace ns3

#endif // INA_RUN_ESTIMATE_H
