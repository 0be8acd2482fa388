// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/steering.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "hw/protocol/wire/addressing.hpp"
#include "hw/protocol/wire/codec.hpp"
#include "tests/support/every_format.hpp"
#include "tests/support/random.hpp"

namespace ina::wire {
namespace {

using testing::Random;

/// Formats of frames that touch aggregators.
constexpr Format kWithAggregators[] = {Format::switchml, Format::atp, Format::dsa};
constexpr FrameKind kTouching[] = {FrameKind::gradient, FrameKind::result, FrameKind::reminder};
constexpr FrameKind kOthers[] = {FrameKind::fragment_request, FrameKind::notification,
                                 FrameKind::release};
constexpr std::uint64_t kSeed = 5;

/// A random frame of the format with this index.
std::vector<std::byte> draw_frame(Random& random, Format format, FrameKind kind,
                                  std::uint32_t index) {
  Frame frame;
  frame.kind = kind;
  frame.fields = fields_of(format);
  frame.flags = static_cast<std::uint8_t>(random.bits());
  frame.job = static_cast<JobId>(random.between(0, 255));
  frame.worker = static_cast<std::uint16_t>(random.between(0, 31));
  frame.psn = static_cast<Psn>(random.bits());
  frame.source = static_cast<HostId>(random.bits());
  frame.destination = static_cast<HostId>(random.bits());
  if (format == Format::switchml) {
    frame.switchml().slot = index;
    frame.switchml().version = random.percent(50);
    frame.switchml().exponents = static_cast<std::uint16_t>(random.bits());
  } else {
    frame.aggregator().index = index;
    frame.aggregator().bitmap0 = static_cast<std::uint32_t>(random.bits());
    frame.aggregator().bitmap1 = static_cast<std::uint32_t>(random.bits());
    frame.aggregator().priority = static_cast<std::uint16_t>(random.bits());
  }
  frame.bytes = frame_bytes(format, random.between(0, 1) * kFragmentValues);
  std::vector<std::byte> bytes(frame.bytes);
  encode(format, frame, bytes);
  return bytes;
}

std::uint32_t draw_index(Random& random, Format format) {
  const auto bits = static_cast<std::uint32_t>(random.bits());
  return format == Format::switchml ? bits % kMaxSlots : bits;
}

TEST(Steering, FindsTheAggregatorThatAFrameMayTouch) {
  Random random(kSeed);
  for (const Format format : kWithAggregators) {
    for (int i = 0; i < 3000; ++i) {
      const FrameKind kind = kTouching[random.between(0, format == Format::switchml ? 1 : 2)];
      const std::uint32_t index = draw_index(random, format);
      ASSERT_EQ(aggregator_in(format, draw_frame(random, format, kind, index)), index)
          << name_of(format) << ' ' << i;
    }
  }
}

TEST(Steering, LeavesFramesThatTouchNoAggregatorWhereTheyAre) {
  Random random(kSeed);
  for (const Format format : {Format::atp, Format::dsa}) {
    for (const FrameKind kind : kOthers) {
      const auto bytes = draw_frame(random, format, kind, draw_index(random, format));
      EXPECT_EQ(aggregator_in(format, bytes), std::nullopt) << name_of(format);
    }
  }
}

TEST(Steering, SpreadsByItsFragmentsWhatHasNoAggregators) {
  const IndexField field = index_field(Format::ps);
  EXPECT_EQ(field.mask, 0xffff);
  ValuePool pool(kFragmentValues);
  Frame frame;
  frame.psn = 0x01020304;
  frame.values = pool.take();
  frame.bytes = frame_bytes(Format::ps, kFragmentValues);
  std::vector<std::byte> bytes(frame.bytes);
  encode(Format::ps, frame, bytes);
  EXPECT_EQ(aggregator_in(Format::ps, bytes), std::nullopt);
  EXPECT_EQ(bytes[field.offset], std::byte{3});
  EXPECT_EQ(bytes[field.offset + 1], std::byte{4});
}

TEST(Steering, ReadsNothingBeyondAShortFrame) {
  for (const Format format : kWithAggregators) {
    const std::size_t least = frame_bytes(format, 0);
    for (std::size_t size = 0; size < least; ++size) {
      const std::vector<std::byte> bytes(size, std::byte{1});
      EXPECT_EQ(aggregator_in(format, bytes), std::nullopt) << name_of(format) << ' ' << size;
    }
    const std::vector<std::byte> bytes(least, std::byte{1});
    EXPECT_NE(aggregator_in(format, bytes), std::nullopt) << name_of(format);
  }
}

/// Other fields do not matter: sender, kind, job.
TEST(Steering, BringsAllFramesOfAnAggregatorToOneCore) {
  Random random(kSeed);
  for (const Format format : kWithAggregators) {
    for (const unsigned cores : {1U, 2U, 3U, 4U, 7U, 128U}) {
      const std::uint32_t index = draw_index(random, format);
      for (int i = 0; i < 200; ++i) {
        const FrameKind kind = kTouching[random.between(0, format == Format::switchml ? 1 : 2)];
        const auto bytes = draw_frame(random, format, kind, index);
        const unsigned core = core_of(aggregator_in(format, bytes).value(), cores);
        ASSERT_EQ(core, core_of(index, cores));
        ASSERT_LT(core, cores);
      }
    }
  }
}

TEST(Steering, SpreadsTheTasksOfAJobEvenly) {
  constexpr Psn kTasks = 100'000;
  for (const unsigned cores : {2U, 3U, 8U}) {
    std::vector<int> tasks(cores);
    AggregatorHash addressing(7, 20'161);
    for (Psn psn = 0; psn < kTasks; ++psn) ++tasks[core_of(addressing.index(psn), cores)];
    const double fair = static_cast<double>(kTasks) / cores;
    for (const int count : tasks) EXPECT_NEAR(count, fair, fair / 20) << cores;
  }
}

}  // namespace
}  // namespace ina::wire
