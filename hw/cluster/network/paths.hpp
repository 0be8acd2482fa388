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

/// The live trunks of every switch. Build it once for path searches to many switches: in a large
/// network building it takes as long as a search for the paths to one switch.
class LiveTrunks {
 public:
  explicit LiveTrunks(const Topology& topology);

  /// Trunks of a switch, in ascending order.
  std::span<const TrunkIndex> at(SwitchIndex index) const {
    return std::span(trunks_).subspan(begins_[index], begins_[index + 1] - begins_[index]);
  }

 private:
  std::vector<std::size_t> begins_;  // index in trunks_ by switch, and the end
  std::vector<TrunkIndex> trunks_;   // switch by switch
};

/// The shortest paths from every switch to one switch, among those that pass no rack except the
/// servers'.
class ShortestPaths {
 public:
  ShortestPaths(const Topology& topology, SwitchIndex to)
      : ShortestPaths(topology, LiveTrunks(topology), to) {}
  /// `trunks` must be those of `topology`.
  ShortestPaths(const Topology& topology, const LiveTrunks& trunks, SwitchIndex to);

  /// First trunks of a switch's shortest paths, in ascending order. Empty at the destination, and
  /// if there is no path.
  const std::vector<TrunkIndex>& ways(SwitchIndex from) const { return ways_[from]; }
  /// Number of trunks of the shortest path; empty if there is no path.
  std::optional<std::uint32_t> trunks(SwitchIndex from) const { return distance_[from]; }

 private:
  std::vector<std::optional<std::uint32_t>> distance_;  // by switch
  std::vector<std::vector<TrunkIndex>> ways_;           // by switch
};

/// A worker or a server whose frames to the root of its job's tree pass a switch.
struct MemberBelow {
  std::uint16_t number = 0;  ///< a worker's rank
  std::optional<TrunkIndex>
      trunk;  ///< trunk by which its frames arrive; none if it is connected to the switch

  bool hangs_here() const { return !trunk; }
  friend bool operator==(const MemberBelow&, const MemberBelow&) = default;
};

/// The tree on which the frames of a job travel to its root, and from there to its workers and
/// servers. Each switch selects one of its equal-cost paths by a hash, as in ECMP, so that branches
/// spread over them. Results come down on the path of the sums.
class JobTree {
 public:
  JobTree() = default;
  /// `of_workers`: the workers' switches by rank. `of_servers`: those of the servers. Throws
  /// std::invalid_argument if one of them has no path to the root.
  JobTree(const Topology& topology, SwitchIndex root, const std::vector<SwitchIndex>& of_workers,
          const std::vector<SwitchIndex>& of_servers, std::uint64_t choice);

  SwitchIndex root() const { return root_; }
  /// The trunk towards the root; none at the root and at switches that the job's frames do not
  /// pass.
  std::optional<TrunkIndex> up(SwitchIndex at) const { return up_[at]; }
  bool passes(SwitchIndex at) const { return at == root_ || up_[at].has_value(); }
  /// Workers whose frames pass the switch, by rank.
  const std::vector<MemberBelow>& workers_below(SwitchIndex at) const { return workers_[at]; }
  const std::vector<MemberBelow>& servers_below(SwitchIndex at) const { return servers_[at]; }
  /// Whether the job's frames pass the switch without being added up there.
  bool only_forwards(SwitchIndex at) const {
    return at != root_ && std::ranges::none_of(workers_[at], &MemberBelow::hangs_here);
  }
  /// Number of sums per fragment that leave each switch by up(). A switch with workers contributes
  /// one, and every switch except the root forwards those from below. `topology` must be that of
  /// the tree.
  std::vector<std::uint32_t> sums_up(const Topology& topology) const;
  /// Whether each result that a server sends leaves the switch by up(), because all servers are
  /// below. The root then sends it to the workers.
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
