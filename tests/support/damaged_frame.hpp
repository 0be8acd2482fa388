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

/// A frame as it stands on the line, with the values that it carries here, and Ethernet's frame
/// check sequence (CRC-32, IEEE 802.3 3.2.9) behind them: nothing else covers the values, for IPv4
/// sums up its header only, and UDP's checksum is not used.
Bytes to_line(wire::Format format, const Frame& frame);

/// Flips one to eight different bits.
void damage(Bytes& line, Random& random);

/// What a network card hands on: nothing if the check sequence is wrong or the frame is none of
/// ours.
std::optional<Frame> from_line(wire::Format format, std::span<const std::byte> line,
                               ValuePool& pool);

/// The same of a card that does not check.
std::optional<Frame> from_line_unchecked(wire::Format format, std::span<const std::byte> line,
                                         ValuePool& pool);

}  // namespace ina::testing
