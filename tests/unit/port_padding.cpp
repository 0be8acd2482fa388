// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "hw/dpdk/ports/port.hpp"
#include "hw/protocol/wire/codec.hpp"

namespace ina::ports {
namespace {

TEST(Padding, IsTakenOffAShortFrame) {
  ValuePool pool(wire::kFragmentValues);
  Frame release;
  release.kind = FrameKind::release;
  release.bytes = frame_bytes(wire::Format::dsa, 0);
  std::array<std::byte, 60> padded{};
  wire::encode(wire::Format::dsa, release, padded);
  EXPECT_FALSE(wire::decode(wire::Format::dsa, padded, pool).has_value());
  EXPECT_TRUE(wire::decode(wire::Format::dsa, without_padding(padded), pool).has_value());
}

TEST(Padding, IsNotLookedForInALongerFrame) {
  const std::array<std::byte, 61> bytes{};
  EXPECT_EQ(without_padding(bytes).size(), bytes.size());
}

TEST(Padding, NeverMakesAFrameLonger) {
  std::array<std::byte, 60> bytes{};
  bytes.fill(std::byte{0xff});  // a total length of 65535
  EXPECT_EQ(without_padding(bytes).size(), bytes.size());
}

}  // namespace
}  // namespace ina::ports
