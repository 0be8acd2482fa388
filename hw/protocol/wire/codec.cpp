// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/codec.hpp"

#include <array>
#include <bit>
#include <boost/mp11.hpp>
#include <cstring>
#include <new>
#include <type_traits>

#include "hw/protocol/wire/big_endian.hpp"
#include "hw/protocol/wire/flow.hpp"

namespace ina::wire {

namespace {

constexpr std::uint64_t kMacPrefix = 0x0200'0000'0000;
constexpr std::uint32_t kIpPrefix = 0x0a00'0000;
constexpr std::uint64_t kMacPrefixMask = 0xffff'ffff'0000;
constexpr std::uint32_t kIpPrefixMask = 0xffff'0000;
constexpr std::uint8_t kIpv4WithoutOptions = 0x45;
constexpr std::uint8_t kCongestionExperienced = 3;
constexpr std::uint8_t kTimeToLive = 64;
constexpr std::uint16_t kVersionBit = 0x8000;

/// Appends headers to a frame's bytes one after another.
class Writer {
 public:
  explicit Writer(std::span<std::byte> out) : out_(out) {}
  /// Appends the header that `make()` returns, which is made in place: a copy would wait for the
  /// many small stores of its fields.
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

/// Takes headers off the front of a frame's bytes, where they stay; nullptr once they run out.
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

/// RFC 1071.
std::uint16_t folded(std::uint32_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

/// 0 over a header that carries its own checksum.
std::uint16_t internet_checksum(const Ipv4Header& header) {
  const auto words =
      std::bit_cast<std::array<big_uint16_buf_t, sizeof header / sizeof(std::uint16_t)>>(header);
  std::uint32_t sum = 0;
  for (const auto& word : words) sum += word.value();
  return folded(sum);
}

EthernetHeader ethernet_header(const Frame& frame) {
  EthernetHeader header{};
  header.destination = kMacPrefix | frame.destination;
  header.source = kMacPrefix | frame.source;
  header.ether_type = kEtherTypeIpv4;
  return header;
}

Ipv4Header ipv4_header(std::uint8_t carried, const Frame& frame) {
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
  // From the values: the header's bytes, if read so soon, wait for the stores of all fields.
  header.checksum =
      folded(kIpv4WithoutOptions * 0x100U + traffic_class + total_length + kTimeToLive * 0x100U +
             carried + 2 * (kIpPrefix >> 16) + frame.source + frame.destination);
  return header;
}

UdpHeader udp_header(const Frame& frame, std::uint16_t source_port,
                     std::uint16_t destination_port) {
  UdpHeader udp{};
  udp.source_port = source_port;
  udp.destination_port = destination_port;
  udp.length =
      static_cast<std::uint16_t>(frame.bytes - sizeof(EthernetHeader) - sizeof(Ipv4Header));
  return udp;
}

bool fits(const UdpHeader& udp, const Frame& frame) {
  return udp.length.value() + sizeof(EthernetHeader) + sizeof(Ipv4Header) == frame.bytes;
}

SwitchmlHeader switchml_header(const Frame& frame) {
  SwitchmlHeader header{};
  header.job = static_cast<std::uint8_t>(frame.job);
  header.worker = static_cast<std::uint8_t>(frame.worker);
  header.version_and_slot = static_cast<std::uint16_t>(
      frame.aggregator_index | (frame.has(flag::version) ? kVersionBit : 0U));
  header.offset = frame.psn;
  header.exponents = frame.exponents;
  return header;
}

/// The fields that all but SwitchML have in common.
template <class Header>
Header header_head(const Frame& frame) {
  Header header{};
  header.kind = static_cast<std::uint8_t>(frame.kind);
  header.flags = frame.flags;
  header.job = frame.job;
  header.psn = frame.psn;
  header.worker = frame.worker;
  return header;
}

/// And those that have bitmaps.
template <class Header>
Header common_header(const Frame& frame) {
  auto header = header_head<Header>(frame);
  header.bitmap0 = frame.bitmap0;
  return header;
}

/// Those that ATP and DSA have in common.
template <class Header>
Header aggregator_header(const Frame& frame) {
  auto header = common_header<Header>(frame);
  header.aggregator_index = frame.aggregator_index;
  header.fan_in_degree0 = frame.fan_in_degree0;
  header.fan_in_degree1 = frame.fan_in_degree1;
  return header;
}

/// DSA: whether the header's one bitmap is of branches, and not of places in one.
bool names_branches(const Frame& frame) {
  return frame.kind == FrameKind::gradient && frame.has(flag::second_level);
}

/// Of the one branch in the frame's bitmap.
std::uint16_t branch_field(const Frame& frame) {
  return frame.bitmap1 == 0 ? std::uint16_t{0}
                            : static_cast<std::uint16_t>(std::countr_zero(frame.bitmap1) + 1);
}

bool read_branch(std::uint16_t branch, Frame& frame) {
  if (branch > kMaxBranches) return false;
  frame.bitmap1 = branch == 0 ? 0 : 1U << (branch - 1);
  return true;
}

AtpHeader atp_header(const Frame& frame) {
  auto header = aggregator_header<AtpHeader>(frame);
  header.bitmap1 = frame.bitmap1;
  return header;
}

DsaHeader dsa_header(const Frame& frame) {
  auto header = aggregator_header<DsaHeader>(frame);
  header.priority = frame.priority;
  if (names_branches(frame)) {
    header.bitmap0 = frame.bitmap1;
  } else {
    header.branch = branch_field(frame);
  }
  return header;
}

/// The fields that the frames of all but SwitchML have.
template <class Header>
bool read_head(const Header& header, std::uint8_t known_flags, Frame& frame) {
  if ((header.flags.value() & ~known_flags) != 0) return false;
  frame.kind = static_cast<FrameKind>(header.kind.value());
  frame.flags = header.flags.value();
  frame.job = header.job.value();
  frame.psn = header.psn.value();
  frame.worker = header.worker.value();
  return true;
}

template <class Header>
bool read_common(const Header& header, std::uint8_t known_flags, Frame& frame) {
  const std::uint8_t kind = header.kind.value();
  if (kind < static_cast<std::uint8_t>(FrameKind::gradient) ||
      kind > static_cast<std::uint8_t>(FrameKind::release)) {
    return false;
  }
  frame.bitmap0 = header.bitmap0.value();
  return read_head(header, known_flags, frame);
}

template <class Header>
bool read_aggregator(const Header& header, std::uint8_t known_flags, Frame& frame) {
  frame.aggregator_index = header.aggregator_index.value();
  frame.fan_in_degree0 = header.fan_in_degree0.value();
  frame.fan_in_degree1 = header.fan_in_degree1.value();
  return read_common(header, known_flags, frame);
}

// What is behind Ethernet and IPv4, by the system's header.

template <class Header>
struct Format;

template <>
struct Format<SwitchmlHeader> {
  static constexpr std::uint8_t kFlags = flag::version | flag::ecn;

  static void write(Writer& writer, const Frame& frame) {
    const std::uint16_t port =
        frame.kind == FrameKind::result ? kSwitchmlResultPort : kSwitchmlUpdatePort;
    writer.put([&] { return udp_header(frame, kSwitchmlUpdatePort, port); });
    writer.put([&] { return switchml_header(frame); });
  }

  static bool read(Reader& reader, std::uint8_t traffic_class, Frame& frame) {
    const auto* const udp = reader.take<UdpHeader>();
    const auto* const header = reader.take<SwitchmlHeader>();
    if (!udp || !header || !fits(*udp, frame)) return false;
    const std::uint16_t port = udp->destination_port.value();
    if (port != kSwitchmlUpdatePort && port != kSwitchmlResultPort) return false;
    frame.kind = port == kSwitchmlResultPort ? FrameKind::result : FrameKind::gradient;
    frame.job = header->job.value();
    frame.worker = header->worker.value();
    frame.aggregator_index = header->version_and_slot.value() & ~std::uint32_t{kVersionBit};
    if ((header->version_and_slot.value() & kVersionBit) != 0) frame.set(flag::version);
    if ((traffic_class & kCongestionExperienced) == kCongestionExperienced) frame.set(flag::ecn);
    frame.psn = header->offset.value();
    frame.exponents = header->exponents.value();
    return true;
  }
};

template <>
struct Format<AtpHeader> {
  static constexpr std::uint8_t kFlags = flag::ecn | flag::resend | flag::collision |
                                         flag::second_level | flag::floats | flag::new_index |
                                         flag::partial | flag::answer;

  static void write(Writer& writer, const Frame& frame) {
    writer.put([&] { return atp_header(frame); });
  }

  static bool read(Reader& reader, std::uint8_t /* traffic_class */, Frame& frame) {
    const auto* const header = reader.take<AtpHeader>();
    if (!header || !read_aggregator(*header, kFlags, frame)) return false;
    frame.bitmap1 = header->bitmap1.value();
    return true;
  }
};

template <>
struct Format<DsaHeader> {
  static constexpr std::uint8_t kFlags = flag::ecn | flag::resend | flag::collision |
                                         flag::second_level | flag::new_index | flag::partial |
                                         flag::answer;

  static void write(Writer& writer, const Frame& frame) {
    writer.put([&] { return dsa_header(frame); });
  }

  static bool read(Reader& reader, std::uint8_t /* traffic_class */, Frame& frame) {
    const auto* const header = reader.take<DsaHeader>();
    if (!header || !read_aggregator(*header, kFlags, frame)) return false;
    frame.priority = header->priority.value();
    if (!names_branches(frame)) return read_branch(header->branch.value(), frame);
    frame.bitmap1 = std::exchange(frame.bitmap0, 0U);
    return true;
  }
};

template <>
struct Format<PsHeader> {
  static constexpr std::uint8_t kFlags = flag::ecn | flag::resend | flag::answer;

  static void write(Writer& writer, const Frame& frame) {
    writer.put([&] { return udp_header(frame, kPsPort, kPsPort); });
    writer.put([&] {
      auto header = common_header<PsHeader>(frame);
      header.branch = branch_field(frame);
      return header;
    });
  }

  static bool read(Reader& reader, std::uint8_t /* traffic_class */, Frame& frame) {
    const auto* const udp = reader.take<UdpHeader>();
    const auto* const header = reader.take<PsHeader>();
    return udp && header && fits(*udp, frame) && udp->destination_port.value() == kPsPort &&
           read_common(*header, kFlags, frame) && read_branch(header->branch.value(), frame);
  }
};

template <>
struct Format<FlowHeader> {
  static constexpr std::uint8_t kFlags =
      flag::ecn | flag::resend | flag::ecn_echo | flag::acknowledge_now;

  static bool is_kind(std::uint8_t kind) {
    return kind == static_cast<std::uint8_t>(FrameKind::gradient) ||
           kind == static_cast<std::uint8_t>(FrameKind::result) ||
           kind == static_cast<std::uint8_t>(FrameKind::acknowledgement);
  }

  static void write(Writer& writer, const Frame& frame) {
    writer.put([&] { return udp_header(frame, kFlowPort, kFlowPort); });
    writer.put([&] {
      auto header = header_head<FlowHeader>(frame);
      header.sequence = sequence_of(frame);
      header.acknowledged_before = acknowledged_before(frame);
      header.credit = credit_of(frame);
      return header;
    });
  }

  static bool read(Reader& reader, std::uint8_t /* traffic_class */, Frame& frame) {
    const auto* const udp = reader.take<UdpHeader>();
    const auto* const header = reader.take<FlowHeader>();
    if (!udp || !header || !fits(*udp, frame) || udp->destination_port.value() != kFlowPort ||
        !is_kind(header->kind.value())) {
      return false;
    }
    set_sequence(frame, header->sequence.value());
    set_acknowledged_before(frame, header->acknowledged_before.value());
    set_credit(frame, header->credit.value());
    return read_head(*header, kFlags, frame);
  }
};

bool read_addresses(const EthernetHeader& ethernet, const Ipv4Header& ip, Frame& frame) {
  frame.source = static_cast<HostId>(ip.source.value());
  frame.destination = static_cast<HostId>(ip.destination.value());
  return (ip.source.value() & kIpPrefixMask) == kIpPrefix &&
         (ip.destination.value() & kIpPrefixMask) == kIpPrefix &&
         (ethernet.source.value() & kMacPrefixMask) == kMacPrefix &&
         (ethernet.destination.value() & kMacPrefixMask) == kMacPrefix &&
         static_cast<HostId>(ethernet.source.value()) == frame.source &&
         static_cast<HostId>(ethernet.destination.value()) == frame.destination;
}

bool well_formed(std::uint8_t ip_protocol, const EthernetHeader& ethernet, const Ipv4Header& ip,
                 std::size_t bytes) {
  return ethernet.ether_type.value() == kEtherTypeIpv4 &&
         ip.version_and_length.value() == kIpv4WithoutOptions &&
         ip.protocol.value() == ip_protocol && internet_checksum(ip) == 0 &&
         ip.total_length.value() + sizeof(EthernetHeader) == bytes;
}

/// A frame of `kind` without its values must not reach a program that adds them.
bool carries_values(FrameKind kind) {
  return kind == FrameKind::gradient || kind == FrameKind::result || kind == FrameKind::reminder;
}

bool read_values(std::span<const std::byte> bytes, ValuePool& pool, Frame& frame) {
  if (!carries_values(frame.kind)) return bytes.empty();
  if (bytes.size() != pool.count() * sizeof(std::int32_t)) return false;
  frame.values = pool.take();
  from_big_endian(bytes.data(), {frame.values.data(), pool.count()});
  return true;
}

}  // namespace

std::uint8_t known_flags(Protocol protocol) {
  return with_header(protocol, []<class Header>(boost::mp11::mp_identity<Header>) {
    return Format<Header>::kFlags;
  });
}

bool carries_floats(Protocol protocol) {
  return with_header(protocol, []<class Header>(boost::mp11::mp_identity<Header>) {
    constexpr bool kHasFlags = requires(Header header) { header.flags; };
    return kHasFlags && (Format<Header>::kFlags & flag::floats) != 0;
  });
}

std::size_t encode(Protocol protocol, const Frame& frame, std::span<std::byte> out) {
  return with_header(protocol, [&]<class Header>(boost::mp11::mp_identity<Header>) {
    Writer writer(out);
    writer.put([&] { return ethernet_header(frame); });
    writer.put([&] { return ipv4_header(Header::kIpProtocol, frame); });
    Format<Header>::write(writer, frame);
    writer.put_values(frame.values, frame.bytes - writer.used());
    return writer.used();
  });
}

std::optional<Frame> decode(Protocol protocol, std::span<const std::byte> bytes, ValuePool& pool) {
  return with_header(
      protocol, [&]<class Header>(boost::mp11::mp_identity<Header>) -> std::optional<Frame> {
        Reader reader(bytes);
        const auto* const ethernet = reader.take<EthernetHeader>();
        const auto* const ip = reader.take<Ipv4Header>();
        if (!ethernet || !ip || !well_formed(Header::kIpProtocol, *ethernet, *ip, bytes.size())) {
          return std::nullopt;
        }
        Frame frame;
        frame.bytes = static_cast<std::uint16_t>(bytes.size());
        if (!read_addresses(*ethernet, *ip, frame) ||
            !Format<Header>::read(reader, ip->traffic_class.value(), frame) ||
            !read_values(reader.rest(), pool, frame)) {
          return std::nullopt;
        }
        return frame;
      });
}

}  // namespace ina::wire
