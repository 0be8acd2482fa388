// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "hw/protocol/wire/format.hpp"

namespace ina::ports {

/// What a flow rule looks for in a frame to recognise a core's aggregators: bits of two bytes.
struct IndexPattern {
  std::size_t offset = 0;  ///< in the frame
  std::array<std::uint8_t, 2> mask{};
  std::array<std::uint8_t, 2> value{};
};

/// Of frames whose aggregators wire::core_of gives to `core`. None unless the number of cores is a
/// power of two: a rule masks bits, and cannot divide.
std::optional<IndexPattern> index_pattern(wire::Format format, unsigned core, unsigned cores);

/// Has the NIC bring the frames of each core's aggregators to its queue. Returns why it cannot, and
/// has no rules then.
std::optional<std::string> steer_by_rules(std::uint16_t port, wire::Format format,
                                          const std::function<std::uint16_t(unsigned)>& queue_of,
                                          unsigned cores);

}  // namespace ina::ports
