// SPDX-License-Identifier: BSD-3-Clause
// Determines the part of a switch's memory that a frame uses, from its bytes, before parsing it.
// Switches with several cores pass each frame to the core that owns its aggregator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/protocol/wire/format.hpp"

namespace ina::wire {

/// Position of the aggregator index in a frame: the two bytes with its low bits, big-endian. `mask`
/// selects its bits (SwitchML: without the version bit).
struct IndexField {
  std::size_t offset = 0;
  std::uint16_t mask = 0xffff;
};
IndexField index_field(Format format);

/// Index of the aggregator (SwitchML: slot) that the frame may access at a switch. Empty if it
/// never accesses one: a request, notification or release, or a frame that is too short.
/// Unspecified if the bytes are not a frame of the format.
std::optional<std::uint32_t> aggregator_in(Format format, std::span<const std::byte> bytes);

/// The core, of `cores`, that owns an aggregator. It depends on the index alone, so all frames of a
/// task go to one core. Each job of SwitchML numbers its slots from 0, but jobs share no slots.
constexpr unsigned core_of(std::uint32_t aggregator, unsigned cores) { return aggregator % cores; }

}  // namespace ina::wire
