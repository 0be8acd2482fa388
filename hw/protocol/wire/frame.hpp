// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>

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
  acknowledgement = 7,  ///< worker to worker, of a frame of a flow (wire/flow.hpp)
};

namespace flag {
inline constexpr std::uint8_t ecn = 1;
inline constexpr std::uint8_t resend =
    2;  ///< ATP 3.7; DSA: a retransmission, reserves no aggregator, or what completed a result
inline constexpr std::uint8_t collision = 4;  ///< ATP 3.5: found its aggregator in use
inline constexpr std::uint8_t second_level =
    8;                                       ///< ATP's edgeSwitchIdentifier: for the root, or of it
inline constexpr std::uint8_t version = 16;  ///< SwitchML's version bit
/// ATP 3.8, after an overflow: the values are float32, past all aggregators; a request asks for
/// such. SwitchML's header has no flags, hence the same bit.
inline constexpr std::uint8_t floats = version;
/// Of a flow: what came the other way, and is acknowledged hereby, carried `ecn`. Nothing collides
/// in a flow, hence the same bit.
inline constexpr std::uint8_t ecn_echo = collision;
inline constexpr std::uint8_t new_index =
    32;  ///< bitmap0 of this server's result is the aggregator under which its workers go on
inline constexpr std::uint8_t partial = 64;  ///< came out of an aggregator before it was complete
inline constexpr std::uint8_t answer =
    128;  ///< to a fragment request: its sender may have the result
/// Of a flow: its sender does not go on without an acknowledgement. It has no requests, hence the
/// same bit.
inline constexpr std::uint8_t acknowledge_now = answer;
}  // namespace flag

/// A frame but for its values.
struct FrameHeader {
  Psn psn = 0;                         ///< SwitchML's offset, in fragments
  std::uint32_t aggregator_index = 0;  ///< SwitchML's slot
  std::uint32_t bitmap0 = 0;  ///< of workers by place in their branch; 0: of branches as a whole
  std::uint32_t bitmap1 = 0;  ///< of branches; 0: the job has one only
  JobId job = 0;
  std::uint16_t worker = 0;  ///< sender of a gradient: its rank; SwitchML: its place
  HostId source = 0;
  HostId destination = 0;
  std::uint16_t priority = 0;
  std::uint16_t exponents = 0;  ///< SwitchML: numeric::ExponentCode (wire::SwitchmlHeader)
  std::uint16_t bytes = 0;      ///< on the wire, without framing
  FrameKind kind = FrameKind::gradient;
  std::uint8_t flags = 0;
  std::uint8_t fan_in_degree0 = 0;
  std::uint8_t fan_in_degree1 = 0;

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  void set(std::uint8_t flag) { flags = static_cast<std::uint8_t>(flags | flag); }
  void clear(std::uint8_t flag) { flags = static_cast<std::uint8_t>(flags & ~flag); }

  BOOST_DESCRIBE_CLASS(FrameHeader, (),
                       (psn, aggregator_index, bitmap0, bitmap1, job, worker, source, destination,
                        priority, exponents, bytes, kind, flags, fan_in_degree0, fan_in_degree1),
                       (), ())
};

/// A frame as every part of the protocol sees it; encode() and decode() turn it into the bytes of
/// one of the protocols and back.
struct Frame : FrameHeader {
  Values values;

  BOOST_DESCRIBE_CLASS(Frame, (FrameHeader), (values), (), ())
};

/// Bytes of a frame of `protocol` with `values` int32 values (0: a request, notification or
/// release).
constexpr std::uint16_t frame_bytes(wire::Protocol protocol, std::size_t values) {
  const std::size_t header = wire::kHeaderBytes[static_cast<std::size_t>(protocol)];
  return static_cast<std::uint16_t>(header + values * sizeof(std::int32_t));
}

}  // namespace ina
