// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "hw/protocol/numeric/split_mix.hpp"
#include "hw/protocol/registration/id_pool.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/limits.hpp"

namespace ina::cluster {

/// The ids in packets, in the order in which registrations get them: a permutation of the numbers
/// below wire::kMaxJobs. ATP and DSA hash the id and the PSN, and every job's PSNs begin at 0. The
/// id of a job therefore decides which fragments share an aggregator.
class JobIds {
 public:
  /// Ids in ascending order.
  JobIds() { std::iota(ids_.begin(), ids_.end(), JobId{0}); }
  /// Ids in a random order that depends only on the seed. The order changes only within the pool
  /// (IdPool) of each job, so no job gets an id of another job's sessions. With more than 128 jobs,
  /// each pool has one id, and the order is ascending. `jobs`: from 1 to wire::kMaxJobs.
  JobIds(std::uint64_t seed, std::uint16_t jobs) : JobIds() {
    // A separate stream, because PathChoice uses the stream of `seed`.
    const std::uint64_t stream = numeric::split_mix(seed, wire::kMaxJobs);
    std::uint64_t draws = 0;
    for (std::uint16_t job = 0; job < jobs; ++job) {
      const registration::IdPool pool(job, jobs);
      for (std::uint16_t left = pool.count(); left > 1; --left) {
        const auto drawn = static_cast<std::uint16_t>(numeric::split_mix(stream, draws++) % left);
        std::swap(ids_[pool.at(static_cast<std::uint16_t>(left - 1))], ids_[pool.at(drawn)]);
      }
    }
  }

  /// `number`: below wire::kMaxJobs.
  JobId at(std::size_t number) const { return ids_[number]; }

 private:
  std::array<JobId, wire::kMaxJobs> ids_{};
};

}  // namespace ina::cluster
