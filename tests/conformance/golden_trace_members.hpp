// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "switch-models/programs/member_table.hpp"

namespace ina::golden_traces {

/// The table of members for jobs as golden traces have them (tests/vectors/README.md), at one
/// switch.
inline programs::MemberTable members_of(const nlohmann::json& jobs) {
  programs::MemberTable table;
  for (const auto& [id, job] : jobs.items()) {
    const auto workers = job.at("workers").get<std::vector<HostId>>();
    table.install(static_cast<JobId>(std::stoul(id)), workers,
                  job.value("server", programs::MemberTable::kNobody),
                  wire::one_level(workers.size()));
  }
  return table;
}

}  // namespace ina::golden_traces
