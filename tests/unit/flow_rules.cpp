// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/flow_rules.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "hw/protocol/wire/codec.hpp"
#include "hw/protocol/wire/steering.hpp"
#include "tests/support/every_format.hpp"
#include "tests/support/random.hpp"

namespace ina::ports {
namespace {

constexpr wire::Format kWithAggregators[] = {wire::Format::switchml, wire::Format::atp,
                                             wire::Format::dsa};

bool matches(const IndexPattern& pattern, const std::vector<std::byte>& bytes) {
  for (std::size_t i = 0; i < pattern.mask.size(); ++i) {
    const auto byte = std::to_integer<std::uint8_t>(bytes[pattern.offset + i]);
    if ((byte & pattern.mask[i]) != pattern.value[i]) return false;
  }
  return true;
}

TEST(FlowRules, MatchTheFramesOfTheirCoreAndNoOthers) {
  testing::Random random(3);
  for (const wire::Format format : kWithAggregators) {
    for (const unsigned cores : {1U, 2U, 4U, 64U}) {
      for (int i = 0; i < 500; ++i) {
        Frame frame;
        frame.fields = wire::fields_of(format);
        testing::index_of(frame) = static_cast<std::uint32_t>(random.bits()) % wire::kMaxSlots;
        frame.flags = static_cast<std::uint8_t>(random.bits());
        frame.psn = static_cast<Psn>(random.bits());
        frame.bytes = frame_bytes(format, 0);
        std::vector<std::byte> bytes(frame.bytes);
        wire::encode(format, frame, bytes);
        for (unsigned core = 0; core < cores; ++core) {
          const bool its = wire::core_of(testing::index_of(frame), cores) == core;
          ASSERT_EQ(matches(index_pattern(format, core, cores).value(), bytes), its)
              << wire::name_of(format) << ", core " << core << " of " << cores;
        }
      }
    }
  }
}

TEST(FlowRules, AreNoneForACountOfCoresThatIsNoPowerOfTwo) {
  for (const unsigned cores : {3U, 6U, 7U, 12U}) {
    EXPECT_FALSE(index_pattern(wire::Format::atp, 0, cores).has_value()) << cores;
  }
}

}  // namespace
}  // namespace ina::ports
