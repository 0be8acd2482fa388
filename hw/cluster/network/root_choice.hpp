// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// Choice of the root of a job's tree, where its sums meet. All frames between its workers and
/// servers pass the root.
enum class RootChoice : std::uint8_t {
  server_leaf,   ///< the switch of the server's rack
  spine,         ///< one of the best switches that join the job's racks, by the job's id
  least_loaded,  ///< the one of these that the fewest workers' and servers' frames pass
};
/// Names in the order of RootChoice.
inline constexpr std::array<const char*, 3> kRootChoiceNames = {"server_leaf", "spine",
                                                                "least_loaded"};

/// The possible roots under `choice` for a job whose workers (by rank) and servers are in these
/// racks. Empty if no paths join them. Rules:
/// - A job in one rack has that rack's switch as the root, whatever the choice.
/// - `server_leaf`: the switch of the first server; without servers, the parameter servers' switch.
///   If racks are connected to that switch, it is the root of all other jobs.
/// - Otherwise the best switches above all racks or, if none joins them, the best racks' switches.
///   They are compared by the total length of the paths from workers' racks, then by the longest of
///   these paths, then by the total length of the paths from servers' racks, then by the number of
///   branches. All returned switches have the same number of branches. No path leads through a
///   rack's switch, except through the parameter servers' switch to a rack that is connected to it.
std::vector<SwitchIndex> find_roots(const Topology& topology, RootChoice choice,
                                    const std::vector<SwitchIndex>& of_workers,
                                    const std::vector<SwitchIndex>& of_servers);

/// Reason why a job has no root, and what is allowed. In a topology without dead trunks this
/// happens only with `server_leaf`, since the parameter servers' switch joins all racks.
std::string why_no_root(const Topology& topology, std::size_t job);

}  // namespace ina::cluster
