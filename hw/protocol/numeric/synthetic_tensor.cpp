// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/numeric/synthetic_tensor.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/protocol/numeric/kernel.hpp"
#include "hw/protocol/numeric/split_mix.hpp"

namespace ina::numeric {
namespace {

static_assert(std::int64_t{max_synthetic_workers} *
                      (std::int64_t{max_synthetic_a} * max_synthetic_magnitude +
                       std::int64_t{max_synthetic_b} * max_synthetic_c) <
                  std::numeric_limits<std::int32_t>::max(),
              "a sum over max_synthetic_workers must fit an int32");
static_assert(max_synthetic_workers <= max_synthetic_a, "the a of a job's workers are distinct");

constexpr std::uint64_t salt_a = 0x61;
constexpr std::uint64_t salt_b = 0x62;

// A keyed bijection of 0 ... 2047, so that all workers of a job have different values of a.
std::uint32_t permute_11_bits(std::uint32_t value, std::uint64_t key) noexcept {
  constexpr std::uint32_t mask = max_synthetic_a - 1;
  static_assert((max_synthetic_a & mask) == 0 && mask == 0x7ff);
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t bits = split_mix(key, static_cast<std::uint64_t>(round) + 1);
    value = (value + static_cast<std::uint32_t>(bits >> 40)) & mask;
    value = (value * (static_cast<std::uint32_t>(bits >> 8) | 1U)) & mask;
    value ^= value >> 6;
  }
  return value;
}

struct Fragment {
  const std::int16_t* values;
  std::uint32_t constant;  // b * c, modulo 2^32
};

// The hash's top 13 bits are the offset; its low 32 bits determine c, uniformly.
INA_INLINE Fragment locate(const SyntheticTable& table, SyntheticGradient gradient,
                           std::uint64_t key, std::uint64_t psn) noexcept {
  static_assert(SyntheticTable::offsets == std::size_t{1} << 13);
  constexpr std::uint64_t choices = 2 * max_synthetic_c + 1;
  const std::uint64_t hash = split_mix(key, psn);
  const auto c = static_cast<std::int32_t>(((hash & 0xffffffff) * choices) >> 32) - max_synthetic_c;
  return {table.data() + (hash >> 51),
          static_cast<std::uint32_t>(gradient.b) * static_cast<std::uint32_t>(c)};
}

INA_INLINE std::int32_t value_at(Fragment fragment, std::int32_t a, std::size_t index) noexcept {
  const auto entry = static_cast<std::uint32_t>(std::int32_t{fragment.values[index]});
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * entry + fragment.constant);
}

// Sixteen 16-bit entries fill an AVX2 register.
constexpr std::size_t compare_block = std::size_t{2} * kernel_lanes;

bool has_equal_neighbours(const std::int16_t* values, std::size_t count) {
  return std::adjacent_find(values, values + count) != values + count;
}

// True if the four differences inside a window of five values determine where the window starts.
bool has_distinct_windows(const std::int16_t* values) {
  std::vector<std::uint64_t> windows(SyntheticTable::offsets);
  for (std::size_t start = 0; start < windows.size(); ++start) {
    std::uint64_t packed = 0;
    for (std::size_t i = start; i < start + 4; ++i) {
      packed = packed << 16 | static_cast<std::uint16_t>(values[i + 1] - values[i]);
    }
    windows[start] = packed;
  }
  std::sort(windows.begin(), windows.end());
  return std::adjacent_find(windows.begin(), windows.end()) == windows.end();
}

}  // namespace

SyntheticTable::SyntheticTable(std::uint64_t seed) {
  std::uint64_t drawn = 0;
  do {
    for (std::size_t i = 0; i < size; ++i) {
      do {
        const std::uint64_t bits = split_mix(seed, ++drawn) >> 32;
        values_[i] = static_cast<std::int16_t>(
            static_cast<std::int32_t>(bits % (std::uint64_t{2} * max_synthetic_magnitude)) -
            max_synthetic_magnitude);
      } while (i > 0 && values_[i] == values_[i - 1]);
    }
  } while (has_equal_neighbours(values_.data(), size) || !has_distinct_windows(values_.data()));
}

std::uint64_t synthetic_key(std::uint64_t job_seed) noexcept { return split_mix(job_seed, 1); }

SyntheticGradient synthetic_gradient(std::uint64_t job_seed, std::uint32_t rank) {
  if (rank >= max_synthetic_workers) {
    throw std::out_of_range("synthetic_gradient: rank " + std::to_string(rank) +
                            ", but a job has at most " + std::to_string(max_synthetic_workers) +
                            " workers");
  }
  const std::uint64_t key = synthetic_key(job_seed);
  const std::uint32_t a = permute_11_bits(rank, key ^ salt_a);
  const std::uint64_t b = split_mix(key ^ salt_b, std::uint64_t{rank} + 1) % max_synthetic_b;
  return {static_cast<std::int32_t>(a) + 1, static_cast<std::int32_t>(b) + 1};
}

SyntheticGradient synthetic_sum(std::uint64_t job_seed, std::uint32_t workers) {
  SyntheticGradient sum;
  for (std::uint32_t rank = 0; rank < workers; ++rank) sum += synthetic_gradient(job_seed, rank);
  return sum;
}

std::int32_t synthetic_value(const SyntheticTable& table, SyntheticGradient gradient,
                             std::uint64_t key, std::uint64_t psn, std::size_t index) noexcept {
  assert(index < max_synthetic_values);
  return value_at(locate(table, gradient, key, psn), gradient.a, index);
}

INA_KERNEL void generate(const SyntheticTable& table, SyntheticGradient gradient, std::uint64_t key,
                         std::uint64_t psn, std::int32_t* out, std::size_t count) noexcept {
  assert(count <= max_synthetic_values);
  const Fragment fragment = locate(table, gradient, key, psn);
  if (count < kernel_lanes) {
    for (std::size_t i = 0; i < count; ++i) out[i] = value_at(fragment, gradient.a, i);
    return;
  }
  const std::size_t whole = count / kernel_lanes * kernel_lanes;
  INA_INDEPENDENT
  for (std::size_t i = 0; i < whole; ++i) out[i] = value_at(fragment, gradient.a, i);
  // The last block overlaps the previous one, which avoids a scalar loop over the remainder.
  INA_INDEPENDENT
  for (std::size_t i = count - kernel_lanes; i < count; ++i) {
    out[i] = value_at(fragment, gradient.a, i);
  }
}

INA_KERNEL bool matches(const SyntheticTable& table, SyntheticGradient sum, std::uint64_t key,
                        std::uint64_t psn, const std::int32_t* result, std::size_t count) noexcept {
  assert(count <= max_synthetic_values);
  const Fragment fragment = locate(table, sum, key, psn);
  std::int32_t difference = 0;
  if (count < compare_block) {
    for (std::size_t i = 0; i < count; ++i) difference |= result[i] ^ value_at(fragment, sum.a, i);
    return difference == 0;
  }
  const std::size_t whole = count / compare_block * compare_block;
  for (std::size_t i = 0; i < whole; ++i) difference |= result[i] ^ value_at(fragment, sum.a, i);
  for (std::size_t i = count - compare_block; i < count; ++i) {
    difference |= result[i] ^ value_at(fragment, sum.a, i);
  }
  return difference == 0;
}

}  // namespace ina::numeric
