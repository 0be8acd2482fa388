// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/training/job_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "hw/cluster/training/verification_error.hpp"
#include "hw/protocol/numeric/split_mix.hpp"
#include "hw/protocol/wire/headers.hpp"

namespace ina::cluster {

static_assert(wire::kSwitchmlValues.back() <= numeric::max_synthetic_values);
static_assert(wire::kMostFlowValues <= numeric::max_synthetic_values);
static_assert(wire::kMostPsValues <= numeric::max_synthetic_values);

JobGradients::JobGradients(const numeric::SyntheticTable& table, const PartitionPlan& plan,
                           const Config& config, std::uint64_t seed)
    : table_(table), plan_(plan), config_(config) {
  if (config.carried_values > numeric::max_synthetic_values) {
    throw std::length_error(fmt::format("a fragment of {} values; allowed: at most {}",
                                        config.carried_values, numeric::max_synthetic_values));
  }
  reseed(seed);
}

void JobGradients::reseed(std::uint64_t seed) {
  key_ = numeric::synthetic_key(seed);
  sum_ = numeric::synthetic_sum(seed, config_.workers);
  gradients_.clear();
  for (std::uint32_t rank = 0; rank < config_.workers; ++rank) {
    gradients_.push_back(numeric::synthetic_gradient(seed, rank));
  }
  if (config_.in_blocks) blocks_.emplace(table_, seed, config_.workers);
}

void JobGradients::generate(std::uint32_t rank, Psn psn, std::span<std::int32_t> out) const {
  numeric::generate(table_, gradients_[rank], key_, psn, out.data(), out.size());
}

void JobGradients::read(std::uint32_t rank, Psn psn, std::span<std::int32_t> out) const {
  generate(rank, psn, out);
  if (overflows(psn)) out.front() = std::numeric_limits<std::int32_t>::max();
}

void JobGradients::read_floats(std::uint32_t rank, Psn psn, std::span<float> out) const {
  std::vector<std::int32_t> integers(out.size());
  generate(rank, psn, integers);
  std::ranges::transform(integers, out.begin(),
                         [](std::int32_t value) { return static_cast<float>(value); });
}

bool JobGradients::draws_overflow(Psn psn) const {
  return static_cast<double>(numeric::synthetic_key(key_ ^ psn)) < config_.overflow * 0x1p64;
}

std::uint32_t JobGradients::identity_of(Psn psn, numeric::SyntheticGradient sum) const {
  const std::uint64_t coefficients =
      std::uint64_t{static_cast<std::uint32_t>(sum.a)} << 32 | static_cast<std::uint32_t>(sum.b);
  return static_cast<std::uint32_t>(numeric::split_mix(key_ ^ coefficients, psn)) | 1U;
}

void JobGradients::verify_sum(std::uint32_t rank, const Frame& result,
                              numeric::SyntheticGradient sum) const {
  const std::uint32_t identity = identity_of(result.psn, sum);
  if (result.values.verified_as() == identity) return;
  if (const auto difference = numeric::first_difference(
          table_, sum, key_, result.psn, result.values.data(), result.values.size())) {
    fail_sum(rank, result, sum, *difference);
  }
  result.values.set_verified_as(identity);
}

/// Compares with the exact sum. Every worker quantised with the largest exponent of all workers,
/// which is exact for these values.
void JobGradients::verify_block(std::uint32_t rank, Psn first_psn, const Frame& result) const {
  const std::uint32_t fragment = result.psn - first_psn;
  const PlannedPartition& partition = plan_.partitions()[plan_.partition_of(fragment)];
  const bool carries_values = fragment - partition.first_fragment >= partition.exponent_lead;
  const auto largest = carries_values ? blocks_->largest(result.psn) : numeric::ExponentCode{0};
  if (result.switchml().exponents != largest) {
    fail(rank, result.psn,
         fmt::format("quantised by the exponent {}, but the workers' largest is {}",
                     result.switchml().exponents, largest));
  }
  if (!result.values) return;
  verify_sum(rank, result,
             carries_values ? blocks_->sum(result.psn) : numeric::SyntheticGradient{});
}

/// Compares with the sum of integers, which is exact in double. A sum of floats is therefore
/// rounded only once.
void JobGradients::verify_floats(std::uint32_t rank, const Frame& result) const {
  if (!result.has(flag::floats))
    fail(rank, result.psn, "received integers, but the sum overflowed");
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const auto value = std::bit_cast<float>(result.values.data()[i]);
    const auto sum =
        static_cast<float>(numeric::synthetic_value(table_, sum_, key_, result.psn, i));
    if (value != sum) {
      fail(rank, result.psn,
           fmt::format("value {} is {} as a float, but the workers' sum is {}", i, value, sum));
    }
  }
}

void JobGradients::fail(std::uint32_t rank, Psn psn, const std::string& what) const {
  throw VerificationError(
      fmt::format("job {}, worker {}, PSN {}: {}", config_.job, rank, psn, what));
}

void JobGradients::fail_sum(std::uint32_t rank, const Frame& result, numeric::SyntheticGradient sum,
                            std::size_t index) const {
  fail(rank, result.psn,
       fmt::format("value {} is {}, but the workers' sum is {}", index, result.values.data()[index],
                   numeric::synthetic_value(table_, sum, key_, result.psn, index)));
}

}  // namespace ina::cluster
