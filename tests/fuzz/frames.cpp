// SPDX-License-Identifier: BSD-3-Clause
// Frames of INA_FUZZ_FORMAT. A frame that the decoder accepts is complete and survives encoding and
// decoding, and no buffer leaks.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/protocol/wire/codec.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/unit/support/frames.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace ina::fuzz {
namespace {

using testing::same;
using wire::EthernetHeader;
using wire::Format;
using wire::Ipv4Header;
using wire::UdpHeader;

static_assert(wire::kFormats == INA_FUZZ_FORMATS, "a target for each format");
constexpr Format kFormat = Format::INA_FUZZ_FORMAT;
constexpr std::size_t kIpAt = sizeof(EthernetHeader);
constexpr std::size_t kUdpAt = kIpAt + sizeof(Ipv4Header);

std::vector<std::byte> encoded(const Frame& frame) {
  std::vector<std::byte> bytes(frame.bytes);
  require(wire::encode(kFormat, frame, bytes) == bytes.size(), "the encoder fills the frame");
  return bytes;
}

void check_frame(std::span<const std::byte> bytes, const Frame& frame, ValuePool& pool) {
  require(frame.bytes == bytes.size(), "the frame is as long as its bytes");
  require(frame.bytes == frame_bytes(kFormat, frame.values.size()), "the values fill the frame");
  require(static_cast<bool>(frame.values) == (frame.kind <= FrameKind::reminder),
          "gradients, results and reminders carry values, others none");
  const auto written = encoded(frame);
  const auto again = wire::decode(kFormat, written, pool);
  require(again.has_value(), "what the encoder writes can be decoded");
  require(same(*again, frame), "it is the same frame");
  require(encoded(*again) == written, "it has the same bytes again");
}

void check(std::span<const std::byte> bytes, ValuePool& pool) {
  if (const auto frame = wire::decode(kFormat, bytes, pool)) check_frame(bytes, *frame, pool);
  require(pool.taken() == 0, "no buffer stays behind");
}

/// Checksum of RFC 1071 over a header whose checksum field is 0.
std::uint16_t checksum(std::span<const std::uint8_t> header) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < header.size(); i += 2) sum += header[i] * 256U + header[i + 1];
  return static_cast<std::uint16_t>(~((sum & 0xffff) + (sum >> 16)));
}

/// Corrects lengths and checksum, which mutations would hardly ever get right.
void repair(std::span<std::uint8_t> bytes) {
  if (bytes.size() < kUdpAt + sizeof(UdpHeader)) return;
  const auto put = [&bytes](std::size_t at, std::size_t value) {
    bytes[at] = static_cast<std::uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(value);
  };
  put(kIpAt + offsetof(Ipv4Header, total_length), bytes.size() - kIpAt);
  put(kIpAt + offsetof(Ipv4Header, checksum), 0);
  put(kIpAt + offsetof(Ipv4Header, checksum), checksum(bytes.subspan(kIpAt, sizeof(Ipv4Header))));
  if (bytes[kIpAt + offsetof(Ipv4Header, protocol)] == wire::kIpProtocolUdp) {
    put(kUdpAt + offsetof(UdpHeader, length), bytes.size() - kUdpAt);
  }
}

}  // namespace
}  // namespace ina::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 4 != 0) ina::fuzz::repair({data, mutated});
  return mutated;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  if constexpr (ina::fuzz::kFormat == ina::wire::Format::switchml) {
    static std::array<ina::ValuePool, 4> pools{ina::ValuePool(32), ina::ValuePool(64),
                                               ina::ValuePool(256), ina::ValuePool(366)};
    for (auto& pool : pools) ina::fuzz::check(bytes, pool);
  } else {
    static ina::ValuePool pool(ina::wire::kFragmentValues);
    ina::fuzz::check(bytes, pool);
  }
  return 0;
}
