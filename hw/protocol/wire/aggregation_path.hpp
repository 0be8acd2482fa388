// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

/// Where a worker's gradients are added up on their way to the server (ATP 3.4): what the worker
/// writes into each of them.
struct AggregationPath {
  std::uint8_t fan_in_degree0 = 0;  ///< workers of the job at the first switch
  std::uint8_t fan_in_degree1 = 0;  ///< branches that the server's switch adds up; 0: it does not
  std::uint8_t flags = 0;           ///< second_level: the first switch is the server's
  std::uint32_t bitmap1 = 0;        ///< the worker's branch; 0: there is no second level

  friend bool operator==(const AggregationPath&, const AggregationPath&) = default;
};

/// All workers at one switch, or each switch's sum goes to the server as it is.
constexpr AggregationPath one_level(std::size_t workers_at_the_switch) {
  return {static_cast<std::uint8_t>(workers_at_the_switch), 0, 0, 0};
}

/// How far a job's gradients are added up on their way.
enum class Levels : std::uint8_t {
  none,  ///< switches forward, and headers have no path
  one,   ///< in the workers' racks only
  two,   ///< and in the server's rack, if the workers are in several
  tree,  ///< at every switch on the way, where bitmaps name ranks of the whole job, as in DSA: each
         ///< switch knows whose contributions it waits for, and headers have no path
};

/// The paths of a job's workers, by the rack of each. At the server's switch every other rack is a
/// branch, and every worker of its own one.
std::vector<AggregationPath> aggregation_paths(std::span<const std::uint16_t> rack_of_worker,
                                               std::uint16_t rack_of_server, Levels levels);

/// SwitchML: as which of those that its first switch adds up a worker counts, from 0. The racks and
/// paths are those of all workers, by rank.
std::uint16_t place_at_first_switch(std::size_t rank, std::span<const std::uint16_t> racks,
                                    std::span<const AggregationPath> paths);

/// The workers of a rack, as bits by rank.
std::uint32_t ranks_in(std::span<const std::uint16_t> rack_of_worker, std::uint16_t rack);

/// The workers of each rack but the server's that has some, in the order of racks, as bits by rank.
std::vector<std::uint32_t> ranks_of_leaves(std::span<const std::uint16_t> rack_of_worker,
                                           std::uint16_t rack_of_server);

/// Branches of the second level of these paths; 0: there is none.
std::uint8_t branches(std::span<const AggregationPath> paths);

}  // namespace ina::wire
