// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/cluster/training/partition_plan.hpp"
#include "hw/protocol/numeric/synthetic_blocks.hpp"
#include "hw/protocol/numeric/synthetic_tensor.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::cluster {

/// Makes the synthetic gradients of a job's workers, and verifies every result against their exact
/// sum. If several workers receive the same buffer, its values are compared only once, unless they
/// are written again. After a successful comparison, the buffer stores a 32-bit hash of the job,
/// the fragment and the sum. If a worker receives it for another fragment, the hash fails to show
/// this with probability 2^-31. A comparison of values would fail with probability 2^-26.
class JobGradients {
 public:
  struct Config {
    JobId job = 0;
    std::uint32_t workers = 1;
    std::size_t carried_values = 0;  ///< number of values that a result carries
    double overflow = 0;             ///< share of fragments that overflow, so that floats are sent
    bool in_blocks = false;          ///< whether packets carry exponents (block floating point)
  };

  /// `table` and `plan` must outlive this. `seed` determines the gradients. Throws
  /// std::length_error if a result carries more than numeric::max_synthetic_values.
  JobGradients(const numeric::SyntheticTable& table, const PartitionPlan& plan,
               const Config& config, std::uint64_t seed);

  /// Replaces the gradients when a job is registered again.
  void reseed(std::uint64_t seed);

  void read(std::uint32_t rank, Psn psn, std::span<std::int32_t> out) const;
  void read_floats(std::uint32_t rank, Psn psn, std::span<float> out) const;
  numeric::ExponentCode exponent(std::uint32_t rank, Psn psn) const {
    return blocks_->exponent(rank, psn);
  }
  void read_block(std::uint32_t rank, Psn psn, numeric::ExponentCode agreed,
                  std::span<std::int32_t> out) const {
    blocks_->read(rank, psn, agreed, out);
  }

  /// Verifies a result that worker `rank` received in the iteration that begins with `first_psn`.
  /// Throws VerificationError unless the result is the exact sum. A sum of floats must be the exact
  /// sum, rounded a single time.
  void verify(std::uint32_t rank, Psn first_psn, const Frame& result) const {
    if (overflows(result.psn)) [[unlikely]] {
      verify_floats(rank, result);
    } else if (blocks_) [[unlikely]] {
      verify_block(rank, first_psn, result);
    } else if (result.values) {
      verify_sum(rank, result, sum_);
    }
  }
  /// Throws VerificationError.
  [[noreturn, gnu::cold]] void fail(std::uint32_t rank, Psn psn, const std::string& what) const;

  std::size_t carried_values() const { return config_.carried_values; }

 private:
  void generate(std::uint32_t rank, Psn psn, std::span<std::int32_t> out) const;
  /// Whether the first value of the fragment exceeds the range of integers at every worker.
  bool overflows(Psn psn) const { return config_.overflow != 0 && draws_overflow(psn); }
  bool draws_overflow(Psn psn) const;
  /// The hash of a fragment and its sum that a verified buffer stores; never 0.
  std::uint32_t identity_of(Psn psn, numeric::SyntheticGradient sum) const;
  /// The result must have values.
  void verify_sum(std::uint32_t rank, const Frame& result, numeric::SyntheticGradient sum) const;
  void verify_floats(std::uint32_t rank, const Frame& result) const;
  void verify_block(std::uint32_t rank, Psn first_psn, const Frame& result) const;
  [[noreturn, gnu::cold]] void fail_sum(std::uint32_t rank, const Frame& result,
                                        numeric::SyntheticGradient sum, std::size_t index) const;

  const numeric::SyntheticTable& table_;
  const PartitionPlan& plan_;
  Config config_;
  std::uint64_t key_ = 0;
  numeric::SyntheticGradient sum_;
  std::vector<numeric::SyntheticGradient> gradients_;  // by rank
  std::optional<numeric::SyntheticBlocks> blocks_;     // only if config_.in_blocks
};

}  // namespace ina::cluster
