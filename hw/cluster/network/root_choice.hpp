// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// How to choose the root of a job's tree: the switch that completes the job's sums. All frames
/// between the job's workers and servers pass the root.
enum class RootChoice : std::uint8_t {
  server_leaf,   ///< the switch of the server's rack
  spine,         ///< the job's id selects one of the best switches above the job's racks
  least_loaded,  ///< among the best switches, the one that other jobs use least
};
/// Names in the order of RootChoice.
inline constexpr std::array<const char*, 3> kRootChoiceNames = {"server_leaf", "spine",
                                                                "least_loaded"};

/// The possible roots under `choice` of a job whose workers (by rank) and servers are in these
/// racks. Empty if no permitted switch has paths to all of these racks. Rules:
/// - If a whole job is in one rack, that rack's switch is the root, whatever the choice.
/// - `server_leaf`: the switch of the first server's rack. It is the switch of the parameter
///   servers' rack if the job has no server, or if racks are connected directly to that switch.
/// - Otherwise the best switches above all racks or, if none has paths to all, the best racks'
///   switches. Best means least, in this order: total length of the paths from workers' racks,
///   longest of these paths, total length of the paths from servers' racks, number of branches. All
///   returned switches thus have equally many branches. No path leads through a rack's switch,
///   except through the parameter servers' switch to a rack connected to it directly.
std::vector<SwitchIndex> find_roots(const Topology& topology, RootChoice choice,
                                    const std::vector<SwitchIndex>& of_workers,
                                    const std::vector<SwitchIndex>& of_servers);

/// Message that says why a job has no root, and what is allowed. Without dead trunks, only
/// `server_leaf` leaves a job without a root: the parameter servers' switch has paths to all racks.
std::string why_no_root(const Topology& topology, std::size_t job);

}  // namespace ina::cluster
