// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/cluster/topology.hpp"

namespace ina::cluster {

/// Which switch is the root of a job's tree, where its sums meet. All that its workers and servers
/// send each other passes it.
enum class RootChoice : std::uint8_t {
  server_leaf,   ///< that of the server's rack
  spine,         ///< one of the nearest above its racks, by the job's id
  least_loaded,  ///< that one of the nearest under whose trees the fewest workers are
};
/// In the order of RootChoice.
inline constexpr std::array<const char*, 3> kRootChoiceNames = {"server_leaf", "spine",
                                                                "least_loaded"};

/// The switches that the choice leaves for a job whose workers and servers are in these racks. None
/// if no ways join them, or if the choice wants a switch above the racks and the topology has none
/// to which they lead past other racks. A job in one rack has its switch as the root, whatever the
/// choice; a job without a server has the parameter servers' rack as that of its server. Where
/// racks hang on that rack's switch, all trees by `server_leaf` have their root there.
std::vector<SwitchIndex> find_roots(const Topology& topology, RootChoice choice,
                                    const std::vector<SwitchIndex>& of_workers,
                                    const std::vector<SwitchIndex>& of_servers);

/// Where they are none for a job: the reason, and what is allowed. A fault of the servers' places
/// by `server_leaf`, and else of the choice.
std::string why_no_root(const Topology& topology, RootChoice choice, std::size_t job);

}  // namespace ina::cluster
