// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina::rmt {

/// Fields that a packet carries from pass to pass, in addition to its headers. A resubmitted packet
/// arrives again as it was, so it has nothing but these fields, of which each program uses at most
/// 64 bits (resubmission header of Tofino 1). A recirculated packet has them in a bridged header.
struct Carry {
  std::uint8_t step = 0;   ///< what the next pass does, numbered by the program; 0: the first pass
  std::uint8_t notes = 0;  ///< flags of the program
  std::uint16_t generation = 0;    ///< generation of the packet's aggregator
  std::uint16_t job = 0;           ///< job of the task found in the aggregator
  std::uint32_t psn = 0;           ///< PSN of the task found in the aggregator
  std::uint32_t contributors = 0;  ///< bitmap of the packet as it arrived

  friend bool operator==(const Carry&, const Carry&) = default;
};

}  // namespace ina::rmt
