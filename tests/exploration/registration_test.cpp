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

void expect_found(RegistrationMistake mistake, const RegistrationBudget& budget) {
  EXPECT_NE(explore_registration({.budget = budget, .mistake = mistake}).wrong, "");
}

TEST(Registration, SurvivesLossesAndEarlyTimers) {
  expect_right({.budget = {.losses = 2, .timers = 1}});
}

TEST(Registration, OfTwoSessionsSurvivesLateMessagesOfTheFirst) {
  expect_right({.servers = 0, .budget = {.delays = 1, .restarts = 1}});
}

TEST(Registration, OfTwoSessionsTakesAServerAlong) {
  expect_right({.budget = {.restarts = 1}});
}

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

TEST(Registration, OfThreeWorkersSurvivesARestart) {
  expect_right({.workers = 3, .servers = 0, .budget = {.restarts = 1}});
}

TEST(RegistrationMistakes, AreFoundIfLateJoinMessagesEndSessions) {
  expect_found(RegistrationMistake::keep_the_epoch, {.delays = 1, .restarts = 1});
}

TEST(RegistrationMistakes, AreFoundIfALeafTakesALateId) {
  expect_found(RegistrationMistake::leaf_takes_any_id, {.copies = 1, .restarts = 1});
}

TEST(RegistrationMistakes, AreFoundIfAServerTakesALateId) {
  expect_found(RegistrationMistake::server_takes_any_id, {.copies = 1, .restarts = 1});
}

TEST(RegistrationMistakes, AreFoundIfTwoSessionsHaveOneId) {
  expect_found(RegistrationMistake::give_an_id_again, {.copies = 1, .restarts = 1});
}

}  // namespace
}  // namespace ina::exploration
