// SPDX-License-Identifier: BSD-3-Clause
// Random clusters of the real transports, servers and switch programs. The sums must be exact under
// any delays, collisions, stragglers and losses. INA_SEED=<n> runs a single seed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "hw/cluster/systems/all.hpp"
#include "tests/properties/random_cluster.hpp"
#include "tests/support/every_policy.hpp"

namespace ina::testing {
namespace {

using policies::CollisionPolicy;

void add(Outcome& total, const Outcome& one) {
  total.collisions += one.collisions;
  total.preemptions += one.preemptions;
  total.reminders += one.reminders;
  total.retransmissions += one.retransmissions;
}

constexpr std::uint64_t kRuns = 300;
constexpr Demands kNoLoss{};
constexpr Demands kLoss{20};
constexpr Demands kBlocks{0, true};
constexpr Demands kBlocksAndLoss{20, true};

/// Stops at the first seed that fails. Returns the totals of all runs, which show that the runs
/// exercise the intended events.
Outcome run_seeds(SystemId system, CollisionPolicy policy, const Demands& demands) {
  std::uint64_t first = 1;
  std::uint64_t runs = kRuns;
  const char* only = std::getenv("INA_SEED");
  if (only != nullptr) {
    first = std::strtoull(only, nullptr, 10);
    runs = 1;
  }
  Outcome total;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    const Outcome one = run_random_cluster(system, policy, seed, demands);
    EXPECT_EQ(one.failure, "") << "INA_SEED=" << seed;
    if (!one.failure.empty()) break;
    add(total, one);
  }
  if (only == nullptr) {
    EXPECT_GT(total.retransmissions, 1000U);
    if (shares_aggregators(system)) {
      EXPECT_GT(total.collisions, 10000U);
    }
    if (cluster::traits_of(system).has_reminders) {
      EXPECT_GT(total.reminders, 10000U);
    }
  }
  return total;
}

constexpr CollisionPolicy kNoPolicy{};

class ExactSums : public ::testing::TestWithParam<SystemId> {};

TEST_P(ExactSums, WithoutLoss) { run_seeds(GetParam(), kNoPolicy, kNoLoss); }
TEST_P(ExactSums, WithLoss) { run_seeds(GetParam(), kNoPolicy, kLoss); }
TEST_P(ExactSums, InBlocksWithoutLoss) {
  if (!has_block_floating_point(GetParam())) GTEST_SKIP() << "has no block floating point";
  run_seeds(GetParam(), kNoPolicy, kBlocks);
}
TEST_P(ExactSums, InBlocksWithLoss) {
  if (!has_block_floating_point(GetParam())) GTEST_SKIP() << "has no block floating point";
  run_seeds(GetParam(), kNoPolicy, kBlocksAndLoss);
}

/// Systems whose workers send to switches or servers, because the switch of these tests admits no
/// other frames. The sums of other systems are tested in peer_worker.cpp and in the campaigns.
std::vector<SystemId> systems_without_policies() {
  std::vector<SystemId> systems = every_system();
  std::erase_if(systems, [](SystemId system) {
    return has_collision_policy(system) || cluster::traits_of(system).sends_among_workers();
  });
  return systems;
}

INSTANTIATE_TEST_SUITE_P(Every, ExactSums, ::testing::ValuesIn(systems_without_policies()),
                         system_name());

class ExactSumsOfDsa : public ::testing::TestWithParam<CollisionPolicy> {
 protected:
  void run(const Demands& demands) {
    const Outcome total = run_seeds(system_called("dsa"), GetParam(), demands);
    if (std::getenv("INA_SEED") != nullptr) return;
    const bool preempts = policies::name_of(GetParam()) != "fcfs";
    if (preempts) {
      EXPECT_GT(total.preemptions, 0U);
    } else if (demands.loss_percent ==
               0) {  // with losses, some aggregators get old enough to expire
      EXPECT_EQ(total.preemptions, 0U);
    }
  }
};

TEST_P(ExactSumsOfDsa, WithoutLoss) { run(kNoLoss); }
TEST_P(ExactSumsOfDsa, WithLoss) { run(kLoss); }

INSTANTIATE_TEST_SUITE_P(Every, ExactSumsOfDsa, every_policy(), policy_name);

}  // namespace
}  // namespace ina::testing
