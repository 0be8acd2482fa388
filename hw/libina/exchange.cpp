// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/exchange.hpp"

#include <algorithm>

#include "hw/libina/agreement.hpp"

namespace ina::library {

namespace {

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

void Int32Exchange::finish() {
  if (overflowed_) {
    done_({INA_OVERFLOW, "a sum is out of range; allowed: from INT32_MIN + 1 to INT32_MAX - 1"});
  } else {
    done_({});
  }
}

void Float32Exchange::encode(std::size_t first, std::span<std::int32_t> out) const {
  fetch_ahead(values_.all(), first, out.size());
  // By the agreement nothing saturates.
  static_cast<void>(numeric::quantise(values_.part(first, out.size()),
                                      agreement_->largest_exponent(), workers_, out));
}

void Float32Exchange::decode(std::size_t first, std::span<const std::int32_t> sums) {
  fetch_ahead(std::span<const float>(out_, count()), first, sums.size());
  numeric::dequantise(sums, agreement_->largest_exponent(), workers_, {out_ + first, sums.size()});
}

}  // namespace ina::library
