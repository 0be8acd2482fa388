// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "switch-models/rmt/register_array.hpp"

namespace ina {
namespace {

template <class Mode>
struct TwoStages {
  rmt::RegisterArray<int, Mode> first{{0, 0}, "first", 4};
  rmt::ValueRegisters<Mode> second{{1, 8}, 4, 2};

  void touch_first(rmt::Pass<Mode>& pass, std::uint32_t index) {
    first.execute(pass, index, [](int& cell) { ++cell; });
  }
  void touch_second(rmt::Pass<Mode>& pass) {
    second.execute(pass, 0, [](std::int32_t* row) { ++row[0]; });
  }
};

TEST(Rmt, CheckedLetsAPassGoThroughTheStagesInOrder) {
  TwoStages<rmt::Checked> stages;
  for (int i = 0; i < 2; ++i) {
    rmt::Pass<rmt::Checked> pass;
    EXPECT_NO_THROW(stages.touch_first(pass, 1));
    EXPECT_NO_THROW(stages.touch_second(pass));
  }
  EXPECT_EQ(stages.first.peek(1), 2);
}

TEST(Rmt, CheckedRefusesASecondTouchEvenOfAnotherCell) {
  TwoStages<rmt::Checked> stages;
  rmt::Pass<rmt::Checked> pass;
  stages.touch_first(pass, 1);
  EXPECT_THROW(stages.touch_first(pass, 2), rmt::PipelineViolation);
  stages.touch_second(pass);
  EXPECT_THROW(stages.touch_second(pass), rmt::PipelineViolation);
  EXPECT_EQ(stages.first.peek(2), 0);
}

TEST(Rmt, CheckedRefusesAnEarlierStage) {
  TwoStages<rmt::Checked> stages;
  rmt::Pass<rmt::Checked> pass;
  stages.touch_second(pass);
  EXPECT_THROW(stages.touch_first(pass, 1), rmt::PipelineViolation);
}

TEST(Rmt, CheckedRefusesWhatNoDeclaredPassTouchesTogether) {
  const rmt::Placement placed({.name = "program",
                               .registers = {{.name = "a", .cells = 4},
                                             {.name = "b", .cells = 4},
                                             {.name = "c", .cells = 4}},
                               .tables = {},
                               .passes = {{.name = "one", .steps = {{.of = "a"}, {.of = "b"}}},
                                          {.name = "other", .steps = {{.of = "c"}}}}},
                              rmt::kTofino1);
  using Array = rmt::RegisterArray<int, rmt::Checked>;
  Array a(placed.span("a"), "a", 4);
  Array b(placed.span("b"), "b", 4);
  Array c(placed.span("c"), "c", 4);
  Array undeclared(placed.span("undeclared"), "undeclared", 4);
  const auto touch = [](rmt::Pass<rmt::Checked>& pass, Array& array) {
    array.execute(pass, 0, [](int& cell) { ++cell; });
  };
  rmt::Pass<rmt::Checked> one;
  EXPECT_NO_THROW(touch(one, a));
  EXPECT_THROW(touch(one, c), rmt::PipelineViolation);
  rmt::Pass<rmt::Checked> again;
  EXPECT_NO_THROW(touch(again, b));  // a pass may leave declared arrays untouched
  EXPECT_THROW(touch(again, undeclared), rmt::PipelineViolation);
}

TEST(Rmt, FastAsksNothing) {
  TwoStages<rmt::Fast> stages;
  rmt::Pass<rmt::Fast> pass;
  stages.touch_second(pass);
  EXPECT_NO_THROW(stages.touch_first(pass, 1));
}

TEST(Rmt, RowsOfValuesDoNotOverlapAndStartOnACacheLine) {
  rmt::ValueRegisters<rmt::Fast> rows({}, 3, 62);
  rmt::Pass<rmt::Fast> pass;
  std::int32_t* at[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    at[i] = rows.execute(pass, i, [](std::int32_t* row) { return row; });
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at[i]) % 64, 0U);
  }
  EXPECT_GE(at[1] - at[0], 62);
  EXPECT_GE(at[2] - at[1], 62);
}

}  // namespace
}  // namespace ina
