// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::cluster {

/// How often a worker gets a random jitter: a single time, per iteration, or per partition.
enum class JitterPer : std::uint8_t { worker, iteration, partition };
/// Names in the order of JitterPer.
inline constexpr std::array<std::string_view, 3> kJitterPerNames = {"worker", "iteration",
                                                                    "partition"};

}  // namespace ina::cluster
