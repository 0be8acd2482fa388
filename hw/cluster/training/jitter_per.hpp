// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::cluster {

/// How often a worker draws a random jitter: only once, in each iteration, or for each partition.
enum class JitterPer : std::uint8_t { worker, iteration, partition };
/// Names in the order of JitterPer.
inline constexpr std::array<std::string_view, 3> kJitterPerNames = {"worker", "iteration",
                                                                    "partition"};

}  // namespace ina::cluster
