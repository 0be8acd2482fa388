// SPDX-License-Identifier: BSD-3-Clause
// Random clusters of the real transports, servers and switch programs: the sums must be exact whatever the delays,
// collisions, stragglers and losses. INA_SEED=<n> runs one seed alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

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
  return std::make_unique<programs::AtpProgram<Checked>>(
      programs::AtpProgram<Checked>::Config{shape.aggregators, shape.width,
                                            std::chrono::milliseconds(100)});
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

/// What a batch of runs met with, over all seeds; shows that the runs exercise what they are meant to.
Outcome run_seeds(System system, const MakeProgram& make_program, std::uint64_t first,
                  std::uint64_t runs, const Demands& demands) {
  if (const char* seed = std::getenv("INA_SEED")) {
    first = std::strtoull(seed, nullptr, 10);
    runs = 1;
  }
  Outcome total;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    const Outcome one = run_random_cluster(system, make_program, seed, demands);
    EXPECT_EQ(one.failure, "") << "INA_SEED=" << seed;
    if (!one.failure.empty()) break;
    total.collisions += one.collisions;
    total.preemptions += one.preemptions;
    total.reminders += one.reminders;
    total.retransmissions += one.retransmissions;
    total.leaked += one.leaked;
  }
  std::printf("collisions %llu, preemptions %llu, reminders %llu, retransmissions %llu, leaked %llu\n",
              static_cast<unsigned long long>(total.collisions),
              static_cast<unsigned long long>(total.preemptions),
              static_cast<unsigned long long>(total.reminders),
              static_cast<unsigned long long>(total.retransmissions),
              static_cast<unsigned long long>(total.leaked));
  return total;
}

constexpr std::uint64_t kRuns = 300;
constexpr Demands kNoLoss{};
constexpr Demands kLoss{20, true, true};
constexpr Demands kAtpLoss{20, true, false};
constexpr Demands kDsaLoss{20, false, true};

TEST(ExactSums, SwitchmlWithoutLoss) { run_seeds(System::switchml, switchml, 1, kRuns, kNoLoss); }
TEST(ExactSums, AtpWithoutLoss) { run_seeds(System::atp, atp, 1, kRuns, kNoLoss); }
TEST(ExactSums, DsaPriorityWithoutLoss) {
  run_seeds(System::dsa, dsa<policies::Priority>, 1, kRuns, kNoLoss);
}
TEST(ExactSums, DsaFcfsWithoutLoss) {
  run_seeds(System::dsa, dsa<policies::Fcfs>, 1, kRuns, kNoLoss);
}
TEST(ExactSums, DsaAlwaysPreemptWithoutLoss) {
  run_seeds(System::dsa, dsa<policies::AlwaysPreempt>, 1, kRuns, kNoLoss);
}
TEST(ExactSums, DsaCoinFlipWithoutLoss) {
  run_seeds(System::dsa, dsa<policies::CoinFlip>, 1, kRuns, kNoLoss);
}
TEST(ExactSums, SwitchmlWithLoss) { run_seeds(System::switchml, switchml, 1, kRuns, kLoss); }
TEST(ExactSums, AtpWithLoss) { run_seeds(System::atp, atp, 1, kRuns, kAtpLoss); }
TEST(ExactSums, DsaPriorityWithLoss) {
  run_seeds(System::dsa, dsa<policies::Priority>, 1, kRuns, kDsaLoss);
}
TEST(ExactSums, DsaFcfsWithLoss) { run_seeds(System::dsa, dsa<policies::Fcfs>, 1, kRuns, kDsaLoss); }
TEST(ExactSums, DsaAlwaysPreemptWithLoss) {
  run_seeds(System::dsa, dsa<policies::AlwaysPreempt>, 1, kRuns, kDsaLoss);
}
TEST(ExactSums, DsaCoinFlipWithLoss) {
  run_seeds(System::dsa, dsa<policies::CoinFlip>, 1, kRuns, kDsaLoss);
}

}  // namespace
}  // namespace ina::testing
