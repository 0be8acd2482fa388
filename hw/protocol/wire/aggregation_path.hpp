// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/limits.hpp"

namespace ina::wire {

/// The switches that add a worker's gradients on the way to the server (ATP 3.4). The worker writes
/// these fields to each gradient packet. The root of a job's tree adds the sums of its branches. A
/// branch is a leaf switch with up to 32 workers, or a single worker at the root.
struct AggregationPath {
  std::uint8_t fan_in_degree0 = 0;  ///< number of the job's workers at the first switch
  std::uint8_t fan_in_degree1 = 0;  ///< number of branches that the root adds; 0: none
  std::uint8_t flags = 0;           ///< second_level if the first switch is the root
  std::uint32_t bitmap0 = 0;        ///< bit of the worker in its branch; 0: the worker is a branch
  std::uint32_t bitmap1 = 0;        ///< bit of the worker's branch; 0: the job has one branch

  friend bool operator==(const AggregationPath&, const AggregationPath&) = default;
};

/// Path of the worker at position `place`, from 0, if all workers are at one switch. Throws
/// std::length_error if a bitmap has too few bits.
constexpr AggregationPath one_level(std::size_t workers_at_the_switch, std::size_t place) {
  if (workers_at_the_switch > kMaxWorkersPerSwitch || place >= kMaxWorkersPerSwitch) {
    throw std::length_error("more workers at one switch than a bitmap has bits, which are 32");
  }
  return {static_cast<std::uint8_t>(workers_at_the_switch), 0, 0, 1U << place, 0};
}
/// Paths of all workers, by rank.
std::vector<AggregationPath> one_level(std::size_t workers);

/// Path of a worker if switches only forward. A branch is then a group of 32 consecutive ranks.
/// Throws std::length_error if the bitmaps have too few bits.
constexpr AggregationPath forwarded(std::size_t workers, std::size_t rank) {
  if (workers > kMaxWorkers || rank >= kMaxWorkers) {
    throw std::length_error("more workers than two bitmaps name, which is 1024");
  }
  AggregationPath path;
  path.bitmap0 = 1U << rank % kMaxWorkersPerSwitch;
  if (workers > kMaxWorkersPerSwitch) path.bitmap1 = 1U << rank / kMaxWorkersPerSwitch;
  return path;
}

/// Path of a worker in an unknown network: one_level() if one switch can add all, else forwarded().
constexpr AggregationPath default_path(std::size_t workers, std::size_t rank) {
  return workers <= kMaxWorkersPerSwitch ? one_level(workers, rank) : forwarded(workers, rank);
}
/// Paths of all workers, by rank.
std::vector<AggregationPath> default_paths(std::size_t workers);

/// The levels of switches at which a job's gradients are added.
enum class Levels : std::uint8_t {
  none,  ///< switches forward
  one,   ///< only the switches of the workers' racks add, and the server adds their sums
  two,   ///< the root adds, too, if the workers are in several racks
  tree,  ///< the root always adds, even for a single leaf, because it sends the results
};

/// A number of workers or branches that exceeds the bits of a bitmap.
struct TooMany {
  std::optional<std::uint16_t> rack;  ///< the rack with too many workers. Empty: the root has too
                                      ///< many branches, or (Levels::none) the job too many workers
  std::size_t count = 0;

  friend bool operator==(const TooMany&, const TooMany&) = default;
};
/// Returns a number that exceeds the bits of the headers' bitmaps, if there is one. The arguments
/// are the same as for aggregation_paths().
std::optional<TooMany> find_too_many(std::span<const std::uint16_t> rack_of_worker,
                                     std::uint16_t root, Levels levels);

/// The aggregation paths of a job's workers, by rank. `rack_of_worker`: rack of each worker. The
/// root's branches are the other racks and each worker of its own rack. With Levels::none the paths
/// are forwarded(). Throws std::length_error if find_too_many() finds anything.
std::vector<AggregationPath> aggregation_paths(std::span<const std::uint16_t> rack_of_worker,
                                               std::uint16_t root, Levels levels);

/// The bit of a worker in its branch, for the server. A worker that is a branch has the first bit.
constexpr std::uint32_t place_bit(const AggregationPath& path) {
  return path.bitmap0 != 0 ? path.bitmap0 : 1U;
}

/// Index of a worker, from 0, among the contributors at its first switch.
inline std::uint16_t place_at_first_switch(const AggregationPath& path) {
  return static_cast<std::uint16_t>(
      std::countr_zero(path.bitmap0 != 0 ? path.bitmap0 : path.bitmap1));
}

/// The number of a path's branch.
inline std::size_t branch_of(const AggregationPath& path) {
  return path.bitmap1 == 0 ? 0 : static_cast<std::size_t>(std::countr_zero(path.bitmap1));
}

/// For each branch of a job, the bitmap of its workers, by position.
std::vector<std::uint32_t> branches_of(std::span<const AggregationPath> paths);

}  // namespace ina::wire
