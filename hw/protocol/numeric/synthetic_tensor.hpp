// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// Gradients that the simulator generates instead of training a model. Each value of a sum over any
/// number of workers can be verified, at no more than the cost of generating one worker's fragment.
///
/// Value i of fragment `psn` of worker w is
///
///     v = a_w * T[o + i] + b_w * c
///
/// T is a constant table. The offset o and the term c are bits of a 64-bit hash of (job seed, psn).
/// The coefficients a_w and b_w are random functions of (job seed, rank). The value is linear in
/// (a, b): the exact sum over a set of workers is A * T[o + i] + B * c, where A and B are the sums
/// of their coefficients. No sum over at most max_synthetic_workers workers reaches a limit of
/// int32, so sums are exact in every order, and a value at a limit is always an error.
///
/// Errors that first_difference() finds in a fragment of `count` values:
/// - A damaged value: always.
/// - Contributions of some workers missing, or counted twice or more (not both at once): always
///   if count >= 2. All a_w are positive and neighbours in T differ, so the error varies along the
///   fragment and is not zero throughout.
/// - One worker counted instead of another: always if count >= 2, since a job's a_w are distinct.
/// - Several workers missing and other workers counted twice: not found if the a's and b's of the
///   two sets have equal sums (for random sets with a probability of at most 2^-19). For two given
///   sets, the error is found in nearly every fragment of the job or in almost none.
/// - Values of another fragment of the job (swapped, or from a stale slot), of all workers or of
///   one: always if count >= 5 and the offsets differ (they are equal for 1 pair in 8192). With
///   equal offsets, not found if the c's are equal, too (1 in 8191): for 2^-26 of all pairs.
/// - Values moved within the fragment, or values of another job: not found only if all are equal
///   by chance, with a probability below 2^-9 per value, so in practice always found.
/// - In a fragment of one value, any error is not found with a probability of about 2^-20.
namespace ina::numeric {

/// Maximum number of workers whose gradients can be summed without overflow of int32.
inline constexpr std::uint32_t max_synthetic_workers = 1024;
/// Maximum number of values of a fragment (SwitchML's largest: 2240).
inline constexpr std::size_t max_synthetic_values = 2304;

/// Ranges of the parts of a value. A static assertion checks the resulting bound, |v| < 2^21.
inline constexpr std::int32_t max_synthetic_a = 2048;         ///< a_w: 1 ... 2048
inline constexpr std::int32_t max_synthetic_b = 256;          ///< b_w: 1 ... 256
inline constexpr std::int32_t max_synthetic_c = 4095;         ///< c: -4095 ... 4095
inline constexpr std::int32_t max_synthetic_magnitude = 512;  ///< T: -512 ... 511

/// The constant table T, 20.5 KiB. Create one per process (under a millisecond) and pass it by
/// reference. It is immutable, so threads may share it.
class SyntheticTable {
 public:
  static constexpr std::size_t offsets = 8192;  ///< possible start positions of a fragment's values
  static constexpr std::size_t size = offsets + max_synthetic_values;

  /// Fills the table with SplitMix64 from `seed`: equal seeds give equal tables on every machine.
  /// Repeats this until no two neighbours are equal and no two windows of five values differ by a
  /// constant.
  explicit SyntheticTable(std::uint64_t seed = 0x494e412d4c616221);

  [[nodiscard]] const std::int16_t* data() const noexcept { return values_.data(); }

 private:
  alignas(64) std::array<std::int16_t, size> values_;
};

/// Coefficients of one worker's gradient, or the sum of several workers'.
struct SyntheticGradient {
  std::int32_t a = 0;
  std::int32_t b = 0;

  constexpr SyntheticGradient& operator+=(SyntheticGradient other) noexcept {
    a += other.a;
    b += other.b;
    return *this;
  }
  friend constexpr SyntheticGradient operator+(SyntheticGradient x, SyntheticGradient y) noexcept {
    return x += y;
  }
  friend constexpr bool operator==(SyntheticGradient, SyntheticGradient) noexcept = default;
};

/// The key that generate and first_difference hash together with a PSN.
[[nodiscard]] std::uint64_t synthetic_key(std::uint64_t job_seed) noexcept;

/// The coefficients of worker `rank` of a job. Throws std::out_of_range unless
/// rank < max_synthetic_workers.
[[nodiscard]] SyntheticGradient synthetic_gradient(std::uint64_t job_seed, std::uint32_t rank);

/// The sum over the workers 0 ... workers - 1. It takes O(workers) time, so keep the result. Throws
/// std::out_of_range if workers > max_synthetic_workers.
[[nodiscard]] SyntheticGradient synthetic_sum(std::uint64_t job_seed, std::uint32_t workers);

/// Value `index` (below max_synthetic_values) of fragment `psn`: for messages and tests.
[[nodiscard]] std::int32_t synthetic_value(const SyntheticTable& table, SyntheticGradient gradient,
                                           std::uint64_t key, std::uint64_t psn,
                                           std::size_t index) noexcept;

/// Writes the first `count` values of fragment `psn`, count <= max_synthetic_values, to `out`
/// (any alignment of int32; nothing beyond out[count - 1] is written).
void generate(const SyntheticTable& table, SyntheticGradient gradient, std::uint64_t key,
              std::uint64_t psn, std::int32_t* out, std::size_t count) noexcept;

/// Whether `result` contains the `count` values that generate() would write for the gradient `sum`,
/// count <= max_synthetic_values. See above for the errors that it detects.
[[nodiscard]] bool matches(const SyntheticTable& table, SyntheticGradient sum, std::uint64_t key,
                           std::uint64_t psn, const std::int32_t* result,
                           std::size_t count) noexcept;

/// Index of the first value of `result` that differs from what generate() would write. Empty if all
/// `count` values are right, count <= max_synthetic_values; it is then as fast as matches().
/// (Inline, since returning a std::optional from a call costs 4 ns.)
[[nodiscard]] inline std::optional<std::size_t> first_difference(
    const SyntheticTable& table, SyntheticGradient sum, std::uint64_t key, std::uint64_t psn,
    const std::int32_t* result, std::size_t count) noexcept {
  if (count == 0 || matches(table, sum, key, psn, result, count)) [[likely]] {
    return std::nullopt;
  }
  std::size_t index = 0;
  while (result[index] == synthetic_value(table, sum, key, psn, index)) ++index;
  return index;
}

}  // namespace ina::numeric
