// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/codec.hpp"

#include <bit>
#include <boost/mp11.hpp>
#include <stdexcept>
#include <utility>

#include "hw/protocol/wire/big_endian.hpp"
#include "hw/protocol/wire/envelope.hpp"

namespace ina::wire {

namespace {

constexpr std::uint16_t kVersionBit = 0x8000;

// Flags of the flows' header that are fields of the frame.
constexpr std::uint8_t kEcnEcho = 4;
constexpr std::uint8_t kAcknowledgeNow = 128;

/// Fields of all headers except SwitchML's.
template <class Header>
Header header_of_kind(const Frame& frame) {
  Header header{};
  header.kind = static_cast<std::uint8_t>(frame.kind);
  header.flags = frame.flags;
  header.job = frame.job;
  header.psn = frame.psn;
  header.worker = frame.worker;
  return header;
}

template <class Header>
bool read_kind(const Header& header, std::uint8_t known_flags, Frame& frame) {
  if ((header.flags.value() & ~known_flags) != 0) return false;
  frame.kind = static_cast<FrameKind>(header.kind.value());
  frame.flags = header.flags.value();
  frame.job = header.job.value();
  frame.psn = header.psn.value();
  frame.worker = header.worker.value();
  return true;
}

/// Whether headers with bitmaps may have this kind.
bool is_kind_with_bitmaps(std::uint8_t kind) {
  return kind >= static_cast<std::uint8_t>(FrameKind::gradient) &&
         kind <= static_cast<std::uint8_t>(FrameKind::release);
}

/// ATP 3.6: a result that names a new index carries it instead of its bitmap.
bool names_new_index(const Frame& frame) {
  return frame.kind == FrameKind::result && frame.has(flag::new_index);
}

/// Common fields of ATP's and DSA's headers.
template <class Header>
Header aggregator_header(const Frame& frame) {
  const AggregatorFields& fields = frame.aggregator();
  auto header = header_of_kind<Header>(frame);
  header.aggregator_index = fields.index;
  header.bitmap0 = names_new_index(frame) ? fields.next_index : fields.bitmap0;
  header.fan_in_degree0 = fields.fan_in_degree0;
  header.fan_in_degree1 = fields.fan_in_degree1;
  return header;
}

template <class Header>
bool read_aggregator(const Header& header, std::uint8_t known_flags, Frame& frame) {
  if (!is_kind_with_bitmaps(header.kind.value()) || !read_kind(header, known_flags, frame)) {
    return false;
  }
  AggregatorFields& fields = frame.aggregator();
  fields.index = header.aggregator_index.value();
  (names_new_index(frame) ? fields.next_index : fields.bitmap0) = header.bitmap0.value();
  fields.fan_in_degree0 = header.fan_in_degree0.value();
  fields.fan_in_degree1 = header.fan_in_degree1.value();
  return true;
}

/// DSA: whether the header's only bitmap contains branches instead of positions within a branch.
bool names_branches(const Frame& frame) {
  return frame.kind == FrameKind::gradient && frame.has(flag::second_level);
}

/// The branch in the frame's bitmap, which must have exactly one.
std::uint16_t branch_field(const AggregatorFields& fields) {
  return fields.bitmap1 == 0 ? std::uint16_t{0}
                             : static_cast<std::uint16_t>(std::countr_zero(fields.bitmap1) + 1);
}

bool read_branch(std::uint16_t branch, AggregatorFields& fields) {
  if (branch > kMaxBranches) return false;
  fields.bitmap1 = branch == 0 ? 0 : 1U << (branch - 1);
  return true;
}

// The bytes after Ethernet and IPv4, by the format's header.

template <class Header>
struct HeaderCodec;

template <>
struct HeaderCodec<SwitchmlHeader> {
  static constexpr std::uint8_t kFlags = flag::ecn;

  static void write(Writer& writer, const Frame& frame) {
    const std::uint16_t port =
        frame.kind == FrameKind::result ? kSwitchmlResultPort : kSwitchmlUpdatePort;
    writer.put([&] { return udp_header(frame, kSwitchmlUpdatePort, port); });
    writer.put([&] {
      const SwitchmlFields& fields = frame.switchml();
      SwitchmlHeader header{};
      header.job = static_cast<std::uint8_t>(frame.job);
      header.worker = static_cast<std::uint8_t>(frame.worker);
      header.version_and_slot =
          static_cast<std::uint16_t>(fields.slot | (fields.version ? kVersionBit : 0U));
      header.offset = frame.psn;
      header.exponents = fields.exponents;
      return header;
    });
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
    if ((traffic_class & kCongestionExperienced) == kCongestionExperienced) frame.set(flag::ecn);
    frame.psn = header->offset.value();
    const std::uint16_t version_and_slot = header->version_and_slot.value();
    frame.switchml() = {.slot = version_and_slot & ~std::uint32_t{kVersionBit},
                        .exponents = header->exponents.value(),
                        .version = (version_and_slot & kVersionBit) != 0};
    return true;
  }
};

template <>
struct HeaderCodec<AtpHeader> {
  static constexpr std::uint8_t kFlags = flag::ecn | flag::resend | flag::collision |
                                         flag::second_level | flag::floats | flag::new_index |
                                         flag::partial | flag::answer;

  static void write(Writer& writer, const Frame& frame) {
    writer.put([&] {
      auto header = aggregator_header<AtpHeader>(frame);
      header.bitmap1 = frame.aggregator().bitmap1;
      return header;
    });
  }

  static bool read(Reader& reader, std::uint8_t /* traffic_class */, Frame& frame) {
    const auto* const header = reader.take<AtpHeader>();
    if (!header || !read_aggregator(*header, kFlags, frame)) return false;
    frame.aggregator().bitmap1 = header->bitmap1.value();
    return true;
  }
};

template <>
struct HeaderCodec<DsaHeader> {
  static constexpr std::uint8_t kFlags = flag::ecn | flag::resend | flag::collision |
                                         flag::second_level | flag::new_index | flag::partial |
                                         flag::answer;

  static void write(Writer& writer, const Frame& frame) {
    writer.put([&] {
      const AggregatorFields& fields = frame.aggregator();
      auto header = aggregator_header<DsaHeader>(frame);
      header.priority = fields.priority;
      if (names_branches(frame)) {
        header.bitmap0 = fields.bitmap1;
      } else {
        header.branch = branch_field(fields);
      }
      return header;
    });
  }

  static bool read(Reader& reader, std::uint8_t /* traffic_class */, Frame& frame) {
    const auto* const header = reader.take<DsaHeader>();
    if (!header || !read_aggregator(*header, kFlags, frame)) return false;
    AggregatorFields& fields = frame.aggregator();
    fields.priority = header->priority.value();
    if (!names_branches(frame)) return read_branch(header->branch.value(), fields);
    fields.bitmap1 = std::exchange(fields.bitmap0, 0U);
    return true;
  }
};

template <>
struct HeaderCodec<PsHeader> {
  static constexpr std::uint8_t kFlags = flag::ecn | flag::resend | flag::answer;

  static void write(Writer& writer, const Frame& frame) {
    writer.put([&] { return udp_header(frame, kPsPort, kPsPort); });
    writer.put([&] {
      const AggregatorFields& fields = frame.aggregator();
      auto header = header_of_kind<PsHeader>(frame);
      header.bitmap0 = fields.bitmap0;
      header.branch = branch_field(fields);
      return header;
    });
  }

  static bool read(Reader& reader, std::uint8_t /* traffic_class */, Frame& frame) {
    const auto* const udp = reader.take<UdpHeader>();
    const auto* const header = reader.take<PsHeader>();
    if (!udp || !header || !fits(*udp, frame) || udp->destination_port.value() != kPsPort ||
        !is_kind_with_bitmaps(header->kind.value()) || !read_kind(*header, kFlags, frame)) {
      return false;
    }
    frame.aggregator().bitmap0 = header->bitmap0.value();
    return read_branch(header->branch.value(), frame.aggregator());
  }
};

template <>
struct HeaderCodec<FlowHeader> {
  static constexpr std::uint8_t kFlags = flag::ecn | flag::resend;
  static_assert((kFlags & (kEcnEcho | kAcknowledgeNow)) == 0);

  static bool is_kind(std::uint8_t kind) {
    return kind == static_cast<std::uint8_t>(FrameKind::gradient) ||
           kind == static_cast<std::uint8_t>(FrameKind::result) ||
           kind == static_cast<std::uint8_t>(FrameKind::acknowledgement);
  }

  static void write(Writer& writer, const Frame& frame) {
    writer.put([&] { return udp_header(frame, kFlowPort, kFlowPort); });
    writer.put([&] {
      const FlowFields& fields = frame.flow();
      auto header = header_of_kind<FlowHeader>(frame);
      header.flags = static_cast<std::uint8_t>(frame.flags | (fields.ecn_echo ? kEcnEcho : 0) |
                                               (fields.acknowledge_now ? kAcknowledgeNow : 0));
      header.sequence = fields.sequence;
      header.acknowledged_before = fields.acknowledged_before;
      header.credit = fields.credit;
      return header;
    });
  }

  static bool read(Reader& reader, std::uint8_t /* traffic_class */, Frame& frame) {
    const auto* const udp = reader.take<UdpHeader>();
    const auto* const header = reader.take<FlowHeader>();
    if (!udp || !header || !fits(*udp, frame) || udp->destination_port.value() != kFlowPort ||
        !is_kind(header->kind.value()) ||
        !read_kind(*header, kFlags | kEcnEcho | kAcknowledgeNow, frame)) {
      return false;
    }
    frame.flow() = {.sequence = header->sequence.value(),
                    .acknowledged_before = header->acknowledged_before.value(),
                    .credit = header->credit.value(),
                    .ecn_echo = frame.has(kEcnEcho),
                    .acknowledge_now = frame.has(kAcknowledgeNow)};
    frame.clear(kEcnEcho | kAcknowledgeNow);
    return true;
  }
};

/// A frame of such a kind without its values must not reach a program that adds them.
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

std::uint8_t known_flags(Format format) {
  return with_header(format, []<class Header>(boost::mp11::mp_identity<Header>) {
    return HeaderCodec<Header>::kFlags;
  });
}

std::size_t encode(Format format, const Frame& frame, std::span<std::byte> out) {
  return with_header(format, [&]<class Header>(boost::mp11::mp_identity<Header>) {
    if (frame.bytes < kBytesToValues<Header>)
      throw std::length_error("a frame without its headers");
    Writer writer(out, frame.bytes);
    writer.put([&] { return ethernet_header(frame); });
    writer.put([&] { return ipv4_header(Header::kIpProtocol, frame); });
    HeaderCodec<Header>::write(writer, frame);
    writer.put_values(frame.values, frame.bytes - writer.used());
    return writer.used();
  });
}

std::optional<Frame> decode(Format format, std::span<const std::byte> bytes, ValuePool& pool) {
  return with_header(
      format, [&]<class Header>(boost::mp11::mp_identity<Header>) -> std::optional<Frame> {
        Reader reader(bytes);
        const auto* const ethernet = reader.take<EthernetHeader>();
        const auto* const ip = reader.take<Ipv4Header>();
        if (!ethernet || !ip || !well_formed(Header::kIpProtocol, *ethernet, *ip, bytes.size())) {
          return std::nullopt;
        }
        Frame frame;
        frame.fields = fields_of(format);
        frame.bytes = static_cast<std::uint16_t>(bytes.size());
        if (!read_addresses(*ethernet, *ip, frame) ||
            !HeaderCodec<Header>::read(reader, ip->traffic_class.value(), frame) ||
            !read_values(reader.rest(), pool, frame)) {
          return std::nullopt;
        }
        return frame;
      });
}

}  // namespace ina::wire
