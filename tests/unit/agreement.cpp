// SPDX-License-Identifier: BSD-3-Clause
// Agreement of workers before an all-reduce, by words that the network sums up.
#include "hw/libina/agreement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "hw/protocol/values.hpp"

namespace ina::library {
namespace {

constexpr std::size_t kWidth = 32;

struct Heard {
  std::vector<Outcome> ends;  // outcomes of all-reduces without values
  std::vector<std::int32_t> words;
  std::vector<std::size_t> settled;
  std::vector<bool> values_follow;
  std::vector<numeric::ChunkExponent> largest;
};

/// Runs one round. `submitted`: the offers of each worker. Sums up what the workers write and
/// passes the sums to all of them.
Heard agree_on(const std::vector<std::vector<Offer>>& submitted) {
  Heard heard;
  ValuePool pool(kWidth);
  const auto workers = static_cast<std::uint32_t>(submitted.size());
  std::vector<std::unique_ptr<AgreementRound>> rounds;
  std::vector<AgreementRound::Agreements> agreements;
  for (std::uint32_t rank = 0; rank < workers; ++rank) {
    auto& own = agreements.emplace_back();
    for (const Offer& offer : submitted[rank]) {
      own.push_back(std::make_shared<Agreement>(
          offer, [&](const Outcome& end) { heard.ends.push_back(end); }));
    }
    rounds.push_back(std::make_unique<AgreementRound>(rank, workers, kWidth, own));
    rounds.back()->assign_psns(0, kWidth, 0);
  }
  for (Psn psn = 0; psn < AgreementRound::fragments(workers, kWidth); ++psn) {
    Frame result;
    result.psn = psn;
    result.values = pool.take();
    std::fill_n(result.values.data(), kWidth, 0);
    for (const auto& round : rounds) {
      EXPECT_FALSE(round->over());
      std::array<std::int32_t, kWidth> words{};
      round->read(psn, words);
      for (std::size_t i = 0; i < kWidth; ++i) result.values.data()[i] += words[i];
    }
    heard.words.insert(heard.words.end(), result.values.data(), result.values.data() + kWidth);
    for (const auto& round : rounds) round->take(result);
  }
  for (std::uint32_t rank = 0; rank < workers; ++rank) {
    EXPECT_TRUE(rounds[rank]->over());
    rounds[rank]->finish();
    heard.settled.push_back(rounds[rank]->settled());
    heard.values_follow.push_back(agreements[rank].front()->values_follow());
    heard.largest.push_back(agreements[rank].front()->largest_exponent());
  }
  return heard;
}

/// Runs one round in which each worker submits one offer.
Heard agree(const std::vector<Offer>& offers) {
  std::vector<std::vector<Offer>> submitted;
  for (const Offer& offer : offers) submitted.push_back({offer});
  Heard heard = agree_on(submitted);
  EXPECT_EQ(heard.settled, std::vector<std::size_t>(offers.size(), 1));
  return heard;
}

Offer integers(std::uint64_t count) { return {Offer::Kind::int32, count, {}}; }
Offer floats(std::uint64_t count, LargestExponent largest) {
  return {Offer::Kind::float32, count, largest};
}

TEST(Agreement, ComparesCountsOfAnySize) {
  for (const std::uint64_t count :
       {std::uint64_t{1}, (std::uint64_t{1} << 30) - 1, std::uint64_t{1} << 31,
        (std::uint64_t{5} << 30) + 7, (std::uint64_t{1} << 49) - 2}) {
    EXPECT_EQ(agree({integers(count), integers(count)}).values_follow, std::vector(2, true));
    for (const std::uint64_t other : {count - 1, count + 1, count ^ (std::uint64_t{1} << 30)}) {
      const Heard heard = agree({integers(count), integers(other)});
      EXPECT_EQ(heard.values_follow, std::vector(2, false));
      for (const Outcome& end : heard.ends) EXPECT_EQ(end.status, INA_MISMATCH);
    }
  }
}

TEST(Agreement, WritesNoWordThatCouldTellOfAnOverflow) {
  const std::uint64_t longest = (std::uint64_t{1} << 49) - 1;
  const Offer beyond{Offer::Kind::int32, longest, {}, false};
  for (const Offer& offer : {floats(longest, 127), Offer::to_leave(), integers(longest), beyond}) {
    for (const std::int32_t word : agree({offer, offer}).words) {
      EXPECT_GE(word, 0);
      EXPECT_LT(word, std::numeric_limits<std::int32_t>::max() / 2 + 1);
    }
  }
}

TEST(Agreement, FindsTheLargestExponentOfAllEvenOfMoreWorkersThanAFragmentHasPlacesFor) {
  std::vector<Offer> offers;
  for (int exponent = -128; exponent <= 127; ++exponent) {
    offers.push_back(floats(9, static_cast<numeric::ChunkExponent>(exponent)));
    EXPECT_EQ(agree(offers).largest,
              std::vector(offers.size(), static_cast<numeric::ChunkExponent>(exponent)));
  }
}

TEST(Agreement, NamesWhoHasAValueThatIsNotFinite) {
  const Heard heard = agree({floats(9, std::nullopt), floats(9, 3), floats(9, std::nullopt)});
  ASSERT_EQ(heard.ends.size(), 3U);
  for (const Outcome& end : heard.ends) {
    EXPECT_EQ(end.status, INA_NOT_FINITE);
    EXPECT_EQ(end.why, "found a NaN or an infinity of ranks 0, 2; allowed: finite values");
  }
}

TEST(Agreement, RefusesIntegersWhoseSumsMightNotFitAndNamesTheRanks) {
  constexpr std::int32_t kLargest = 1'073'741'823;  // (2^31 - 2) / 2
  const auto of = [](std::int32_t value) {
    const std::array<std::int32_t, 3> values = {0, value, 1};
    return Offer::of(values, sums_fit(values, 2));
  };
  for (const std::int32_t fits : {0, kLargest, -kLargest}) {
    EXPECT_EQ(agree({of(fits), of(kLargest)}).values_follow, std::vector(2, true));
  }
  for (const std::int32_t beyond :
       {kLargest + 1, -kLargest - 1, std::numeric_limits<std::int32_t>::max(),
        std::numeric_limits<std::int32_t>::min()}) {
    const Heard heard = agree({of(1), of(beyond)});
    ASSERT_EQ(heard.ends.size(), 2U);
    for (const Outcome& end : heard.ends) {
      EXPECT_EQ(end.status, INA_OVERFLOW);
      EXPECT_EQ(end.why,
                "found values of rank 1 that may put sums out of range; allowed: magnitudes up to "
                "1073741823 ((2^31 - 2) / 2 workers)");
    }
  }
}

TEST(Agreement, SettlesIntegersThatMightNotFitInARoundOfTheirOwn) {
  const Offer one = integers(9);
  const Offer beyond{Offer::Kind::int32, 9, {}, false};
  EXPECT_EQ(agree_on({{one, one, one}, {one, beyond, one}}).settled,
            std::vector<std::size_t>(2, 1));
  EXPECT_EQ(agree_on({{one, one}, {beyond, one}}).settled, std::vector<std::size_t>(2, 1));
}

TEST(Agreement, NamesAllPartiesTheSmallestFirst) {
  const Heard heard = agree({integers(5), floats(5, 0), integers(5), Offer::to_leave(), integers(5),
                             floats(5, 1), integers(6)});
  EXPECT_EQ(
      heard.ends.at(0).why,
      "found different arrays: rank 3: leaves the job; rank 6: 6 int32; ranks 1, 5: 5 float32; "
      "ranks 0, 2, 4: 5 int32; allowed: the same kind and count at all workers");
}

TEST(Agreement, SettlesWhatAllHaveSubmitted) {
  const Offer one = integers(9);
  const Offer other = floats(9, 3);
  EXPECT_EQ(AgreementRound::capacity(3, kWidth), 5U);
  EXPECT_EQ(agree_on({{one, other, one}, {one, other}, {one, other, one, one, one}}).settled,
            std::vector<std::size_t>(3, 2));
  EXPECT_EQ(agree_on({{one, one, one, one, one}, {one}, {one, other}}).settled,
            std::vector<std::size_t>(3, 1));
}

TEST(Agreement, SettlesWhatNoValuesFollowInARoundOfItsOwn) {
  const Offer one = integers(9);
  for (const Offer& second : {integers(0), integers(8), Offer::to_leave()}) {
    const Heard after_others = agree_on({{one, integers(0), one}, {one, second, one}});
    EXPECT_EQ(after_others.settled, std::vector<std::size_t>(2, 1));
    EXPECT_EQ(after_others.ends.size(), 0U);
    const Heard first = agree_on({{integers(0), one}, {second, one}});
    EXPECT_EQ(first.settled, std::vector<std::size_t>(2, 1));
    EXPECT_EQ(first.ends.size(), 2U);
  }
}

TEST(Agreement, TakesOnePacketUnlessOneHasNoPlaceForAllWorkers) {
  EXPECT_EQ(AgreementRound::fragments(1, kWidth), 1U);
  EXPECT_EQ(AgreementRound::fragments(5, kWidth), 1U);
  EXPECT_EQ(AgreementRound::fragments(16, kWidth), 1U);
  EXPECT_EQ(AgreementRound::fragments(17, kWidth), 2U);
}

TEST(Agreement, EndsWellWithoutValuesWhereThereAreNone) {
  for (const Offer& offer : {integers(0), floats(0, numeric::zero_chunk), Offer::to_leave()}) {
    const Heard heard = agree({offer, offer});
    EXPECT_EQ(heard.values_follow, std::vector(2, false));
    ASSERT_EQ(heard.ends.size(), 2U);
    for (const Outcome& end : heard.ends) EXPECT_EQ(end.status, INA_OK);
  }
}

}  // namespace
}  // namespace ina::library
