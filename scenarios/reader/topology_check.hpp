// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/reader/scenario_document.hpp"

namespace ina::scenarios {

/// Throws InputError if the topology does not describe a valid network.
void check_topology(const TopologyScenario& topology, const ScenarioDocument& document);

/// Throws InputError unless `pattern`, the value of a key "link", matches a link. `place` is the
/// pointer to the object with this key. `links`: the names of all links, from link_names().
void check_link(const std::string& pattern, const std::vector<std::string>& links,
                const TopologyScenario& topology, const std::string& place,
                const ScenarioDocument& document);

/// Like check_link(), but for the name of a single link.
void check_single_link(const std::string& name, const std::vector<std::string>& links,
                       const TopologyScenario& topology, const std::string& place,
                       const ScenarioDocument& document);

}  // namespace ina::scenarios
