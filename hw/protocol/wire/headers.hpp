// SPDX-License-Identifier: BSD-3-Clause
// The packet headers: name and width of every field. All fields are big-endian. Tests compare the
// P4 programs' declarations with the descriptions below.
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <boost/endian/buffers.hpp>
#include <boost/mp11.hpp>
#include <cstddef>
#include <cstdint>

#include "hw/protocol/wire/format.hpp"
#include "hw/protocol/wire/limits.hpp"

namespace ina::wire {

using boost::endian::big_uint16_buf_t;
using boost::endian::big_uint32_buf_t;
using boost::endian::big_uint48_buf_t;
using boost::endian::big_uint8_buf_t;

/// SwitchML and the systems without aggregators use UDP. ATP and DSA use IPv4 directly, with the
/// protocol numbers that RFC 3692 reserves for experiments.
inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint8_t kIpProtocolUdp = 17;
inline constexpr std::uint8_t kIpProtocolAtp = 253;
inline constexpr std::uint8_t kIpProtocolDsa = 254;
inline constexpr std::uint16_t kSwitchmlUpdatePort = 48864;
inline constexpr std::uint16_t kSwitchmlResultPort = 48865;
inline constexpr std::uint16_t kPsPort = 48866;
inline constexpr std::uint16_t kFlowPort = 48867;

/// IEEE 802.3 clause 3.1.1; frame lengths here exclude the frame check sequence.
struct EthernetHeader {
  big_uint48_buf_t destination;
  big_uint48_buf_t source;
  big_uint16_buf_t ether_type;
};
BOOST_DESCRIBE_STRUCT(EthernetHeader, (), (destination, source, ether_type))

/// RFC 791, without options. The two low bits of traffic_class are the ECN field of RFC 3168.
struct Ipv4Header {
  big_uint8_buf_t version_and_length;
  big_uint8_buf_t traffic_class;
  big_uint16_buf_t total_length;
  big_uint16_buf_t identification;
  big_uint16_buf_t fragment;
  big_uint8_buf_t time_to_live;
  big_uint8_buf_t protocol;
  big_uint16_buf_t checksum;
  big_uint32_buf_t source;
  big_uint32_buf_t destination;
};
BOOST_DESCRIBE_STRUCT(Ipv4Header, (),
                      (version_and_length, traffic_class, total_length, identification, fragment,
                       time_to_live, protocol, checksum, source, destination))

/// RFC 768.
struct UdpHeader {
  big_uint16_buf_t source_port;
  big_uint16_buf_t destination_port;
  big_uint16_buf_t length;
  big_uint16_buf_t checksum;
};
BOOST_DESCRIBE_STRUCT(UdpHeader, (), (source_port, destination_port, length, checksum))

/// SwitchML's header (3.3 and 3.5): slot with the version as its top bit, and offset in fragments.
/// NSDI adds the exponent (numeric::ExponentCode) of a later fragment: an update has the worker's
/// exponent, a result the largest one. `worker`: index of the sender, from 0, among the
/// contributors at its next switch (place_at_first_switch(), or a leaf's index if the leaf sends
/// its sum). With only one switch, it is the rank.
struct SwitchmlHeader {
  static constexpr std::uint8_t kIpProtocol = kIpProtocolUdp;

  big_uint8_buf_t job;
  big_uint8_buf_t worker;
  big_uint16_buf_t version_and_slot;
  big_uint32_buf_t offset;
  big_uint16_buf_t exponents;
};
BOOST_DESCRIBE_STRUCT(SwitchmlHeader, (), (job, worker, version_and_slot, offset, exponents))

/// ATP's header (3.3, Figure 5). A parameter packet (kind result) with the flag new_index carries
/// the aggregator index of later fragments in bitmap0 (3.6).
struct AtpHeader {
  static constexpr std::uint8_t kIpProtocol = kIpProtocolAtp;

  big_uint8_buf_t kind;
  big_uint8_buf_t flags;
  big_uint16_buf_t job;
  big_uint32_buf_t psn;
  big_uint32_buf_t aggregator_index;
  big_uint32_buf_t bitmap0;
  big_uint32_buf_t bitmap1;
  big_uint8_buf_t fan_in_degree0;
  big_uint8_buf_t fan_in_degree1;
  big_uint16_buf_t worker;
};
BOOST_DESCRIBE_STRUCT(AtpHeader, (),
                      (kind, flags, job, psn, aggregator_index, bitmap0, bitmap1, fan_in_degree0,
                       fan_in_degree1, worker))

/// DSA's header (III): ATP's header with only one bitmap, and with a priority. The flag new_index
/// is the same as in ATP. In a gradient with second_level, the bitmap names branches. Otherwise it
/// names positions of workers in `branch`, which counts from 1; 0: the job has one branch.
struct DsaHeader {
  static constexpr std::uint8_t kIpProtocol = kIpProtocolDsa;

  big_uint8_buf_t kind;
  big_uint8_buf_t flags;
  big_uint16_buf_t job;
  big_uint32_buf_t psn;
  big_uint32_buf_t aggregator_index;
  big_uint32_buf_t bitmap0;
  big_uint16_buf_t priority;
  big_uint16_buf_t branch;
  big_uint8_buf_t fan_in_degree0;
  big_uint8_buf_t fan_in_degree1;
  big_uint16_buf_t worker;
};
BOOST_DESCRIBE_STRUCT(DsaHeader, (),
                      (kind, flags, job, psn, aggregator_index, bitmap0, priority, branch,
                       fan_in_degree0, fan_in_degree1, worker))

/// The plain parameter server's header, over UDP: ATP's fields without those for aggregators.
/// Bitmap and branch have the same meaning as in DSA without second_level.
struct PsHeader {
  static constexpr std::uint8_t kIpProtocol = kIpProtocolUdp;

  big_uint8_buf_t kind;
  big_uint8_buf_t flags;
  big_uint16_buf_t job;
  big_uint32_buf_t psn;
  big_uint32_buf_t bitmap0;
  big_uint16_buf_t branch;
  big_uint16_buf_t worker;
};
BOOST_DESCRIBE_STRUCT(PsHeader, (), (kind, flags, job, psn, bitmap0, branch, worker))

/// The header of flows between workers (FlowFields), over UDP. Every frame names the first missing
/// frame of the reverse flow. `credit` is the number of frames, from that frame on, for which there
/// is room. `sequence` is the frame's own number. In an acknowledgement, it is the number of the
/// answered frame.
struct FlowHeader {
  static constexpr std::uint8_t kIpProtocol = kIpProtocolUdp;

  big_uint8_buf_t kind;
  big_uint8_buf_t flags;
  big_uint16_buf_t job;
  big_uint32_buf_t psn;
  big_uint32_buf_t sequence;
  big_uint32_buf_t acknowledged_before;
  big_uint16_buf_t credit;
  big_uint16_buf_t worker;
};
BOOST_DESCRIBE_STRUCT(FlowHeader, (),
                      (kind, flags, job, psn, sequence, acknowledged_before, credit, worker))

static_assert(sizeof(EthernetHeader) == 14);
static_assert(sizeof(Ipv4Header) == 20);
static_assert(sizeof(UdpHeader) == 8);
static_assert(sizeof(SwitchmlHeader) == 10);
static_assert(sizeof(AtpHeader) == 24);
static_assert(sizeof(DsaHeader) == sizeof(AtpHeader));
static_assert(sizeof(PsHeader) == 16);
static_assert(sizeof(FlowHeader) == 20);

/// Headers in the order of Format.
using Headers = boost::mp11::mp_list<SwitchmlHeader, AtpHeader, DsaHeader, PsHeader, FlowHeader>;
static_assert(boost::mp11::mp_size<Headers>::value == kFormats);

/// The offset of a format's header in a frame.
template <class Header>
inline constexpr std::size_t kHeaderBegin = sizeof(EthernetHeader) + sizeof(Ipv4Header) +
                                            (Header::kIpProtocol == kIpProtocolUdp
                                                 ? sizeof(UdpHeader)
                                                 : std::size_t{0});

/// Length of all headers before the values.
template <class Header>
inline constexpr std::size_t kBytesToValues = kHeaderBegin<Header> + sizeof(Header);
static_assert(kBytesToValues<AtpHeader> == 58);  // ATP 3.6
static_assert(kBytesToValues<PsHeader> == kBytesToValues<AtpHeader>);
static_assert(kBytesToValues<SwitchmlHeader> == 52);  // 180 B with 32 values

/// Length of a request, notification or release, the same in every system that has these frames.
inline constexpr std::uint16_t kControlFrameBytes = kBytesToValues<AtpHeader>;
static_assert(kBytesToValues<DsaHeader> == kControlFrameBytes);
static_assert(kBytesToValues<PsHeader> == kControlFrameBytes);

/// Length of an acknowledgement among workers.
inline constexpr std::uint16_t kAcknowledgementBytes = kBytesToValues<FlowHeader>;

/// Largest IPv4 packet in an Ethernet frame (RFC 894), and the usual one in a jumbo frame.
inline constexpr std::size_t kMtuBytes = 1500;
inline constexpr std::size_t kJumboMtuBytes = 9000;
/// Number of values in a packet that fills an MTU.
template <class Header>
constexpr std::size_t values_of_mtu(std::size_t mtu_bytes) {
  return (sizeof(EthernetHeader) + mtu_bytes - kBytesToValues<Header>) / sizeof(std::int32_t);
}
inline constexpr std::size_t kMtuFlowValues = values_of_mtu<FlowHeader>(kMtuBytes);
inline constexpr std::size_t kMtuPsValues = values_of_mtu<PsHeader>(kMtuBytes);
static_assert(kMtuFlowValues == 363 && kMtuPsValues == 364);
/// Maximum number of values in a packet between workers, in a packet to or from a plain parameter
/// server, and in a packet of ATP or DSA.
inline constexpr std::size_t kMostFlowValues = values_of_mtu<FlowHeader>(kJumboMtuBytes);
inline constexpr std::size_t kMostPsValues = values_of_mtu<PsHeader>(kJumboMtuBytes);
inline constexpr std::size_t kMostFragmentValues = values_of_mtu<AtpHeader>(kJumboMtuBytes);
static_assert(kMostFlowValues == 2238 && kMostPsValues == 2239 && kMostFragmentValues == 2239);
static_assert(values_of_mtu<SwitchmlHeader>(kJumboMtuBytes) == kSwitchmlValues.back());

/// Header sizes in the order of Format.
inline constexpr auto kHeaderBytes = []<class... Header>(boost::mp11::mp_list<Header...>) {
  return std::array{kBytesToValues<Header>...};
}(Headers());

/// Calls `use` with the header type of the format, as mp_identity, and returns the result.
template <class Use>
constexpr auto with_header(Format format, Use&& use) {
  return boost::mp11::mp_with_index<boost::mp11::mp_size<Headers>>(
      static_cast<std::size_t>(format), [&](auto index) {
        return use(boost::mp11::mp_identity<boost::mp11::mp_at<Headers, decltype(index)>>());
      });
}

constexpr bool runs_over_udp(Format format) {
  return with_header(format, []<class Header>(boost::mp11::mp_identity<Header>) {
    return Header::kIpProtocol == kIpProtocolUdp;
  });
}

}  // namespace ina::wire
