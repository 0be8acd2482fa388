// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/archive.hpp"

#include <bit>
#include <cmath>
#include <functional>

namespace ina::exploration {

void Archive::rank_by(Archive& collector) {
  instants_ = collector.instants_;
  instants_.push_back(now_);
  std::sort(instants_.begin(), instants_.end(), std::greater<>());
  instants_.erase(std::unique(instants_.begin(), instants_.end()), instants_.end());
}

void Archive::time(Time& t) {
  if (collecting()) {
    instants_.push_back(t);
  } else if (reading()) {
    t = now_ - Time(static_cast<std::int64_t>(get()));
  } else {
    const auto found = std::lower_bound(instants_.begin(), instants_.end(), t, std::greater<>());
    put(static_cast<std::uint64_t>(found - instants_.begin()));
  }
}

void Archive::age(Time& t, Time limit) {
  if (collecting()) return;
  if (!reading()) {
    put(now_ - t > limit ? 1 : 0);
  } else {
    t = get() == 0 ? now_ : now_ - 2 * limit;
  }
}

void Archive::float_sum(std::int32_t& bits) {
  const auto value = std::bit_cast<float>(bits);
  bool is_sum = value >= 0 && value < 0x1p24F && value == std::trunc(value);
  number(is_sum);
  if (!is_sum) return number(bits);
  auto integer = static_cast<std::int32_t>(reading() ? 0.F : value);
  sum(integer);
  if (reading()) bits = std::bit_cast<std::int32_t>(static_cast<float>(integer));
}

void Archive::values(Values& v, bool floats) {
  if (collecting()) return;
  const auto each = [&] {
    for (std::size_t i = 0; i < v.size(); ++i) {
      floats ? float_sum(v.data()[i]) : sum(v.data()[i]);
    }
  };
  if (!reading()) {
    put(v ? 1 : 0);
    return each();
  }
  if (get() == 0) {
    v.reset();
    return;
  }
  v = pool_->take();
  each();
}

}  // namespace ina::exploration
