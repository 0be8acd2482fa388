// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/traffic/flow_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "hw/protocol/units.hpp"

namespace ina::cluster::traffic {
namespace {

using namespace std::chrono_literals;

SizeDistribution sizes() { return {"", {{0, 0}, {1000, 0.5}, {3000, 0.5}, {5000, 1}}}; }

TEST(SizeDistribution, IsInProportionBetweenItsPoints) {
  EXPECT_EQ(sizes().bytes_at(0), 1U) << "a flow has a byte at least";
  EXPECT_EQ(sizes().bytes_at(0.25), 500U);
  EXPECT_EQ(sizes().bytes_at(0.75), 4000U);
  EXPECT_EQ(sizes().bytes_at(1), 5000U);
}

TEST(SizeDistribution, HasTheMeanOfWhatIsDrawn) {
  RandomStream random(1, 1);
  constexpr int kDraws = 100000;
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += static_cast<double>(sizes().bytes_at(random.uniform()));
  EXPECT_EQ(sizes().mean_bytes(), 2250);
  EXPECT_NEAR(sum / kDraws, 2250, 4 * 1800 / std::sqrt(kDraws));
}

Pattern bulk(std::vector<std::uint32_t> from, Time start) {
  Pattern pattern;
  pattern.from = std::move(from);
  pattern.to = {9};
  pattern.start = start;
  pattern.bytes = 7;
  return pattern;
}

TEST(FlowSchedule, GivesFlowsInTheOrderOfTheirStarts) {
  FlowSchedule schedule({bulk({4}, 2us), bulk({5, 6}, 1us)}, 1);
  EXPECT_EQ(schedule.next(), (Flow{0, 1, 5, 9, 7, 1us}));
  EXPECT_EQ(schedule.next(), (Flow{1, 1, 6, 9, 7, 1us}));
  EXPECT_EQ(schedule.next(), (Flow{2, 0, 4, 9, 7, 2us}));
  EXPECT_EQ(schedule.next(), std::nullopt);
}

TEST(FlowSchedule, RepeatsIncast) {
  Pattern incast = bulk({1, 2}, 1us);
  incast.kind = PatternKind::incast;
  incast.interval = 10us;
  FlowSchedule schedule({incast}, 1);
  for (const Time start : {1us, 11us, 21us}) {
    for (const std::uint32_t from : {1U, 2U}) {
      const auto flow = schedule.next();
      ASSERT_TRUE(flow);
      EXPECT_EQ(flow->start, start);
      EXPECT_EQ(flow->from, from);
    }
  }
}

Pattern arrivals(std::vector<double> load) {
  Pattern pattern;
  pattern.kind = PatternKind::arrivals;
  pattern.from = {3, 5, 8};
  pattern.sizes = sizes();
  pattern.load = std::move(load);
  return pattern;
}

std::vector<Flow> first(FlowSchedule schedule, int flows) {
  std::vector<Flow> all;
  for (int i = 0; i < flows; ++i) all.push_back(*schedule.next());
  return all;
}

TEST(FlowSchedule, ArrivalsHaveTheirLoadAndGoToOthers) {
  constexpr int kFlows = 100000;
  const std::vector<Flow> flows = first(FlowSchedule({arrivals({1e9, 1e9, 2e9})}, 1), kFlows);
  double bytes = 0;
  std::vector<int> from(9);
  std::vector<int> to(9);
  for (const Flow& flow : flows) {
    EXPECT_NE(flow.from, flow.to);
    bytes += static_cast<double>(flow.bytes);
    ++from[flow.from];
    ++to[flow.to];
  }
  const double seconds = static_cast<double>(flows.back().start.count()) / kPsPerS;
  EXPECT_NEAR(bytes / seconds, 4e9, 0.02 * 4e9);
  EXPECT_NEAR(from[3], 0.25 * kFlows, 0.02 * kFlows);
  EXPECT_NEAR(from[8], 0.5 * kFlows, 0.02 * kFlows);
  EXPECT_NEAR(to[8], 0.25 * kFlows, 0.02 * kFlows) << "half of what the others send";
}

TEST(FlowSchedule, DependsOnTheSeedOnly) {
  const auto of = [](std::uint64_t seed) {
    return first(FlowSchedule({arrivals({1e9, 1e9, 1e9})}, seed), 100);
  };
  EXPECT_EQ(of(1), of(1));
  EXPECT_NE(of(1), of(2));
}

TEST(FlowSchedule, APatternDoesNotChangeAnotherOne) {
  const std::vector<Flow> alone = first(FlowSchedule({arrivals({1e9, 1e9, 1e9})}, 1), 100);
  FlowSchedule both({arrivals({1e9, 1e9, 1e9}), arrivals({1e7, 1e7, 1e7})}, 1);
  std::vector<Flow> of_first;
  while (of_first.size() < alone.size()) {
    Flow flow = *both.next();
    if (flow.pattern != 0) continue;
    flow.number = of_first.size();
    of_first.push_back(flow);
  }
  EXPECT_EQ(of_first, alone);
}

}  // namespace
}  // namespace ina::cluster::traffic
