// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::programs {

/// Sender of the workers' answers in DSA once the switch has added all of a task: the switch
/// itself, as in the paper, or the parameter server, which receives the sum as in ATP.
enum class AnsweredBy : std::uint8_t { network_switch, server };
/// In the order of AnsweredBy.
inline constexpr std::array<std::string_view, 2> kAnsweredByNames = {"switch", "server"};

}  // namespace ina::programs
