// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/aggregation_path.hpp"

#include <gtest/gtest.h>

namespace ina::wire {
namespace {

using Racks = std::vector<std::uint16_t>;
using Paths = std::vector<AggregationPath>;
using Bits = std::vector<std::uint32_t>;

/// ATP, Figure 9: w0 and w1, w2 and w3, w4 and w5 with the server.
const Racks kFigure9 = {0, 0, 1, 1, 2, 2};

TEST(AggregationPath, EveryOtherRackAndEveryWorkerOfTheServersRackIsABranch) {
  const Paths expected = {{2, 4, 0, 1, 1},
                          {2, 4, 0, 2, 1},
                          {2, 4, 0, 1, 2},
                          {2, 4, 0, 2, 2},
                          {1, 4, flag::second_level, 0, 4},
                          {1, 4, flag::second_level, 0, 8}};
  for (const Levels levels : {Levels::two, Levels::tree}) {
    EXPECT_EQ(aggregation_paths(kFigure9, 2, levels), expected);
  }
  EXPECT_EQ(branches_of(expected), (Bits{3, 3, 1, 1}));
}

TEST(AggregationPath, WithOneLevelEachRackAddsUpItsOwn) {
  const Paths expected = {{2, 0, 0, 1, 1}, {2, 0, 0, 2, 1}, {2, 0, 0, 1, 2},
                          {2, 0, 0, 2, 2}, {2, 0, 0, 1, 4}, {2, 0, 0, 2, 4}};
  EXPECT_EQ(aggregation_paths(kFigure9, 2, Levels::one), expected);
  EXPECT_EQ(branches_of(expected), (Bits{3, 3, 3}));
}

TEST(AggregationPath, WhereSwitchesForwardBranchesAreOfAsManyAsABitmapNames) {
  const Paths few = {{0, 0, 0, 1, 0}, {0, 0, 0, 2, 0}};
  EXPECT_EQ(aggregation_paths(Racks{0, 1}, 2, Levels::none), few);
  const Paths many = aggregation_paths(Racks(70, 0), 0, Levels::none);
  EXPECT_EQ(branches_of(many), (Bits{~0U, ~0U, 0b111111}));
  EXPECT_EQ(many[69], (AggregationPath{0, 0, 0, 1U << 5, 1U << 2}));
}

TEST(AggregationPath, AJobInOneRackHasOneLevelWhereverItsServerIs) {
  for (const std::uint16_t server : Racks{0, 1}) {
    EXPECT_EQ(aggregation_paths(Racks(3, 0), server, Levels::two), one_level(3));
  }
  EXPECT_EQ(branches_of(one_level(3)), Bits{0b111});
}

TEST(AggregationPath, InATreeTheOnlyLeafIsABranchToo) {
  const Paths expected = {{2, 1, 0, 1, 1}, {2, 1, 0, 2, 1}};
  EXPECT_EQ(aggregation_paths(Racks{1, 1}, 0, Levels::tree), expected);
  EXPECT_EQ(aggregation_paths(Racks{1, 1}, 1, Levels::tree), one_level(2));
}

TEST(AggregationPath, RanksMayBeSpreadOverTheRacksInAnyOrder) {
  const Paths expected = {{2, 2, 0, 1, 1}, {1, 2, 0, 1, 2}, {2, 2, 0, 2, 1}};
  EXPECT_EQ(aggregation_paths(Racks{3, 1, 3}, 0, Levels::two), expected);
}

Racks racks_of(std::size_t racks, std::size_t workers_of_each) {
  Racks of_worker;
  for (std::size_t worker = 0; worker < racks * workers_of_each; ++worker) {
    of_worker.push_back(static_cast<std::uint16_t>(worker / workers_of_each));
  }
  return of_worker;
}

TEST(AggregationPath, ThirtyTwoLeavesOfThirtyTwoWorkersHaveBitsOfTheirOwn) {
  const Racks racks = racks_of(32, 32);
  for (const Levels levels : {Levels::one, Levels::two, Levels::tree, Levels::none}) {
    ASSERT_EQ(find_too_many(racks, 32, levels), std::nullopt);
    EXPECT_EQ(branches_of(aggregation_paths(racks, 32, levels)), Bits(32, ~0U));
  }
}

TEST(AggregationPath, FindsTheRackWithMoreWorkersThanABitmapHasBits) {
  Racks racks = racks_of(2, 32);
  racks.push_back(1);
  EXPECT_EQ(find_too_many(racks, 2, Levels::two), (TooMany{1, 33}));
  EXPECT_EQ(find_too_many(racks, 1, Levels::one), (TooMany{1, 33}));
  EXPECT_EQ(find_too_many(racks, 1, Levels::none), std::nullopt);
  EXPECT_EQ(find_too_many(Racks(33, 0), 0, Levels::tree), (TooMany{0, 33}));
  EXPECT_THROW(aggregation_paths(racks, 2, Levels::two), std::length_error);
}

TEST(AggregationPath, FindsMoreBranchesThanABitmapHasBits) {
  EXPECT_EQ(find_too_many(racks_of(32, 1), 0, Levels::two), std::nullopt);
  EXPECT_EQ(find_too_many(racks_of(33, 1), 0, Levels::two), (TooMany{std::nullopt, 33}));
  EXPECT_EQ(find_too_many(racks_of(32, 32), 0, Levels::two), (TooMany{std::nullopt, 63}));
  EXPECT_EQ(find_too_many(Racks(1025, 0), 0, Levels::none), (TooMany{std::nullopt, 1025}));
}

TEST(AggregationPath, OneSwitchRefusesMoreWorkersThanABitmapHasBits) {
  EXPECT_EQ(one_level(32, 31).bitmap0, 1U << 31);
  EXPECT_THROW(one_level(33, 0), std::length_error);
  EXPECT_THROW(one_level(32, 32), std::length_error);
  EXPECT_THROW(one_level(33), std::length_error);
}

TEST(AggregationPath, TheDefaultNamesUpTo1024Workers) {
  EXPECT_EQ(default_paths(32), one_level(32));
  for (const std::size_t workers : {33, 1024}) {
    EXPECT_EQ(default_paths(workers), aggregation_paths(Racks(workers, 0), 0, Levels::none));
  }
  EXPECT_THROW(default_path(1025, 0), std::length_error);
}

TEST(PlaceAtFirstSwitch, CountsTheWorkersOfARackAndAtTheServersSwitchTheBranches) {
  const Racks racks = {2, 0, 1, 0, 2};
  const Paths paths = aggregation_paths(racks, 2, Levels::two);
  const std::vector<std::uint16_t> expected = {0, 0, 0, 1, 3};
  for (std::size_t rank = 0; rank < racks.size(); ++rank) {
    EXPECT_EQ(place_at_first_switch(paths[rank]), expected[rank]) << rank;
  }
}

TEST(PlaceAtFirstSwitch, IsTheRankWithOneSwitch) {
  const Paths paths = aggregation_paths(Racks(3, 1), 2, Levels::two);
  for (std::uint16_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(place_at_first_switch(paths[rank]), rank);
  }
}

}  // namespace
}  // namespace ina::wire
