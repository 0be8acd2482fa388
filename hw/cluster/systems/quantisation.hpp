// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::cluster {

/// How SwitchML's workers convert floats to integers: with one scale for all values (arXiv v1), or
/// with a scale per fragment, which follows from the largest exponent of all workers (NSDI).
enum class Quantisation : std::uint8_t { fixed_point, block_floating_point };
/// Names in the order of Quantisation.
inline constexpr std::array<std::string_view, 2> kQuantisationNames = {"fixed_point",
                                                                       "block_floating_point"};

}  // namespace ina::cluster
