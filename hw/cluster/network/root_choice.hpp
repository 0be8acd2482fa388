// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// Which switch is the root of a job's tree, where its sums meet. All that its workers and servers
/// send each other passes it.
enum class RootChoice : std::uint8_t {
  server_leaf,   ///< that of the server's rack
  spine,         ///< one of the best ones that join its racks, by the job's id
  least_loaded,  ///< the one of these that the fewest workers' and servers' frames pass
};
/// In the order of RootChoice.
inline constexpr std::array<const char*, 3> kRootChoiceNames = {"server_leaf", "spine",
                                                                "least_loaded"};

/// The switches that `choice` leaves for a job whose workers and servers are in these racks, that
/// of each worker by rank. Empty if no paths join them. Rules:
/// - A job in one rack has its switch as the root, whatever the choice.
/// - `server_leaf`: the switch of the first server; without one, that of the parameter servers.
///   If racks hang on that switch, it is the root of all other jobs.
/// - Otherwise the best switches above all racks or, if none joins them, of the racks: those with
///   the shortest paths from workers' racks in all, then the least longest of these, then the
///   shortest paths from servers' racks in all, then the fewest branches. All of them have equally
///   many. No path leads through a rack's switch, except through that of the parameter servers to
///   a rack that hangs on it.
std::vector<SwitchIndex> find_roots(const Topology& topology, RootChoice choice,
                                    const std::vector<SwitchIndex>& of_workers,
                                    const std::vector<SwitchIndex>& of_servers);

/// The reason why a job has no root, and what is allowed. In a topology without dead trunks only
/// `server_leaf` leaves none, since the parameter servers' switch joins all racks.
std::string why_no_root(const Topology& topology, std::size_t job);

}  // namespace ina::cluster
