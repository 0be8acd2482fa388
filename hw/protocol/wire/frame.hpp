// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <stdexcept>
#include <variant>

#include "hw/protocol/values.hpp"
#include "hw/protocol/wire/headers.hpp"
#include "hw/protocol/wire/limits.hpp"

namespace ina {

using HostId = std::uint16_t;
using JobId = std::uint16_t;
/// Job of frames of background traffic, which switches only forward.
inline constexpr JobId kNoJob = 0xffff;
/// Destination of frames to all workers of a job.
inline constexpr HostId kAllWorkers = 0xffff;
/// Packet sequence number of a job's fragment; it increases through tensors and iterations.
using Psn = std::uint32_t;

enum class FrameKind : std::uint8_t {
  gradient = 1,  ///< values of the worker in the bitmap, or the sum of several workers
  result = 2,    ///< the complete sum, to all workers; ATP's parameter packet
  reminder = 3,  ///< DSA: PS to switch, to fetch and free a sum; a gradient returns if there is one
  fragment_request =
      4,  ///< PS to the workers whose bits are not in the bitmap: send the fragment to the PS
  notification = 5,     ///< DSA: worker to PS: send a reminder for this PSN
  release = 6,          ///< worker to PS, instead of an answer: all workers have this result
  acknowledgement = 7,  ///< worker to worker, for a frame of a flow (FlowFields)
  segment = 8,          ///< background traffic: bytes of a flow, which are acknowledged
  datagram = 9,         ///< background traffic: bytes that are not acknowledged
};

/// Flags of a frame. A flag has the same meaning in all formats that use it (wire::known_flags()).
namespace flag {
inline constexpr std::uint8_t ecn = 1;
/// ATP (3.7) and DSA: a retransmission, which reserves no aggregator, or a sum that contains one.
inline constexpr std::uint8_t resend = 2;
inline constexpr std::uint8_t collision = 4;  ///< ATP 3.5: another task used its aggregator
/// ATP's edgeSwitchIdentifier: the root is the next switch that adds, or the frame has passed it.
inline constexpr std::uint8_t second_level = 8;
/// ATP 3.8, after an overflow: the values are float32, and the frame bypasses all aggregators. A
/// request with this flag asks for floats.
inline constexpr std::uint8_t floats = 16;
inline constexpr std::uint8_t new_index = 32;  ///< AggregatorFields::next_index is valid
inline constexpr std::uint8_t partial = 64;  ///< evicted from an aggregator before it was complete
/// The frame answers a fragment request. Its sender may already have the result.
inline constexpr std::uint8_t answer = 128;
}  // namespace flag

/// Fields of the frames of ATP, DSA and the plain parameter server, which has no aggregators.
struct AggregatorFields {
  std::uint32_t index = 0;  ///< index of the aggregator; 0 in the format ps
  /// Bit i: the sum includes the worker at position i of its branch. 0: it includes all workers of
  /// the branches in bitmap1.
  std::uint32_t bitmap0 = 0;
  std::uint32_t bitmap1 = 0;  ///< bit i: the sum includes branch i; 0: the job has one branch
  /// Aggregator index of later fragments, in a server's result with flag::new_index.
  std::uint32_t next_index = 0;
  std::uint16_t priority = 0;  ///< used only in DSA
  std::uint8_t fan_in_degree0 = 0;
  std::uint8_t fan_in_degree1 = 0;

  bool operator==(const AggregatorFields&) const = default;

  BOOST_DESCRIBE_CLASS(AggregatorFields, (),
                       (index, bitmap0, bitmap1, next_index, priority, fan_in_degree0,
                        fan_in_degree1),
                       (), ())
};

struct SwitchmlFields {
  std::uint32_t slot = 0;
  std::uint16_t exponents = 0;  ///< numeric::ExponentCode (wire::SwitchmlHeader)
  bool version = false;         ///< true for the second of the slot's two versions

  bool operator==(const SwitchmlFields&) const = default;

  BOOST_DESCRIBE_CLASS(SwitchmlFields, (), (slot, exponents, version), (), ())
};

/// Fields of frames between two workers. The frames in one direction form a flow.
struct FlowFields {
  /// Number of the frame in its flow, from 0, modulo 2^32. An acknowledgement contains the number
  /// of the frame that it answers.
  std::uint32_t sequence = 0;
  /// All frames of the reverse flow before this one have arrived.
  std::uint32_t acknowledged_before = 0;
  std::uint16_t credit = 0;      ///< number of frames for which there is room, from that frame on
  bool ecn_echo = false;         ///< the acknowledged frames had ECN marks
  bool acknowledge_now = false;  ///< the sender waits for an acknowledgement
  bool may_be_marked = false;  ///< whether switches may set flag::ecn; only for background traffic

  bool operator==(const FlowFields&) const = default;

  BOOST_DESCRIBE_CLASS(FlowFields, (),
                       (sequence, acknowledged_before, credit, ecn_echo, acknowledge_now), (), ())
};

using FormatFields = std::variant<AggregatorFields, SwitchmlFields, FlowFields>;

/// A frame without its values: the fields that all formats share, and the fields of one format.
struct FrameHeader {
  Psn psn = 0;  ///< in SwitchML, the offset, in fragments
  JobId job = 0;
  /// The sender's rank among the job's workers. In SwitchML: the sender's index among the
  /// contributors at the next switch.
  std::uint16_t worker = 0;
  HostId source = 0;
  HostId destination = 0;
  std::uint16_t bytes = 0;  ///< size on the wire, without framing
  FrameKind kind = FrameKind::gradient;
  std::uint8_t flags = 0;
  FormatFields fields;

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  void set(std::uint8_t flag) { flags = static_cast<std::uint8_t>(flags | flag); }
  void clear(std::uint8_t flag) { flags = static_cast<std::uint8_t>(flags & ~flag); }

  /// These throw std::bad_variant_access if the frame is of another format.
  AggregatorFields& aggregator() { return std::get<AggregatorFields>(fields); }
  const AggregatorFields& aggregator() const { return std::get<AggregatorFields>(fields); }
  SwitchmlFields& switchml() { return std::get<SwitchmlFields>(fields); }
  const SwitchmlFields& switchml() const { return std::get<SwitchmlFields>(fields); }
  FlowFields& flow() { return std::get<FlowFields>(fields); }
  const FlowFields& flow() const { return std::get<FlowFields>(fields); }

  BOOST_DESCRIBE_CLASS(FrameHeader, (),
                       (psn, job, worker, source, destination, bytes, kind, flags, fields), (), ())
};

namespace wire {

/// The fields of a format, all 0.
inline FormatFields fields_of(Format format) {
  switch (format) {
    case Format::switchml:
      return SwitchmlFields();
    case Format::atp:
    case Format::dsa:
    case Format::ps:
      return AggregatorFields();
    case Format::flow:
      return FlowFields();
  }
  throw std::invalid_argument("not a packet format");
}

}  // namespace wire

/// A frame in memory, independent of the format. encode() and decode() convert it to and from the
/// bytes of a format.
struct Frame : FrameHeader {
  Values values;

  BOOST_DESCRIBE_CLASS(Frame, (FrameHeader), (values), (), ())
};

/// Length of a frame of `format` with `values` int32 values. A request, notification or release
/// has 0 values.
constexpr std::uint16_t frame_bytes(wire::Format format, std::size_t values) {
  const std::size_t header = wire::kHeaderBytes[static_cast<std::size_t>(format)];
  return static_cast<std::uint16_t>(header + values * sizeof(std::int32_t));
}

}  // namespace ina
