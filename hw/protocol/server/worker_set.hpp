// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <boost/describe.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina {

/// A set of workers of a job.
class WorkerSet {
 public:
  std::size_t count() const { return count_; }
  /// The workers of a branch that are in the set, as a bitmap by position in the branch.
  std::uint32_t places(std::size_t branch) const {
    if (branch == 0) return bitmap_;
    return branch <= others_.size() ? others_[branch - 1] : 0;
  }
  bool contains(const wire::AggregationPath& path) const {
    return (places(wire::branch_of(path)) & wire::place_bit(path)) != 0;
  }
  void add(std::size_t branch, std::uint32_t places);

 private:
  std::uint32_t bitmap_ = 0;           // bitmap of the first branch, the only one of most jobs
  std::uint32_t count_ = 0;            // number of workers
  std::vector<std::uint32_t> others_;  // bitmaps of the other branches

  BOOST_DESCRIBE_CLASS(WorkerSet, (), (), (), (bitmap_, count_, others_))
};

/// Number of workers that a frame names, and number of these that are in a set.
struct Overlap {
  std::size_t named = 0;
  std::size_t common = 0;
};

/// Knows all workers of a job, and determines which workers the bitmaps of a frame name
/// (wire::AggregationPath): some workers of one branch, by position, or all workers of branches.
class Branches {
 public:
  explicit Branches(std::span<const wire::AggregationPath> paths)
      : everyone_(wire::branches_of(paths)) {}

  std::size_t size() const { return everyone_.size(); }
  /// All workers of a branch, as a bitmap by position.
  std::uint32_t everyone(std::size_t branch) const { return everyone_[branch]; }
  /// Whether a frame names at least one worker, and only workers of the job.
  bool has_those_of(const Frame& frame) const;
  /// Whether a frame names the worker that has this path.
  static bool names(const Frame& frame, const wire::AggregationPath& path) {
    if (frame.aggregator().bitmap1 != 0 && (frame.aggregator().bitmap1 & path.bitmap1) == 0)
      return false;
    return names_whole_branches(frame) || (frame.aggregator().bitmap0 & wire::place_bit(path)) != 0;
  }

  /// The frame must be one that has_those_of() accepts.
  Overlap overlap(const Frame& frame, const WorkerSet& workers) const;
  void add(const Frame& frame, WorkerSet& workers) const;

 private:
  /// Calls `visit(branch, places)` for each branch whose workers a frame names.
  template <class Visit>
  void visit(const Frame& frame, Visit&& visit) const {
    if (frame.aggregator().bitmap1 == 0) return visit(std::size_t{0}, frame.aggregator().bitmap0);
    const bool whole = names_whole_branches(frame);
    for (std::uint32_t left = frame.aggregator().bitmap1; left != 0; left &= left - 1) {
      const auto branch = static_cast<std::size_t>(std::countr_zero(left));
      visit(branch, whole ? everyone_[branch] : frame.aggregator().bitmap0);
    }
  }
  /// True for several branches even with position bits: a sum may have those of its last packet.
  static bool names_whole_branches(const Frame& frame) {
    return frame.aggregator().bitmap1 != 0 &&
           (frame.aggregator().bitmap0 == 0 || !std::has_single_bit(frame.aggregator().bitmap1));
  }

  std::vector<std::uint32_t> everyone_;
};

}  // namespace ina
