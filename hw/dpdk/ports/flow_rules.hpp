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

/// Pattern by which a flow rule recognises a core's aggregators: some bits of two bytes.
struct IndexPattern {
  std::size_t offset = 0;  ///< from the start of the frame, in bytes
  std::array<std::uint8_t, 2> mask{};
  std::array<std::uint8_t, 2> value{};
};

/// Pattern of the frames whose aggregators wire::core_of assigns to `core`. Nothing unless the
/// number of cores is a power of two, because a flow rule can mask bits but not divide.
std::optional<IndexPattern> index_pattern(wire::Format format, unsigned core, unsigned cores);

/// Makes the NIC deliver the frames of each core's aggregators to the core's queue. If the NIC
/// cannot do this, removes all rules and returns the reason.
std::optional<std::string> steer_by_rules(std::uint16_t port, wire::Format format,
                                          const std::function<std::uint16_t(unsigned)>& queue_of,
                                          unsigned cores);

}  // namespace ina::ports
