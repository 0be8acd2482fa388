// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

/// Writes the bytes of `frame` in `format` to `out` and returns their number, frame.bytes. Throws
/// std::length_error if frame.bytes exceeds the size of `out` or is less than the headers' length.
/// Throws std::bad_variant_access if the frame has the fields of another format. If the frame
/// carries no values or only some (scenarios with payload digest or none), zeros are written. Host
/// h has the addresses 02:00:00:00:hh:hh and 10.0.h.h.
std::size_t encode(Format format, const Frame& frame, std::span<std::byte> out);

/// Flags that are valid in the format.
std::uint8_t known_flags(Format format);

/// Parses `bytes` as a frame, with its values in a buffer of `pool`. Returns nothing unless `bytes`
/// is a well-formed frame of `format`: addresses, checksum, kind and flags must be valid, and the
/// length must match the kind. (Gradients, results and reminders carry pool.count() values, and
/// other kinds carry none.) Reserved fields are ignored.
std::optional<Frame> decode(Format format, std::span<const std::byte> bytes, ValuePool& pool);

}  // namespace ina::wire
