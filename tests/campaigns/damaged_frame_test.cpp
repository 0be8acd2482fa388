// SPDX-License-Identifier: BSD-3-Clause
// Effect of flipped bits in a frame on its receiver.
#include "tests/support/damaged_frame.hpp"

#include <gtest/gtest.h>

#include "hw/cluster/systems/all.hpp"
#include "tests/support/every_format.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina::testing {
namespace {

constexpr std::size_t kWidth = 7;

class DamagedFrame : public ::testing::TestWithParam<wire::Format> {
 protected:
  Frame gradient() {
    Frame frame;
    frame.values = values_of(pool_, {1, -2, 3, -4, 5, -6, 7});
    frame.psn = 70000;
    frame.fields = wire::fields_of(GetParam());
    const bool has_index = GetParam() != wire::Format::ps && GetParam() != wire::Format::flow;
    if (has_index) index_of(frame) = 9;
    frame.job = 3;
    frame.worker = 2;
    frame.source = 11;
    frame.destination = 12;
    frame.bytes = frame_bytes(GetParam(), kWidth);
    return frame;
  }

  ValuePool pool_{kWidth};
};

TEST_P(DamagedFrame, ComesThroughIfNothingHappened) {
  const Frame sent = gradient();
  const auto received = from_line(GetParam(), to_line(GetParam(), sent), pool_);
  ASSERT_TRUE(received);
  EXPECT_TRUE(same(*received, sent));
}

TEST_P(DamagedFrame, IsDroppedByTheCheckSequence) {
  Random random(5);
  int decoded = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes line = to_line(GetParam(), gradient());
    damage(line, random);
    ASSERT_FALSE(from_line(GetParam(), line, pool_)) << i;
    decoded += from_line_unchecked(GetParam(), line, pool_).has_value() ? 1 : 0;
  }
  EXPECT_GT(decoded, 1000);  // only the check sequence covers the values
  EXPECT_EQ(pool_.taken(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Every, DamagedFrame, ::testing::ValuesIn(every_format()), format_name());

}  // namespace
}  // namespace ina::testing
