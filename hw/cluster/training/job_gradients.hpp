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

/// The synthetic gradients of a job's workers, and the verification of every result against their
/// exact sum. If several workers get the same buffer, it is compared once, unless it was written
/// since. The buffer keeps a 32-bit hash of the job, fragment and sum for which it was right. A
/// buffer that is right for one fragment passes for another with a probability of 2^-31, of which
/// synthetic_tensor.hpp would miss 2^-26.
class JobGradients {
 public:
  struct Config {
    JobId job = 0;
    std::uint32_t workers = 1;
    std::size_t carried_values = 0;  ///< per result: at most those of a packet
    double overflow = 0;             ///< share of fragments that have to be collected as floats
    bool in_blocks = false;          ///< exponents of block floating point precede the values
  };

  /// Table and plan must outlive it. `seed` determines the gradients.
  JobGradients(const numeric::SyntheticTable& table, const PartitionPlan& plan,
               const Config& config, std::uint64_t seed);

  /// Changes the gradients, for a job that is registered again.
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

  /// Verifies a result of worker `rank` in the iteration that begins with `first_psn`. Throws
  /// VerificationError unless it is the exact sum. A sum of floats must be the exact sum rounded
  /// once.
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
  /// Whether the fragment's first value exceeds the integers at every worker.
  bool overflows(Psn psn) const { return config_.overflow != 0 && draws_overflow(psn); }
  bool draws_overflow(Psn psn) const;
  /// Identity under which the sum of a fragment is verified; not 0.
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
  std::optional<numeric::SyntheticBlocks> blocks_;     // if exponents precede the values
};

}  // namespace ina::cluster
