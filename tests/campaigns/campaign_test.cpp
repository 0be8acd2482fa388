// SPDX-License-Identifier: BSD-3-Clause
// Tests the campaigns themselves: runs are reproducible, include every fault, and find mistakes.
#include "tests/campaigns/campaign.hpp"
#include "tests/campaigns/mistakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>

#include "hw/cluster/systems/all.hpp"
#include "hw/protocol/wire/codec.hpp"
#include "tests/campaigns/fault_plan.hpp"

namespace ina::campaigns {
namespace {

using testing::SystemId;

class Campaign : public ::testing::TestWithParam<SystemId> {
 protected:
  static Outcome run(std::uint64_t seed, std::ostream* trace = nullptr) {
    return run_campaign(GetParam(), seed, {}, trace);
  }
};

TEST_P(Campaign, RepeatsARunFromItsSeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::ostringstream first;
    std::ostringstream second;
    run(seed, &first);
    run(seed, &second);
    ASSERT_EQ(first.str(), second.str()) << "seed " << seed;
    ASSERT_EQ(run(seed).counts.frames, run(seed, &second).counts.frames) << "seed " << seed;
  }
}

TEST_P(Campaign, MeetsWithEveryFaultThatTheSystemSurvives) {
  Counts total;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    const Outcome outcome = run(seed);
    ASSERT_EQ(outcome.failure, "") << "seed " << seed;
    total += outcome.counts;
  }
  const cluster::SystemTraits& traits = cluster::traits_of(GetParam());
  EXPECT_GT(total.lost_gradients, 500U);
  EXPECT_GT(total.lost_results, 500U);
  EXPECT_EQ(total.lost_partials > 0, (wire::known_flags(traits.format) & flag::partial) != 0);
  EXPECT_EQ(total.lost_reminders > 0, traits.has_reminders);
  EXPECT_GT(total.corrupted, 500U);
  EXPECT_GT(total.corrupted_decoded, 10U);
  EXPECT_GT(total.duplicated, 100U);
  EXPECT_GT(total.reordered, 100U);
  EXPECT_GT(total.host_stages, 300U);
  EXPECT_GT(total.lost_in_hosts, 200U);
  EXPECT_EQ(total.further_passes > 10000, traits.has_aggregators);
  EXPECT_EQ(total.lost_between_passes > 100, traits.has_aggregators);
  EXPECT_EQ(total.collisions > 0, testing::shares_aggregators(GetParam()));
  EXPECT_EQ(total.preemptions > 0, testing::has_collision_policy(GetParam()));
  EXPECT_EQ(total.overflows > 1000, testing::collects_floats(GetParam()));
  EXPECT_GT(total.worker_pauses, 10U);
  EXPECT_EQ(total.server_pauses > 10, traits.has_servers);
  EXPECT_EQ(total.server_restarts > 10, traits.has_servers);
  EXPECT_GT(total.switch_reboots, 10U);
  EXPECT_GT(total.workers_returned, 10U);
  EXPECT_GT(total.workers_lost, 10U);
  EXPECT_GT(total.jobs_killed, 10U);
  EXPECT_GT(total.jobs_finished, total.jobs_failed);
  EXPECT_GT(total.registrations, total.jobs_finished + total.jobs_failed);
  EXPECT_GT(total.rejected_results, 0U);
}

TEST_P(Campaign, RecoversWhatHostsWithAQueueOfOneLose) {
  Setting setting;
  setting.host_stage = {.per_packet = std::chrono::microseconds(1), .queue = 1};
  Counts total;
  constexpr std::uint64_t kSeeds = 100;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Outcome outcome = run_campaign(GetParam(), seed, setting, nullptr);
    ASSERT_EQ(outcome.failure, "") << "seed " << seed;
    total += outcome.counts;
  }
  EXPECT_EQ(total.host_stages, kSeeds);
  EXPECT_GT(total.lost_in_hosts, 500U);
  EXPECT_GT(total.jobs_finished, kSeeds);
}

/// The lines that a run prints before its first event, without the lines of host stages.
std::string cluster_and_faults(SystemId system, std::uint64_t seed, const Setting& setting) {
  std::ostringstream trace;
  run_campaign(system, seed, setting, &trace);
  std::istringstream lines(trace.str());
  std::string text;
  for (std::string line; std::getline(lines, line) && !line.starts_with(' ');) {
    if (!line.starts_with("hosts take")) text += line + '\n';
  }
  return text;
}

TEST_P(Campaign, DrawsTheSameClusterAndFaultsWithHostsThatTakeTime) {
  Setting without;
  without.host_stage = cluster::HostStage::Config{};
  Setting with;
  with.host_stage = {.per_packet = std::chrono::microseconds(1)};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string text = cluster_and_faults(GetParam(), seed, without);
    EXPECT_NE(text, "");
    EXPECT_EQ(text, cluster_and_faults(GetParam(), seed, with));
    EXPECT_EQ(text, cluster_and_faults(GetParam(), seed, {}));
  }
}

TEST_P(Campaign, LosesNothingInHostsThatTakeNoTime) {
  Setting setting;
  setting.host_stage = {.queue = 1};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Counts counts = run_campaign(GetParam(), seed, setting, nullptr).counts;
    EXPECT_EQ(counts.host_stages + counts.lost_in_hosts, 0U) << "seed " << seed;
  }
}

class HostileHost : public ::testing::TestWithParam<SystemId> {
 protected:
  static Outcome attack(std::uint64_t seed, bool open_ports) {
    Setting setting;
    setting.hostile_host = true;
    setting.open_ports = open_ports;
    return run_campaign(GetParam(), seed, setting, nullptr);
  }
  /// Whether one of three hundred attacks on open ports ends with this failure.
  static bool is_found(const std::string& failure) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      if (attack(seed, true).failure.find(failure) != std::string::npos) return true;
    }
    return false;
  }
};

TEST_P(HostileHost, HarmsNoJobOfOthers) {
  Counts total;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Outcome outcome = attack(seed, false);
    ASSERT_EQ(outcome.failure, "") << "seed " << seed;
    total += outcome.counts;
  }
  EXPECT_GT(total.forged, 10'000U);
  EXPECT_GT(total.refused, 5'000U);
  EXPECT_GT(total.forged, total.refused + 2'000);  // members may forge for their own job
  EXPECT_GT(total.jobs_finished, 300U);
}

TEST_P(HostileHost, MakesWrongSumsWhereTheTableOfMembersIsMissing) {
  EXPECT_TRUE(is_found("the workers' sum"));
}

TEST_P(HostileHost, FreesAggregatorsOfOthersWhereTheTableOfMembersIsMissing) {
  if (!cluster::traits_of(GetParam()).has_aggregators) GTEST_SKIP() << "there are none";
  EXPECT_TRUE(is_found("the hostile host freed aggregator"));
}

INSTANTIATE_TEST_SUITE_P(Every, HostileHost, ::testing::ValuesIn(campaign_systems()),
                         testing::system_name());

INSTANTIATE_TEST_SUITE_P(Every, Campaign, ::testing::ValuesIn(campaign_systems()),
                         testing::system_name());

class FindsAMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(FindsAMistake, WithinAThousandRuns) {
  const Mistake& mistake = GetParam();
  const Setting setting = setting_with(mistake);
  std::string failure;
  std::uint64_t seed = 0;
  while (failure.find(mistake.failure) == std::string::npos && ++seed <= 1000) {
    failure = run_campaign(mistake.system, seed, setting, nullptr).failure;
  }
  EXPECT_NE(failure.find(mistake.failure), std::string::npos) << "seed " << seed << ": " << failure;
}

INSTANTIATE_TEST_SUITE_P(Every, FindsAMistake,
                         ::testing::ValuesIn(mistakes().begin(), mistakes().end()),
                         [](const auto& info) {
                           std::string name(info.param.mutant);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace ina::campaigns
