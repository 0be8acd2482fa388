// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/codec.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/protocol/wire/flow.hpp"
#include "tests/support/every_format.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina::wire {
namespace {

using testing::same;
using Bytes = std::vector<std::byte>;

Bytes golden(const std::string& name) {
  std::ifstream file(std::string(INA_SOURCE_DIR) + "/tests/vectors/" +
                     name.substr(0, name.find('-')) + ".hex");
  std::string line;
  while (std::getline(file, line) && line != '[' + name + ']') {
  }
  EXPECT_TRUE(file.good()) << name;
  Bytes bytes;
  while (std::getline(file, line) && !line.starts_with('[')) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) {
      for (std::size_t i = 0; i < word.size(); i += 2) {
        bytes.push_back(static_cast<std::byte>(std::stoul(word.substr(i, 2), nullptr, 16)));
      }
    }
  }
  return bytes;
}

Values golden_values(ValuePool& pool, bool floats) {
  Values values = pool.take();
  for (std::size_t i = 0; i < pool.count(); ++i) {
    const auto number = static_cast<std::int32_t>(i % 3 == 2 ? -(i + 1) : i + 1);
    values.data()[i] =
        floats ? std::bit_cast<std::int32_t>(static_cast<float>(number) / 2) : number;
  }
  return values;
}

Bytes encoded(Format format, const Frame& frame) {
  Bytes bytes(frame.bytes);
  EXPECT_EQ(encode(format, frame, bytes), frame.bytes);
  return bytes;
}

void expect_golden(const std::string& name, Format format, const Frame& fields,
                   std::size_t values) {
  SCOPED_TRACE(name);
  ValuePool pool(values == 0 ? kFragmentValues : values);
  Frame frame = fields;
  const bool floats = format == Format::atp && frame.has(flag::floats);
  if (values != 0) frame.values = golden_values(pool, floats);
  frame.bytes = frame_bytes(format, values);
  const Bytes bytes = golden(name);
  EXPECT_EQ(encoded(format, frame), bytes);
  const auto back = decode(format, bytes, pool);
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(same(*back, frame));
}

Frame addressed(HostId source, HostId destination, FrameKind kind, std::uint8_t flags) {
  Frame frame;
  frame.source = source;
  frame.destination = destination;
  frame.kind = kind;
  frame.flags = flags;
  return frame;
}

TEST(WireCodec, GoldenPacketsOfSwitchml) {
  Frame update = addressed(0x0103, 0x0103, FrameKind::gradient, 0);
  update.job = 7;
  update.worker = 3;
  update.psn = 0x01020304;
  update.fields = SwitchmlFields{.slot = 5, .exponents = 0xa1b2, .version = true};
  expect_golden("switchml-32-update", Format::switchml, update, 32);
  Frame result = addressed(0x0204, kAllWorkers, FrameKind::result, flag::ecn);
  result.job = 255;
  result.worker = 31;
  result.psn = 0xffffffff;
  result.fields = SwitchmlFields{.slot = 32767, .exponents = 1};
  expect_golden("switchml-64-result", Format::switchml, result, 64);
  Frame empty = addressed(1, 1, FrameKind::gradient, 0);
  empty.fields = SwitchmlFields();
  expect_golden("switchml-256-update", Format::switchml, empty, 256);
  expect_golden("switchml-366-update", Format::switchml, empty, 366);
}

Frame with_common_fields(Frame frame) {
  frame.job = 0x0102;
  frame.psn = 0x03040506;
  frame.aggregator().index = 0x0708090a;
  frame.aggregator().bitmap0 = 0x80000001;
  return frame;
}

TEST(WireCodec, GoldenPacketsOfAtp) {
  Frame gradient = with_common_fields(
      addressed(0x0a0b, 0x0c0d, FrameKind::gradient,
                flag::ecn | flag::resend | flag::collision | flag::second_level));
  gradient.aggregator().bitmap1 = 0x0b0c0d0e;
  gradient.aggregator().fan_in_degree0 = 32;
  gradient.aggregator().fan_in_degree1 = 16;
  gradient.worker = 31;
  expect_golden("atp-gradient", Format::atp, gradient, 62);
  Frame result = with_common_fields(
      addressed(0x0c0d, kAllWorkers, FrameKind::result, flag::collision | flag::new_index));
  result.aggregator().bitmap0 = 0;
  result.aggregator().next_index = 99;
  result.aggregator().fan_in_degree0 = 32;
  expect_golden("atp-result", Format::atp, result, 62);
  Frame request =
      with_common_fields(addressed(0x0c0d, kAllWorkers, FrameKind::fragment_request, 0));
  request.aggregator().fan_in_degree0 = 32;
  expect_golden("atp-request", Format::atp, request, 0);
}

TEST(WireCodec, GoldenPacketsOfAtpAfterAnOverflow) {
  Frame request =
      with_common_fields(addressed(0x0c0d, kAllWorkers, FrameKind::fragment_request, flag::floats));
  request.aggregator().fan_in_degree0 = 32;
  expect_golden("atp-float-request", Format::atp, request, 0);
  Frame gradient = with_common_fields(
      addressed(0x0a0b, 0x0c0d, FrameKind::gradient, flag::resend | flag::floats | flag::answer));
  gradient.aggregator().bitmap0 = 0x80000000;
  gradient.aggregator().fan_in_degree0 = 32;
  gradient.worker = 31;
  expect_golden("atp-float-gradient", Format::atp, gradient, 62);
  Frame result = with_common_fields(
      addressed(0x0c0d, kAllWorkers, FrameKind::result, flag::resend | flag::floats));
  result.aggregator().bitmap0 = 0;
  result.aggregator().fan_in_degree0 = 32;
  expect_golden("atp-float-result", Format::atp, result, 62);
}

TEST(WireCodec, GoldenPacketsOfDsa) {
  const auto dsa = [](HostId source, HostId destination, FrameKind kind, std::uint8_t flags) {
    Frame frame = with_common_fields(addressed(source, destination, kind, flags));
    frame.aggregator().fan_in_degree0 = 8;
    return frame;
  };
  Frame gradient = dsa(0x0a0b, 0x0c0d, FrameKind::gradient, 0);
  gradient.aggregator().priority = 0xbeef;
  gradient.worker = 5;
  expect_golden("dsa-gradient", Format::dsa, gradient, 62);
  Frame partial = gradient;
  partial.source = 0x0c0d;
  partial.flags = flag::ecn | flag::resend | flag::partial;
  expect_golden("dsa-partial", Format::dsa, partial, 62);
  Frame result = gradient;
  result.kind = FrameKind::result;
  result.destination = kAllWorkers;
  expect_golden("dsa-result", Format::dsa, result, 62);
  expect_golden("dsa-reminder", Format::dsa, dsa(0x0c0d, 0x0c0d, FrameKind::reminder, 0), 62);
  expect_golden("dsa-request", Format::dsa,
                dsa(0x0c0d, kAllWorkers, FrameKind::fragment_request, 0), 0);
  Frame notification = dsa(0x0a0b, 0x0c0d, FrameKind::notification, 0);
  notification.aggregator().fan_in_degree0 = 0;
  notification.aggregator().bitmap0 = 32;
  notification.worker = 5;
  expect_golden("dsa-notification", Format::dsa, notification, 0);
  notification.kind = FrameKind::release;
  expect_golden("dsa-release", Format::dsa, notification, 0);
}

TEST(WireCodec, GoldenPacketsOfThePlainParameterServer) {
  const auto ps = [](HostId source, HostId destination, FrameKind kind, std::uint8_t flags) {
    Frame frame = with_common_fields(addressed(source, destination, kind, flags));
    frame.aggregator().index = 0;
    return frame;
  };
  Frame gradient = ps(0x0a0b, 0x0c0d, FrameKind::gradient, flag::ecn | flag::resend | flag::answer);
  gradient.aggregator().bitmap0 = 0x80000000;
  gradient.worker = 31;
  expect_golden("ps-gradient", Format::ps, gradient, 62);
  Frame result = ps(0x0c0d, 0x0a0b, FrameKind::result, flag::resend);
  result.aggregator().bitmap0 = 0xffffffff;
  expect_golden("ps-result", Format::ps, result, 62);
  expect_golden("ps-request", Format::ps, ps(0x0c0d, 0x0a0b, FrameKind::fragment_request, 0), 0);
  Frame release = ps(0x0a0b, 0x0c0d, FrameKind::release, 0);
  release.aggregator().bitmap0 = 32;
  release.worker = 5;
  expect_golden("ps-release", Format::ps, release, 0);
}

TEST(WireCodec, GoldenPacketsOfFlows) {
  const auto flow = [](HostId source, HostId destination, FrameKind kind, std::uint8_t flags) {
    Frame frame = addressed(source, destination, kind, flags);
    frame.fields = FlowFields();
    frame.job = 0x0102;
    frame.worker = 31;
    frame.psn = 0x03040506;
    frame.flow().sequence = 0x0708090a;
    return frame;
  };
  expect_golden("flow-gradient", Format::flow,
                flow(0x0a0b, 0x0c0d, FrameKind::gradient, flag::ecn | flag::resend), 363);
  Frame result = flow(0x0a0b, 0x0c0d, FrameKind::result, 0);
  result.flow().ecn_echo = true;
  result.flow().sequence = 0x0708090b;
  result.flow().acknowledged_before = 0x01020304;
  result.flow().credit = 0x03ff;
  expect_golden("flow-result", Format::flow, result, 363);
  Frame answer = flow(0x0c0d, 0x0a0b, FrameKind::acknowledgement, 0);
  answer.flow().ecn_echo = true;
  answer.psn = 0;
  answer.flow().acknowledged_before = 0x07080903;
  answer.flow().credit = 0x0400;
  expect_golden("flow-acknowledgement", Format::flow, answer, 0);
}

/// Draws frames with random content in every field that `format` carries.
class RandomFrames {
 public:
  explicit RandomFrames(std::uint64_t seed) : random_(seed) {}

  Frame draw(Format format, ValuePool& pool) {
    Frame frame = addressed(draw<HostId>(), draw<HostId>(), FrameKind::gradient, 0);
    frame.psn = draw<Psn>();
    frame.fields = fields_of(format);
    if (format == Format::switchml) {
      frame.kind = (random_() & 1) != 0 ? FrameKind::gradient : FrameKind::result;
      frame.flags = draw<std::uint8_t>() & known_flags(format);
      frame.job = draw<std::uint8_t>();
      frame.worker = draw<std::uint8_t>();
      frame.fields = SwitchmlFields{.slot = draw<std::uint16_t>() & 0x7fffU,
                                    .exponents = draw<std::uint16_t>(),
                                    .version = (random_() & 1) != 0};
    } else if (format == Format::flow) {
      draw_of_flow(frame);
    } else {
      draw_with_kind(format, frame);
    }
    const bool values = frame.kind <= FrameKind::reminder;
    if (values) {
      frame.values = pool.take();
      for (std::size_t i = 0; i < pool.count(); ++i) {
        frame.values.data()[i] = draw<std::int32_t>();
      }
    }
    frame.bytes = frame_bytes(format, values ? pool.count() : 0);
    return frame;
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  template <class Integer>
  Integer draw() {
    return static_cast<Integer>(random_());
  }
  void draw_of_flow(Frame& frame) {
    constexpr FrameKind kKinds[] = {FrameKind::gradient, FrameKind::result,
                                    FrameKind::acknowledgement};
    frame.kind = kKinds[random_() % std::size(kKinds)];
    frame.flags = draw<std::uint8_t>() & known_flags(Format::flow);
    frame.job = draw<JobId>();
    frame.worker = draw<std::uint16_t>();
    frame.flow().sequence = draw<std::uint32_t>();
    frame.flow().acknowledged_before = draw<std::uint32_t>();
    frame.flow().credit = draw<std::uint16_t>();
    frame.flow().ecn_echo = (random_() & 1) != 0;
    frame.flow().acknowledge_now = (random_() & 1) != 0;
  }
  void draw_with_kind(Format format, Frame& frame) {
    frame.kind = static_cast<FrameKind>(1 + random_() % 6);
    frame.job = draw<JobId>();
    frame.worker = draw<std::uint16_t>();
    frame.flags = draw<std::uint8_t>() & known_flags(format);
    frame.aggregator().bitmap0 = draw<std::uint32_t>();
    frame.aggregator().bitmap1 = draw_branch();
    if (format == Format::ps) return;
    frame.aggregator().index = draw<std::uint32_t>();
    frame.aggregator().fan_in_degree0 = draw<std::uint8_t>();
    frame.aggregator().fan_in_degree1 = draw<std::uint8_t>();
    if (format == Format::atp) frame.aggregator().bitmap1 = draw<std::uint32_t>();
    if (frame.kind == FrameKind::result &&
        frame.has(flag::new_index)) {  // the new index shares the bitmap's field
      frame.aggregator().next_index = std::exchange(frame.aggregator().bitmap0, 0U);
    }
    if (format != Format::dsa) return;
    frame.aggregator().priority = draw<std::uint16_t>();
    // There is room for only one bitmap.
    if (frame.kind == FrameKind::gradient && frame.has(flag::second_level)) {
      frame.aggregator().bitmap0 = 0;
      frame.aggregator().bitmap1 = draw<std::uint32_t>();
    }
  }
  /// A random branch, or none.
  std::uint32_t draw_branch() {
    const auto branch = random_() % (kMaxBranches + 1);
    return branch == kMaxBranches ? 0 : 1U << branch;
  }

  std::mt19937_64 random_;
};

class EveryFormat : public ::testing::TestWithParam<Format> {
 protected:
  ValuePool pool_{GetParam() == Format::switchml ? std::size_t{64} : kFragmentValues};
  RandomFrames frames_{7};
};
INSTANTIATE_TEST_SUITE_P(WireCodec, EveryFormat, ::testing::ValuesIn(testing::every_format()),
                         testing::format_name());

TEST(WireCodec, RefusesABranchBeyondTheBitmap) {
  for (const Format format : {Format::dsa, Format::ps}) {
    ValuePool pool(kFragmentValues);
    Frame frame = RandomFrames(7).draw(format, pool);
    frame.kind = FrameKind::notification;
    frame.flags = 0;
    frame.aggregator().bitmap1 = 1U << 31;
    frame.bytes = kControlFrameBytes;
    frame.values = {};
    std::vector<std::byte> bytes = encoded(format, frame);
    ASSERT_EQ(decode(format, bytes, pool)->aggregator().bitmap1, 1U << 31);
    const std::size_t low_byte = format == Format::dsa
                                     ? kHeaderBegin<DsaHeader> + offsetof(DsaHeader, branch) + 1
                                     : kHeaderBegin<PsHeader> + offsetof(PsHeader, branch) + 1;
    bytes[low_byte] = std::byte{33};
    EXPECT_FALSE(decode(format, bytes, pool).has_value());
  }
}

TEST_P(EveryFormat, DecodesWhatItEncoded) {
  for (int i = 0; i < 2000; ++i) {
    const Frame frame = frames_.draw(GetParam(), pool_);
    const auto back = decode(GetParam(), encoded(GetParam(), frame), pool_);
    ASSERT_TRUE(back.has_value()) << i;
    ASSERT_TRUE(same(*back, frame)) << i;
  }
}

TEST_P(EveryFormat, RefusesEveryTruncationAndAnExtraByte) {
  for (int i = 0; i < 20; ++i) {
    Bytes bytes = encoded(GetParam(), frames_.draw(GetParam(), pool_));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_FALSE(decode(GetParam(), std::span(bytes).first(length), pool_)) << length;
    }
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode(GetParam(), bytes, pool_));
  }
}

TEST_P(EveryFormat, RefusesEveryFlippedBitOfTheOuterHeaders) {
  // Ethernet's addresses and type are checked, and IPv4's checksum covers its whole header.
  const Bytes bytes = encoded(GetParam(), frames_.draw(GetParam(), pool_));
  for (std::size_t bit = 0; bit < 8 * (sizeof(EthernetHeader) + sizeof(Ipv4Header)); ++bit) {
    Bytes wrong = bytes;
    wrong[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_FALSE(decode(GetParam(), wrong, pool_)) << "bit " << bit;
  }
}

TEST_P(EveryFormat, RefusesTheOtherFormats) {
  const Bytes bytes = encoded(GetParam(), frames_.draw(GetParam(), pool_));
  for (const Format other : testing::every_format()) {
    EXPECT_EQ(decode(other, bytes, pool_).has_value(), other == GetParam());
  }
}

TEST_P(EveryFormat, SurvivesRandomDamage) {
  for (int i = 0; i < 5000; ++i) {
    Bytes bytes = encoded(GetParam(), frames_.draw(GetParam(), pool_));
    for (int flips = 0; flips < 3; ++flips) {
      bytes[frames_.below(bytes.size())] = static_cast<std::byte>(frames_.below(256));
    }
    const auto frame = decode(GetParam(), bytes, pool_);
    if (!frame) continue;
    // Only fields without a checksum may have changed, so the frame is still valid.
    EXPECT_EQ(frame->values.size() != 0, frame->kind <= FrameKind::reminder);
  }
}

constexpr std::size_t kIpEnd = sizeof(EthernetHeader) + sizeof(Ipv4Header);

TEST(WireCodec, RefusesUnknownKindsAndFlags) {
  ValuePool pool(kFragmentValues);
  RandomFrames frames(1);
  for (const Format format : {Format::atp, Format::dsa, Format::ps, Format::flow}) {
    const std::size_t kind_at = kIpEnd + (runs_over_udp(format) ? sizeof(UdpHeader) : 0);
    Bytes bytes = encoded(format, frames.draw(format, pool));
    constexpr unsigned kFieldsOfFlows = 4 | 128;  // ecn_echo, acknowledge_now
    const unsigned known = known_flags(format) | (format == Format::flow ? kFieldsOfFlows : 0U);
    for (unsigned flags = 0; flags < 256; ++flags) {
      bytes[kind_at + 1] = static_cast<std::byte>(flags);
      EXPECT_EQ(decode(format, bytes, pool).has_value(), (flags & ~known) == 0);
    }
    bytes[kind_at + 1] = std::byte{0};
    for (unsigned kind = 0; kind < 256; ++kind) {
      bytes[kind_at] = static_cast<std::byte>(kind);
      const bool values = bytes.size() > kHeaderBytes[static_cast<std::size_t>(format)];
      const bool of_flows = format == Format::flow;
      const bool known_kind = values     ? kind >= 1 && kind <= (of_flows ? 2 : 3)
                              : of_flows ? kind == 7
                                         : kind >= 4 && kind <= 6;
      EXPECT_EQ(decode(format, bytes, pool).has_value(), known_kind) << kind;
    }
  }
}

TEST(WireCodec, RefusesAnotherUdpPortAndAWrongUdpLength) {
  ValuePool pool(32);
  RandomFrames frames(2);
  for (const Format format : {Format::switchml, Format::ps, Format::flow}) {
    const Bytes bytes = encoded(format, frames.draw(format, pool));
    for (const std::size_t at : {kIpEnd + 2, kIpEnd + 5}) {
      Bytes wrong = bytes;
      wrong[at] ^= std::byte{4};
      EXPECT_FALSE(decode(format, wrong, pool)) << at;
    }
  }
}

TEST(WireCodec, RefusesAnotherNumberOfValues) {
  ValuePool pool(32);
  ValuePool other(64);
  RandomFrames frames(3);
  EXPECT_FALSE(decode(Format::switchml,
                      encoded(Format::switchml, frames.draw(Format::switchml, pool)), other));
  EXPECT_EQ(other.taken(), 0U);
}

TEST(WireCodec, WritesZerosForValuesThatAreNotCarried) {
  Frame frame = addressed(1, 2, FrameKind::gradient, 0);
  frame.bytes = 306;
  Bytes bytes(306, std::byte{0xff});
  encode(Format::dsa, frame, bytes);
  for (std::size_t i = kBytesToValues<AtpHeader>; i < bytes.size(); ++i)
    EXPECT_EQ(bytes[i], std::byte{0});
}

TEST(WireCodec, RefusesABufferThatIsShorterThanTheFrame) {
  for (const Format format : testing::every_format()) {
    Frame frame;
    frame.bytes = frame_bytes(format, kFragmentValues);
    Bytes bytes(frame.bytes);
    frame.fields = fields_of(format);
    EXPECT_NO_THROW(encode(format, frame, bytes)) << name_of(format);
    EXPECT_THROW(encode(format, frame, std::span(bytes).first(bytes.size() - 1)), std::length_error)
        << name_of(format);
  }
}

TEST(WireCodec, RefusesTheFieldsOfAnotherFormat) {
  for (const Format format : testing::every_format()) {
    for (const Format other : testing::every_format()) {
      Frame frame;
      frame.bytes = frame_bytes(format, 0);
      frame.fields = fields_of(other);
      Bytes bytes(frame.bytes);
      if (frame.fields.index() == fields_of(format).index()) {
        EXPECT_NO_THROW(encode(format, frame, bytes));
      } else {
        EXPECT_THROW(encode(format, frame, bytes), std::bad_variant_access)
            << name_of(format) << " with fields of " << name_of(other);
      }
    }
  }
}

TEST(WireCodec, RefusesAFrameThatIsShorterThanItsHeaders) {
  for (const Format format : testing::every_format()) {
    Frame frame;
    Bytes bytes(frame_bytes(format, 0));
    frame.bytes = static_cast<std::uint16_t>(bytes.size() - 1);
    EXPECT_THROW(encode(format, frame, bytes), std::length_error) << name_of(format);
  }
}

}  // namespace
}  // namespace ina::wire
