/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_SCENARIO_CHECK_H
#define INA_SCENARIO_CHECK_H

#include "scenario-document.h"
#include "scenario.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Bytes of switch memory that hold the values of one aggregator; for SwitchML of one slot, with
/// its shadow copy.
std::uint64_t AggregatorBytes(const Scenario& scenario);

/// SwitchML's slots of a job by the preset of the system: an even share of the memory, or 166 if
/// starved.
std::uint32_t DefaultSlots(const Scenario& scenario);

/// Throws ScenarioError if values that are allowed by themselves do not fit together. places[j] is
/// the pointer to what describes job j.
void CheckScenario(const Scenario& scenario,
                   const std::vector<std::string>& places,
                   const ScenarioDocument& document);

} // namespace ns3

#endif // INA_SCENARIO_CHECK_H
