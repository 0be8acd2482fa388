// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/numeric/synthetic_blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ina::numeric {
namespace {

/// Synthetic values have magnitudes |v| < 2^21.
constexpr int kValueExponent = 20;
/// Number of bits by which a value may be shifted. A value has 30 bits, minus one for each doubling
/// of the workers.
constexpr unsigned kRoom = 30 - kValueExponent;
constexpr std::uint64_t kSaltShift = 0x7368696674;
constexpr std::uint64_t kSaltScale = 0x7363616c65;
constexpr int kMostScale = 64;

static_assert(max_synthetic_workers == 1U << kRoom);

}  // namespace

SyntheticBlocks::SyntheticBlocks(const SyntheticTable& table, std::uint64_t job_seed,
                                 std::uint32_t workers)
    : table_(table), key_(synthetic_key(job_seed)) {
  if (workers == 0 || workers > max_synthetic_workers) {
    throw std::invalid_argument("workers must be 1 ... 1024, found " + std::to_string(workers));
  }
  for (std::uint32_t rank = 0; rank < workers; ++rank) {
    gradients_.push_back(synthetic_gradient(job_seed, rank));
  }
  most_shift_ = kRoom - static_cast<unsigned>(std::bit_width(workers - 1));
}

unsigned SyntheticBlocks::shift(std::uint32_t rank, std::uint64_t psn) const {
  const std::uint64_t drawn = synthetic_key((key_ ^ kSaltShift) + (psn << 10 | rank));
  return static_cast<unsigned>(drawn % (most_shift_ + 1));
}

unsigned SyntheticBlocks::largest_shift(std::uint64_t psn) const {
  unsigned largest = 0;
  for (std::uint32_t rank = 0; rank < gradients_.size(); ++rank) {
    largest = std::max(largest, shift(rank, psn));
  }
  return largest;
}

int SyntheticBlocks::scale(std::uint64_t psn) const {
  const std::uint64_t drawn = synthetic_key((key_ ^ kSaltScale) + psn);
  constexpr std::uint64_t kScales = 2 * std::uint64_t{kMostScale};
  return static_cast<int>(drawn % kScales) - kMostScale;
}

ExponentCode SyntheticBlocks::exponent(std::uint32_t rank, std::uint64_t psn) const {
  const int exponent = kValueExponent + scale(psn) + static_cast<int>(shift(rank, psn));
  return exponent_code(static_cast<ChunkExponent>(exponent), 0);
}

ExponentCode SyntheticBlocks::largest(std::uint64_t psn) const {
  const int exponent = kValueExponent + scale(psn) + static_cast<int>(largest_shift(psn));
  return exponent_code(static_cast<ChunkExponent>(exponent), 0);
}

void SyntheticBlocks::read(std::uint32_t rank, std::uint64_t psn, ExponentCode agreed,
                           std::span<std::int32_t> out) const {
  const DecodedExponent decoded = decode_exponent(agreed);
  if (!decoded.exponent) {
    std::ranges::fill(out, 0);
    return;
  }
  std::array<float, max_synthetic_values> floats;
  const std::span<float> in(floats.data(), out.size());
  generate(table_, gradients_.at(rank), key_, psn, out.data(), out.size());
  const float factor = std::ldexp(1.0F, scale(psn) + static_cast<int>(shift(rank, psn)));
  std::ranges::transform(out, in.begin(), [factor](std::int32_t value) {
    return factor * static_cast<float>(value);  // exact: 21 bits
  });
  static_cast<void>(
      quantise(in, *decoded.exponent, static_cast<std::uint32_t>(gradients_.size()), out));
}

SyntheticGradient SyntheticBlocks::sum(std::uint64_t psn) const {
  const unsigned room = most_shift_ - largest_shift(psn);
  SyntheticGradient sum;
  for (std::uint32_t rank = 0; rank < gradients_.size(); ++rank) {
    const unsigned shifted = room + shift(rank, psn);
    sum += {gradients_[rank].a << shifted, gradients_[rank].b << shifted};
  }
  return sum;
}

}  // namespace ina::numeric
