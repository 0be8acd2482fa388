// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>

#include "hw/protocol/time.hpp"

namespace ina::testing {

/// Random numbers of one run. Equal seeds give equal runs on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [low, high].
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(engine_() % (std::uint64_t{high} - low + 1));
  }
  Time between(Time low, Time high) {
    const auto span = static_cast<std::uint64_t>((high - low).count()) + 1;
    return low + Time(static_cast<std::int64_t>(engine_() % span));
  }
  bool percent(std::uint32_t chance) { return engine_() % 100 < chance; }
  template <class Item>
  Item one_of(std::initializer_list<Item> items) {
    return items.begin()[engine_() % items.size()];
  }
  template <class Item>
  Item one_of(std::span<const Item> items) {
    return items[engine_() % items.size()];
  }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace ina::testing
