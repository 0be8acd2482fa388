// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "hw/protocol/prefetchable.hpp"
#include "switch-models/programs/make_program.hpp"
#include "tests/support/every_format.hpp"

namespace ina::programs {
namespace {

constexpr std::size_t kAggregators = 4;
constexpr std::size_t kWidth = 8;

const FramePrefetchable* prefetchable(const std::unique_ptr<SwitchProgram>& program) {
  return dynamic_cast<const FramePrefetchable*>(program.get());
}

using ProgramOfFormat = std::pair<wire::Format, std::unique_ptr<SwitchProgram>>;

std::vector<ProgramOfFormat> make_all_with_registers() {
  std::vector<ProgramOfFormat> all;
  all.emplace_back(wire::Format::switchml, make_switchml(kAggregators, kWidth));
  all.emplace_back(wire::Format::atp, make_atp({.aggregators = kAggregators, .width = kWidth}));
  all.emplace_back(wire::Format::dsa, make_dsa({.aggregators = kAggregators, .width = kWidth}));
  return all;
}

TEST(PrefetchableProgram, IsEachThatHasRegistersAndFetchingLeavesThemFree) {
  for (const auto& [format, program] : make_all_with_registers()) {
    ASSERT_NE(prefetchable(program), nullptr);
    program->install_job(0, {2, {}, 0, kAggregators});
    Frame frame;
    frame.fields = wire::fields_of(format);
    frame.kind = FrameKind::gradient;
    for (const std::uint32_t aggregator : {0U, 3U, 4U, 1'000'000U}) {
      testing::index_of(frame) = aggregator;  // the last two are beyond the registers
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
