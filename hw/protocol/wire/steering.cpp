// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/steering.hpp"

#include <cstring>

#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/headers.hpp"

namespace ina::wire {

namespace {

template <class Header>
concept HasSlots = requires(Header header) {
  header.version_and_slot;
};
template <class Header>
concept HasAggregators = requires(Header header) {
  header.aggregator_index;
};

template <class Header>
bool touches_an_aggregator(const Header& header) {
  const auto kind = static_cast<FrameKind>(header.kind.value());
  return kind == FrameKind::gradient || kind == FrameKind::result || kind == FrameKind::reminder;
}

/// Copies a header out of unaligned bytes, which must be long enough.
template <class Header>
Header header_in(std::span<const std::byte> bytes) {
  Header header;
  std::memcpy(&header, bytes.data() + kHeaderBegin<Header>, sizeof header);
  return header;
}

}  // namespace

IndexField index_field(Format format) {
  return with_header(format, []<class Header>(boost::mp11::mp_identity<Header>) -> IndexField {
    constexpr std::size_t kBegin = kHeaderBegin<Header>;
    constexpr std::size_t kHighBytes = sizeof(std::uint16_t);
    if constexpr (HasSlots<Header>) {
      return {kBegin + offsetof(Header, version_and_slot), kMaxSlots - 1};
    } else if constexpr (HasAggregators<Header>) {
      return {kBegin + offsetof(Header, aggregator_index) + kHighBytes};
    } else {
      // Formats without aggregators use any field that spreads the load.
      return {kBegin + offsetof(Header, psn) + kHighBytes};
    }
  });
}

std::optional<std::uint32_t> aggregator_in(Format format, std::span<const std::byte> bytes) {
  using Index = std::optional<std::uint32_t>;
  return with_header(format, [&]<class Header>(boost::mp11::mp_identity<Header>) -> Index {
    if (bytes.size() < kBytesToValues<Header>) return std::nullopt;
    const auto header = header_in<Header>(bytes);
    if constexpr (HasSlots<Header>) {
      return header.version_and_slot.value() & (kMaxSlots - 1);
    } else if constexpr (HasAggregators<Header>) {
      return touches_an_aggregator(header) ? Index(header.aggregator_index.value()) : std::nullopt;
    } else {
      return std::nullopt;
    }
  });
}

}  // namespace ina::wire
