// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "hw/protocol/wire/frame.hpp"
#include "tests/support/random.hpp"

namespace ina::testing {

using Bytes = std::vector<std::byte>;

/// The bytes of a frame on the line, with its values and Ethernet's frame check sequence (CRC-32,
/// IEEE 802.3 3.2.9). Nothing else protects the values: IPv4's checksum covers only its header, and
/// UDP's is not used.
Bytes to_line(wire::Format format, const Frame& frame);

/// Flips one to eight different bits.
void damage(Bytes& line, Random& random);

/// Returns the frame that a network card delivers, or nothing if the check sequence is wrong or the
/// frame does not have this format.
std::optional<Frame> from_line(wire::Format format, std::span<const std::byte> line,
                               ValuePool& pool);

/// Like from_line(), for a card that does not verify the check sequence.
std::optional<Frame> from_line_unchecked(wire::Format format, std::span<const std::byte> line,
                                         ValuePool& pool);

}  // namespace ina::testing
