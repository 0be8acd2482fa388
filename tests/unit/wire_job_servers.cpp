// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/job_servers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace ina::wire {
namespace {

std::vector<HostId> hosts(std::size_t count) {
  std::vector<HostId> all(count);
  std::iota(all.begin(), all.end(), HostId{100});
  return all;
}

TEST(JobServers, EveryFragmentHasOneServerByTheLowBitsOfItsPsn) {
  for (std::size_t count = 1; count <= kMaxServers; ++count) {
    const std::vector<HostId> all = hosts(count);
    const JobServers servers(all);
    EXPECT_EQ(servers.count(), count);
    for (const Psn begin : {Psn{0}, Psn{1U << 20}, ~Psn{0} - 299}) {
      for (Psn i = 0; i < 300; ++i) {
        const Psn psn = begin + i;
        EXPECT_EQ(servers.index_of(psn), psn % kPsnsDealt % count);
        EXPECT_EQ(servers.of(psn), all[servers.index_of(psn)]);
      }
    }
  }
}

/// In every window that is not short, all servers have almost equal shares.
TEST(JobServers, SharesAreEvenInEveryWindow) {
  for (std::size_t count = 1; count <= kMaxServers; ++count) {
    const JobServers servers(hosts(count));
    for (Psn begin = 0; begin < kPsnsDealt; ++begin) {
      std::vector<std::uint32_t> shares(count);
      for (Psn psn = begin; psn < begin + kPsnsDealt; ++psn) ++shares[servers.index_of(psn)];
      const auto [least, most] = std::ranges::minmax(shares);
      EXPECT_GE(least, kPsnsDealt / count);
      EXPECT_LE(most, least + 1);
    }
  }
}

TEST(JobServers, TheNextFragmentOfAServerIsTheFirstThatItHas) {
  for (const std::size_t count : {2U, 3U, 5U, 63U, 64U}) {
    const JobServers servers(hosts(count));
    for (std::size_t index = 0; index < count; ++index) {
      for (Psn from = 60; from < 200; ++from) {
        Psn expected = from;
        while (servers.index_of(expected) != index) ++expected;
        EXPECT_EQ(servers.next_of(index, from), expected);
      }
    }
  }
}

TEST(JobServers, OneHasAllFragmentsAndNoneNobody) {
  EXPECT_EQ(JobServers(HostId{7}), JobServers(std::vector<HostId>{7}));
  EXPECT_EQ(JobServers(HostId{7}).of(~Psn{0}), 7);
  EXPECT_EQ(JobServers(HostId{7}).index_of(63), 0U);
  EXPECT_FALSE(JobServers(HostId{7}).empty());
  EXPECT_TRUE(JobServers().empty());
  EXPECT_EQ(JobServers(kAllWorkers), JobServers());
  EXPECT_EQ(JobServers().of(5), kAllWorkers);
}

TEST(JobServers, AreOneToSixtyFour) {
  EXPECT_NO_THROW(JobServers(std::vector<HostId>(kMaxServers)));
  EXPECT_THROW(JobServers(std::vector<HostId>(kMaxServers + 1)), std::length_error);
  EXPECT_THROW(JobServers(std::vector<HostId>()), std::length_error);
}

}  // namespace
}  // namespace ina::wire
