// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace ina::exploration {

/// One step of a schedule at a host, at its link, or at a switch. A frame step takes the link's
/// next frame, except deliver_late, whose `index` selects a delayed frame. `index` of a server's
/// timer: the waiting entry whose time-out ends first; how often each time-out doubled does not
/// matter. `index` of a reboot or of a switch's deadline: the switch (0: the root, which has the
/// servers; then the leaves).
struct Action {
  enum class Kind : std::uint8_t {
    submit,   ///< the worker submits its next iteration
    deliver,  ///< the next frame arrives
    lose,
    copy,          ///< it arrives, and once more at any later moment
    delay,         ///< from now on it may arrive at any moment
    deliver_late,  ///< a delayed frame, or a copy, arrives
    fire,          ///< the host's timer
    restart,       ///< the server loses its state
    expiry,        ///< the switch's clock passes the aggregators' expiry
    reboot,        ///< the switch loses its registers; the control plane installs jobs again
    crash,         ///< the worker dies and returns, and its job is registered again
    switch_fire,   ///< the deadline of the switch's program passes
  };
  enum class Way : std::uint8_t { up, down };  ///< towards the switch, towards the host

  Kind kind = Kind::submit;
  Way way = Way::up;
  std::uint8_t host = 0;
  std::uint8_t index = 0;
  bool heads = false;  ///< side that a coin in the switch shows, if it is tossed

  friend bool operator==(const Action&, const Action&) = default;
};

/// Whether the step is the end of a time-out. It is free of charge in a fair schedule.
constexpr bool is_timer(Action::Kind kind) {
  return kind == Action::Kind::fire || kind == Action::Kind::switch_fire;
}

/// The step as a line of a replay file: "deliver up 2", "deliver_late down 0 1", "fire 3 0", or
/// "reboot 0". " heads" is appended if `heads` is set.
std::string to_text(const Action& action);
/// Throws std::invalid_argument.
Action action_of_text(const std::string& line);

}  // namespace ina::exploration
