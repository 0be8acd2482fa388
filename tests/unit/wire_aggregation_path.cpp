// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/aggregation_path.hpp"

#include <gtest/gtest.h>

namespace ina::wire {
namespace {

using Racks = std::vector<std::uint16_t>;
using Paths = std::vector<AggregationPath>;

/// ATP, Figure 9: w0 and w1, w2 and w3, w4 and w5 with the server.
const Racks kFigure9 = {0, 0, 1, 1, 2, 2};

TEST(AggregationPath, EveryOtherRackAndEveryWorkerOfTheServersRackIsABranch) {
  const Paths expected = {{2, 4, 0, 1},
                          {2, 4, 0, 1},
                          {2, 4, 0, 2},
                          {2, 4, 0, 2},
                          {1, 4, flag::second_level, 4},
                          {1, 4, flag::second_level, 8}};
  EXPECT_EQ(aggregation_paths(kFigure9, 2, Levels::two), expected);
  EXPECT_EQ(branches(expected), 4);
}

TEST(AggregationPath, WithOneLevelEachRackAddsUpItsOwn) {
  const Paths paths = aggregation_paths(kFigure9, 2, Levels::one);
  EXPECT_EQ(paths, Paths(6, one_level(2)));
  EXPECT_EQ(branches(paths), 0);
}

TEST(AggregationPath, InATreeOfRanksEveryPacketNamesTheWholeJob) {
  EXPECT_EQ(aggregation_paths(kFigure9, 2, Levels::tree), Paths(6, one_level(6)));
}

TEST(AggregationPath, LeavesAreTheRacksWithWorkersButTheServers) {
  using Ranks = std::vector<std::uint32_t>;
  EXPECT_EQ(ranks_of_leaves(kFigure9, 2), (Ranks{0b000011, 0b001100}));
  EXPECT_EQ(ranks_of_leaves(Racks{3, 1, 3}, 4), (Ranks{0b010, 0b101}));
  EXPECT_EQ(ranks_of_leaves(Racks{1, 1}, 1), Ranks{});
}

TEST(AggregationPath, ThereIsNoneWhereSwitchesForward) {
  EXPECT_EQ(aggregation_paths(kFigure9, 2, Levels::none), Paths(6, AggregationPath{}));
}

TEST(AggregationPath, AJobInOneRackHasOneLevelWhereverItsServerIs) {
  for (const std::uint16_t server : Racks{0, 1}) {
    EXPECT_EQ(aggregation_paths(Racks(3, 0), server, Levels::two), Paths(3, one_level(3)));
  }
}

TEST(AggregationPath, RanksMayBeSpreadOverTheRacksInAnyOrder) {
  const Paths expected = {{2, 2, 0, 1}, {1, 2, 0, 2}, {2, 2, 0, 1}};
  EXPECT_EQ(aggregation_paths(Racks{3, 1, 3}, 0, Levels::two), expected);
}

TEST(PlaceAtFirstSwitch, CountsTheWorkersOfARackAndAtTheServersSwitchTheBranches) {
  const Racks racks = {2, 0, 1, 0, 2};
  const Paths paths = aggregation_paths(racks, 2, Levels::two);
  const std::vector<std::uint16_t> expected = {0, 0, 0, 1, 3};
  for (std::size_t rank = 0; rank < racks.size(); ++rank) {
    EXPECT_EQ(place_at_first_switch(rank, racks, paths), expected[rank]) << rank;
  }
}

TEST(PlaceAtFirstSwitch, IsTheRankWithOneSwitch) {
  const Racks racks(3, 1);
  const Paths paths = aggregation_paths(racks, 2, Levels::two);
  for (std::uint16_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(place_at_first_switch(rank, racks, paths), rank);
  }
}

}  // namespace
}  // namespace ina::wire
