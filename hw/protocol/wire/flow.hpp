// SPDX-License-Identifier: BSD-3-Clause
// What a frame of a flow between two workers carries beside its fragment, in fields that only
// in-network aggregation needs otherwise (FlowHeader has the bytes).
#pragma once

#include <cstdint>

#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

/// The number of a frame in its flow, from 0, modulo 2^32; an acknowledgement's is that of the
/// frame that it answers.
inline std::uint32_t sequence_of(const Frame& frame) { return frame.aggregator_index; }
inline void set_sequence(Frame& frame, std::uint32_t sequence) {
  frame.aggregator_index = sequence;
}

/// Of the flow that comes the other way, all frames before this one are there.
inline std::uint32_t acknowledged_before(const Frame& frame) { return frame.bitmap0; }
inline void set_acknowledged_before(Frame& frame, std::uint32_t sequence) {
  frame.bitmap0 = sequence;
}

/// How many frames from that one on there is room for.
inline std::uint16_t credit_of(const Frame& frame) { return frame.exponents; }
inline void set_credit(Frame& frame, std::uint16_t packets) { frame.exponents = packets; }

/// Whether `a` comes before `b`, both less than 2^31 apart (RFC 1982).
constexpr bool is_before(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace ina::wire
