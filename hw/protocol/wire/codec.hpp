// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

/// Writes `frame` as a frame of `format` and returns its length, frame.bytes. Throws
/// std::length_error if `out` is shorter, or frame.bytes shorter than the headers. Throws
/// std::bad_variant_access if the frame has the fields of another format. A frame whose values are
/// not carried (the scenario's payload is digest or none) gets zeros instead. Host h has the
/// addresses 02:00:00:00:hh:hh and 10.0.h.h.
std::size_t encode(Format format, const Frame& frame, std::span<std::byte> out);

/// Flags that are valid in the format.
std::uint8_t known_flags(Format format);

/// Parses `bytes` as a frame, with its values in a buffer of `pool`. Empty unless they are a
/// well-formed frame of `format`: wrong addresses, checksum, kind, unknown flags, foreign traffic,
/// or a length that does not match the kind. (Gradients, results and reminders carry pool.count()
/// values, other kinds none.) Reserved fields are ignored.
std::optional<Frame> decode(Format format, std::span<const std::byte> bytes, ValuePool& pool);

}  // namespace ina::wire
