// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/protocol/numeric/split_mix.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

/// Choice among equal-cost paths (ECMP). All frames with equal choices take the same path: the
/// frames of a job if switches add its gradients, and otherwise the frames of a flow (by_flow).
struct PathChoice {
  std::uint64_t seed = 0;
  bool by_flow = false;

  std::uint64_t of_job(JobId job) const { return numeric::split_mix(seed, job); }
  std::uint64_t of_flow(HostId source, HostId destination) const {
    constexpr std::uint64_t kBehindJobs = std::uint64_t{1} << 32;
    return numeric::split_mix(seed, kBehindJobs | std::uint64_t{source} << 16 | destination);
  }
  std::uint64_t of(const Frame& frame) const {
    return by_flow ? of_flow(frame.source, frame.destination) : of_job(frame.job);
  }

  friend bool operator==(const PathChoice&, const PathChoice&) = default;
};

/// Index, below `ways`, of a path or of a job's root. `salt` says for whom. If it is the height of
/// a switch, all switches of that height select the same index. In a leaf-spine or fat tree, a
/// job's frames then use the same path in both directions. A flow's frames do not.
inline std::size_t pick(std::uint64_t choice, std::uint32_t salt, std::size_t ways) {
  return ways == 1 ? 0 : numeric::split_mix(choice, salt) % ways;
}

}  // namespace ina::wire
