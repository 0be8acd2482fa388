// SPDX-License-Identifier: BSD-3-Clause
// Random clusters of the real transports, servers and switch programs: the sums must be exact
// whatever the delays, collisions, stragglers and losses. INA_SEED=<n> runs one seed alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <type_traits>

#include "switch-models/policies/always_preempt.hpp"
#include "switch-models/policies/coin_flip.hpp"
#include "switch-models/policies/fcfs.hpp"
#include "switch-models/policies/priority.hpp"
#include "switch-models/programs/atp.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/programs/switchml.hpp"
#include "tests/property/random_cluster.hpp"

namespace ina::testing {
namespace {

using rmt::Checked;

constexpr std::size_t kMostJobs = 4;

std::unique_ptr<programs::SwitchProgram> switchml(const ClusterShape& shape) {
  return std::make_unique<programs::SwitchmlProgram<Checked>>(kMostJobs * shape.aggregators,
                                                              shape.width);
}

std::unique_ptr<programs::SwitchProgram> atp(const ClusterShape& shape) {
  return std::make_unique<programs::AtpProgram<Checked>>(programs::AtpProgram<Checked>::Config{
      shape.aggregators, shape.width, std::chrono::milliseconds(100)});
}

template <class Policy>
std::unique_ptr<programs::SwitchProgram> dsa(const ClusterShape& shape) {
  return std::make_unique<programs::DsaProgram<Policy, Checked>>(shape.aggregators, shape.width,
                                                                 Policy{});
}

template <>
std::unique_ptr<programs::SwitchProgram> dsa<policies::CoinFlip>(const ClusterShape& shape) {
  return std::make_unique<programs::DsaProgram<policies::CoinFlip, Checked>>(
      shape.aggregators, shape.width, policies::CoinFlip(shape.policy_seed));
}

void add(Outcome& total, const Outcome& one) {
  total.collisions += one.collisions;
  total.preemptions += one.preemptions;
  total.reminders += one.reminders;
  total.retransmissions += one.retransmissions;
}

constexpr std::uint64_t kRuns = 300;
constexpr Demands kNoLoss{};
constexpr Demands kLoss{20};

/// Stops at the first seed that fails. Returns what all runs met with, to show that they exercise
/// what they are meant to.
Outcome run_seeds(System system, const MakeProgram& make_program, const Demands& demands) {
  std::uint64_t first = 1;
  std::uint64_t runs = kRuns;
  const char* only = std::getenv("INA_SEED");
  if (only != nullptr) {
    first = std::strtoull(only, nullptr, 10);
    runs = 1;
  }
  Outcome total;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    const Outcome one = run_random_cluster(system, make_program, seed, demands);
    EXPECT_EQ(one.failure, "") << "INA_SEED=" << seed;
    if (!one.failure.empty()) break;
    add(total, one);
  }
  if (only == nullptr) {
    EXPECT_GT(total.retransmissions, 1000U);
    if (system != System::switchml) {
      EXPECT_GT(total.collisions, 10000U);
    }
    if (system == System::dsa) {
      EXPECT_GT(total.reminders, 10000U);
    }
  }
  return total;
}

TEST(ExactSums, SwitchmlWithoutLoss) { run_seeds(System::switchml, switchml, kNoLoss); }
TEST(ExactSums, SwitchmlWithLoss) { run_seeds(System::switchml, switchml, kLoss); }
TEST(ExactSums, AtpWithoutLoss) { run_seeds(System::atp, atp, kNoLoss); }
TEST(ExactSums, AtpWithLoss) { run_seeds(System::atp, atp, kLoss); }

template <class Policy>
class ExactSumsOfDsa : public ::testing::Test {};
using Policies = ::testing::Types<policies::Priority, policies::Fcfs, policies::AlwaysPreempt,
                                  policies::CoinFlip>;
TYPED_TEST_SUITE(ExactSumsOfDsa, Policies);

template <class Policy>
void expect_preemptions(const Outcome& total) {
  if (std::getenv("INA_SEED") != nullptr) return;
  EXPECT_EQ(total.preemptions > 0, (!std::is_same_v<Policy, policies::Fcfs>));
}

TYPED_TEST(ExactSumsOfDsa, WithoutLoss) {
  expect_preemptions<TypeParam>(run_seeds(System::dsa, dsa<TypeParam>, kNoLoss));
}

TYPED_TEST(ExactSumsOfDsa, WithLoss) {
  expect_preemptions<TypeParam>(run_seeds(System::dsa, dsa<TypeParam>, kLoss));
}

}  // namespace
}  // namespace ina::testing
