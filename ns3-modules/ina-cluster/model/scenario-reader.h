/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_SCENARIO_READER_H
#define INA_SCENARIO_READER_H

#include "scenario-document.h"
#include "scenario.h"
#include "trace-files.h"

namespace ns3
{

/**
 * The scenario that a document describes, with every default filled in, checked; its seed, which is
 * the business of an experiment as are "seeds" and "sweep", is 1. Throws ScenarioError.
 */
Scenario ReadScenario(const ScenarioDocument& document, TraceFiles& files);

/**
 * The scenario as a file with every default filled in, profiles and speeds included, so that the
 * file needs no other one. Reading it gives an experiment of one point: the same scenario.
 */
Json ToJson(const Scenario& scenario);

} // namespace ns3

#endif // INA_SCENARIO_READER_H
