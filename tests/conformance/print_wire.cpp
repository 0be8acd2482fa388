// SPDX-License-Identifier: BSD-3-Clause
// Prints, as JSON, the header layouts and numbers that are repeated in other languages.
#include <array>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "hw/protocol/wire/codec.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/headers.hpp"
#include "hw/protocol/wire/limits.hpp"
#include "hw/protocol/wire/registration.hpp"
#include "tests/support/every_format.hpp"

namespace ina {
namespace {

using nlohmann::ordered_json;

/// [field, bits] in wire order.
template <class Header>
ordered_json layout() {
  auto fields = ordered_json::array();
  boost::mp11::mp_for_each<boost::describe::describe_members<Header, boost::describe::mod_public>>(
      [&](auto member) {
        fields.push_back({member.name, 8 * sizeof(std::declval<Header>().*member.pointer)});
      });
  return fields;
}

ordered_json headers() {
  ordered_json layouts = {{"ethernet", layout<wire::EthernetHeader>()},
                          {"ipv4", layout<wire::Ipv4Header>()},
                          {"udp", layout<wire::UdpHeader>()}};
  for (const wire::Format format : testing::every_format()) {
    wire::with_header(format, [&]<class Header>(boost::mp11::mp_identity<Header>) {
      layouts[wire::name_of(format)] = layout<Header>();
    });
  }
  return layouts;
}

ordered_json kinds() {
  return {
      {"gradient", FrameKind::gradient},         {"result", FrameKind::result},
      {"reminder", FrameKind::reminder},         {"fragment_request", FrameKind::fragment_request},
      {"notification", FrameKind::notification}, {"release", FrameKind::release}};
}

/// SwitchML's header has no flags. Its version bit, which has the same number as `floats`, is not a
/// flag.
ordered_json flags() {
  return {{"ecn", flag::ecn},
          {"resend", flag::resend},
          {"collision", flag::collision},
          {"second_level", flag::second_level},
          {"floats", flag::floats},
          {"new_index", flag::new_index},
          {"partial", flag::partial},
          {"answer", flag::answer}};
}

/// The Ethernet and IPv4 headers of a frame to all workers.
std::pair<wire::EthernetHeader, wire::Ipv4Header> broadcast_headers() {
  Frame frame;
  frame.destination = kAllWorkers;
  frame.bytes = frame_bytes(wire::Format::dsa, 0);
  std::array<std::byte, wire::kBytesToValues<wire::AtpHeader>> bytes{};
  wire::encode(wire::Format::dsa, frame, bytes);
  std::pair<wire::EthernetHeader, wire::Ipv4Header> headers;
  std::memcpy(&headers.first, bytes.data(), sizeof headers.first);
  std::memcpy(&headers.second, bytes.data() + sizeof headers.first, sizeof headers.second);
  return headers;
}

ordered_json numbers() {
  const auto [ethernet, ip] = broadcast_headers();
  return {{"ether_type_ipv4", wire::kEtherTypeIpv4},
          {"ipv4_without_options", ip.version_and_length.value()},
          {"ip_protocol_udp", wire::kIpProtocolUdp},
          {"ip_protocol_atp", wire::kIpProtocolAtp},
          {"ip_protocol_dsa", wire::kIpProtocolDsa},
          {"switchml_update_port", wire::kSwitchmlUpdatePort},
          {"switchml_result_port", wire::kSwitchmlResultPort},
          {"registration_port", wire::kRegistrationPort},
          {"all_workers_mac", ethernet.destination.value()},
          {"all_workers_ip", ip.destination.value()},
          {"max_jobs", wire::kMaxJobs},
          {"max_workers_per_switch", wire::kMaxWorkersPerSwitch},
          {"fragment_values", wire::kFragmentValues}};
}

std::string registration_frame(wire::RegistrationKind kind, HostId source, HostId destination) {
  wire::RegistrationMessage message;
  message.kind = kind;
  message.source = source;
  message.destination = destination;
  message.incarnation = 0x0123456789abcdef;
  std::array<std::byte, wire::kRegistrationBytes> bytes{};
  wire::encode(message, bytes);
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

/// Messages between host 1 and the registrar.
ordered_json registration() {
  constexpr HostId kWorker = 1;
  using wire::RegistrationKind;
  return {
      {"registrar", wire::kRegistrarAddress},
      {"worker", kWorker},
      {"join", registration_frame(RegistrationKind::join, kWorker, wire::kRegistrarAddress)},
      {"welcome", registration_frame(RegistrationKind::welcome, wire::kRegistrarAddress, kWorker)}};
}

}  // namespace
}  // namespace ina

int main() {
  const nlohmann::ordered_json wire = {{"headers", ina::headers()},
                                       {"kinds", ina::kinds()},
                                       {"flags", ina::flags()},
                                       {"numbers", ina::numbers()},
                                       {"registration", ina::registration()}};
  std::cout << wire.dump(2) << '\n';
  return 0;
}
