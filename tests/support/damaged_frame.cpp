// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/damaged_frame.hpp"

#include <algorithm>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>
#include <cstring>

#include "hw/protocol/wire/codec.hpp"

namespace ina::testing {

namespace {

constexpr std::size_t kCheckBytes = 4;
constexpr std::uint32_t kMostFlips = 8;

std::uint32_t check_sequence(std::span<const std::byte> bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::span<const std::byte> without_check(std::span<const std::byte> line) {
  return line.first(line.size() - kCheckBytes);
}

}  // namespace

Bytes to_line(wire::Format format, const Frame& frame) {
  Frame carried = frame;
  carried.bytes = frame_bytes(format, frame.values.size());
  Bytes line(carried.bytes + kCheckBytes);
  wire::encode(format, carried, line);
  const std::uint32_t check = boost::endian::native_to_little(check_sequence(without_check(line)));
  std::memcpy(line.data() + carried.bytes, &check, kCheckBytes);
  return line;
}

void damage(Bytes& line, Random& random) {
  std::vector<std::uint32_t> flipped;
  const std::uint32_t flips = random.between(1, kMostFlips);
  while (flipped.size() < flips) {
    const std::uint32_t bit = random.between(0, static_cast<std::uint32_t>(8 * line.size() - 1));
    if (std::find(flipped.begin(), flipped.end(), bit) != flipped.end()) continue;
    flipped.push_back(bit);
    line[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

std::optional<Frame> from_line(wire::Format format, std::span<const std::byte> line,
                               ValuePool& pool) {
  std::uint32_t check = 0;
  std::memcpy(&check, line.data() + line.size() - kCheckBytes, kCheckBytes);
  if (boost::endian::little_to_native(check) != check_sequence(without_check(line))) {
    return std::nullopt;
  }
  return from_line_unchecked(format, line, pool);
}

std::optional<Frame> from_line_unchecked(wire::Format format, std::span<const std::byte> line,
                                         ValuePool& pool) {
  return wire::decode(format, without_check(line), pool);
}

}  // namespace ina::testing
