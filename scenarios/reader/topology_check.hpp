// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/reader/scenario_document.hpp"

namespace ina::scenarios {

/// Throws InputError if no network can be made of it.
void check_topology(const TopologyScenario& topology, const ScenarioDocument& document);

/// Throws InputError if the pattern, which stands at "link" of what is at `place`, matches none of
/// the links, of which these are the names (link_names()).
void check_link(const std::string& pattern, const std::vector<std::string>& links,
                const TopologyScenario& topology, const std::string& place,
                const ScenarioDocument& document);

/// Likewise, of a name that stands for one link.
void check_single_link(const std::string& name, const std::vector<std::string>& links,
                       const TopologyScenario& topology, const std::string& place,
                       const ScenarioDocument& document);

}  // namespace ina::scenarios
