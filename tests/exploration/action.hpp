// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace ina::exploration {

/// One step of a schedule, at one host, its link, or the switch. A frame is always the next one of
/// its link, except for those that were delayed: `index` says which of them. Of a server, a
/// timer's `index` says which entry's time-out ends first: how often each one doubled does not
/// matter; of a reboot or a switch's deadline, the switch: 0 is the servers', then come the leaves.
struct Action {
  enum class Kind : std::uint8_t {
    submit,   ///< the worker submits its next iteration
    deliver,  ///< the next frame arrives
    lose,
    copy,          ///< it arrives, and once more whenever it likes
    delay,         ///< from now on it may arrive whenever it likes
    deliver_late,  ///< a delayed frame, or a copy, arrives
    fire,          ///< the host's timer
    restart,       ///< the server loses its state
    expiry,        ///< the switch's clock passes the aggregators' expiry
    reboot,        ///< the switch loses its registers; the control plane installs jobs again
    crash,         ///< the worker dies and returns, and its job is registered again
    switch_fire,   ///< the deadline of the switch's program passes
  };
  enum class Way : std::uint8_t { up, down };  ///< to the switch, to the host

  Kind kind = Kind::submit;
  Way way = Way::up;
  std::uint8_t host = 0;
  std::uint8_t index = 0;
  bool heads = false;  ///< what a coin in the switch shows, if it is tossed

  friend bool operator==(const Action&, const Action&) = default;
};

/// Whether the step is the end of a time-out: in a fair schedule it costs nothing.
constexpr bool is_timer(Action::Kind kind) {
  return kind == Action::Kind::fire || kind == Action::Kind::switch_fire;
}

/// As a line of a replay file: "deliver up 2", "deliver_late down 0 1", "fire 3 0", "reboot 0",
/// with " heads".
std::string to_text(const Action& action);
/// Throws std::invalid_argument.
Action action_of_text(const std::string& line);

}  // namespace ina::exploration
