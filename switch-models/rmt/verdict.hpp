// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina::rmt {

/// How a packet leaves the switch, and what that cost: a packet that comes in is one that goes out,
/// copied only by multicast. What an aggregator held leaves in the packet that asked for it, or in
/// one that the program sends by itself (SwitchProgram::next()), which has a verdict, too. Eight
/// bytes, which fill a register: fewer are assembled by narrow stores and read back as a whole,
/// for which a processor waits until the stores are done.
struct Verdict {
  enum class Exit : std::uint8_t {
    drop,
    forward,    ///< to the frame's destination
    multicast,  ///< to every worker of the frame's job
    up,         ///< to the switch that adds up the sums of this one
  };
  Exit exit = Exit::drop;
  std::uint8_t resubmits = 0;            ///< further passes from the end of ingress
  std::uint8_t recirculations = 0;       ///< further passes from the end of egress
  std::uint32_t recirculated_bytes = 0;  ///< of all recirculations
};
static_assert(sizeof(Verdict) == 8);

inline constexpr Verdict kDrop{Verdict::Exit::drop};
inline constexpr Verdict kForward{Verdict::Exit::forward};
inline constexpr Verdict kMulticast{Verdict::Exit::multicast};
inline constexpr Verdict kUp{Verdict::Exit::up};

}  // namespace ina::rmt
