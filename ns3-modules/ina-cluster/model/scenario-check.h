/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_SCENARIO_CHECK_H
#define INA_SCENARIO_CHECK_H

#include "scenario-document.h"
#include "scenario.h"

#include <string>
#include <vector>

namespace ns3
{

/// Throws ScenarioError if values that are allowed by themselves do not fit together. places[j] is
/// the pointer to what describes job j.
void CheckScenario(const Scenario& scenario,
                   const std::vector<std::string>& places,
                   const ScenarioDocument& document);

} // namespace ns3

#endif // INA_SCENARIO_CHECK_H
