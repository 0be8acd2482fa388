// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/protocol/wire/limits.hpp"
#include "hw/protocol/wire/registration.hpp"

namespace ina::registration {

/// The ids by which packets identify one job of a cluster. Each session of the job takes the next
/// id. The ids of job j are j, j + `jobs`, j + 2 `jobs` and so on. No two jobs share an id.
class IdPool {
 public:
  /// `job`: number of the job; `jobs`: number of jobs in the cluster, above `job`.
  IdPool(std::uint16_t job, std::uint16_t jobs)
      : first_(job), stride_(jobs), count_(static_cast<std::uint16_t>(wire::kMaxJobs / jobs)) {}

  /// Minimum number of ids of a job with several sessions, since is_later() cannot order fewer ids.
  static constexpr std::uint16_t kLeastIds = 3;
  /// Maximum number of jobs in a cluster where each job has kLeastIds.
  static constexpr std::size_t kMostJobs = wire::kMaxJobs / kLeastIds;

  std::uint16_t count() const { return count_; }
  JobId at(std::uint16_t position) const { return static_cast<JobId>(first_ + position * stride_); }
  bool contains(JobId id) const { return id % stride_ == first_ && position(id) < count_; }

  bool has_spare_ids() const { return count_ >= kLeastIds; }
  /// The id after `id`, for the next session. After kNoId, it is the first id.
  JobId after(JobId id) const {
    return id == wire::kNoId ? at(0) : at(static_cast<std::uint16_t>((position(id) + 1) % count_));
  }
  /// Whether the session with id `a` is later than the one with id `b`, in the sense of RFC 1982:
  /// ids wrap around, and no frame outlives half of the pool. Every id is later than kNoId.
  bool is_later(JobId a, JobId b) const {
    if (a == wire::kNoId) return false;
    if (b == wire::kNoId) return true;
    const int distance = (position(a) + count_ - position(b)) % count_;
    return distance != 0 && distance <= (count_ - 1) / 2;
  }

 private:
  std::uint16_t position(JobId id) const {
    return static_cast<std::uint16_t>((id - first_) / stride_);
  }

  std::uint16_t first_;
  std::uint16_t stride_;
  std::uint16_t count_;
};

}  // namespace ina::registration
