// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace ina::exploration {

/// One step of a schedule at a host, at its link, or at a switch. A step with a frame takes the
/// link's next frame, except that deliver_late selects a delayed one by `index`. For a server's
/// timer, `index` is the waiting entry whose timer expires, no matter how often its time-out has
/// doubled. For a reboot or a switch's deadline, `index` is the switch: 0 is the root, which has
/// the servers, and the leaves follow. For a pass at switch s, `index` is 2s if the frame is
/// resubmitted, and 2s + 1 if it is recirculated.
struct Action {
  enum class Kind : std::uint8_t {
    submit,        ///< the worker submits its next iteration
    deliver,       ///< the next frame arrives
    lose,          ///< the next frame is lost
    copy,          ///< the next frame arrives, and a copy may arrive at any later moment
    delay,         ///< the next frame may arrive at any later moment
    deliver_late,  ///< a delayed frame, or a copy, arrives
    fire,          ///< the host's timer expires
    restart,       ///< the server loses its state
    expiry,        ///< the switch's clock passes the aggregators' expiry
    reboot,        ///< the switch loses its registers; the control plane installs jobs again
    crash,         ///< the worker dies and returns, and its job is registered again
    switch_fire,   ///< the deadline of the switch's program passes
    pass,          ///< the next frame of a path in a switch takes its next pass
    lose_pass,     ///< the next frame of a switch's recirculation path is lost
  };
  enum class Way : std::uint8_t { up, down };  ///< towards the switch, towards the host

  Kind kind = Kind::submit;
  Way way = Way::up;
  std::uint8_t host = 0;
  std::uint8_t index = 0;
  bool heads = false;  ///< result of the switch's random decision, if it makes one

  friend bool operator==(const Action&, const Action&) = default;
};

/// Whether the step is a timer that expires. In a fair schedule, these steps need no budget.
constexpr bool is_timer(Action::Kind kind) {
  return kind == Action::Kind::fire || kind == Action::Kind::switch_fire;
}

/// The step as a line of a replay file: "deliver up 2", "deliver_late down 0 1", "fire 3 0", or
/// "reboot 0". " heads" is appended if `heads` is set.
std::string to_text(const Action& action);
/// Throws std::invalid_argument.
Action action_of_text(const std::string& line);

}  // namespace ina::exploration
