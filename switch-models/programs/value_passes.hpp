// SPDX-License-Identifier: BSD-3-Clause
// Numbers of passes that bring the values of a packet to the value registers.
#pragma once

#include <cstdint>

#include "hw/protocol/wire/headers.hpp"
#include "switch-models/programs/declarations.hpp"
#include "switch-models/rmt/verdict.hpp"

namespace ina::programs {

/// ATP 4 and D: 31 of the 62 values in each of two passes. A packet that stays in the switch is
/// resubmitted, without the values that the first pass added.
inline constexpr rmt::Verdict kAbsorbed{rmt::Verdict::Exit::drop, 1};

/// A packet that takes sums along is recirculated. It cannot be resubmitted, since resubmission
/// restores the packet as it came in.
constexpr rmt::Verdict with_sums(rmt::Verdict::Exit exit, std::uint16_t frame_bytes) {
  return {exit, 0, 1, frame_bytes};
}

/// DSA VI: a packet that preempts is resubmitted, so that its second pass can write. It then takes
/// two passes to bring out what it evicts.
constexpr rmt::Verdict swapped(std::uint16_t frame_bytes) {
  return {rmt::Verdict::Exit::forward, 1, 1, frame_bytes};
}

/// Number of passes that consume SwitchML's values, 64 in each of one or four pipes; 0 if a pass
/// adds them and returns the sums, as with 32.
constexpr unsigned consume_passes(std::uint16_t frame_bytes) {
  const std::size_t headers = wire::kBytesToValues<wire::SwitchmlHeader>;
  const std::size_t values = frame_bytes <= headers ? 0 : (frame_bytes - headers) / 4;
  return adds_in_one_pass(values) ? 0 : static_cast<unsigned>(values / kSwitchmlPassValues);
}

/// A packet of SwitchML that stays in the switch (NSDI, and p4lang/p4app-switchML). It goes to the
/// next pipe without the consumed values.
constexpr rmt::Verdict switchml_absorbed(std::uint16_t frame_bytes) {
  rmt::Verdict verdict = rmt::kDrop;
  for (unsigned pass = 1; pass < consume_passes(frame_bytes); ++pass) {
    ++verdict.recirculations;
    verdict.recirculated_bytes +=
        static_cast<std::uint32_t>(frame_bytes - 4 * kSwitchmlPassValues * pass);
  }
  return verdict;
}

/// A packet that returns a result. An ALU returns only one of the two values of its pair, so the
/// sums are harvested 32 per pass, the first 32 by the pass that consumes the last values.
constexpr rmt::Verdict switchml_answer(rmt::Verdict::Exit exit, std::uint16_t frame_bytes) {
  rmt::Verdict verdict = switchml_absorbed(frame_bytes);
  verdict.exit = exit;
  for (unsigned harvested = 1; harvested < 2 * consume_passes(frame_bytes); ++harvested) {
    ++verdict.recirculations;
    verdict.recirculated_bytes += static_cast<std::uint32_t>(
        wire::kBytesToValues<wire::SwitchmlHeader> + 4 * kSwitchmlPairs * harvested);
  }
  return verdict;
}

/// A result that a leaf stores and hands down: each pass writes a part of the values, and the
/// packet keeps them all.
constexpr rmt::Verdict switchml_stored(std::uint16_t frame_bytes) {
  rmt::Verdict verdict = rmt::kMulticast;
  for (unsigned pass = 1; pass < consume_passes(frame_bytes); ++pass) {
    ++verdict.recirculations;
    verdict.recirculated_bytes += frame_bytes;
  }
  return verdict;
}

}  // namespace ina::programs
