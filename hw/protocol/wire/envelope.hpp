// SPDX-License-Identifier: BSD-3-Clause
// The Ethernet, IPv4 and UDP headers in front of a system's header or a registration message.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "hw/protocol/values.hpp"
#include "hw/protocol/wire/big_endian.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/headers.hpp"

namespace ina::wire {

inline constexpr std::uint64_t kMacPrefix = 0x0200'0000'0000;
inline constexpr std::uint32_t kIpPrefix = 0x0a00'0000;
inline constexpr std::uint64_t kMacPrefixMask = 0xffff'ffff'0000;
inline constexpr std::uint32_t kIpPrefixMask = 0xffff'0000;
inline constexpr std::uint8_t kIpv4WithoutOptions = 0x45;
inline constexpr std::uint8_t kCongestionExperienced = 3;
inline constexpr std::uint8_t kTimeToLive = 64;

/// Appends headers to a frame's bytes one after another.
class Writer {
 public:
  /// `bytes`: length of the frame. Throws std::length_error if `out` is shorter.
  Writer(std::span<std::byte> out, std::size_t bytes) : out_(out) {
    if (out.size() < bytes) throw std::length_error("a buffer shorter than its frame");
  }
  /// Appends the header that `make()` returns. It is constructed in place: a copy would have to
  /// wait for the many small stores to its fields.
  template <class Make>
  void put(Make&& make) {
    using Header = decltype(make());
    ::new (static_cast<void*>(out_.data() + used_)) Header(make());
    used_ += sizeof(Header);
  }
  void put_values(const Values& values, std::size_t bytes) {
    std::byte* to = out_.data() + used_;
    if (values.size() * sizeof(std::int32_t) == bytes) {
      to_big_endian(values.span(), to);
    } else {
      std::memset(to, 0, bytes);
    }
    used_ += bytes;
  }
  std::size_t used() const { return used_; }

 private:
  std::span<std::byte> out_;
  std::size_t used_ = 0;
};

/// Reads a frame's headers in place, from the front. take() returns nullptr at the frame's end.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> in) : in_(in) {}
  template <class Header>
  const Header* take() {
    static_assert(alignof(Header) == 1 && std::is_trivially_copyable_v<Header>);
    if (in_.size() < sizeof(Header)) return nullptr;
    const auto* const header = reinterpret_cast<const Header*>(in_.data());
    in_ = in_.subspan(sizeof *header);
    return header;
  }
  std::span<const std::byte> rest() const { return in_; }

 private:
  std::span<const std::byte> in_;
};

/// Folds the carries of a checksum and inverts it, as in RFC 1071.
inline std::uint16_t folded(std::uint32_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

/// Checksum of an IPv4 header; 0 if the header contains its own correct checksum.
inline std::uint16_t internet_checksum(const Ipv4Header& header) {
  const auto words =
      std::bit_cast<std::array<big_uint16_buf_t, sizeof header / sizeof(std::uint16_t)>>(header);
  std::uint32_t sum = 0;
  for (const auto& word : words) sum += word.value();
  return folded(sum);
}

inline EthernetHeader ethernet_header(const FrameHeader& frame) {
  EthernetHeader header{};
  header.destination = kMacPrefix | frame.destination;
  header.source = kMacPrefix | frame.source;
  header.ether_type = kEtherTypeIpv4;
  return header;
}

inline Ipv4Header ipv4_header(std::uint8_t carried, const FrameHeader& frame) {
  const std::uint8_t traffic_class =
      frame.has(flag::ecn) ? kCongestionExperienced : std::uint8_t{0};
  const auto total_length = static_cast<std::uint16_t>(frame.bytes - sizeof(EthernetHeader));
  Ipv4Header header{};
  header.version_and_length = kIpv4WithoutOptions;
  header.traffic_class = traffic_class;
  header.total_length = total_length;
  header.time_to_live = kTimeToLive;
  header.protocol = carried;
  header.source = kIpPrefix | frame.source;
  header.destination = kIpPrefix | frame.destination;
  // Computed from the values of the fields. Reading the header's bytes right after writing them
  // would have to wait for all stores.
  header.checksum =
      folded(kIpv4WithoutOptions * 0x100U + traffic_class + total_length + kTimeToLive * 0x100U +
             carried + 2 * (kIpPrefix >> 16) + frame.source + frame.destination);
  return header;
}

inline UdpHeader udp_header(const FrameHeader& frame, std::uint16_t source_port,
                            std::uint16_t destination_port) {
  UdpHeader udp{};
  udp.source_port = source_port;
  udp.destination_port = destination_port;
  udp.length =
      static_cast<std::uint16_t>(frame.bytes - sizeof(EthernetHeader) - sizeof(Ipv4Header));
  return udp;
}

inline bool fits(const UdpHeader& udp, const FrameHeader& frame) {
  return udp.length.value() + sizeof(EthernetHeader) + sizeof(Ipv4Header) == frame.bytes;
}

inline bool read_addresses(const EthernetHeader& ethernet, const Ipv4Header& ip,
                           FrameHeader& frame) {
  frame.source = static_cast<HostId>(ip.source.value());
  frame.destination = static_cast<HostId>(ip.destination.value());
  return (ip.source.value() & kIpPrefixMask) == kIpPrefix &&
         (ip.destination.value() & kIpPrefixMask) == kIpPrefix &&
         (ethernet.source.value() & kMacPrefixMask) == kMacPrefix &&
         (ethernet.destination.value() & kMacPrefixMask) == kMacPrefix &&
         static_cast<HostId>(ethernet.source.value()) == frame.source &&
         static_cast<HostId>(ethernet.destination.value()) == frame.destination;
}

inline bool well_formed(std::uint8_t ip_protocol, const EthernetHeader& ethernet,
                        const Ipv4Header& ip, std::size_t bytes) {
  return ethernet.ether_type.value() == kEtherTypeIpv4 &&
         ip.version_and_length.value() == kIpv4WithoutOptions &&
         ip.protocol.value() == ip_protocol && internet_checksum(ip) == 0 &&
         ip.total_length.value() + sizeof(EthernetHeader) == bytes;
}

}  // namespace ina::wire
