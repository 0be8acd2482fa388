// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/runs/grouped_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ina::runs {

using fields::Json;

namespace {

/// Findings of one kind and key.
struct Group {
  const Json* largest;
  const Json* run;  ///< of the largest one
  std::size_t runs{1};
};

bool concerns(const Group& group, const Json& finding) {
  return group.largest->at("what") == finding.at("what") &&
         group.largest->at("key") == finding.at("key");
}

std::vector<Group> groups_of(const Json& manifests) {
  std::vector<Group> groups;
  for (const Json& run : manifests) {
    const auto findings = run.find("findings");
    if (findings == run.end()) continue;
    for (const Json& finding : *findings) {
      const auto group =
          std::ranges::find_if(groups, [&](const Group& one) { return concerns(one, finding); });
      if (group == groups.end()) {
        groups.push_back({&finding, &run});
        continue;
      }
      ++group->runs;
      if (finding.at("amount") > group->largest->at("amount")) {
        group->largest = &finding;
        group->run = &run;
      }
    }
  }
  return groups;
}

std::string text_of(const Group& group, std::size_t runs) {
  auto text = group.largest->at("text").get<std::string>();
  if (runs == 1) return text;
  return fmt::format("{} of {} runs, most in run {} (seed {}): {}", group.runs, runs,
                     group.run->at("point").get<std::size_t>(),
                     group.run->at("seed").get<std::uint64_t>(), text);
}

}  // namespace

Json group_findings(const Json& manifests) {
  std::vector<Group> groups = groups_of(manifests);
  std::ranges::stable_sort(groups, std::greater(), &Group::runs);
  Json grouped = Json::array();
  for (const Group& group : groups) {
    grouped.push_back({{"what", group.largest->at("what")},
                       {"key", group.largest->at("key")},
                       {"runs", group.runs},
                       {"text", text_of(group, manifests.size())}});
  }
  return grouped;
}

}  // namespace ina::runs
