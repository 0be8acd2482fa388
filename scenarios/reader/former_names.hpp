// SPDX-License-Identifier: BSD-3-Clause
// What scenarios once called a key or a value, for messages that name what it is called now.
#pragma once

#include <array>
#include <string_view>

namespace ina::scenarios {

/// A key that has another name now.
struct FormerKey {
  std::string_view former;
  std::string_view now;
};

/// A value of a choice that has another name now.
struct FormerValue {
  std::string_view key;  ///< of the choice
  std::string_view former;
  std::string_view now;
};

inline constexpr auto kFormerKeys = std::to_array<FormerKey>({
    {"speeds", "compute_time_factors"},
});

inline constexpr auto kFormerValues = std::to_array<FormerValue>({
    {"engine", "default", "\"reference\""},
    {"system", "switchml-starved",
     R"(a variant of {"system": "switchml", "switchml": {"slots": 166}})"},
});

}  // namespace ina::scenarios
