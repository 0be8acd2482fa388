// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/reader/scenario_document.hpp"

namespace ina::scenarios {

/// ns-3's seeds have 32 bits and are not 0.
inline constexpr std::uint64_t kMaxSeed = 0xffff'ffff;

/// Reads seeds from a value such as 4, [1, 2], "1-5" or "1,3,7-9". There must be at most max_count
/// seeds, without duplicates. Throws InputError.
std::vector<std::uint64_t> read_seeds(const ScenarioDocument& document, const std::string& pointer,
                                      const Json& value, std::size_t max_count);

}  // namespace ina::scenarios
