// SPDX-License-Identifier: BSD-3-Clause
// Number of passes that packets of each program take to access the value registers, as verdicts.
#pragma once

#include <cstdint>

#include "hw/protocol/wire/headers.hpp"
#include "switch-models/programs/declarations.hpp"
#include "switch-models/rmt/verdict.hpp"

namespace ina::programs {

/// ATP 4 and D: each of two passes adds 31 of the 62 values. A packet that stays in the switch is
/// resubmitted, without the values that the first pass added.
inline constexpr rmt::Verdict kAbsorbed{rmt::Verdict::Exit::drop, 1};

/// A packet that leaves with sums is recirculated. It cannot be resubmitted, because resubmission
/// would restore the packet as it arrived.
constexpr rmt::Verdict with_sums(rmt::Verdict::Exit exit, std::uint16_t frame_bytes) {
  return {exit, 0, 1, frame_bytes};
}

/// DSA VI: a packet that preempts is resubmitted, so that its second pass can write the registers.
/// It is then recirculated, since the evicted values leave in two passes.
constexpr rmt::Verdict swapped(std::uint16_t frame_bytes) {
  return {rmt::Verdict::Exit::forward, 1, 1, frame_bytes};
}

/// Number of passes that consume the values of a SwitchML packet, 64 per pass; 0 if a single pass
/// both adds the values and returns their sums, as for 32 values.
constexpr unsigned consume_passes(std::uint16_t frame_bytes) {
  const std::size_t headers = wire::kBytesToValues<wire::SwitchmlHeader>;
  const std::size_t values = frame_bytes <= headers ? 0 : (frame_bytes - headers) / 4;
  return adds_in_one_pass(values) ? 0 : static_cast<unsigned>(values / kSwitchmlPassValues);
}

/// Length of a SwitchML packet that carries the sums of that many harvests, 32 values each.
constexpr std::uint32_t harvested_bytes(unsigned harvests) {
  return static_cast<std::uint32_t>(wire::kBytesToValues<wire::SwitchmlHeader> +
                                    4 * kSwitchmlPairs * harvests);
}

/// Verdict on a SwitchML packet that stays in the switch (NSDI, and p4lang/p4app-switchML). After
/// each pass it goes to the next pipe, without the values that the pass consumed.
constexpr rmt::Verdict switchml_absorbed(std::uint16_t frame_bytes) {
  rmt::Verdict verdict = rmt::kDrop;
  for (unsigned pass = 1; pass < consume_passes(frame_bytes); ++pass) {
    ++verdict.recirculations;
    verdict.recirculated_bytes +=
        static_cast<std::uint32_t>(frame_bytes - 4 * kSwitchmlPassValues * pass);
  }
  return verdict;
}

/// Verdict on a packet that returns a result. An ALU returns only one of the two values of a pair,
/// so each pass harvests 32 sums. The pass that consumes the last values harvests the first 32.
constexpr rmt::Verdict switchml_answer(rmt::Verdict::Exit exit, std::uint16_t frame_bytes) {
  rmt::Verdict verdict = switchml_absorbed(frame_bytes);
  verdict.exit = exit;
  for (unsigned harvested = 1; harvested < 2 * consume_passes(frame_bytes); ++harvested) {
    ++verdict.recirculations;
    verdict.recirculated_bytes += harvested_bytes(harvested);
  }
  return verdict;
}

/// Verdict on a result that a leaf stores and forwards to its workers. Each pass writes a part of
/// the values to the registers, and the packet keeps all of them.
constexpr rmt::Verdict switchml_stored(std::uint16_t frame_bytes) {
  rmt::Verdict verdict = rmt::kMulticast;
  for (unsigned pass = 1; pass < consume_passes(frame_bytes); ++pass) {
    ++verdict.recirculations;
    verdict.recirculated_bytes += frame_bytes;
  }
  return verdict;
}

}  // namespace ina::programs
