// SPDX-License-Identifier: BSD-3-Clause
// Tests the explorer itself: restored states are whole, schedules replay, and mistakes are found.
#include <gtest/gtest.h>

#include <sstream>

#include "hw/protocol/wire/addressing.hpp"
#include "tests/exploration/mutants.hpp"
#include "tests/exploration/replay.hpp"
#include "tests/exploration/whole_state.hpp"

namespace ina::exploration {

void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

namespace {

constexpr Limits kLimits{.states = 1'000'000};

class Mistake : public ::testing::TestWithParam<Mutant> {};

TEST_P(Mistake, IsFoundAndReplays) {
  const Mutant& mutant = GetParam();
  const std::string name(mutant.configuration);
  const Report report = explore(parse_configuration(name), make_mutant(mutant), kLimits);
  ASSERT_TRUE(report.finding);
  EXPECT_NE(report.finding->failure.find(mutant.failure), std::string::npos)
      << report.finding->failure;
  std::stringstream file;
  write_replay(file, {name, "", *report.finding});
  std::ostringstream words;
  EXPECT_EQ(step_through(read_replay(file), make_mutant(mutant), words), report.finding->failure);
}

TEST_P(Mistake, IsNoneOfTheProtocol) {
  const Report report =
      explore(parse_configuration(GetParam().configuration), make_system, kLimits);
  EXPECT_FALSE(report.finding) << report.finding->failure;
  EXPECT_TRUE(report.complete);
}

std::string name_of(const ::testing::TestParamInfo<Mutant>& info) {
  std::string name(info.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, Mistake, ::testing::ValuesIn(mutants().begin(), mutants().end()),
                         name_of);

TEST(ConfigurationsOfTwoAggregators, TakeTwo) {
  for (JobId job = 0; job < 2; ++job) {
    const auto index = [job](Psn psn, int of) {
      return wire::aggregator_index(job, psn, static_cast<std::uint32_t>(of));
    };
    EXPECT_NE(index(0, kTwoOfHash), index(1, kTwoOfHash));
    EXPECT_EQ(index(0, kTwoOfHash), index(2, kTwoOfHash));
    EXPECT_EQ(index(0, 2), index(1, 2));  // otherwise configurations with a2 would suffice
  }
}

TEST(RenamedWorkers, CoverTheSameStates) {
  // Every first step of one worker has an equivalent step of the other.
  const Configuration configuration = parse_configuration("dsa-priority-w2-a1-f2-k1-t1");
  World world(configuration, make_system);
  Bytes one;
  Bytes other;
  world.apply({Action::Kind::deliver, Action::Way::up, 0});
  world.apply({Action::Kind::fire, Action::Way::up, 0});
  world.save(one);
  World twin(configuration, make_system);
  twin.apply({Action::Kind::deliver, Action::Way::up, 1});
  twin.apply({Action::Kind::fire, Action::Way::up, 1});
  twin.save(other);
  EXPECT_NE(one, other);
  twin.save_renamed(other, twin.renamings().at(1));
  EXPECT_EQ(one, other);
}

class SavedState : public ::testing::TestWithParam<const char*> {};

TEST_P(SavedState, IsTheWholeState) {
  expect_saved_states_are_whole(parse_configuration(GetParam()), make_system);
}

INSTANTIATE_TEST_SUITE_P(
    Every, SavedState,
    ::testing::Values(
        "switchml-w3-j2-a2-f2-i2-k2-t4-d1-r1", "switchml-w3-j2-a3-f2-n2-k2-t4-d1-r1-x1",
        "switchml-w4-l2-u1-j2-a2-f2-i2-k2-t4-d1-r1-b1-c1",
        "atp-w2-j2-a2-f2-i2-h1-k2-t4-d1-r1-e1-q1-b1-s1",
        "atp-w3-j2-a2-f2-i2-h1-o3-k2-t4-d1-r1-q1-b1",
        "atp-w4-l2-u1-j2-a2-f2-h1-k2-t4-d1-r1-e1-q1-b2-s1",
        "dsa-priority-w3-j2-a2-f2-i2-k2-t6-d1-r1-q1-b1-s1",
        "dsa-fcfs-w2-j2-a2-f2-k2-t4-d1-r1-e2-q1-b1", "atp-w2-j2-a4-m2-f2-i2-h1-k2-t4-d1-q1-b1",
        "dsa-priority-w2-j2-a4-m2-f2-i2-k2-t4-d1-q1-b1", "ps-w3-j2-f2-i2-h1-k2-t4-d1-r1-q1-b1-s1",
        "switchml-w3-j2-a2-f2-i2-k2-t4-d1-r1-b1-c1-s1",
        "atp-w4-l2-u1-j2-a2-f2-i2-k2-t4-d1-r1-q1-b2-c2",
        "atp-w2-j2-a4-m2-f2-i2-h1-k2-t4-d1-q1-b1-c2",
        "dsa-priority-w3-j2-a2-f2-i2-k2-t6-d1-r1-q1-b1-c2",
        "ps-w3-j2-f2-i2-h1-k2-t4-d1-r1-q1-b1-c2-s1", "ring-w3-j2-f3-i2-h1-k2-t4-d1-r1-b1-c1-s1",
        "ring-w2-f4-i2-p2-k2-t4-d1-r1", "halving_doubling-w4-f4-i2-k2-t4-d1-r1-c1-s1",
        "halving_doubling-w3-f4-n2-h1-k2-t4-d1-r1-s1", "tree-w4-f4-i2-h1-k2-t4-d1-r1-b1-c1-s1",
        "byteps-w3-j2-f3-i2-h1-k2-t4-d1-r1-b1-c1-s1", "atp-w3-j2-a2-f2-k2-t4-d1-r1-e1-q1-b1-z3",
        "dsa-priority-w3-j2-a2-f2-k2-t4-d1-r1-q1-b1-z3",
        "dsa-fcfs-w4-l2-u1-a2-f2-k2-t4-d1-r1-e1-q1-b1-z3"));

}  // namespace
}  // namespace ina::exploration
