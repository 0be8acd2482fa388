// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/protocol/numeric/block_floating_point.hpp"
#include "hw/protocol/numeric/synthetic_tensor.hpp"

namespace ina::numeric {

/// Synthetic gradients (synthetic_tensor.hpp) as floats in block floating point: the values of each
/// fragment times a power of two, which differs from fragment to fragment, and a little between
/// workers. All of it is so that quantising by the largest exponent loses nothing: the sum of the
/// workers' integers is then that of synthetic gradients with other coefficients, and
/// first_difference verifies it value by value. A worker that quantised by another exponent shows
/// as a part that counts twice, or half.
class SyntheticBlocks {
 public:
  /// `table` must outlive it. Throws std::invalid_argument unless 1 <= workers <= 1024.
  SyntheticBlocks(const SyntheticTable& table, std::uint64_t job_seed, std::uint32_t workers);

  /// Worker `rank`'s: an exponent that all its values of fragment `psn` keep below.
  [[nodiscard]] ExponentCode exponent(std::uint32_t rank, std::uint64_t psn) const;
  /// The largest of all workers.
  [[nodiscard]] ExponentCode largest(std::uint64_t psn) const;
  /// What worker `rank` sends: its floats of the fragment, out.size() <= max_synthetic_values of
  /// them, quantised by the exponent that `agreed` stands for; zeros if it stands for none.
  void read(std::uint32_t rank, std::uint64_t psn, ExponentCode agreed,
            std::span<std::int32_t> out) const;
  /// The coefficients of the sum of what all workers send, quantised by largest(psn).
  [[nodiscard]] SyntheticGradient sum(std::uint64_t psn) const;

 private:
  /// Of the power of two that is the worker's alone.
  unsigned shift(std::uint32_t rank, std::uint64_t psn) const;
  unsigned largest_shift(std::uint64_t psn) const;
  /// Of the fragment's.
  int scale(std::uint64_t psn) const;

  const SyntheticTable& table_;
  std::uint64_t key_;
  std::vector<SyntheticGradient> gradients_;  // by rank
  unsigned most_shift_;
};

}  // namespace ina::numeric
