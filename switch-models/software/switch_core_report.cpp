// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/switch_core_report.hpp"

namespace ina::software {

namespace {

nlohmann::json link_report(const SwitchCores& cores, PortIndex port, Direction direction) {
  SoftwareSwitch::LinkCounters sum;
  for (const auto& core : cores) sum += core->part().counters(port, direction);
  return {{"dropped", sum.dropped},     {"marked", sum.marked},         {"lost", sum.lost},
          {"corrupted", sum.corrupted}, {"duplicated", sum.duplicated}, {"delayed", sum.delayed}};
}

nlohmann::json port_report(const SwitchCores& cores, PortIndex port, const std::string& peer) {
  ports::PortCounters sum;
  for (const auto& core : cores) sum += core->counters(port);
  nlohmann::json to_switch = link_report(cores, port, Direction::to_switch);
  to_switch["dropped"] = sum.dropped;
  return {{"peer", peer},
          {"port", ports::to_json(sum)},
          {"to_switch", to_switch},
          {"from_switch", link_report(cores, port, Direction::from_switch)}};
}

/// The counters in the job's row of switch.csv, keyed by column.
nlohmann::json job_report(const SwitchCores& cores, const std::set<JobId>& ids) {
  programs::AggregatorCounters sum;
  for (const auto& core : cores) {
    for (const JobId id : ids) sum += core->part().node().aggregator_counters(id);
  }
  using enum programs::AggregatorEvent;
  return {{"occupied_aggregators", sum.occupied()},
          {"allocated", sum[allocated]},
          {"collided", sum[collided]},
          {"preempted", sum[preempted]},
          {"evicted", sum[evicted]},
          {"completed", sum[completed]},
          {"fallbacks", sum[fallback]},
          {"added", sum[added]}};
}

/// The work of one core. A comparison of cores shows how evenly aggregators are distributed.
nlohmann::json core_report(const SoftwareSwitch& part, const IdsOfJobs& jobs) {
  std::uint64_t allocated = 0;
  for (const std::set<JobId>& ids : jobs) {
    for (const JobId id : ids) {
      allocated += part.node().aggregator_counters(id)[programs::AggregatorEvent::allocated];
    }
  }
  return {{"allocated", allocated}};
}

}  // namespace

nlohmann::json report_of(const SwitchCores& cores, const std::vector<PortDevice>& devices,
                         const IdsOfJobs& jobs) {
  const auto sum = [&](auto&& number_of) {
    std::uint64_t total = 0;
    for (const auto& core : cores) total += number_of(core->part());
    return total;
  };
  nlohmann::json report;
  report["cells_in_use"] =
      sum([](const SoftwareSwitch& part) { return part.program().cells_in_use(); });
  report["occupied"] = sum([](const SoftwareSwitch& part) { return part.program().occupied(); });
  report["rejected_frames"] = sum(
      [](const SoftwareSwitch& part) { return part.node().rejected() + part.node().refused(); });
  report["frames_without_route"] =
      sum([](const SoftwareSwitch& part) { return part.node().without_route(); });
  report["jobs"] = nlohmann::json::array();
  for (const std::set<JobId>& ids : jobs) report["jobs"].push_back(job_report(cores, ids));
  report["cores"] = nlohmann::json::array();
  for (const auto& core : cores) report["cores"].push_back(core_report(core->part(), jobs));
  report["ports"] = nlohmann::json::array();
  PortIndex port = 0;
  for (const auto& device : devices) {
    report["ports"].push_back(port_report(cores, port++, device.peer));
  }
  return report;
}

}  // namespace ina::software
