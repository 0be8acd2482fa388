// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "hw/protocol/prefetchable.hpp"
#include "switch-models/programs/make_program.hpp"

namespace ina::programs {
namespace {

constexpr std::size_t kAggregators = 4;
constexpr std::size_t kWidth = 8;

const FramePrefetchable* prefetchable(const std::unique_ptr<SwitchProgram>& program) {
  return dynamic_cast<const FramePrefetchable*>(program.get());
}

std::vector<std::unique_ptr<SwitchProgram>> make_all_with_registers() {
  std::vector<std::unique_ptr<SwitchProgram>> all;
  all.push_back(make_switchml(kAggregators, kWidth));
  all.push_back(make_atp({.aggregators = kAggregators, .width = kWidth}));
  all.push_back(make_dsa({.aggregators = kAggregators, .width = kWidth}));
  return all;
}

TEST(PrefetchableProgram, IsEachThatHasRegistersAndFetchingLeavesThemFree) {
  for (const auto& program : make_all_with_registers()) {
    ASSERT_NE(prefetchable(program), nullptr);
    program->install_job(0, {2, {}, 0, kAggregators});
    Frame frame;
    frame.kind = FrameKind::gradient;
    for (const std::uint32_t aggregator : {0U, 3U, 4U, 1'000'000U}) {
      frame.aggregator_index = aggregator;  // the last two are beyond the registers
      prefetchable(program)->fetch_ahead(frame);
    }
    EXPECT_EQ(program->cells_in_use(), 0U);
    EXPECT_EQ(program->rejected_frames(), 0U);
  }
}

TEST(PrefetchableProgram, IsNotTheOneThatOnlyForwards) {
  EXPECT_EQ(prefetchable(make_forwarding()), nullptr);
}

}  // namespace
}  // namespace ina::programs
