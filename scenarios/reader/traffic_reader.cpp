// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/traffic_reader.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "hw/fields/counted.hpp"
#include "hw/protocol/units.hpp"
#include "scenarios/keys/traffic_fields.hpp"
#include "scenarios/resolve/link_names.hpp"
#include "scenarios/resolve/topologies.hpp"
#include "scenarios/resolve/traffic_patterns.hpp"

namespace ina::scenarios {

namespace {

using cluster::traffic::Pattern;

void check_host(const std::string& name, const std::string& place, const Scenario& scenario,
                const ScenarioDocument& document) {
  const TopologyScenario& topology = scenario.topology;
  if (find_machine(topology, name)) return;
  document.fail(
      place, fmt::format("found \"{}\"; allowed: one of {}{}, such as \"{}\"", shorten(name),
                         counted(host_count(topology), "host"),
                         topology.parameter_servers == 0
                             ? ""
                             : " or of " + counted(topology.parameter_servers, "parameter server"),
                         host_link_name(topology, 0)));
}

void check_hosts(const std::vector<std::string>& names, const std::string& place,
                 const Scenario& scenario, const ScenarioDocument& document) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    check_host(names[i], names.size() == 1 ? place : pointer_to(place, i), scenario, document);
  }
}

bool is_point(const std::vector<double>& row) {
  return row.size() == 2 && row[0] <= static_cast<double>(kMaxBytes) && row[1] <= 1;
}

/// Checks that sizes ascend, and that the last row has a share of 1 and at least one byte. `place`:
/// the key, or the file that the key names.
void check_sizes(const std::vector<std::vector<double>>& rows, const std::string& place,
                 const ScenarioDocument& document) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool ascends = i == 0 || (is_point(rows[i - 1]) && is_point(rows[i]) &&
                                    rows[i][0] >= rows[i - 1][0] && rows[i][1] >= rows[i - 1][1]);
    if (is_point(rows[i]) && ascends) continue;
    document.fail(place,
                  fmt::format("found [{1}] in row {0}; allowed: two numbers, bytes of at most {2} "
                              "and a share of at most 1, neither below that of the row before",
                              i, fmt::join(rows[i], ", "), format_bytes(kMaxBytes)));
  }
  if (rows.empty() || rows.back()[1] != 1) {
    document.fail(
        place,
        fmt::format("found {}; allowed: rows of [bytes, share], the last one with the share 1",
                    rows.empty() ? std::string("no rows")
                                 : fmt::format("a last row with the share {}", rows.back()[1])));
  }
  if (rows.back()[0] < 1) {
    document.fail(place,
                  fmt::format("found {} bytes for the largest flow; allowed: at least one byte",
                              rows.back()[0]));
  }
}

void check_arrivals(const FlowsScenario& flows, const std::string& place, const Scenario& scenario,
                    const ScenarioDocument& document) {
  check_hosts(flows.hosts, pointer_to(place, "hosts"), scenario, document);
  if (flows.hosts.empty() && host_count(scenario.topology) < 2) {
    document.fail(pointer_to(place, "hosts"),
                  "found 1 host; allowed: at least 2, which send to each other");
  }
}

void check_senders(const FlowsScenario& flows, const std::string& place, const Scenario& scenario,
                   const ScenarioDocument& document) {
  check_hosts(flows.from, pointer_to(place, "from"), scenario, document);
  check_host(flows.to, pointer_to(place, "to"), scenario, document);
  if (std::ranges::find(flows.from, flows.to) != flows.from.end()) {
    document.fail(
        pointer_to(place, "to"),
        fmt::format("found \"{}\", which is a sender; allowed: a host that is not in from",
                    shorten(flows.to)));
  }
  if (flows.kind == PatternKind::incast && flows.bytes == 0) {
    document.fail(pointer_to(place, "bytes"), "found 0B, flows without end; allowed: at least 1B");
  }
  if (flows.interval_ps > 0 && flows.interval_ps < kLeastSpacingPs) {
    document.fail(pointer_to(place, "interval"),
                  fmt::format("found {}; allowed: 0s, or at least {}",
                              format_time(flows.interval_ps), format_time(kLeastSpacingPs)));
  }
}

/// Rejects a payload rate above the link's rate, since the host would drop the excess.
void check_rate(const FlowsScenario& flows, const std::string& place, const Scenario& scenario,
                const Network& network, const ScenarioDocument& document) {
  for (const std::string& name : flows.from) {
    const std::uint64_t line = network.hosts[*find_machine(scenario.topology, name)].line.rate_bps;
    if (flows.rate_bps <= line) continue;
    document.fail(pointer_to(place, "rate"),
                  fmt::format("found {}; allowed: at most {}, the rate of the link of \"{}\"",
                              format_rate(flows.rate_bps), format_rate(line), name));
  }
}

void check_spacing(const FlowsScenario& flows, const std::string& place, const Scenario& scenario,
                   const Network& network, const ScenarioDocument& document) {
  const Pattern pattern = traffic_pattern(flows, scenario, network);
  const double spacing_ps = kPsPerS * pattern.sizes.mean_bytes() / std::ranges::max(pattern.load);
  if (spacing_ps >= static_cast<double>(kLeastSpacingPs)) return;
  document.fail(
      pointer_to(place, "load"),
      fmt::format("found {}, which starts {:.3g} flows of {:.3g} bytes in {} at a host on average; "
                  "allowed: at most one flow, with a smaller load or larger sizes",
                  flows.load, static_cast<double>(kLeastSpacingPs) / spacing_ps,
                  pattern.sizes.mean_bytes(), format_time(kLeastSpacingPs)));
}

void check_model(const TrafficScenario& traffic, const ScenarioDocument& document) {
  if (traffic.model == TrafficModel::ns3 || flow_control(traffic.congestion_control)) return;
  document.fail(
      "/traffic/congestion_control",
      fmt::format("found \"{}\"; allowed: {} with the model \"flows\", others with the "
                  "model \"ns3\"",
                  names_of(traffic.congestion_control).name, fmt::join(kFlowControlNames, ", ")));
}

}  // namespace

void complete_traffic(Scenario& scenario, const Network& network, const ScenarioDocument& document,
                      TraceFiles& files) {
  if (scenario.traffic.flows.empty()) return;
  check_model(scenario.traffic, document);
  for (std::size_t i = 0; i < scenario.traffic.flows.size(); ++i) {
    FlowsScenario& flows = scenario.traffic.flows[i];
    const std::string place = pointer_to("/traffic/flows", i);
    if (flows.kind != PatternKind::arrivals) {
      check_senders(flows, place, scenario, document);
      if (flows.kind == PatternKind::on_off) check_rate(flows, place, scenario, network, document);
      continue;
    }
    std::string sizes = pointer_to(place, "sizes");
    if (!flows.sizes.empty()) {
      flows.size_points = files.flow_sizes(document, sizes, flows.sizes);
      sizes += " (" + shorten(std::exchange(flows.sizes, {})) + ")";
    }
    check_arrivals(flows, place, scenario, document);
    check_sizes(flows.size_points, sizes, document);
    check_spacing(flows, place, scenario, network, document);
  }
  std::erase_if(scenario.traffic.flows, [](const FlowsScenario& flows) {
    return flows.kind == PatternKind::arrivals && flows.load == 0;
  });
}

}  // namespace ina::scenarios
