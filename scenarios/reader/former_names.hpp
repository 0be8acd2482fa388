// SPDX-License-Identifier: BSD-3-Clause
// Former names of keys and values. Error messages use them to suggest the present name.
#pragma once

#include <array>

#include "hw/fields/document.hpp"

namespace ina::scenarios {

inline constexpr auto kFormerKeys = std::to_array<fields::FormerKey>({
    {"speeds", "compute_time_factors"},
    {"charge_passes", "/switch/passes (\"charged\" is the former true)"},
    {"packets_per_second", "/topology/host/per_packet or /topology/server/per_packet"},
});

inline constexpr auto kFormerValues = std::to_array<fields::FormerValue>({
    {"engine", "default", "\"reference\""},
    {"system", "switchml-starved",
     R"(a variant of {"system": "switchml", "switchml": {"slots": 166}})"},
});

}  // namespace ina::scenarios
