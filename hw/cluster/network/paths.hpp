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

/// The trunks of every switch that are not dead. Who looks for the paths to many switches makes
/// them once: in a large network that takes as long as the paths to one.
class LiveTrunks {
 public:
  explicit LiveTrunks(const Topology& topology);

  /// In order.
  std::span<const TrunkIndex> at(SwitchIndex index) const {
    return std::span(trunks_).subspan(begins_[index], begins_[index + 1] - begins_[index]);
  }

 private:
  std::vector<std::size_t> begins_;  // by switch, in trunks_; and the end
  std::vector<TrunkIndex> trunks_;   // switch by switch
};

/// From every switch the shortest ways to one switch, of those that lead through no rack but the
/// servers'.
class ShortestPaths {
 public:
  ShortestPaths(const Topology& topology, SwitchIndex to)
      : ShortestPaths(topology, LiveTrunks(topology), to) {}
  /// `trunks`: of this topology.
  ShortestPaths(const Topology& topology, const LiveTrunks& trunks, SwitchIndex to);

  /// The trunks by which a switch's shortest ways begin, in order; none at the switch itself, and
  /// where no way leads there.
  const std::vector<TrunkIndex>& ways(SwitchIndex from) const { return ways_[from]; }
  /// Trunks on the way; nothing if there is no way.
  std::optional<std::uint32_t> trunks(SwitchIndex from) const { return distance_[from]; }

 private:
  std::vector<std::optional<std::uint32_t>> distance_;  // by switch
  std::vector<std::vector<TrunkIndex>> ways_;           // by switch
};

/// A worker or a server whose frames to the root of its job's tree pass a switch.
struct MemberBelow {
  std::uint16_t number = 0;         ///< a worker's rank
  std::optional<TrunkIndex> trunk;  ///< by which they come; none: it hangs on the switch

  bool hangs_here() const { return !trunk; }
  friend bool operator==(const MemberBelow&, const MemberBelow&) = default;
};

/// The tree in which the frames of a job go to its root, and from there to its workers and servers.
/// Each switch takes one of its equally short ways by a hash, as ECMP does, so that branches spread
/// over them. Results come down the way that the sums went up.
class JobTree {
 public:
  JobTree() = default;
  /// The switches that the members hang on: the workers by rank, and the servers. Throws
  /// std::invalid_argument if from one no way leads to the root.
  JobTree(const Topology& topology, SwitchIndex root, const std::vector<SwitchIndex>& of_workers,
          const std::vector<SwitchIndex>& of_servers, std::uint64_t choice);

  SwitchIndex root() const { return root_; }
  /// The trunk towards the root; none at the root, and where no frame of the job passes.
  std::optional<TrunkIndex> up(SwitchIndex at) const { return up_[at]; }
  bool passes(SwitchIndex at) const { return at == root_ || up_[at].has_value(); }
  /// By rank.
  const std::vector<MemberBelow>& workers_below(SwitchIndex at) const { return workers_[at]; }
  const std::vector<MemberBelow>& servers_below(SwitchIndex at) const { return servers_[at]; }
  /// Whether the job's frames pass the switch, and nothing adds them up there.
  bool only_forwards(SwitchIndex at) const {
    return at != root_ && std::ranges::none_of(workers_[at], &MemberBelow::hangs_here);
  }
  /// By switch: the number of sums of one fragment that leave it by up(). A switch with workers
  /// adds up one, and every switch but the root forwards those from below. `topology`: that of the
  /// tree.
  std::vector<std::uint32_t> sums_up(const Topology& topology) const;
  /// Whether each result that a server sends leaves the switch by up(), since all servers are
  /// below. The root sends it on to the workers.
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
