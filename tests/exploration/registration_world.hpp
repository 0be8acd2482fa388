// SPDX-License-Identifier: BSD-3-Clause
// Explores every schedule of the registration of small jobs. The code of the registrar, workers and
// servers is real; one switch is on worker 0's path. The network loses, delays and copies messages.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hw/protocol/registration/member.hpp"
#include "hw/protocol/registration/registrar.hpp"

namespace ina::exploration {

/// Maximum number of faults of each kind in a schedule.
struct RegistrationBudget {
  int losses = 0;
  int copies = 0;           ///< duplicates that arrive at any later moment
  int delays = 0;           ///< messages that arrive at any later moment
  int timers = 0;           ///< timers that fire while messages are in transit
  int restarts = 0;         ///< worker processes that restart
  int expiries = 0;         ///< joining workers that expire at the registrar
  int continued = 0;        ///< sessions that the workers leave together for a next one
  int switch_restarts = 0;  ///< restarts of the registrar, which forgets everything
};

/// A mistake that the exploration has to find.
enum class RegistrationMistake : std::uint8_t {
  none,
  keep_the_epoch,     ///< a late join message of an earlier process ends a session
  leaf_takes_any_id,  ///< a leaf accepts late ids of earlier sessions, too
  server_takes_any_id,
  give_an_id_again,
};

struct RegistrationSetup {
  std::uint16_t workers = 2;
  std::uint16_t servers = 1;
  RegistrationBudget budget;
  RegistrationMistake mistake = RegistrationMistake::none;
};

struct RegistrationResult {
  std::uint64_t states = 0;
  std::string wrong;                  ///< empty: no property failed
  std::vector<std::string> schedule;  ///< schedule that leads to the failure
};

/// Visits every state, and runs the fair schedule from each to its end.
RegistrationResult explore_registration(const RegistrationSetup& setup);

/// Plays one random schedule, for jobs that are too large to explore. Runs the fair schedule to its
/// end after each step.
RegistrationResult play_registration(const RegistrationSetup& setup, std::uint64_t seed, int steps);

}  // namespace ina::exploration
