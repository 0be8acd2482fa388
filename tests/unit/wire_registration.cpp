// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/registration.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "hw/protocol/wire/codec.hpp"
#include "tests/support/every_format.hpp"
#include "tests/support/random.hpp"

namespace ina::wire {
namespace {

using testing::Random;

constexpr std::uint64_t kSeed = 7;
using Bytes = std::vector<std::byte>;

RegistrationMessage draw(Random& random) {
  RegistrationMessage message;
  message.kind = static_cast<RegistrationKind>(random.between(1, 8));
  message.reason = static_cast<RefusalReason>(random.between(0, 4));
  message.continues = random.percent(50);
  message.of_servers = random.percent(50);
  message.system = static_cast<std::uint8_t>(random.bits());
  message.incarnation = random.bits();
  message.epoch = static_cast<std::uint32_t>(random.bits());
  message.cluster = static_cast<std::uint32_t>(random.bits());
  for (std::uint16_t* const field :
       {&message.job, &message.member, &message.source, &message.destination, &message.id,
        &message.latest_id, &message.workers, &message.values_per_packet, &message.detail}) {
    *field = static_cast<std::uint16_t>(random.bits());
  }
  for (std::uint16_t& one : message.listed) one = static_cast<std::uint16_t>(random.bits());
  return message;
}

Bytes encoded(const RegistrationMessage& message) {
  Bytes bytes(kRegistrationBytes);
  EXPECT_EQ(encode(message, bytes), kRegistrationBytes);
  return bytes;
}

TEST(WireRegistration, ComesBackAsItWentOut) {
  Random random(kSeed);
  for (int i = 0; i < 1000; ++i) {
    const RegistrationMessage message = draw(random);
    const Bytes bytes = encoded(message);
    ASSERT_TRUE(is_registration(bytes)) << i;
    ASSERT_EQ(decode_registration(bytes), message) << i;
  }
}

TEST(WireRegistration, RefusesABufferThatIsShorterThanItsFrame) {
  Bytes bytes(kRegistrationBytes - 1);
  EXPECT_THROW(encode(RegistrationMessage(), bytes), std::length_error);
}

TEST(WireRegistration, IsNoFrameOfAnyFormat) {
  Random random(kSeed);
  ValuePool values(kFragmentValues);
  for (const Format format : testing::every_format()) {
    for (int i = 0; i < 100; ++i) {
      ASSERT_FALSE(decode(format, encoded(draw(random)), values));
    }
  }
}

TEST(WireRegistration, DiffersFromTheFramesOfEveryFormat) {
  for (const Format format : testing::every_format()) {
    Frame frame;
    frame.bytes = frame_bytes(format, kFragmentValues);
    Bytes bytes(frame.bytes);
    frame.fields = fields_of(format);
    encode(format, frame, bytes);
    EXPECT_FALSE(is_registration(bytes)) << name_of(format);
    EXPECT_FALSE(decode_registration(bytes)) << name_of(format);
  }
}

TEST(WireRegistration, OfAnotherLengthOrWithUnknownNumbersIsNone) {
  Random random(kSeed);
  const Bytes bytes = encoded(draw(random));
  EXPECT_FALSE(decode_registration(std::span(bytes).first(bytes.size() - 1)));
  Bytes longer = bytes;
  longer.push_back({});
  EXPECT_FALSE(decode_registration(longer));
  constexpr std::size_t kHeader = kRegistrationBytes - sizeof(RegistrationHeader);
  for (std::size_t at = 0; at < 3; ++at) {  // kind, reason, flags
    Bytes damaged = bytes;
    damaged[kHeader + at] = std::byte{0xff};
    EXPECT_FALSE(decode_registration(damaged)) << at;
  }
}

TEST(WireRegistration, WithADamagedEnvelopeIsNone) {
  Random random(kSeed);
  const Bytes bytes = encoded(draw(random));
  for (std::size_t bit = 0; bit < 8 * (sizeof(EthernetHeader) + sizeof(Ipv4Header)); ++bit) {
    Bytes damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_FALSE(decode_registration(damaged)) << bit;
  }
}

}  // namespace
}  // namespace ina::wire
