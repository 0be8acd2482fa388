// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::cluster {

/// How SwitchML's workers make integers of floats: by one scale for whole arrays (arXiv v1), or
/// each fragment by the largest exponent of all workers' values in it (NSDI).
enum class Quantisation : std::uint8_t { fixed_point, block_floating_point };
/// In the order of Quantisation.
inline constexpr std::array<std::string_view, 2> kQuantisationNames = {"fixed_point",
                                                                       "block_floating_point"};

}  // namespace ina::cluster
