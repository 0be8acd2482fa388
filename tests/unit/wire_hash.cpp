// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

namespace ina::wire {
namespace {

constexpr std::array kHashes = {Hash::crc16,       Hash::crc32, Hash::crc32c,
                                Hash::crc32_bzip2, Hash::crc64, Hash::ideal};
static_assert(kHashes.size() == kHashNames.size());

template <typename Crc>
std::uint64_t crc_of(std::string_view bytes) {
  Crc crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

TEST(Hash, CrcsHaveTheCheckValuesOfTheCatalogue) {
  constexpr std::string_view kDigits = "123456789";
  EXPECT_EQ(crc_of<Crc16>(kDigits), 0xbb3dU);
  EXPECT_EQ(crc_of<Crc32>(kDigits), 0xcbf43926U);
  EXPECT_EQ(crc_of<Crc32c>(kDigits), 0xe3069283U);
  EXPECT_EQ(crc_of<Crc32Bzip2>(kDigits), 0xfc891918U);
  EXPECT_EQ(crc_of<Crc64>(kDigits), 0x6c40df5f0b497347U);
}

TEST(Hash, MixesAsSplitMix64WithSeed1234567) {
  constexpr std::array<std::uint64_t, 5> kPublished = {6457827717110365317U, 3203168211198807973U,
                                                       9817491932198370423U, 4593380528125082431U,
                                                       16408922859458223821U};
  for (std::size_t i = 0; i < kPublished.size(); ++i) {
    EXPECT_EQ(numeric::split_mix(1234567, i + 1), kPublished[i]);
  }
}

/// Computes the hash from its description, without state, modulo a prime below 2^16.
template <typename Crc>
void expect_crc_of_the_header(Hash kind) {
  constexpr std::uint32_t kAggregators = 65'521;
  AggregatorHash hash(0x1234, kAggregators, kind);
  for (const Psn psn : {0U, 1U, 255U, 256U, 257U, 254U, 0xdeadbeefU, 0xdeadbee0U, 3U}) {
    const std::array<char, 6> key = {0x12,
                                     0x34,
                                     static_cast<char>(psn >> 24),
                                     static_cast<char>(psn >> 16),
                                     static_cast<char>(psn >> 8),
                                     static_cast<char>(psn)};
    EXPECT_EQ(hash.index(psn), crc_of<Crc>({key.data(), key.size()}) % kAggregators)
        << name_of(kind) << " of " << psn;
    EXPECT_EQ(hash.rehash(psn), crc_of<Crc>({&key[2], 4}) % kAggregators);
  }
}

TEST(Hash, OfAFragmentIsTheCrcOfItsFieldsAsTheyStandInTheHeaderInAnyOrder) {
  expect_crc_of_the_header<Crc16>(Hash::crc16);
  expect_crc_of_the_header<Crc32>(Hash::crc32);
  expect_crc_of_the_header<Crc32c>(Hash::crc32c);
  expect_crc_of_the_header<Crc32Bzip2>(Hash::crc32_bzip2);
  expect_crc_of_the_header<Crc64>(Hash::crc64);
}

/// Pearson's statistic of the indices of consecutive fragments, in standard deviations from the
/// value for random indices. Linear hashes may be more even than random.
double unevenness(Hash kind, JobId job, std::uint32_t aggregators) {
  constexpr double kEach = 20;
  AggregatorHash hash(job, aggregators, kind);
  std::vector<int> hits(aggregators);
  const Psn fragments = static_cast<Psn>(kEach) * aggregators;
  for (Psn psn = 0; psn < fragments; ++psn) ++hits[hash.index(psn)];
  double chi_squared = 0;
  for (const int count : hits) chi_squared += (count - kEach) * (count - kEach) / kEach;
  return (chi_squared - aggregators) / std::sqrt(2.0 * aggregators);
}

TEST(Hash, SpreadsAJobsFragmentsOverAllAggregators) {
  for (const Hash kind : kHashes) {
    for (const std::uint32_t aggregators : {16'384U, 20'161U}) {
      // 65 536 values modulo 20 161 are uneven by themselves.
      if (kind == Hash::crc16 && !std::has_single_bit(aggregators)) continue;
      for (const JobId job : {JobId{0}, JobId{7}}) {
        EXPECT_LT(unevenness(kind, job, aggregators), 4) << name_of(kind) << " of " << aggregators;
      }
    }
  }
}

std::set<std::uint32_t> indices_of(Hash kind, JobId job, Psn first, Psn fragments,
                                   std::uint32_t aggregators) {
  AggregatorHash hash(job, aggregators, kind);
  std::set<std::uint32_t> indices;
  for (Psn psn = first; psn < first + fragments; ++psn) {
    indices.insert(hash.index(psn));
  }
  return indices;
}

std::size_t shared(const std::set<std::uint32_t>& one, const std::set<std::uint32_t>& other) {
  return static_cast<std::size_t>(
      std::ranges::count_if(one, [&](std::uint32_t index) { return other.contains(index); }));
}

/// Compares an aligned block of 128 fragments of one job with 8 x 64 such blocks of other jobs.
/// Counts the pairs that share some, and all, of their indices.
struct Meetings {
  int some = 0;
  int all = 0;
};

Meetings meetings(Hash kind, std::uint32_t aggregators) {
  constexpr Psn kBlock = 128;
  const auto mine = indices_of(kind, 0, 5 * kBlock, kBlock, aggregators);
  Meetings met;
  for (JobId job = 1; job <= 8; ++job) {
    for (Psn block = 0; block < 64; ++block) {
      const auto others = indices_of(kind, job, block * kBlock, kBlock, aggregators);
      const std::size_t common = shared(mine, others);
      met.some += common > 0 ? 1 : 0;
      met.all += common == mine.size() && others.size() == mine.size() ? 1 : 0;
    }
  }
  return met;
}

/// Modulo a power of two, two aligned blocks share either all or none of their aggregators, because
/// a CRC is linear. Modulo 5 MB / 248 B = 20 161, they may share some of them.
TEST(Hash, ByCrcModuloAPowerOfTwoWholeBlocksMeetOrMissEachOther) {
  for (const Hash kind : kHashes) {
    if (kind == Hash::ideal) continue;
    const Meetings even = meetings(kind, 16'384);
    EXPECT_EQ(even.some, even.all) << name_of(kind);
    EXPECT_GT(even.all, 0) << name_of(kind);
    EXPECT_LT(even.all, 20) << name_of(kind);  // 8 x 64 x 128 / 16 384 = 4 by chance
    const Meetings odd = meetings(kind, 20'161);
    EXPECT_GT(odd.some, odd.all) << name_of(kind);
  }
}

TEST(Hash, ByCrcModuloAPowerOfTwoABlockNeverMeetsItself) {
  for (const Hash kind : {Hash::crc32, Hash::crc32c, Hash::crc32_bzip2, Hash::crc64}) {
    for (Psn first = 0; first < 100'000; first += 256) {
      EXPECT_EQ(indices_of(kind, 3, first, 256, 16'384).size(), 256U) << name_of(kind);
    }
  }
}

/// Windows of 200 packets share 200 x 200 / 16 384 = 2.44 indices on average. The distribution is
/// about Poisson: the variance equals the mean. With a CRC the mean is similar, but the variance is
/// a hundred times larger.
TEST(Hash, IdealSharesIndicesBetweenWindowsAsChanceWould) {
  constexpr Psn kWindow = 200;
  constexpr std::uint32_t kAggregators = 16'384;
  constexpr int kPairs = 2'000;
  const auto spread = [](Hash kind) {
    double sum = 0;
    double squares = 0;
    for (int pair = 0; pair < kPairs; ++pair) {
      const Psn offset = static_cast<Psn>(pair) * 37;
      const auto common =
          static_cast<double>(shared(indices_of(kind, 2, 11 + offset, kWindow, kAggregators),
                                     indices_of(kind, 5, 977 + 3 * offset, kWindow, kAggregators)));
      sum += common;
      squares += common * common;
    }
    const double mean = sum / kPairs;
    return std::pair(mean, squares / kPairs - mean * mean);
  };
  const auto [mean, variance] = spread(Hash::ideal);
  constexpr double kExpected = 1.0 * kWindow * kWindow / kAggregators;
  EXPECT_NEAR(mean, kExpected, 4 * std::sqrt(kExpected / kPairs));
  EXPECT_NEAR(variance / mean, 1, 4 * std::sqrt(2.0 / kPairs));
  EXPECT_GT(spread(Hash::crc32).second, 20 * variance);
}

/// Each bit of job and PSN changes each of the low 32 bits for about half of the keys.
TEST(Hash, IdealChangesHalfOfTheBitsWithAnyBitOfTheKey) {
  constexpr int kKeys = 2'000;
  for (unsigned bit = 0; bit < 48; ++bit) {
    std::array<int, 32> changes{};
    for (int key = 0; key < kKeys; ++key) {
      const std::uint64_t fields = static_cast<std::uint64_t>(key) * 0x10001;
      const auto low_bits = [](std::uint64_t of) {
        return HashByMixing(static_cast<JobId>(of >> 32)).of_fragment(static_cast<Psn>(of));
      };
      const std::uint64_t changed = low_bits(fields) ^ low_bits(fields ^ std::uint64_t{1} << bit);
      for (unsigned i = 0; i < changes.size(); ++i) changes[i] += (changed >> i & 1) != 0 ? 1 : 0;
    }
    for (const int count : changes) EXPECT_NEAR(count, kKeys / 2, 5 * std::sqrt(kKeys / 4.0));
  }
}

}  // namespace
}  // namespace ina::wire
