// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "hw/libina/agreement.hpp"
#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/numeric/saturating_add.hpp"

namespace ina::library {

namespace {

// Prefetch distance. Fragments arrive and leave in the order of their positions, but the work
// between two of them hides this pattern from the hardware prefetcher.
constexpr std::size_t kBytesAhead = 2048;

/// Prefetches the part of an array that will be read or written soon.
template <class Value>
void fetch_ahead(std::span<const Value> array, std::size_t first, std::size_t count) {
  constexpr std::size_t kAhead = kBytesAhead / sizeof(Value);
  if (first + count + kAhead > array.size()) return;
  const Value* const begin = array.data() + first + kAhead;
  for (std::size_t i = 0; i < count; i += kCacheLineBytes / sizeof(Value)) {
    fetch_line(begin + i);
  }
}

/// Whether the sum of values with this exponent can exceed FLT_MAX.
bool can_overflow(numeric::ChunkExponent exponent, std::uint32_t workers) {
  const int doublings = static_cast<int>(std::bit_width(workers - 1));
  return exponent + doublings >= std::numeric_limits<float>::max_exponent - 1;
}

bool any_infinite(std::span<const float> values) {
  return std::ranges::any_of(values, [](float value) { return std::isinf(value); });
}

}  // namespace

void Exchange::assign_psns(Psn first_psn, std::size_t fragment_values,
                           std::uint32_t exponent_lead) {
  first_psn_ = first_psn + exponent_lead;
  fragment_values_ = fragment_values;
}

void Exchange::read_block(Psn psn, numeric::ExponentCode largest,
                          std::span<std::int32_t> out) const {
  const std::size_t first = offset_of(psn);
  const std::size_t values = std::min(out.size(), count_ - first);
  encode(first, largest, out.first(values));
  std::ranges::fill(out.subspan(values), 0);
}

numeric::ExponentCode Exchange::exponent(Psn psn) const {
  const std::size_t first = offset_of(psn);
  return exponent_of(first, std::min(fragment_values_, count_ - first));
}

void Exchange::take(const Frame& result) {
  if (result.psn < first_psn_) return;  // carries only exponents
  const std::size_t first = offset_of(result.psn);
  const auto* const block = std::get_if<SwitchmlFields>(&result.fields);
  decode(first, block == nullptr ? numeric::ExponentCode{0} : block->exponents,
         {result.values.data(), std::min(fragment_values_, count_ - first)});
}

std::string name_of(const std::vector<std::size_t>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

Outcome not_finite(const std::vector<std::size_t>& ranks) {
  return {INA_NOT_FINITE,
          fmt::format("found a NaN or an infinity of {}; allowed: finite values", name_of(ranks))};
}

void Int32Exchange::encode(std::size_t first, numeric::ExponentCode,
                           std::span<std::int32_t> out) const {
  fetch_ahead(values_.all(), first, out.size());
  std::ranges::copy(values_.part(first, out.size()), out.begin());
}

void Int32Exchange::decode(std::size_t first, numeric::ExponentCode,
                           std::span<const std::int32_t> sums) {
  fetch_ahead(std::span<const std::int32_t>(out_, count()), first, sums.size());
  if (!wraps_around_ && numeric::any_saturated(sums)) overflowed_ = true;
  std::ranges::copy(sums, out_ + first);
}

void Int32Exchange::finish() {
  if (overflowed_) {
    done_({INA_OVERFLOW, "found a sum out of range; allowed: from INT32_MIN + 1 to INT32_MAX - 1"});
  } else {
    done_({});
  }
}

numeric::ExponentCode Float32Exchange::exponent_of(std::size_t first, std::size_t count) const {
  fetch_ahead(values_.all(), first, count);
  return numeric::exponent_code(numeric::chunk_exponent(values_.part(first, count)), rank_.own);
}

numeric::DecodedExponent Float32Exchange::scale(numeric::ExponentCode largest) const {
  if (blocks_ == FloatBlocks::arrays) return {agreement_->largest_exponent()};
  return numeric::decode_exponent(largest);
}

void Float32Exchange::encode(std::size_t first, numeric::ExponentCode largest,
                             std::span<std::int32_t> out) const {
  fetch_ahead(values_.all(), first, out.size());
  const numeric::DecodedExponent by = scale(largest);
  if (!by.exponent) {
    std::ranges::fill(out, 0);
    return;
  }
  // Cannot saturate, since the exponent is the largest of all workers'.
  static_cast<void>(
      numeric::quantise(values_.part(first, out.size()), *by.exponent, rank_.workers, out));
}

void Float32Exchange::decode(std::size_t first, numeric::ExponentCode largest,
                             std::span<const std::int32_t> sums) {
  fetch_ahead(std::span<const float>(out_, count()), first, sums.size());
  const numeric::DecodedExponent by = scale(largest);
  if (!by.exponent) {
    not_finite_of_ = by.not_finite_of;
    return;
  }
  const std::span<float> out(out_ + first, sums.size());
  numeric::dequantise(sums, *by.exponent, rank_.workers, out);
  if (can_overflow(*by.exponent, rank_.workers) && any_infinite(out)) overflowed_ = true;
}

void Float32Exchange::finish() {
  if (not_finite_of_) {
    done_(not_finite({*not_finite_of_}));
  } else if (overflowed_) {
    done_(
        {INA_OVERFLOW, "found a sum beyond the largest float; allowed: magnitudes up to FLT_MAX"});
  } else {
    done_({});
  }
}

}  // namespace ina::library
