// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/value_passes.hpp"

#include <gtest/gtest.h>

namespace ina {
namespace {

using Exit = rmt::Verdict::Exit;

void expect_passes(const rmt::Verdict& verdict, int resubmits, int recirculations, int bytes) {
  EXPECT_EQ(verdict.resubmits, resubmits);
  EXPECT_EQ(verdict.recirculations, recirculations);
  EXPECT_EQ(verdict.recirculated_bytes, bytes);
}

TEST(ValuePasses, AtpResubmitsWhatStaysAndRecirculatesWhatTakesSumsAlong) {
  expect_passes(programs::kAbsorbed, 1, 0, 0);
  expect_passes(programs::with_sums(Exit::forward, 306), 0, 1, 306);
}

TEST(ValuePasses, SwitchmlsPaperTakesOnePass) {
  expect_passes(programs::switchml_absorbed(180), 0, 0, 0);
  expect_passes(programs::switchml_answer(Exit::multicast, 180), 0, 0, 0);
}

/// The second half of the sums recirculates with the headers: 52 + 128 bytes.
TEST(ValuePasses, SwitchmlConsumes64ValuesInOnePassAndHarvestsInTwo) {
  expect_passes(programs::switchml_absorbed(308), 0, 0, 0);
  expect_passes(programs::switchml_answer(Exit::multicast, 308), 0, 1, 180);
}

/// Four pipes consume, and seven more passes harvest. The packet carries 192, 128 and 64 values to
/// pipes 1, 2 and 3, and then 32 to 224 sums.
TEST(ValuePasses, SwitchmlConsumes256ValuesInFourPipesAndHarvestsInEightPasses) {
  const int consumed = 820 + 564 + 308;
  const int harvested = 180 + 308 + 436 + 564 + 692 + 820 + 948;
  expect_passes(programs::switchml_absorbed(1076), 0, 3, consumed);
  expect_passes(programs::switchml_answer(Exit::multicast, 1076), 0, 10, consumed + harvested);
}

/// A hypothetical switch, which no chip implements, adds an MTU of values. Nothing recirculates.
TEST(ValuePasses, SwitchmlAddsAnMtuOfValuesInOnePass) {
  expect_passes(programs::switchml_absorbed(1516), 0, 0, 0);
  expect_passes(programs::switchml_answer(Exit::multicast, 1516), 0, 0, 0);
  expect_passes(programs::switchml_stored(1516), 0, 0, 0);
}

/// Each pipe writes a quarter, and the packet keeps all values.
TEST(ValuePasses, ALeafOfSwitchmlStores64ValuesInAPass) {
  expect_passes(programs::switchml_stored(180), 0, 0, 0);
  expect_passes(programs::switchml_stored(308), 0, 0, 0);
  expect_passes(programs::switchml_stored(1076), 0, 3, 3 * 1076);
}

}  // namespace
}  // namespace ina
