// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "tests/exploration/registration_world.hpp"

namespace ina::exploration {
namespace {

void expect_right(const RegistrationSetup& setup) {
  const RegistrationResult result = explore_registration(setup);
  std::string schedule;
  for (const std::string& action : result.schedule) schedule += "\n  " + action;
  EXPECT_EQ(result.wrong, "") << "after" << schedule;
  EXPECT_GT(result.states, 100U);
  std::printf("%llu states\n", static_cast<unsigned long long>(result.states));
}

/// Plays a random schedule of a random job.
RegistrationResult play(std::uint64_t seed, RegistrationMistake mistake) {
  RegistrationSetup setup;
  setup.mistake = mistake;
  setup.workers = static_cast<std::uint16_t>(1 + seed % 7);
  setup.servers = static_cast<std::uint16_t>(seed % 4);
  setup.budget = {.losses = 10,
                  .copies = 5,
                  .delays = 5,
                  .timers = 30,
                  .restarts = 6,
                  .expiries = 3,
                  .continued = 2,
                  .switch_restarts = seed % 5 == 0 ? 1 : 0};
  return play_registration(setup, seed, 400);
}

void expect_found(RegistrationMistake mistake) {
  std::uint64_t seed = 1;
  while (seed <= 500 && play(seed, mistake).wrong.empty()) ++seed;
  EXPECT_LE(seed, 500U);
  std::printf("found by seed %llu\n", static_cast<unsigned long long>(seed));
}

TEST(Registration, SurvivesLossesAndEarlyTimers) {
  expect_right({.budget = {.losses = 2, .timers = 1}});
}

TEST(Registration, OfTwoSessionsSurvivesLateMessagesOfTheFirst) {
  expect_right({.servers = 0, .budget = {.delays = 1, .restarts = 1}});
}

TEST(Registration, OfTwoSessionsTakesAServerAlong) { expect_right({.budget = {.restarts = 1}}); }

TEST(Registration, OfTwoSessionsSurvivesCopiesOfTheFirst) {
  expect_right({.servers = 0, .budget = {.copies = 1, .restarts = 1}});
}

TEST(Registration, OfThreeSessionsGivesEachAnIdOfItsOwn) {
  expect_right({.servers = 0, .budget = {.restarts = 2}});
}

TEST(Registration, SurvivesAWorkerThatIsSilentForAWhile) {
  expect_right({.budget = {.losses = 1, .expiries = 1}});
}

TEST(Registration, LetsAProgramContinueUnderAnotherId) {
  expect_right({.budget = {.losses = 1, .continued = 1}});
}

TEST(Registration, EndsASessionThatContinuesIfAWorkerStartsAgain) {
  expect_right({.servers = 0, .budget = {.restarts = 1, .continued = 1}});
}

TEST(Registration, SurvivesARegistrarThatForgetsEverything) {
  expect_right({.budget = {.losses = 1, .switch_restarts = 1}});
}

TEST(Registration, OfThreeWorkersSurvivesALossAndAnEarlyTimer) {
  expect_right({.workers = 3, .servers = 0, .budget = {.losses = 1, .timers = 1}});
}

TEST(Registration, OfLargerJobsSurvivesRandomSchedules) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const RegistrationResult result = play(seed, RegistrationMistake::none);
    EXPECT_EQ(result.wrong, "") << "seed " << seed << ", step " << result.states << ", "
                                << result.schedule.back();
  }
}

TEST(RegistrationMistakes, AreFoundIfLateJoinMessagesEndSessions) {
  expect_found(RegistrationMistake::keep_the_epoch);
}

TEST(RegistrationMistakes, AreFoundIfALeafTakesALateId) {
  expect_found(RegistrationMistake::leaf_takes_any_id);
}

TEST(RegistrationMistakes, AreFoundIfAServerTakesALateId) {
  expect_found(RegistrationMistake::server_takes_any_id);
}

TEST(RegistrationMistakes, AreFoundIfTwoSessionsHaveOneId) {
  expect_found(RegistrationMistake::give_an_id_again);
}

}  // namespace
}  // namespace ina::exploration
