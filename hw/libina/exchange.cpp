// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/exchange.hpp"

#include <algorithm>

namespace ina::library {

namespace {

// Places of exponents: of those that have a say, from -127 on, and before them of what has none.
constexpr std::size_t kNotFinitePlace = 0;
constexpr std::size_t kPlaces = 256;
constexpr std::size_t kNowhere = 0;
// Fragments come and go in the order of their places, but what happens between two of them keeps
// the processor from noticing that.
constexpr std::size_t kBytesAhead = 2048;
constexpr std::size_t kCacheLineBytes = 64;

/// Fetches into the cache what lies a few parts further on in an array, to be read or written soon.
template <class Value>
void fetch_ahead(std::span<const Value> array, std::size_t first, std::size_t count) {
  constexpr std::size_t kAhead = kBytesAhead / sizeof(Value);
  if (first + count + kAhead > array.size()) return;
  const Value* const begin = array.data() + first + kAhead;
  for (std::size_t i = 0; i < count; i += kCacheLineBytes / sizeof(Value)) {
    __builtin_prefetch(begin + i);
  }
}

std::size_t place_of(numeric::ChunkExponent exponent) {
  return static_cast<std::size_t>(exponent - numeric::zero_chunk);
}

}  // namespace

void Exchange::place(Psn first_psn, std::size_t fragment_values) {
  first_psn_ = first_psn;
  fragment_values_ = fragment_values;
}

void Exchange::read(Psn psn, std::span<std::int32_t> out) const {
  const std::size_t first = offset_of(psn);
  const std::size_t values = std::min(out.size(), count_ - first);
  encode(first, out.first(values));
  std::ranges::fill(out.subspan(values), 0);
}

void Exchange::take(const Frame& result) {
  const std::size_t first = offset_of(result.psn);
  decode(first, {result.values.data(), std::min(fragment_values_, count_ - first)});
}

void Int32Exchange::encode(std::size_t first, std::span<std::int32_t> out) const {
  fetch_ahead(values_.all(), first, out.size());
  std::ranges::copy(values_.part(first, out.size()), out.begin());
}

void Int32Exchange::decode(std::size_t first, std::span<const std::int32_t> sums) {
  fetch_ahead(std::span<const std::int32_t>(out_, count()), first, sums.size());
  std::ranges::copy(sums, out_ + first);
}

ExponentExchange::ExponentExchange(std::span<const float> values)
    : Exchange(kPlaces), highest_place_(kNowhere) {
  const auto exponent = numeric::chunk_exponent(values);
  if (!exponent) {
    own_place_ = kNotFinitePlace;
  } else if (*exponent != numeric::zero_chunk) {
    own_place_ = place_of(*exponent);
  }
}

void ExponentExchange::encode(std::size_t first, std::span<std::int32_t> out) const {
  std::ranges::fill(out, 0);
  if (own_place_ && *own_place_ - first < out.size()) out[*own_place_ - first] = 1;
}

void ExponentExchange::decode(std::size_t first, std::span<const std::int32_t> sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;
    if (first + i == kNotFinitePlace) any_not_finite_ = true;
    highest_place_ = std::max(highest_place_, first + i);
  }
}

std::optional<numeric::ChunkExponent> ExponentExchange::agreed() const {
  if (any_not_finite_) return std::nullopt;
  return static_cast<numeric::ChunkExponent>(static_cast<int>(highest_place_) +
                                             numeric::zero_chunk);
}

void Float32Exchange::encode(std::size_t first, std::span<std::int32_t> out) const {
  const auto exponent = exponent_->agreed();
  if (!exponent) {  // the others send as many fragments, and know as well
    std::ranges::fill(out, 0);
    return;
  }
  fetch_ahead(values_.all(), first, out.size());
  // By the agreement nothing saturates.
  static_cast<void>(numeric::quantise(values_.part(first, out.size()), *exponent, workers_, out));
}

void Float32Exchange::decode(std::size_t first, std::span<const std::int32_t> sums) {
  const auto exponent = exponent_->agreed();
  if (!exponent) return;
  fetch_ahead(std::span<const float>(out_, count()), first, sums.size());
  numeric::dequantise(sums, *exponent, workers_, {out_ + first, sums.size()});
}

}  // namespace ina::library
