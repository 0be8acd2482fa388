// SPDX-License-Identifier: BSD-3-Clause
// Finds the aggregator that a frame will use from the frame's bytes, before the frame is parsed.
// Switches with several cores pass each frame to the core that owns its aggregator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/protocol/wire/format.hpp"

namespace ina::wire {

/// Position in a frame of two bytes with the low bits of the aggregator index, big-endian (without
/// aggregators: of the PSN). `mask` selects the index bits, without SwitchML's version.
struct IndexField {
  std::size_t offset = 0;
  std::uint16_t mask = 0xffff;
};
IndexField index_field(Format format);

/// Index of the aggregator (in SwitchML, slot) that the frame may access at a switch. Empty if the
/// frame is too short, or is a request, notification or release, which access none. Unspecified if
/// the bytes are not a frame of the format.
std::optional<std::uint32_t> aggregator_in(Format format, std::span<const std::byte> bytes);

/// Number of the core, below `cores`, that owns an aggregator. It depends only on the index, so all
/// frames of a task go to one core. SwitchML's jobs share no slots, but all number theirs from 0.
constexpr unsigned core_of(std::uint32_t aggregator, unsigned cores) { return aggregator % cores; }

}  // namespace ina::wire
