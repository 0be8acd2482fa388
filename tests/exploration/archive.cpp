// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/archive.hpp"

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

void Archive::values(Values& v) {
  if (collecting()) return;
  if (!reading()) {
    put(v ? 1 : 0);
    for (std::size_t i = 0; i < v.size(); ++i) sum(v.data()[i]);
    return;
  }
  if (get() == 0) {
    v.reset();
    return;
  }
  v = pool_->take();
  for (std::size_t i = 0; i < v.size(); ++i) sum(v.data()[i]);
}

}  // namespace ina::exploration
