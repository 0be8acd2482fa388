// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/registration.hpp"

#include <cstring>

#include "hw/protocol/wire/envelope.hpp"

namespace ina::wire {

namespace {

constexpr std::uint8_t kContinues = 1;
constexpr std::uint8_t kOfServers = 2;

FrameHeader envelope_of(const RegistrationMessage& message) {
  FrameHeader frame;
  frame.source = message.source;
  frame.destination = message.destination;
  frame.bytes = kRegistrationBytes;
  return frame;
}

RegistrationHeader header_of(const RegistrationMessage& message) {
  RegistrationHeader header{};
  header.kind = static_cast<std::uint8_t>(message.kind);
  header.reason = static_cast<std::uint8_t>(message.reason);
  header.flags = static_cast<std::uint8_t>((message.continues ? kContinues : 0) |
                                           (message.of_servers ? kOfServers : 0));
  header.system = message.system;
  header.job = message.job;
  header.member = message.member;
  header.id = message.id;
  header.latest_id = message.latest_id;
  header.workers = message.workers;
  header.values_per_packet = message.values_per_packet;
  header.incarnation = message.incarnation;
  header.epoch = message.epoch;
  header.cluster = message.cluster;
  header.detail = message.detail;
  for (std::size_t i = 0; i < kListedMembers; ++i) header.listed[i] = message.listed[i];
  return header;
}

/// Whether each enumerator is valid.
bool is_known(const RegistrationHeader& header) {
  return header.kind.value() >= static_cast<std::uint8_t>(RegistrationKind::join) &&
         header.kind.value() <= static_cast<std::uint8_t>(RegistrationKind::probe) &&
         header.reason.value() <= static_cast<std::uint8_t>(RefusalReason::no_ids) &&
         header.flags.value() <= (kContinues | kOfServers);
}

RegistrationMessage message_of(const RegistrationHeader& header, const FrameHeader& envelope) {
  RegistrationMessage message;
  message.kind = static_cast<RegistrationKind>(header.kind.value());
  message.reason = static_cast<RefusalReason>(header.reason.value());
  message.continues = (header.flags.value() & kContinues) != 0;
  message.of_servers = (header.flags.value() & kOfServers) != 0;
  message.system = header.system.value();
  message.job = header.job.value();
  message.member = header.member.value();
  message.source = envelope.source;
  message.destination = envelope.destination;
  message.id = header.id.value();
  message.latest_id = header.latest_id.value();
  message.workers = header.workers.value();
  message.values_per_packet = header.values_per_packet.value();
  message.incarnation = header.incarnation.value();
  message.epoch = header.epoch.value();
  message.cluster = header.cluster.value();
  message.detail = header.detail.value();
  for (std::size_t i = 0; i < kListedMembers; ++i) message.listed[i] = header.listed[i].value();
  return message;
}

}  // namespace

std::size_t encode(const RegistrationMessage& message, std::span<std::byte> out) {
  const FrameHeader envelope = envelope_of(message);
  Writer writer(out, kRegistrationBytes);
  writer.put([&] { return ethernet_header(envelope); });
  writer.put([&] { return ipv4_header(kIpProtocolUdp, envelope); });
  writer.put([&] { return udp_header(envelope, kRegistrationPort, kRegistrationPort); });
  writer.put([&] { return header_of(message); });
  return writer.used();
}

std::optional<RegistrationMessage> decode_registration(std::span<const std::byte> bytes) {
  if (bytes.size() != kRegistrationBytes) return std::nullopt;
  Reader reader(bytes);
  const auto& ethernet = *reader.take<EthernetHeader>();
  const auto& ip = *reader.take<Ipv4Header>();
  const auto& udp = *reader.take<UdpHeader>();
  const auto& header = *reader.take<RegistrationHeader>();
  FrameHeader envelope;
  envelope.bytes = kRegistrationBytes;
  if (!well_formed(kIpProtocolUdp, ethernet, ip, bytes.size()) ||
      !read_addresses(ethernet, ip, envelope) || !fits(udp, envelope) ||
      udp.destination_port.value() != kRegistrationPort || !is_known(header)) {
    return std::nullopt;
  }
  return message_of(header, envelope);
}

bool is_registration(std::span<const std::byte> bytes) {
  constexpr std::size_t kIpBegin = sizeof(EthernetHeader);
  if (bytes.size() < kRegistrationBytes) return false;
  Ipv4Header ip;
  UdpHeader udp;
  std::memcpy(&ip, bytes.data() + kIpBegin, sizeof ip);
  std::memcpy(&udp, bytes.data() + kIpBegin + sizeof ip, sizeof udp);
  return ip.protocol.value() == kIpProtocolUdp && udp.destination_port.value() == kRegistrationPort;
}

}  // namespace ina::wire
