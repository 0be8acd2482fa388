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
/// Frames to this address go to every worker of their job.
inline constexpr HostId kAllWorkers = 0xffff;
/// Packet sequence number: numbers the fragments of a job, runs on through tensors and iterations.
using Psn = std::uint32_t;

enum class FrameKind : std::uint8_t {
  gradient = 1,  ///< values of the workers in the bitmap (one, or several: a partial aggregate)
  result = 2,    ///< the complete sum, to every worker; ATP's parameter packet
  reminder = 3,  ///< DSA: PS to switch, fetch and free; comes back as a gradient, or as it went
  fragment_request =
      4,  ///< PS to the workers whose bits are not in the bitmap: send the fragment to me
  notification = 5,     ///< DSA: worker to PS, run the reminder for this PSN
  release = 6,          ///< worker to PS, instead of an answer: nobody needs this PSN any more
  acknowledgement = 7,  ///< worker to worker, of a frame of a flow (FlowFields)
};

/// A frame's flags, each with one meaning in all formats that have it (wire::known_flags()).
namespace flag {
inline constexpr std::uint8_t ecn = 1;
/// ATP 3.7; DSA: a retransmission, reserves no aggregator, or what completed a result.
inline constexpr std::uint8_t resend = 2;
inline constexpr std::uint8_t collision = 4;  ///< ATP 3.5: found its aggregator in use
/// ATP's edgeSwitchIdentifier: for the root, or of it.
inline constexpr std::uint8_t second_level = 8;
/// ATP 3.8, after an overflow: the values are float32, past all aggregators; a request asks for
/// such.
inline constexpr std::uint8_t floats = 16;
inline constexpr std::uint8_t new_index = 32;  ///< AggregatorFields::next_index is valid
inline constexpr std::uint8_t partial = 64;    ///< came out of an aggregator before it was complete
/// To a fragment request: its sender may have the result.
inline constexpr std::uint8_t answer = 128;
}  // namespace flag

/// Fields of the frames of ATP, DSA and the plain parameter server, which uses no aggregator.
struct AggregatorFields {
  std::uint32_t index = 0;  ///< of the aggregator; ps: 0
  /// Bit i: the worker at place i of its branch is in the sum. 0: all workers of the branches in
  /// bitmap1 are.
  std::uint32_t bitmap0 = 0;
  std::uint32_t bitmap1 = 0;  ///< bit i: branch i is in the sum; 0: the job has one branch
  /// The aggregator under which workers go on, in a server's result with flag::new_index.
  std::uint32_t next_index = 0;
  std::uint16_t priority = 0;  ///< DSA
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
  bool version = false;         ///< which of the slot's two versions

  bool operator==(const SwitchmlFields&) const = default;

  BOOST_DESCRIBE_CLASS(SwitchmlFields, (), (slot, exponents, version), (), ())
};

/// Fields of frames between two workers, whose frames one way are a flow.
struct FlowFields {
  /// Number of the frame in its flow, from 0, modulo 2^32; of an acknowledgement, that of the frame
  /// that it answers.
  std::uint32_t sequence = 0;
  /// All frames before this one of the flow that comes the other way are there.
  std::uint32_t acknowledged_before = 0;
  std::uint16_t credit = 0;      ///< how many frames from that one on there is room for
  bool ecn_echo = false;         ///< what came the other way, and is acknowledged here, was marked
  bool acknowledge_now = false;  ///< the sender does not go on without an acknowledgement

  bool operator==(const FlowFields&) const = default;

  BOOST_DESCRIBE_CLASS(FlowFields, (),
                       (sequence, acknowledged_before, credit, ecn_echo, acknowledge_now), (), ())
};

using FormatFields = std::variant<AggregatorFields, SwitchmlFields, FlowFields>;

/// A frame without its values: what all formats have, and the fields of one of them.
struct FrameHeader {
  Psn psn = 0;  ///< SwitchML's offset, in fragments
  JobId job = 0;
  /// Number of the sender among the members by whom the receiver knows the job: its rank. SwitchML:
  /// its place among those that its next switch adds up.
  std::uint16_t worker = 0;
  HostId source = 0;
  HostId destination = 0;
  std::uint16_t bytes = 0;  ///< on the wire, without framing
  FrameKind kind = FrameKind::gradient;
  std::uint8_t flags = 0;
  FormatFields fields;

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  void set(std::uint8_t flag) { flags = static_cast<std::uint8_t>(flags | flag); }
  void clear(std::uint8_t flag) { flags = static_cast<std::uint8_t>(flags & ~flag); }

  /// Each throws std::bad_variant_access if the frame is of another format.
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

/// A frame as every part of the protocol sees it; encode() and decode() turn it into the bytes of
/// one of the formats and back.
struct Frame : FrameHeader {
  Values values;

  BOOST_DESCRIBE_CLASS(Frame, (FrameHeader), (values), (), ())
};

/// Bytes of a frame of `format` with `values` int32 values (0: a request, notification or
/// release).
constexpr std::uint16_t frame_bytes(wire::Format format, std::size_t values) {
  const std::size_t header = wire::kHeaderBytes[static_cast<std::size_t>(format)];
  return static_cast<std::uint16_t>(header + values * sizeof(std::int32_t));
}

}  // namespace ina
