// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/protocol/numeric/saturating_add.hpp"
#include "hw/protocol/numeric/synthetic_tensor.hpp"

namespace ina::numeric {
namespace {

using Values = std::vector<std::int32_t>;

const SyntheticTable& table() {
  static const SyntheticTable made;
  return made;
}

Values generated(SyntheticGradient gradient, std::uint64_t key, std::uint64_t psn,
                 std::size_t count) {
  Values values(count);
  generate(table(), gradient, key, psn, values.data(), count);
  return values;
}

void subtract(Values& from, const Values& values) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= values[i];
}

TEST(NumericSyntheticTable, IsReproducibleAndKeepsItsPromises) {
  const SyntheticTable again;
  const SyntheticTable other(1);
  const std::int16_t* values = table().data();
  EXPECT_TRUE(std::equal(values, values + SyntheticTable::size, again.data()));
  EXPECT_FALSE(std::equal(values, values + SyntheticTable::size, other.data()));
  std::set<std::vector<int>> windows;
  for (std::size_t i = 0; i < SyntheticTable::size; ++i) {
    ASSERT_GE(values[i], -max_synthetic_magnitude);
    ASSERT_LT(values[i], max_synthetic_magnitude);
    if (i > 0) {
      ASSERT_NE(values[i], values[i - 1]) << i;
    }
    if (i < SyntheticTable::offsets) {
      std::vector<int> window;
      for (std::size_t k = i; k < i + 4; ++k) window.push_back(values[k + 1] - values[k]);
      ASSERT_TRUE(windows.insert(window).second) << "window at " << i << " is not unique";
    }
  }
  // The first values must not change, so that results of old runs stay comparable.
  EXPECT_EQ(Values(values, values + 4), (Values{161, 140, -471, -197}));
}

TEST(NumericSyntheticTensor, ValuesArePinned) {
  EXPECT_EQ(generated(synthetic_gradient(1, 0), synthetic_key(1), 0, 4),
            (Values{-60210, -203354, -569852, 22468}));
  EXPECT_EQ(generated(synthetic_sum(1, 8), synthetic_key(1), 1ULL << 40, 4),
            (Values{-1696159, 4384545, -2006399, 1291009}));
}

TEST(NumericSyntheticTensor, CoefficientsArePositiveDistinctAndInRange) {
  for (const std::uint64_t seed : {0ULL, 1ULL, 2ULL, ~0ULL}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::set<std::int32_t> distinct;
    for (std::uint32_t rank = 0; rank < max_synthetic_workers; ++rank) {
      const SyntheticGradient gradient = synthetic_gradient(seed, rank);
      ASSERT_GE(gradient.a, 1);
      ASSERT_LE(gradient.a, max_synthetic_a);
      ASSERT_GE(gradient.b, 1);
      ASSERT_LE(gradient.b, max_synthetic_b);
      ASSERT_TRUE(distinct.insert(gradient.a).second) << "rank " << rank;
    }
  }
  EXPECT_NE(synthetic_gradient(1, 0), synthetic_gradient(2, 0));
  EXPECT_THROW((void)synthetic_gradient(1, max_synthetic_workers), std::out_of_range);
  EXPECT_THROW((void)synthetic_sum(1, max_synthetic_workers + 1), std::out_of_range);
  EXPECT_EQ(synthetic_sum(1, 0), SyntheticGradient{});
}

TEST(NumericSyntheticTensor, EveryCountAndShiftHoldsTheDefinitionAndNothingOutside) {
  constexpr std::int32_t guard = 0x5afe5afe;
  const SyntheticGradient gradient{1234567, -4321};
  for (std::size_t count = 0; count <= 130; ++count) {
    for (std::size_t shift = 0; shift < 4; ++shift) {
      SCOPED_TRACE("count " + std::to_string(count) + " shift " + std::to_string(shift));
      Values out(count + shift + 8, guard);
      const std::uint64_t psn = 1000 * count + shift;
      generate(table(), gradient, 99, psn, out.data() + shift, count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(out[shift + i], synthetic_value(table(), gradient, 99, psn, i)) << i;
      }
      ASSERT_EQ(static_cast<std::size_t>(std::count(out.begin(), out.end(), guard)), shift + 8);
      ASSERT_FALSE(first_difference(table(), gradient, 99, psn, out.data() + shift, count));
    }
  }
}

TEST(NumericSyntheticTensor, IsLinearInItsTableEntryAndItsTerm) {
  const std::uint64_t key = synthetic_key(3);
  for (std::uint64_t psn = 0; psn < 500; ++psn) {
    const Values entries = generated({1, 0}, key, psn, 62);
    const Values terms = generated({0, 1}, key, psn, 62);
    const auto start = std::search(table().data(), table().data() + SyntheticTable::size,
                                   entries.begin(), entries.end());
    ASSERT_NE(start, table().data() + SyntheticTable::size) << "psn " << psn;
    ASSERT_EQ(std::count(terms.begin(), terms.end(), terms[0]), 62) << "psn " << psn;
    ASSERT_LE(std::abs(terms[0]), max_synthetic_c) << "psn " << psn;
    const Values values = generated({3, -7}, key, psn, 62);
    for (std::size_t i = 0; i < 62; ++i) ASSERT_EQ(values[i], 3 * entries[i] - 7 * terms[0]);
  }
}

TEST(NumericSyntheticTensor, ClosedFormIsTheBruteForceSumForEveryNumberOfWorkers) {
  constexpr std::uint64_t job_seed = 4242;
  const std::uint64_t key = synthetic_key(job_seed);
  for (const std::uint64_t psn : {0ULL, 17ULL, 0xffffffffffffffffULL}) {
    std::vector<std::int64_t> exact(62, 0);
    Values summed(62, 0);
    SyntheticGradient sum;
    for (std::uint32_t rank = 0; rank < max_synthetic_workers; ++rank) {
      const SyntheticGradient gradient = synthetic_gradient(job_seed, rank);
      const Values values = generated(gradient, key, psn, 62);
      for (std::size_t i = 0; i < 62; ++i) exact[i] += values[i];
      add_saturating(summed.data(), values.data(), 62);
      sum += gradient;
      ASSERT_EQ(first_difference(table(), sum, key, psn, summed.data(), 62), std::nullopt)
          << rank + 1 << " workers";
      ASSERT_TRUE(std::equal(exact.begin(), exact.end(), summed.begin())) << rank + 1 << " workers";
    }
    EXPECT_EQ(sum, synthetic_sum(job_seed, max_synthetic_workers));
  }
}

TEST(NumericSyntheticTensor, NoSumOverTheMostWorkersSaturates) {
  const std::int64_t largest = std::int64_t{max_synthetic_a} * max_synthetic_magnitude +
                               std::int64_t{max_synthetic_b} * max_synthetic_c;
  EXPECT_LT(largest * max_synthetic_workers, std::numeric_limits<std::int32_t>::max());
  for (std::uint64_t job_seed = 0; job_seed < 20; ++job_seed) {
    const SyntheticGradient sum = synthetic_sum(job_seed, max_synthetic_workers);
    for (std::uint64_t psn = 0; psn < 100; ++psn) {
      ASSERT_FALSE(any_saturated(generated(sum, synthetic_key(job_seed), psn, 1024)));
    }
  }
}

class SyntheticErrors : public testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::uint64_t job_seed = 11;
  static constexpr std::uint32_t workers = 16;
  const std::uint64_t key = synthetic_key(job_seed);
  const SyntheticGradient sum = synthetic_sum(job_seed, workers);

  Values of_worker(std::uint32_t rank, std::uint64_t psn) const {
    return generated(synthetic_gradient(job_seed, rank), key, psn, GetParam());
  }
  // The index that first_difference should return, computed independently.
  void expect_found(const Values& wrong, std::uint64_t psn) const {
    const Values right = generated(sum, key, psn, GetParam());
    const auto difference = std::mismatch(right.begin(), right.end(), wrong.begin());
    ASSERT_NE(difference.first, right.end()) << "the injected error changed nothing, psn " << psn;
    ASSERT_FALSE(matches(table(), sum, key, psn, wrong.data(), wrong.size()));
    ASSERT_EQ(first_difference(table(), sum, key, psn, wrong.data(), wrong.size()),
              static_cast<std::size_t>(difference.first - right.begin()))
        << "psn " << psn;
  }
};

TEST_P(SyntheticErrors, OneDamagedBitAtEveryPlace) {
  Values values = generated(sum, key, 5, GetParam());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (int bit = 0; bit < 32; ++bit) {
      const std::int32_t old = values[i];
      values[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(old) ^ (1U << bit));
      ASSERT_EQ(first_difference(table(), sum, key, 5, values.data(), values.size()), i);
      values[i] = old;
    }
  }
}

TEST_P(SyntheticErrors, ContributionMissingDoubledOrOfTheWrongWorker) {
  for (std::uint64_t psn = 0; psn < 50; ++psn) {
    const Values right = generated(sum, key, psn, GetParam());
    for (std::uint32_t rank = 0; rank < workers; ++rank) {
      Values missing = right;
      subtract(missing, of_worker(rank, psn));
      expect_found(missing, psn);
      Values doubled = right;
      add_wrapping(doubled.data(), of_worker(rank, psn).data(), doubled.size());
      expect_found(doubled, psn);
      Values replaced = missing;
      add_wrapping(replaced.data(), of_worker((rank + 1) % workers, psn).data(), replaced.size());
      expect_found(replaced, psn);
    }
    expect_found(Values(GetParam(), 0), psn);
  }
}

TEST_P(SyntheticErrors, AnotherFragmentWhollyOrInOneWorkersPart) {
  for (std::uint64_t psn = 0; psn < 200; ++psn) {
    for (const std::uint64_t distance : {1ULL, 166ULL, 256ULL, 8192ULL}) {
      expect_found(generated(sum, key, psn + distance, GetParam()), psn);
      Values stale = generated(sum, key, psn, GetParam());
      subtract(stale, of_worker(3, psn));
      add_wrapping(stale.data(), of_worker(3, psn + distance).data(), stale.size());
      expect_found(stale, psn);
    }
  }
}

TEST_P(SyntheticErrors, AnotherJobAndTwoValuesSwappedAndValuesShifted) {
  for (std::uint64_t psn = 0; psn < 50; ++psn) {
    expect_found(generated(synthetic_sum(12, workers), synthetic_key(12), psn, GetParam()), psn);
    Values swapped = generated(sum, key, psn, GetParam());
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    expect_found(swapped, psn);
    Values shifted = generated(sum, key, psn, GetParam());
    std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
    expect_found(shifted, psn);
  }
}

// Below 16 values the comparison takes its scalar path.
INSTANTIATE_TEST_SUITE_P(Numeric, SyntheticErrors, testing::Values(5U, 32U, 62U, 256U, 366U),
                         testing::PrintToStringParamName());

// The header claims that equal fragments are as rare as collisions of a 26-bit hash.
TEST(NumericSyntheticTensor, FragmentsOfAJobRepeatAsRarelyAsStated) {
  const std::uint64_t key = synthetic_key(8);
  std::set<Values> seen;
  constexpr int fragments = 4000;  // 8 million pairs x 2^-26 = 0.12 expected repetitions
  int repeated = 0;
  for (std::uint64_t psn = 0; psn < fragments; ++psn) {
    repeated += seen.insert(generated({1, 2048}, key, psn, 6)).second ? 0 : 1;
  }
  EXPECT_LE(repeated, 3);
}

}  // namespace
}  // namespace ina::numeric
