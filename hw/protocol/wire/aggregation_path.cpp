// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/aggregation_path.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace ina::wire {

namespace {

using WorkersOfRack = std::map<std::uint16_t, std::size_t>;

WorkersOfRack count_by_rack(std::span<const std::uint16_t> rack_of_worker) {
  WorkersOfRack workers;
  for (const std::uint16_t rack : rack_of_worker) ++workers[rack];
  return workers;
}

/// Whether the job has a second level of aggregation, or branches by rack.
bool has_branches(const WorkersOfRack& workers, std::uint16_t root, Levels levels) {
  if (workers.size() > 1) return true;
  return levels == Levels::tree && !workers.contains(root);
}

bool adds_up_at_root(Levels levels) { return levels == Levels::two || levels == Levels::tree; }

template <class PathOf>
std::vector<AggregationPath> by_rank(std::size_t workers, PathOf path_of) {
  std::vector<AggregationPath> paths;
  for (std::size_t rank = 0; rank < workers; ++rank) paths.push_back(path_of(workers, rank));
  return paths;
}

/// Numbers the branches, and the positions in each, in the order of ranks.
std::vector<AggregationPath> paths_by_rack(std::span<const std::uint16_t> rack_of_worker,
                                           std::optional<std::uint16_t> root) {
  const WorkersOfRack workers = count_by_rack(rack_of_worker);
  struct Branch {
    std::uint8_t number;
    std::uint8_t places;
  };
  std::map<std::uint16_t, Branch> branches;
  std::uint8_t count = 0;
  std::vector<AggregationPath> paths;
  for (const std::uint16_t rack : rack_of_worker) {
    if (rack == root) {
      paths.push_back({1, 0, flag::second_level, 0, 1U << count++});
      continue;
    }
    const auto [found, is_new] = branches.try_emplace(rack, Branch{count, 0});
    if (is_new) ++count;
    Branch& branch = found->second;
    paths.push_back(one_level(workers.at(rack), branch.places++));
    paths.back().bitmap1 = 1U << branch.number;
  }
  if (root) {
    for (AggregationPath& path : paths) path.fan_in_degree1 = count;
  }
  return paths;
}

}  // namespace

std::vector<AggregationPath> one_level(std::size_t workers) {
  return by_rank(workers, [](std::size_t all, std::size_t rank) { return one_level(all, rank); });
}

std::vector<AggregationPath> default_paths(std::size_t workers) {
  return by_rank(workers, default_path);
}

std::optional<TooMany> find_too_many(std::span<const std::uint16_t> rack_of_worker,
                                     std::uint16_t root, Levels levels) {
  const std::size_t workers = rack_of_worker.size();
  if (levels == Levels::none) {
    if (workers <= kMaxWorkers) return std::nullopt;
    return TooMany{std::nullopt, workers};
  }
  const WorkersOfRack of_rack = count_by_rack(rack_of_worker);
  const bool branches = has_branches(of_rack, root, levels);
  std::size_t of_root = 0;
  for (const auto& [rack, count] : of_rack) {
    const bool is_leaf = !branches || !adds_up_at_root(levels) || rack != root;
    if (is_leaf && count > kMaxWorkersPerSwitch) return TooMany{rack, count};
    of_root += is_leaf ? 1 : count;
  }
  if (of_root <= kMaxBranches) return std::nullopt;
  return TooMany{std::nullopt, of_root};
}

std::vector<AggregationPath> aggregation_paths(std::span<const std::uint16_t> rack_of_worker,
                                               std::uint16_t root, Levels levels) {
  if (find_too_many(rack_of_worker, root, levels)) {
    throw std::length_error("more workers or branches of a job than a bitmap has bits");
  }
  if (levels == Levels::none) return by_rank(rack_of_worker.size(), forwarded);
  if (!has_branches(count_by_rack(rack_of_worker), root, levels)) {
    return one_level(rack_of_worker.size());
  }
  return paths_by_rack(rack_of_worker,
                       adds_up_at_root(levels) ? std::optional<std::uint16_t>(root) : std::nullopt);
}

std::vector<std::uint32_t> branches_of(std::span<const AggregationPath> paths) {
  std::vector<std::uint32_t> branches;
  for (const AggregationPath& path : paths) {
    const std::size_t branch = branch_of(path);
    if (branch >= branches.size()) branches.resize(branch + 1);
    branches[branch] |= place_bit(path);
  }
  return branches;
}

}  // namespace ina::wire
