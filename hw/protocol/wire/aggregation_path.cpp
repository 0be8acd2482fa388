// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/aggregation_path.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace ina::wire {

std::vector<AggregationPath> aggregation_paths(std::span<const std::uint16_t> rack_of_worker,
                                               std::uint16_t rack_of_server, Levels levels) {
  const std::size_t workers = rack_of_worker.size();
  if (levels == Levels::none) return std::vector<AggregationPath>(workers);
  if (levels == Levels::tree) return std::vector(workers, one_level(workers));
  std::map<std::uint16_t, std::size_t> workers_of_rack;
  for (const std::uint16_t rack : rack_of_worker) ++workers_of_rack[rack];
  std::vector<AggregationPath> paths;
  for (const std::uint16_t rack : rack_of_worker) {
    paths.push_back(one_level(workers_of_rack[rack]));
  }
  if (levels == Levels::one || workers_of_rack.size() == 1) return paths;
  std::map<std::uint16_t, std::uint8_t> branch_of_rack;
  std::uint8_t branches = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::uint16_t rack = rack_of_worker[i];
    if (rack == rack_of_server) {
      paths[i] = {1, 0, flag::second_level, 1U << branches++};
      continue;
    }
    const auto [branch, is_new] = branch_of_rack.try_emplace(rack, branches);
    if (is_new) ++branches;
    paths[i].bitmap1 = 1U << branch->second;
  }
  for (AggregationPath& path : paths) path.fan_in_degree1 = branches;
  return paths;
}

std::uint16_t place_at_first_switch(std::size_t rank, std::span<const std::uint16_t> racks,
                                    std::span<const AggregationPath> paths) {
  const AggregationPath& path = paths[rank];
  const auto place = (path.flags & flag::second_level) != 0
                         ? std::countr_zero(path.bitmap1)
                         : std::ranges::count(racks.first(rank), racks[rank]);
  return static_cast<std::uint16_t>(place);
}

std::uint32_t ranks_in(std::span<const std::uint16_t> rack_of_worker, std::uint16_t rack) {
  std::uint32_t ranks = 0;
  for (std::size_t rank = 0; rank < rack_of_worker.size(); ++rank) {
    if (rack_of_worker[rank] == rack) ranks |= 1U << rank;
  }
  return ranks;
}

std::vector<std::uint32_t> ranks_of_leaves(std::span<const std::uint16_t> rack_of_worker,
                                           std::uint16_t rack_of_server) {
  std::set<std::uint16_t> racks(rack_of_worker.begin(), rack_of_worker.end());
  racks.erase(rack_of_server);
  std::vector<std::uint32_t> leaves;
  leaves.reserve(racks.size());
  for (const std::uint16_t rack : racks) leaves.push_back(ranks_in(rack_of_worker, rack));
  return leaves;
}

std::uint8_t branches(std::span<const AggregationPath> paths) {
  return paths.empty() ? std::uint8_t{0} : paths.front().fan_in_degree1;
}

}  // namespace ina::wire
