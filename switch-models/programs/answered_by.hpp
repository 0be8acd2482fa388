// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::programs {

/// In DSA, the sender of the result to the workers once the switch has added a whole task: the
/// switch itself, as in the paper, or the parameter server, which receives the sum as in ATP.
enum class AnsweredBy : std::uint8_t { network_switch, server };
/// In the order of AnsweredBy.
inline constexpr std::array<std::string_view, 2> kAnsweredByNames = {"switch", "server"};

}  // namespace ina::programs
