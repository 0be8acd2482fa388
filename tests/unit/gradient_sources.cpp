// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/quantised_source.hpp"
#include "hw/protocol/transport/span_source.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>
#include <vector>

namespace ina {
namespace {

TEST(SpanSource, FragmentsAreTheTensorInOrderAndTheLastIsFilledWithZeros) {
  constexpr std::size_t kFragmentValues = 4;
  constexpr Psn kFirstPsn = 100;
  std::vector<std::int32_t> tensor(10);
  std::iota(tensor.begin(), tensor.end(), 1);
  const SpanSource source(kFirstPsn, tensor, kFragmentValues);
  ASSERT_EQ(source.fragments(), 3U);
  std::vector<std::int32_t> sent;
  for (Psn psn = kFirstPsn; psn < kFirstPsn + source.fragments(); ++psn) {
    std::array<std::int32_t, kFragmentValues> fragment{-1, -1, -1, -1};
    source.read(psn, fragment);
    sent.insert(sent.end(), fragment.begin(), fragment.end());
  }
  tensor.resize(12, 0);
  EXPECT_EQ(sent, tensor);
}

TEST(SpanSource, FloatsAreTheIntegersThatTheGradientConsistsOf) {
  const std::vector<std::int32_t> tensor{7, -8, 9};
  const SpanSource source(0, tensor, 2);
  std::vector<float> out(2, -1.F);
  source.read_floats(0, out);
  EXPECT_EQ(out, (std::vector<float>{7.F, -8.F}));
  source.read_floats(1, out);
  EXPECT_EQ(out, (std::vector<float>{9.F, 0.F}));
}

TEST(QuantisedSource, ReadsIntegersAndTheFloatsThatTheyStandFor) {
  const std::vector<float> tensor{0.5F, -1.25F, 3e9F};
  const QuantisedSource source(10, tensor, 4, 2);
  std::vector<std::int32_t> integers(2, -1);
  std::vector<float> floats(2, -1.F);
  source.read(10, integers);
  source.read_floats(10, floats);
  EXPECT_EQ(integers, (std::vector<std::int32_t>{2, -5}));
  EXPECT_EQ(floats, (std::vector<float>{0.5F, -1.25F}));
  source.read(11, integers);
  source.read_floats(11, floats);
  EXPECT_EQ(integers, (std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::max(), 0}));
  EXPECT_EQ(floats, (std::vector<float>{3e9F, 0.F}));
}

TEST(QuantisedSource, SaturatesAFragmentWithWhatIsNoNumber) {
  const std::vector<float> tensor{1.F, std::numeric_limits<float>::quiet_NaN(), 1.F};
  const QuantisedSource source(0, tensor, 4, 3);
  std::vector<std::int32_t> integers(3);
  source.read(0, integers);
  EXPECT_EQ(integers, std::vector<std::int32_t>(3, std::numeric_limits<std::int32_t>::max()));
}

TEST(SpanSource, ReadsTheCallersMemoryWhenAsked) {
  std::vector<std::int32_t> tensor{1, 2};
  const SpanSource source(0, tensor, 2);
  tensor[1] = 7;
  std::array<std::int32_t, 2> fragment{};
  source.read(0, fragment);
  EXPECT_EQ(fragment[1], 7);
}

}  // namespace
}  // namespace ina
