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

/// The ids in packets, by the number of the registration: each id below wire::kMaxJobs once. ATP
/// and DSA hash the id and the PSN, which begins at 0. The id therefore decides which fragments of
/// a job meet in an aggregator.
class JobIds {
 public:
  /// Ids in ascending order.
  JobIds() { std::iota(ids_.begin(), ids_.end(), JobId{0}); }
  /// Ids drawn from the seed, identically on every machine. Ids are permuted only within each job's
  /// pool, so the first id of a job never belongs to another job's session. With more than 128 jobs
  /// a pool has one id, and nothing is drawn. `jobs`: from 1 to wire::kMaxJobs.
  JobIds(std::uint64_t seed, std::uint16_t jobs) : JobIds() {
    // A separate stream, because PathChoice draws from the seed's stream.
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
