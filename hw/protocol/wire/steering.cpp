// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/steering.hpp"

#include <cstring>

#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/headers.hpp"

namespace ina::wire {

namespace {

constexpr std::size_t kIpEnd = sizeof(EthernetHeader) + sizeof(Ipv4Header);
constexpr std::size_t kUdpEnd = kIpEnd + sizeof(UdpHeader);
constexpr std::uint16_t kSlotMask = kMaxSlots - 1;

// DSA's header has these fields where ATP's has them.
static_assert(offsetof(AtpHeader, kind) == offsetof(DsaHeader, kind));
static_assert(offsetof(AtpHeader, aggregator_index) == offsetof(DsaHeader, aggregator_index));
constexpr std::size_t kKind = kIpEnd + offsetof(AtpHeader, kind);
constexpr std::size_t kIndex = kIpEnd + offsetof(AtpHeader, aggregator_index);

template <class Field>
auto value_at(std::span<const std::byte> bytes, std::size_t offset) {
  Field field;
  std::memcpy(&field, bytes.data() + offset, sizeof field);
  return field.value();
}

bool touches_an_aggregator(std::uint8_t kind) {
  return kind == static_cast<std::uint8_t>(FrameKind::gradient) ||
         kind == static_cast<std::uint8_t>(FrameKind::result) ||
         kind == static_cast<std::uint8_t>(FrameKind::reminder);
}

}  // namespace

IndexField index_field(Protocol protocol) {
  if (protocol == Protocol::switchml) {
    return {kUdpEnd + offsetof(SwitchmlHeader, version_and_slot), kSlotMask};
  }
  // Without aggregators, any part that spreads the load will do.
  const std::size_t index = protocol == Protocol::ps ? kUdpEnd + offsetof(PsHeader, psn) : kIndex;
  return {index + sizeof(std::uint16_t), 0xffff};
}

std::optional<std::uint32_t> aggregator_in(Protocol protocol, std::span<const std::byte> bytes) {
  if (protocol == Protocol::ps) return std::nullopt;
  if (protocol == Protocol::switchml) {
    if (bytes.size() < kSwitchmlHeaderBytes) return std::nullopt;
    const IndexField field = index_field(protocol);
    return value_at<big_uint16_buf_t>(bytes, field.offset) & field.mask;
  }
  if (bytes.size() < kAtpHeaderBytes ||
      !touches_an_aggregator(value_at<big_uint8_buf_t>(bytes, kKind))) {
    return std::nullopt;
  }
  return value_at<big_uint32_buf_t>(bytes, kIndex);
}

}  // namespace ina::wire
