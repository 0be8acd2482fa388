// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/protocol/numeric/block_floating_point.hpp"
#include "hw/protocol/numeric/synthetic_tensor.hpp"

namespace ina::numeric {

/// Synthetic gradients (synthetic_tensor.hpp) as floats in block floating point. The values of each
/// fragment are multiplied by a power of two that differs between fragments and slightly between
/// workers. Quantising with the largest exponent loses no bits. The sum of the workers' integers is
/// therefore a sum of synthetic gradients with other coefficients, and first_difference() can
/// verify each value of it. If a worker quantises with a wrong exponent, its contribution is wrong
/// by a factor of two or more, which first_difference() detects.
class SyntheticBlocks {
 public:
  /// `table` must outlive this. Throws std::invalid_argument unless 1 <= workers <= 1024.
  SyntheticBlocks(const SyntheticTable& table, std::uint64_t job_seed, std::uint32_t workers);

  /// Code of an exponent that bounds all values of worker `rank` in fragment `psn`.
  [[nodiscard]] ExponentCode exponent(std::uint32_t rank, std::uint64_t psn) const;
  /// The largest exponent of any worker for fragment `psn`.
  [[nodiscard]] ExponentCode largest(std::uint64_t psn) const;
  /// Writes what worker `rank` sends: its floats of the fragment, quantised with the exponent that
  /// `agreed` encodes, or zeros if it encodes none. Requires out.size() <= max_synthetic_values.
  void read(std::uint32_t rank, std::uint64_t psn, ExponentCode agreed,
            std::span<std::int32_t> out) const;
  /// Coefficients of the sum of all workers' values, quantised with largest(psn).
  [[nodiscard]] SyntheticGradient sum(std::uint64_t psn) const;

 private:
  /// Exponent of the worker-specific power of two.
  unsigned shift(std::uint32_t rank, std::uint64_t psn) const;
  unsigned largest_shift(std::uint64_t psn) const;
  /// Exponent of the fragment-specific power of two.
  int scale(std::uint64_t psn) const;

  const SyntheticTable& table_;
  std::uint64_t key_;
  std::vector<SyntheticGradient> gradients_;  // by rank
  unsigned most_shift_;
};

}  // namespace ina::numeric
