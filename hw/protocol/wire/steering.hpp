// SPDX-License-Identifier: BSD-3-Clause
// Which part of a switch's memory a frame is for, told by its bytes before anybody reads them: what
// runs on several cores gives each frame to the core that owns its aggregator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/protocol/wire/format.hpp"

namespace ina::wire {

/// Where the aggregator index stands in a frame: the two bytes that hold its low bits, big-endian,
/// of which `mask` belong to it (SwitchML: not the version bit).
struct IndexField {
  std::size_t offset = 0;
  std::uint16_t mask = 0xffff;
};
IndexField index_field(Format format);

/// The index of the aggregator (SwitchML: slot) that the frame's way through a switch may touch.
/// None if it touches none whatever it holds: a request, notification or release, or a frame that
/// is too short. Of bytes that are no frame of the format it is any number.
std::optional<std::uint32_t> aggregator_in(Format format, std::span<const std::byte> bytes);

/// The core, of `cores`, that owns an aggregator: by the index alone, so that all frames of a task
/// come to one. Jobs of SwitchML number their slots from 0 each, and share none.
constexpr unsigned core_of(std::uint32_t aggregator, unsigned cores) { return aggregator % cores; }

}  // namespace ina::wire
