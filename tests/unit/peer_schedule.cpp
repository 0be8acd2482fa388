// SPDX-License-Identifier: BSD-3-Clause
// Schedules of all-reduces among workers: the schedules of all workers fit together.
#include "hw/protocol/transport/schedules/all.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ina {
namespace {

using Peer = PeerSchedule::Peer;
using Route = PeerSchedule::Route;

struct Kind {
  std::string name;
  PeerSchedule (*make)(std::uint16_t rank, std::uint16_t workers);
};

class EverySchedule : public ::testing::TestWithParam<std::tuple<Kind, std::uint16_t>> {
 protected:
  EverySchedule() {
    for (std::uint16_t rank = 0; rank < workers_; ++rank) {
      schedules_.push_back(std::get<Kind>(GetParam()).make(rank, workers_));
    }
  }

  const Route& route(std::uint16_t rank, std::size_t chunk) const {
    return schedules_[rank].routes[chunk];
  }
  std::size_t chunks() const { return schedules_[0].routes.size(); }
  /// Index under which peer `other` knows `rank`.
  Peer index_of(std::uint16_t rank, std::uint16_t other) const {
    const auto& ranks = schedules_[other].ranks;
    return static_cast<Peer>(std::ranges::find(ranks, rank) - ranks.begin());
  }
  /// Number of workers whose parts are in the sum that `rank` forwards. 0 if the route is circular.
  std::size_t parts(std::uint16_t rank, std::size_t chunk, std::size_t depth = 0) const {
    if (depth > workers_) return 0;
    std::size_t sum = 1;
    const PeerSchedule::Peers from = route(rank, chunk).parts_from;
    for (Peer peer = from.begin; peer < from.end; ++peer) {
      sum += parts(schedules_[rank].ranks[peer], chunk, depth + 1);
    }
    return sum;
  }
  /// Adds the workers that get the result from `rank`, directly or indirectly, once per reception.
  void reach(std::uint16_t rank, std::size_t chunk, std::multiset<std::uint16_t>& reached) const {
    if (reached.size() > workers_) return;
    const PeerSchedule::Peers to = route(rank, chunk).result_to;
    for (Peer peer = to.begin; peer < to.end; ++peer) {
      const std::uint16_t next = schedules_[rank].ranks[peer];
      EXPECT_EQ(route(next, chunk).result_from, index_of(rank, next));
      reached.insert(next);
      reach(next, chunk, reached);
    }
  }

  std::uint16_t workers_ = std::get<std::uint16_t>(GetParam());
  std::vector<PeerSchedule> schedules_;
};

std::vector<Kind> every_kind() {
  std::vector<Kind> kinds;
  const auto add = [&]<class Schedule>(const Schedule&) {
    kinds.push_back({std::string(Schedule::kName), Schedule::make});
  };
  std::apply([&](const auto&... schedules) { (add(schedules), ...); }, schedules::All());
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Workers, EverySchedule,
                         ::testing::Combine(::testing::ValuesIn(every_kind()),
                                            ::testing::Values(2, 3, 4, 5, 6, 7, 8, 9, 12, 31, 64,
                                                              100)),
                         [](const auto& info) {
                           return std::get<Kind>(info.param).name +
                                  std::to_string(std::get<std::uint16_t>(info.param));
                         });

TEST_P(EverySchedule, PeersAreMutualAndOthers) {
  for (std::uint16_t rank = 0; rank < workers_; ++rank) {
    const auto& ranks = schedules_[rank].ranks;
    EXPECT_EQ(std::set(ranks.begin(), ranks.end()).size(), ranks.size());
    for (const std::uint16_t peer : ranks) {
      EXPECT_NE(peer, rank);
      EXPECT_TRUE(std::ranges::count(schedules_[peer].ranks, rank));
    }
  }
}

TEST_P(EverySchedule, OneWorkerCompletesTheSumOfAChunkWithEveryonesPart) {
  for (std::size_t chunk = 0; chunk < chunks(); ++chunk) {
    std::vector<std::uint16_t> complete;
    for (std::uint16_t rank = 0; rank < workers_; ++rank) {
      const Route& of_rank = route(rank, chunk);
      if (of_rank.sum_to == PeerSchedule::kNoPeer) {
        complete.push_back(rank);
        continue;
      }
      const std::uint16_t next = schedules_[rank].ranks[of_rank.sum_to];
      EXPECT_TRUE(route(next, chunk).parts_from.contains(index_of(rank, next)));
    }
    ASSERT_EQ(complete.size(), 1U);
    EXPECT_EQ(parts(complete.front(), chunk), workers_);
  }
}

TEST_P(EverySchedule, TheResultReachesEveryoneElseOnce) {
  for (std::size_t chunk = 0; chunk < chunks(); ++chunk) {
    for (std::uint16_t rank = 0; rank < workers_; ++rank) {
      if (route(rank, chunk).result_from != PeerSchedule::kNoPeer) continue;
      std::multiset<std::uint16_t> reached{rank};
      reach(rank, chunk, reached);
      EXPECT_EQ(reached.size(), workers_);
      EXPECT_EQ(std::set(reached.begin(), reached.end()).size(), workers_);
    }
  }
}

TEST_P(EverySchedule, WhatBeginsIsWhatNobodyGivesAPartOf) {
  for (std::uint16_t rank = 0; rank < workers_; ++rank) {
    const PeerSchedule& schedule = schedules_[rank];
    ASSERT_EQ(schedule.begins.size(), schedule.ranks.size());
    std::set<std::pair<Peer, std::size_t>> begins;
    for (Peer peer = 0; peer < schedule.begins.size(); ++peer) {
      for (const std::uint16_t chunk : schedule.begins[peer]) {
        EXPECT_TRUE(begins.emplace(peer, chunk).second);
      }
    }
    std::set<std::pair<Peer, std::size_t>> expected;
    for (std::size_t chunk = 0; chunk < chunks(); ++chunk) {
      const Route& of_chunk = schedule.routes[chunk];
      if (of_chunk.parts_from.count() == 0) expected.emplace(of_chunk.sum_to, chunk);
    }
    EXPECT_EQ(begins, expected);
  }
}

TEST(HalvingDoubling, HasAsManyPeersAsSteps) {
  for (const std::uint16_t workers : std::initializer_list<std::uint16_t>{2, 8, 64, 1024}) {
    const auto steps = static_cast<std::size_t>(std::countr_zero(workers));
    const PeerSchedule schedule =
        schedules::HalvingDoubling::make(static_cast<std::uint16_t>(workers / 3), workers);
    EXPECT_EQ(schedule.ranks.size(), steps);
    EXPECT_EQ(schedule.begins[0].size(), workers / 2U);  // only to the farthest peer
    EXPECT_EQ(schedule.ranks[0] ^ (workers / 3), workers / 2);
  }
}

TEST(DoubleTree, WhoIsALeafOfOneTreeIsNoneOfTheOther) {
  for (const std::uint16_t workers : std::initializer_list<std::uint16_t>{2, 3, 8, 9, 100, 1023}) {
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      const PeerSchedule schedule = schedules::DoubleTree::make(rank, workers);
      const auto leaf_of = std::ranges::count_if(
          schedule.routes, [](const Route& route) { return route.parts_from.count() == 0; });
      const bool is_last_of_odd = workers % 2 == 1 && rank + 1 == workers;
      EXPECT_EQ(leaf_of, is_last_of_odd ? 2 : 1);
      EXPECT_LE(schedule.ranks.size(), 4U);
    }
  }
}

TEST(DoubleTree, IsAsDeepAsABinaryTreeHasToBe) {
  for (const std::uint16_t workers : std::initializer_list<std::uint16_t>{2, 3, 8, 9, 100, 1024}) {
    const auto least = static_cast<std::uint32_t>(std::bit_width(workers)) - 1;
    EXPECT_GE(schedules::DoubleTree::depth(workers), least);
    EXPECT_LE(schedules::DoubleTree::depth(workers), least + 1);
  }
}

}  // namespace
}  // namespace ina
