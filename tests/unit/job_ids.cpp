// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/control/job_ids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <vector>

#include "hw/protocol/registration/id_pool.hpp"
#include "hw/protocol/wire/hash.hpp"

namespace ina::cluster {
namespace {

constexpr std::uint64_t kSeeds = 50;

std::vector<JobId> all_of(const JobIds& ids) {
  std::vector<JobId> all;
  for (std::size_t number = 0; number < wire::kMaxJobs; ++number) all.push_back(ids.at(number));
  return all;
}

std::vector<JobId> in_order() { return all_of(JobIds()); }

/// Number of the job's first `window` fragments that hash to the aggregator of an earlier one.
std::size_t collisions(JobId id, Psn window, std::uint32_t aggregators, wire::Hash hash) {
  wire::AggregatorHash indices(id, aggregators, hash);
  std::set<std::uint32_t> taken;
  for (Psn psn = 0; psn < window; ++psn) taken.insert(indices.index(psn));
  return window - taken.size();
}

TEST(JobIds, AreInOrderUnlessTheyAreDrawn) {
  for (std::size_t number = 0; number < wire::kMaxJobs; ++number) {
    EXPECT_EQ(JobIds().at(number), number);
  }
}

TEST(JobIds, HaveEachIdOnceWhateverTheSeedAndTheNumberOfJobs) {
  for (std::uint16_t jobs = 1; jobs <= wire::kMaxJobs; ++jobs) {
    EXPECT_THAT(all_of(JobIds(jobs, jobs)), ::testing::UnorderedElementsAreArray(in_order()))
        << jobs;
  }
}

TEST(JobIds, FollowFromTheSeed) {
  std::set<std::vector<JobId>> drawn;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    EXPECT_EQ(all_of(JobIds(seed, 8)), all_of(JobIds(seed, 8)));
    drawn.insert(all_of(JobIds(seed, 8)));
  }
  EXPECT_EQ(drawn.size(), kSeeds);
}

/// 50 draws from 256 ids yield 45 different ones on average.
TEST(JobIds, GiveAJobAloneAnyId) {
  std::set<JobId> first;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) first.insert(JobIds(seed, 1).at(0));
  EXPECT_GT(first.size(), 35U);
  EXPECT_GT(*first.rbegin(), 200);
}

/// Switches start with these ids. No session of another job may have one of them.
TEST(JobIds, StayInThePoolOfTheirJob) {
  for (const std::uint16_t jobs : std::initializer_list<std::uint16_t>{1, 2, 3, 8, 85, 200, 256}) {
    const JobIds ids(5, jobs);
    for (std::uint16_t job = 0; job < jobs; ++job) {
      EXPECT_TRUE(registration::IdPool(job, jobs).contains(ids.at(job))) << job << " of " << jobs;
    }
  }
}

TEST(JobIds, ChangeWhichFragmentsOfAJobCollide) {
  for (const wire::Hash hash : {wire::Hash::crc32, wire::Hash::ideal}) {
    std::set<std::size_t> counts;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      counts.insert(collisions(JobIds(seed, 1).at(0), 256, 20'161, hash));
    }
    EXPECT_GT(counts.size(), 1U) << wire::name_of(hash);
  }
}

}  // namespace
}  // namespace ina::cluster
