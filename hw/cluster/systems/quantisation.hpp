// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::cluster {

/// Conversion of floats to integers by SwitchML's workers: with one scale for whole arrays (arXiv
/// v1), or per fragment with the largest exponent of all workers' values in it (NSDI).
enum class Quantisation : std::uint8_t { fixed_point, block_floating_point };
/// Names in the order of Quantisation.
inline constexpr std::array<std::string_view, 2> kQuantisationNames = {"fixed_point",
                                                                       "block_floating_point"};

}  // namespace ina::cluster
