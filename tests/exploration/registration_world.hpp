// SPDX-License-Identifier: BSD-3-Clause
// Every schedule of the registration of small jobs: the real registrar, workers and servers, with
// one switch on the path of worker 0, over a network that loses, delays and copies messages.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hw/protocol/registration/member.hpp"
#include "hw/protocol/registration/registrar.hpp"

namespace ina::exploration {

/// Most faults of each kind in a schedule.
struct RegistrationBudget {
  int losses = 0;
  int copies = 0;           ///< that arrive whenever they like
  int delays = 0;           ///< messages that do
  int timers = 0;           ///< that fire while messages are under way
  int restarts = 0;         ///< of worker processes
  int expiries = 0;         ///< of workers that join, at the registrar
  int continued = 0;        ///< sessions that the workers give up together
  int switch_restarts = 0;  ///< of the registrar, which forgets everything
};

/// A mistake that the exploration has to find.
enum class RegistrationMistake : std::uint8_t {
  none,
  keep_the_epoch,     ///< a late join message of a former process ends a session
  leaf_takes_any_id,  ///< also a late one of a former session
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
  std::string wrong;                  ///< empty: nothing is
  std::vector<std::string> schedule;  ///< to that
};

/// Visits every state, and from each runs the fair schedule to its end.
RegistrationResult explore_registration(const RegistrationSetup& setup);

/// Plays one random schedule, for jobs that are too large to explore, and after each of its steps
/// the fair schedule to its end.
RegistrationResult play_registration(const RegistrationSetup& setup, std::uint64_t seed, int steps);

}  // namespace ina::exploration
