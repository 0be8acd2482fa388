// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/codec.hpp"

#include <bit>
#include <boost/mp11.hpp>
#include <stdexcept>
#include <utility>

#include "hw/protocol/wire/big_endian.hpp"
#include "hw/protocol/wire/envelope.hpp"
#include "hw/protocol/wire/flow.hpp"

namespace ina::wire {

namespace {

constexpr std::uint16_t kVersionBit = 0x8000;

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
    if (frame.bytes < kBytesToValues<Header>)
      throw std::length_error("a frame without its headers");
    Writer writer(out, frame.bytes);
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
