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

/// Position in a frame of the two bytes that contain the low bits of the aggregator index,
/// big-endian. `mask` selects the bits of the index (in SwitchML, not the version bit).
struct IndexField {
  std::size_t offset = 0;
  std::uint16_t mask = 0xffff;
};
IndexField index_field(Format format);

/// Index of the aggregator (in SwitchML, slot) that the frame may access at a switch. Empty if the
/// frame is too short, or accesses none: a request, notification or release. Unspecified if the
/// bytes are not a frame of the format.
std::optional<std::uint32_t> aggregator_in(Format format, std::span<const std::byte> bytes);

/// The core, of `cores`, that owns an aggregator. It depends on the index alone, so all frames of a
/// task go to one core. A job of SwitchML numbers its slots from 0, although jobs share no slots.
constexpr unsigned core_of(std::uint32_t aggregator, unsigned cores) { return aggregator % cores; }

}  // namespace ina::wire
