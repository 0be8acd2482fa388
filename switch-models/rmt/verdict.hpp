// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina::rmt {

/// How a packet leaves the switch, and at what cost. Each packet that leaves is one that came in,
/// and only multicast copies packets. The contents of an aggregator leave in the packet that asked
/// for them, or in a packet that the program sends by itself (SwitchProgram::next()), which has a
/// verdict, too. The struct has eight bytes so that it fills a register: a smaller one would be
/// assembled by narrow stores and read back as a whole, which stalls the processor until the stores
/// are done.
struct Verdict {
  enum class Exit : std::uint8_t {
    drop,
    forward,    ///< to the frame's destination
    multicast,  ///< to every worker of the frame's job
    up,         ///< to the switch that adds this one's sums
  };
  Exit exit = Exit::drop;
  std::uint8_t resubmits = 0;            ///< number of further passes from the end of ingress
  std::uint8_t recirculations = 0;       ///< number of further passes from the end of egress
  std::uint32_t recirculated_bytes = 0;  ///< over all recirculations
};
static_assert(sizeof(Verdict) == 8);

inline constexpr Verdict kDrop{Verdict::Exit::drop};
inline constexpr Verdict kForward{Verdict::Exit::forward};
inline constexpr Verdict kMulticast{Verdict::Exit::multicast};
inline constexpr Verdict kUp{Verdict::Exit::up};

}  // namespace ina::rmt
