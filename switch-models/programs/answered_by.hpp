// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::programs {

/// In DSA, the node that sends the result to the workers when the switch has added a whole task:
/// the switch itself, as in the paper, or the parameter server, to which the sum goes as in ATP.
enum class AnsweredBy : std::uint8_t { network_switch, server };
/// Names in scenarios, in the order of AnsweredBy.
inline constexpr std::array<std::string_view, 2> kAnsweredByNames = {"switch", "server"};

}  // namespace ina::programs
