// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// The live trunks (links between switches) of every switch. Build this object only once for many
/// path searches. In a large network, building it takes as long as one search.
class LiveTrunks {
 public:
  explicit LiveTrunks(const Topology& topology);

  /// Live trunks of a switch, in ascending order.
  std::span<const TrunkIndex> at(SwitchIndex index) const {
    return std::span(trunks_).subspan(begins_[index], begins_[index + 1] - begins_[index]);
  }

 private:
  std::vector<std::size_t> begins_;  // by switch, index of its first trunk in trunks_; then the end
  std::vector<TrunkIndex> trunks_;   // all switches' trunks, in the order of switches
};

/// The shortest paths from every switch to one switch. A rack's switch is only the first or last
/// switch of a path, except the switch of the parameter servers' rack, which paths may pass.
class ShortestPaths {
 public:
  ShortestPaths(const Topology& topology, SwitchIndex to)
      : ShortestPaths(topology, LiveTrunks(topology), to) {}
  /// `trunks` must have been built from `topology`.
  ShortestPaths(const Topology& topology, const LiveTrunks& trunks, SwitchIndex to);

  /// The first trunk of each shortest path from a switch, in ascending order. Empty for the
  /// destination, or if there is no path.
  const std::vector<TrunkIndex>& ways(SwitchIndex from) const { return ways_[from]; }
  /// Number of trunks on a shortest path; empty if there is no path.
  std::optional<std::uint32_t> trunks(SwitchIndex from) const { return distance_[from]; }

 private:
  std::vector<std::optional<std::uint32_t>> distance_;  // by switch
  std::vector<std::vector<TrunkIndex>> ways_;           // by switch
};

/// A worker or a server below a switch, which means that its frames to the root pass the switch.
struct MemberBelow {
  std::uint16_t number = 0;  ///< a worker's rank, or a server's index
  std::optional<TrunkIndex>
      trunk;  ///< trunk through which its frames arrive; empty if its host is at this switch

  bool hangs_here() const { return !trunk; }
  friend bool operator==(const MemberBelow&, const MemberBelow&) = default;
};

/// The tree on which the frames of a job travel to its root, and from there to its workers and
/// servers. As in ECMP, each switch selects one of its equal-cost paths by a hash, which spreads
/// the branches over the paths. Results take the paths of the sums in the reverse direction.
class JobTree {
 public:
  JobTree() = default;
  /// `of_workers`: switch of each worker, by rank; `of_servers`: switch of each server. Throws
  /// std::invalid_argument if one of these switches has no path to the root.
  JobTree(const Topology& topology, SwitchIndex root, const std::vector<SwitchIndex>& of_workers,
          const std::vector<SwitchIndex>& of_servers, std::uint64_t choice);

  SwitchIndex root() const { return root_; }
  /// The trunk towards the root. Empty at the root and at switches that the job's frames do not
  /// pass.
  std::optional<TrunkIndex> up(SwitchIndex at) const { return up_[at]; }
  bool passes(SwitchIndex at) const { return at == root_ || up_[at].has_value(); }
  /// Workers whose frames pass the switch, in the order of ranks.
  const std::vector<MemberBelow>& workers_below(SwitchIndex at) const { return workers_[at]; }
  const std::vector<MemberBelow>& servers_below(SwitchIndex at) const { return servers_[at]; }
  /// Whether the switch adds no values of the job: it is not the root and has none of its workers.
  bool only_forwards(SwitchIndex at) const {
    return at != root_ && std::ranges::none_of(workers_[at], &MemberBelow::hangs_here);
  }
  /// For each switch, the number of sums per fragment that leave it through up(). A switch with
  /// workers sends their sum in addition to the sums that it forwards from below. `topology` must
  /// be the topology from which the tree was made.
  std::vector<std::uint32_t> sums_up(const Topology& topology) const;
  /// Whether every result from a server leaves this switch through up(), which is the case if all
  /// servers are below it. The root then sends the result to the workers.
  bool passes_all_results_up(SwitchIndex at) const {
    return up_[at] && !servers_[at].empty() && servers_[at].size() == servers_[root_].size();
  }
  friend bool operator==(const JobTree&, const JobTree&) = default;

 private:
  using Below = std::vector<std::vector<MemberBelow>>;  // by switch

  SwitchIndex root_ = 0;
  std::vector<std::optional<TrunkIndex>> up_;  // by switch
  Below workers_;
  Below servers_;
};

}  // namespace ina::cluster
