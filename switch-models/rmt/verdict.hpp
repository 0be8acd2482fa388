// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina::rmt {

/// How a packet leaves the switch, and how many further passes that costs. Every leaving packet
/// has arrived before (multicast makes copies of it), or is sent on the program's own initiative
/// (SwitchProgram::next()). An aggregator's values leave in no other way. The struct has
/// eight bytes so that it fills a register: the compiler would assemble a smaller one by narrow
/// stores and then load it as a whole, and that load stalls the processor until the stores have
/// completed.
struct Verdict {
  enum class Exit : std::uint8_t {
    drop,
    forward,    ///< to the frame's destination
    multicast,  ///< to every worker of the frame's job
    up,         ///< towards the root of the job's tree
  };
  Exit exit = Exit::drop;
  std::uint8_t resubmits = 0;            ///< number of further passes that begin after ingress
  std::uint8_t recirculations = 0;       ///< number of further passes that begin after egress
  std::uint32_t recirculated_bytes = 0;  ///< total of all recirculations

  /// Whether the packet takes a further pass.
  bool continues() const { return resubmits != 0 || recirculations != 0; }
};
static_assert(sizeof(Verdict) == 8);

inline constexpr Verdict kDrop{Verdict::Exit::drop};
inline constexpr Verdict kForward{Verdict::Exit::forward};
inline constexpr Verdict kMulticast{Verdict::Exit::multicast};
inline constexpr Verdict kUp{Verdict::Exit::up};

}  // namespace ina::rmt
