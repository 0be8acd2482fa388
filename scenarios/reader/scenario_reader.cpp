// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/scenario_reader.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <string_view>
#include <utility>

#include "hw/fields/object_reader.hpp"
#include "hw/fields/object_writer.hpp"
#include "scenarios/keys/scenario_fields.hpp"
#include "scenarios/reader/job_reader.hpp"
#include "scenarios/reader/scenario_check.hpp"
#include "scenarios/reader/topology_check.hpp"
#include "scenarios/reader/traffic_reader.hpp"
#include "scenarios/resolve/sizes.hpp"
#include "scenarios/resolve/time_limit.hpp"

namespace ina::scenarios {

namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kOthers = "._-";
constexpr std::size_t kMaxNameBytes = 100;
constexpr std::string_view kFolderNames =
    "up to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or digit and not ending with a dot";

bool may_be_in_name(char c) {
  return kLetters.find(c) != std::string_view::npos || kOthers.find(c) != std::string_view::npos;
}

bool is_folder_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         kLetters.find(name.front()) != std::string_view::npos && name.back() != '.' &&
         std::ranges::all_of(name, may_be_in_name);
}

/// Default name of the results of a file with this stem. Blanks and other characters that are
/// awkward in folder names become dashes. Empty if no character is left.
std::string folder_name_of(std::string_view stem) {
  std::string name;
  for (const char c : stem.substr(std::min(stem.find_first_of(kLetters), stem.size()))) {
    const bool dash = !may_be_in_name(c);
    if (!dash || name.back() != '-') {
      name += dash ? '-' : c;
    }
  }
  name.resize(std::min(name.size(), kMaxNameBytes));
  name.erase(name.find_last_not_of(".-") + 1);
  return name;
}

void read_name(ObjectReader& root, const ScenarioDocument& document, Scenario& scenario) {
  // The library treats the whole name ".json" as the stem.
  const bool unnamed = document.path().filename() == ".json";
  const auto stem = unnamed ? "" : document.path().stem().string();
  scenario.name = is_folder_name(stem) ? stem : folder_name_of(stem);
  const bool given = root.find("name") != nullptr;
  root.derived_text("name", scenario.name, "Name of the experiment and of its result folder");
  if (given && !is_folder_name(scenario.name)) {
    root.fail("name",
              fmt::format("found \"{}\"; allowed: {}", shorten(scenario.name), kFolderNames));
  }
  if (scenario.name.empty()) {
    root.fail(
        "name",
        fmt::format("the key is missing, and the file's name contains no valid name; allowed: {}",
                    kFolderNames));
  }
}

/// Reads the jobs. A run without jobs needs traffic that has an end.
std::vector<std::string> read_jobs_or_end(ObjectReader& root, Scenario& scenario,
                                          TraceFiles& files) {
  const bool has_traffic = !scenario.traffic.flows.empty() || scenario.traffic.until_ps;
  if (root.find("jobs") != nullptr || !has_traffic) return read_jobs(root, scenario, files);
  if (!scenario.traffic.until_ps) {
    root.document().fail("/traffic/until",
                         "the key is missing; allowed: the time at which a run without jobs ends");
  }
  if (!scenario.faults.nodes.empty()) {
    root.document().fail("/faults/nodes",
                         "found faults of nodes, but no jobs; allowed: no faults of nodes");
  }
  return {};
}

}  // namespace

Scenario read_scenario(const ScenarioDocument& document, TraceFiles& files) {
  Scenario scenario;
  ObjectReader root(document, document.root(), "");
  read_name(root, document, scenario);
  visit_scenario(root, scenario);
  check_topology(scenario.topology, document);
  const auto places = read_jobs_or_end(root, scenario, files);
  for (const auto* key : {"seeds", "sweep", "variants", "baseline", "extends", "$schema"}) {
    root.find(key);
  }
  root.finish();
  const Network network(scenario.topology, scenario.seed);
  scenario = with_sizes(std::move(scenario), network);
  check_scenario(scenario, network, places, document);
  complete_traffic(scenario, network, document, files);
  scenario.time_limit_ps = time_limit(scenario, network);
  return scenario;
}

Json to_json(const Scenario& scenario) {
  ObjectWriter writer;
  visit_scenario(writer, scenario);
  writer.json["name"] = scenario.name;
  auto jobs = Json::array();
  for (const auto& job : scenario.jobs) {
    jobs.push_back(job_to_json(job));
  }
  if (!jobs.empty()) writer.json["jobs"] = std::move(jobs);
  writer.json["seeds"] = Json::array({scenario.seed});
  return std::move(writer.json);
}

}  // namespace ina::scenarios
