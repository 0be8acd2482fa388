// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::programs {

/// Who answers the workers of DSA when the switch has added up all of a task: the switch itself, as
/// the paper has it, or the parameter server, which gets the sum, as in ATP.
enum class AnsweredBy : std::uint8_t { network_switch, server };
/// In the order of AnsweredBy.
inline constexpr std::array<std::string_view, 2> kAnsweredByNames = {"switch", "server"};

}  // namespace ina::programs
