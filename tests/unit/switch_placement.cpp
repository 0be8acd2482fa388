// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch-models/programs/declarations.hpp"
#include "switch-models/rmt/placement.hpp"

namespace ina {
namespace {

using rmt::Declaration;
using rmt::DoesNotFit;
using rmt::kTofino1;
using rmt::kTofino2;
using rmt::Placement;
using ::testing::HasSubstr;

/// Two arrays in one pass. The second depends on the first.
Declaration two_arrays() {
  return {.name = "two",
          .registers = {{.name = "a", .cells = 1}, {.name = "b", .cells = 1}},
          .tables = {},
          .passes = {{.name = "only", .steps = {{.of = "a"}, {.of = "b", .needs = {"a"}}}}}};
}

std::string refusal(const Declaration& program, const rmt::Chip& chip = kTofino1) {
  try {
    const Placement placement(program, chip);
    return "";
  } catch (const DoesNotFit& why) {
    return why.what();
  }
}

TEST(Placement, PutsWhatNeedsAnArrayBehindIt) {
  const Placement placement(two_arrays(), kTofino1);
  EXPECT_EQ(placement.span("a").last, 0U);
  EXPECT_EQ(placement.span("b").first, 1U);
}

TEST(Placement, RefusesAnArrayThatAPassTouchesTwice) {
  Declaration program = two_arrays();
  program.passes[0].steps.push_back({.of = "a"});
  EXPECT_EQ(refusal(program), "pass only: a is touched twice");
}

TEST(Placement, RefusesStateThatComesLater) {
  Declaration program = two_arrays();
  program.passes[0].steps = {{.of = "b", .needs = {"a"}}, {.of = "a"}};
  EXPECT_EQ(refusal(program), "pass only: b needs the state of a, which comes later");
}

TEST(Placement, RefusesPassesThatNeedOppositeOrders) {
  Declaration program = two_arrays();
  program.passes.push_back({.name = "back", .steps = {{.of = "b"}, {.of = "a", .needs = {"b"}}}});
  EXPECT_THAT(refusal(program), HasSubstr("a is needed earlier in one pass and later in another"));
}

TEST(Placement, RefusesAnIndexFromALaterRead) {
  Declaration program = two_arrays();
  program.passes[0].steps = {{.of = "b", .index_from = "a"}, {.of = "a"}};
  EXPECT_EQ(refusal(program), "pass only: the index of b depends on a, which is read later");
}

TEST(Placement, RefusesAThirdComparisonOnTofino1AndAFifthOnTofino2) {
  Declaration program = two_arrays();
  program.passes[0].steps[1].comparisons = 3;
  EXPECT_EQ(refusal(program),
            "pass only: the action on b makes 3 comparisons; a stateful ALU of tofino1 makes at "
            "most 2");
  EXPECT_EQ(refusal(program, kTofino2), "");
  program.passes[0].steps[1].comparisons = 5;
  EXPECT_THAT(refusal(program, kTofino2), HasSubstr("b makes 5 comparisons"));
}

TEST(Placement, RefusesASecondWordFromAnAluOfTofino1) {
  Declaration program = two_arrays();
  program.passes[0].steps[0].outputs = 2;
  EXPECT_THAT(refusal(program), HasSubstr("the action on a gives back 2 words"));
  EXPECT_EQ(refusal(program, kTofino2), "");
}

TEST(Placement, RefusesCellsThatAreNoRegister) {
  Declaration program = two_arrays();
  program.registers[1].bits = 48;
  EXPECT_THAT(refusal(program), HasSubstr("b has cells of 48 bits"));
}

TEST(Placement, RefusesAnArrayLargerThanOneMayBe) {
  Declaration program = two_arrays();
  program.registers[1].cells = 35 * 4096;
  EXPECT_EQ(refusal(program), "");
  ++program.registers[1].cells;
  EXPECT_THAT(refusal(program), HasSubstr("b takes 36 blocks of SRAM"));
}

TEST(Placement, RefusesAFifthAction) {
  Declaration program = two_arrays();
  program.registers[1].actions = 4;
  EXPECT_EQ(refusal(program), "");
  program.registers[1].actions = 5;
  EXPECT_EQ(refusal(program),
            "register array b takes 5 actions; a stateful ALU of tofino1 has at most 4");
}

TEST(Placement, RefusesMoreMetadataThanAResubmittedPacketTakesAlong) {
  Declaration program = two_arrays();
  program.passes[0].resubmitted_bits = 65;
  EXPECT_THAT(refusal(program), HasSubstr("pass only gets 65 bits"));
}

TEST(Placement, GivesThoseAlikeInAStageOneHashUnit) {
  Declaration program = two_arrays();
  program.registers[1].count = 4;
  const Placement placement(program, kTofino1);
  EXPECT_EQ(placement.stages()[1].use.meter_alus, 4U);
  EXPECT_EQ(placement.stages()[1].use.hash_distribution_units, 1U);
  program.passes[0].steps[1].needs.clear();
  EXPECT_EQ(Placement(program, kTofino1).stages()[0].use.hash_distribution_units, 2U);
  rmt::Chip chip = kTofino1;
  chip.stages = chip.hash_distribution_units = 1;
  EXPECT_EQ(refusal(program, chip), "b, 1 of 4: stages 0 to 0 of tofino1 have no hash units left");
}

TEST(Placement, RefusesMoreGroupsOrSessionsThanAChipHas) {
  Declaration program = two_arrays();
  program.mirror_sessions = 257;
  EXPECT_EQ(refusal(program), "");
  EXPECT_EQ(refusal(program, kTofino2), "257 mirror sessions; tofino2 has 256");
  program.multicast_groups = 65537;
  EXPECT_EQ(refusal(program), "65537 multicast groups; tofino1 has 65536");
}

TEST(Placement, RefusesAStageBeyondTheLast) {
  Declaration program{.name = "chain", .registers = {}, .tables = {}, .passes = {{"p", {}}}};
  std::string before;
  for (int i = 0; i < 13; ++i) {
    const std::string name = fmt::format("r{}", i);
    program.registers.push_back({.name = name, .cells = 1});
    program.passes[0].steps.push_back({.of = name});
    if (i > 0) program.passes[0].steps.back().needs = {before};
    before = name;
  }
  EXPECT_EQ(refusal(program), "r12 has to stand in stage 12; the last one of tofino1 is 11");
  EXPECT_EQ(refusal(program, kTofino2), "");
}

/// Four control stages leave eight stages with four ALUs each.
TEST(Placement, RefusesA33rdValueWhere32Fit) {
  Declaration program = programs::declare_atp(1000);
  const auto values =
      std::ranges::find(program.registers, "values", &rmt::RegisterDeclaration::name);
  values->count = 32;
  EXPECT_EQ(refusal(program), "");
  values->count = 33;
  EXPECT_EQ(refusal(program),
            "values, 33 of 33: stages 4 to 11 of tofino1 have no stateful ALUs left");
}

TEST(Placement, RefusesThe62ValuesOfAPacketInOnePassOfTofino1) {
  EXPECT_THAT(refusal(programs::declare_atp(1000, 1)), HasSubstr("values, 33 of 62"));
  EXPECT_EQ(refusal(programs::declare_atp(1000, 1), kTofino2), "");
}

/// ATP's public P4 program (github.com/in-ATP/ATP, p4src): 40 000 cells in each array, and one
/// array with a single cell.
Declaration atp_as_published() {
  constexpr std::size_t kCells = 40'000;
  return {.name = "atp as published",
          .registers = {{.name = "appID_and_Seq", .cells = kCells},
                        {.name = "threshold", .cells = 1},
                        {.name = "bitmap", .cells = kCells},
                        {.name = "ecn", .cells = kCells},
                        {.name = "agtr_time", .cells = kCells},
                        {.name = "register", .cells = kCells, .count = 31}},
          .tables = {{.name = "bitmap_aggregate", .entries = 1}},
          .passes = {{.name = "gradient",
                      .steps = {{.of = "appID_and_Seq", .comparisons = 2},
                                {.of = "threshold"},
                                {.of = "bitmap", .needs = {"appID_and_Seq"}},
                                {.of = "ecn", .needs = {"appID_and_Seq"}},
                                {.of = "bitmap_aggregate", .needs = {"bitmap"}},
                                {.of = "agtr_time", .needs = {"bitmap_aggregate"}},
                                {.of = "register", .needs = {"agtr_time"}, .comparisons = 2}}}}};
}

TEST(Placement, GivesFigure2OfDsaForAtpAsPublished) {
  const Placement placement(atp_as_published(), kTofino1);
  std::vector<std::pair<unsigned, unsigned>> map_rams_and_alus;
  for (const Placement::Stage& stage : placement.stages()) {
    map_rams_and_alus.emplace_back(stage.use.map_rams, stage.use.meter_alus);
  }
  std::vector<std::pair<unsigned, unsigned>> figure = {{13, 2}, {22, 2}, {0, 0}, {11, 1}};
  figure.insert(figure.end(), 7, {44, 4});  // stages 4 to 10
  figure.emplace_back(33, 3);
  EXPECT_EQ(map_rams_and_alus, figure);
  for (int stage = 4; stage <= 10; ++stage) {
    EXPECT_EQ(placement.stages()[static_cast<std::size_t>(stage)].use.sram_blocks, 48U);
  }
}

TEST(Placement, HoldsTheThreeProgramsOfThePapersWith5MbOnTofino1) {
  EXPECT_EQ(refusal(programs::declare_switchml(19'531, 32)), "");
  EXPECT_EQ(refusal(programs::declare_switchml(9'765, 64)), "");
  EXPECT_EQ(refusal(programs::declare_switchml(19'531, 32, true)), "");
  EXPECT_EQ(refusal(programs::declare_atp(20'161)), "");
  EXPECT_EQ(refusal(programs::declare_dsa(20'161, policies::needs_of(policies::kDsaPolicy))), "");
}

TEST(Placement, Holds5MbOnTofino1ForEveryPolicyThatComparesAsOftenAsAnAluMay) {
  for (const policies::CollisionPolicy policy : policies::every_policy()) {
    const policies::PolicyNeeds needs = needs_of(policy);
    EXPECT_EQ(refusal(programs::declare_dsa(20'161, needs)).empty(),
              needs.comparisons <= kTofino1.comparisons)
        << name_of(policy);
    EXPECT_EQ(refusal(programs::declare_dsa(20'161, needs, programs::JoinPriority::raise)).empty(),
              needs.comparisons <= kTofino1.comparisons)
        << name_of(policy);
  }
}

/// Each of the eight value stages has 48 map RAMs: enough for four arrays of 11 blocks and a spare
/// block each.
TEST(Placement, FindsTheMostAggregators) {
  const auto declare = [](std::size_t cells) { return programs::declare_atp(cells); };
  EXPECT_EQ(rmt::most_cells(declare, kTofino1), 11U * 4096 / 2);
}

TEST(Placement, OfAProgramWithoutRegistersAnyNumberFits) {
  const auto declare = [](std::size_t) { return Declaration(); };
  EXPECT_EQ(rmt::most_cells(declare, kTofino1), rmt::kMostCells);
}

TEST(Placement, APolicyThatOrdersTasksComparesTheirPsnsTwice) {
  for (const bool orders : {false, true}) {
    const Declaration program =
        programs::declare_dsa(1000, {.comparisons = 1, .orders_tasks = orders});
    const auto gradient =
        std::ranges::find(program.passes, "gradient", &rmt::PassDeclaration::name);
    ASSERT_NE(gradient, program.passes.end());
    const auto psn = std::ranges::find(gradient->steps, "task.psn", &rmt::Step::of);
    ASSERT_NE(psn, gradient->steps.end());
    EXPECT_EQ(psn->comparisons, orders ? 2U : 1U);
  }
}

TEST(Placement, GivesEachAggregatorATimeStampForAPolicyThatNeedsTheAge) {
  const auto with = [](bool age) {
    return Placement(programs::declare_dsa(20'161, {.comparisons = 1, .age = age}), kTofino1);
  };
  EXPECT_EQ(with(false).span("timestamp").passes, 0U);
  EXPECT_GT(with(true).span("priority").first, with(true).span("timestamp").last);
}

TEST(Placement, CountsTheContributionsBetweenTheBitmapAndThePriority) {
  for (const auto join : {programs::JoinPriority::keep, programs::JoinPriority::raise}) {
    for (const bool all : {false, true}) {
      const policies::PolicyNeeds needs{
          .comparisons = 1, .orders_tasks = all, .age = all, .contributions = true};
      const Placement placement(programs::declare_dsa(20'161, needs, join), kTofino1);
      EXPECT_GT(placement.span("contributions").first, placement.span("bitmap").last);
      EXPECT_EQ(placement.span("contributions").last, placement.span("contributions").first + 1);
      EXPECT_GT(placement.span("priority").first, placement.span("contributions").last);
    }
  }
}

TEST(Placement, APolicyOfThreeComparisonsIsRefused) {
  EXPECT_THAT(refusal(programs::declare_dsa(1000, {.comparisons = 3, .expires = false})),
              HasSubstr("the action on priority makes 3 comparisons"));
}

}  // namespace
}  // namespace ina
