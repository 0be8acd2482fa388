// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/exploration/world.hpp"

namespace ina::exploration {

/// Plays random schedules of a configuration. Expects a world with a history and a world whose
/// state was read back to behave alike. If they do not, the saved state lacks a part.
inline void expect_saved_states_are_whole(const Configuration& configuration,
                                          const MakeSystem& make_system) {
  Bytes state;
  Bytes again;
  std::vector<Action> actions;
  for (std::uint32_t seed = 1; seed <= 15; ++seed) {
    std::mt19937 random(seed);
    World world(configuration, make_system);
    for (;;) {
      world.save(state);
      World fresh(configuration, make_system);
      fresh.restore(state);
      fresh.save(again);
      ASSERT_EQ(state, again) << "seed " << seed;
      world.restore(state);
      world.list_actions(actions);
      if (actions.empty()) break;
      const Action action = actions[random() % actions.size()];
      world.apply(action);
      fresh.apply(action);
      ASSERT_EQ(world.failure(), fresh.failure()) << "seed " << seed;
      world.save(state);
      fresh.save(again);
      ASSERT_EQ(state, again) << "seed " << seed << ", after " << to_text(action);
    }
  }
}

}  // namespace ina::exploration
