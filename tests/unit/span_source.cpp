// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/span_source.hpp"

#include <gtest/gtest.h>

#include <array>
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
