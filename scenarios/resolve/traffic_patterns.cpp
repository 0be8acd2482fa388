// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/traffic_patterns.hpp"

#include <set>
#include <string>

#include "hw/protocol/units.hpp"
#include "scenarios/resolve/link_names.hpp"

namespace ina::scenarios {

using cluster::traffic::Pattern;
using cluster::traffic::PatternKind;

Pattern traffic_pattern(const FlowsScenario& flows, const Scenario& scenario,
                        const Network& network) {
  Pattern pattern;
  pattern.kind = flows.kind;
  pattern.bytes = flows.bytes;
  pattern.start = Time(flows.start_ps);
  pattern.interval = Time(flows.interval_ps);
  const bool is_random = flows.kind == PatternKind::arrivals;
  for (const std::string& name : is_random ? flows.hosts : flows.from) {
    pattern.from.push_back(*find_machine(scenario.topology, name));
  }
  if (!is_random) {
    pattern.to.push_back(*find_machine(scenario.topology, flows.to));
    return pattern;
  }
  for (std::uint32_t host = 0; flows.hosts.empty() && host < network.host_count; ++host) {
    pattern.from.push_back(host);
  }
  for (const std::uint32_t host : pattern.from) {
    pattern.load.push_back(flows.load * static_cast<double>(network.hosts[host].line.rate_bps) /
                           kBitsPerByte);
  }
  for (const auto& row : flows.size_points) pattern.sizes.points.push_back({row[0], row[1]});
  return pattern;
}

std::vector<Pattern> traffic_patterns(const Scenario& scenario, const Network& network) {
  std::vector<Pattern> patterns;
  for (const FlowsScenario& flows : scenario.traffic.flows) {
    patterns.push_back(traffic_pattern(flows, scenario, network));
  }
  return patterns;
}

std::vector<std::uint32_t> machines_of(const std::vector<Pattern>& patterns) {
  std::set<std::uint32_t> machines;
  for (const Pattern& pattern : patterns) {
    machines.insert(pattern.from.begin(), pattern.from.end());
    machines.insert(pattern.to.begin(), pattern.to.end());
  }
  return {machines.begin(), machines.end()};
}

}  // namespace ina::scenarios
