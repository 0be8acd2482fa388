// SPDX-License-Identifier: BSD-3-Clause
// Registration messages, by which the processes of a job agree on the id of a session before its
// first packet (CORRECTNESS.md, "Sessions"). Their format is the same in every system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/headers.hpp"

namespace ina::wire {

inline constexpr std::uint16_t kRegistrationPort = 48868;

/// Maximum number of members that a message lists.
inline constexpr std::size_t kListedMembers = 8;

/// Header of a registration message, after the UDP header. All fields are big-endian. `system` is a
/// cluster::SystemId. Flag 1 is RegistrationMessage::continues, and flag 2 is of_servers.
struct RegistrationHeader {
  big_uint8_buf_t kind;
  big_uint8_buf_t reason;
  big_uint8_buf_t flags;
  big_uint8_buf_t system;
  big_uint16_buf_t job;
  big_uint16_buf_t member;
  big_uint16_buf_t id;
  big_uint16_buf_t latest_id;
  big_uint16_buf_t workers;
  big_uint16_buf_t values_per_packet;
  boost::endian::big_uint64_buf_t incarnation;
  big_uint32_buf_t epoch;
  big_uint32_buf_t cluster;
  big_uint16_buf_t detail;
  std::array<big_uint16_buf_t, kListedMembers> listed;
};
BOOST_DESCRIBE_STRUCT(RegistrationHeader, (),
                      (kind, reason, flags, system, job, member, id, latest_id, workers,
                       values_per_packet, incarnation, epoch, cluster, detail, listed))
static_assert(sizeof(RegistrationHeader) == 50);

/// Address, in registration messages, of the registrar: the switch that registers a job.
inline constexpr HostId kRegistrarAddress = 0xfffe;
/// "No id" in registration messages.
inline constexpr JobId kNoId = 0xffff;

enum class RegistrationKind : std::uint8_t {
  join = 1,      ///< worker to registrar, repeated: the worker joins the next session
  waiting = 2,   ///< registrar to worker: lists members that have not answered; none after a probe
  announce = 3,  ///< registrar to member: the id of the next session, to be confirmed
  welcome = 4,   ///< registrar to worker: all members have confirmed; the session begins
  ready = 5,     ///< server to registrar: the id that it uses; kNoId: it requests one
  ended = 6,     ///< registrar to worker: its session is over. `replaced`: because worker `detail`
                 ///< started again. Otherwise: the registrar does not know the session
  refused = 7,   ///< switch to member, with a RefusalReason
  probe = 8,     ///< worker to registrar: is my session still running? Answer: waiting or ended
};

enum class RefusalReason : std::uint8_t {
  none = 0,
  wrong_port = 1,     ///< the port belongs to the host in `detail`
  replaced = 2,       ///< another process joined as this worker
  other_cluster = 3,  ///< its cluster file differs from the switch's file
  no_ids = 4,         ///< the jobs of the cluster leave no spare ids
};

struct RegistrationMessage {
  RegistrationKind kind = RegistrationKind::join;
  RefusalReason reason = RefusalReason::none;
  bool continues = false;  ///< join: the process still runs and only gives up its present id
  /// waiting: `listed` are indices of servers, not ranks; announce, refused: `member` is a server.
  bool of_servers = false;
  std::uint8_t system = 0;   ///< cluster::SystemId
  JobId job = 0;             ///< number of the job in the cluster file
  std::uint16_t member = 0;  ///< rank of the worker, or index of the server
  HostId source = 0;
  HostId destination = 0;
  JobId id = kNoId;         ///< join, ready: the id that was announced to the sender
  JobId latest_id = kNoId;  ///< join, probe, ready: latest id that the sender and switches know
  std::uint16_t workers = 0;
  std::uint16_t values_per_packet = 0;
  std::uint64_t incarnation = 0;  ///< random number of the worker's process
  /// From the registrar: a number that changes with each session. In a join: the last epoch that
  /// the worker received, or 0.
  std::uint32_t epoch = 0;
  /// join, ready: checksum of the sender's cluster file; refused: checksum of the switch's file.
  std::uint32_t cluster = 0;
  /// waiting: number of missing members; ended: rank of the worker that started again; refused:
  /// see RefusalReason.
  std::uint16_t detail = 0;
  /// waiting: the first missing members.
  std::array<std::uint16_t, kListedMembers> listed{};

  /// Whether `member` is the index of a server. If not, it is a worker's rank.
  bool names_server() const {
    return kind == RegistrationKind::ready ||
           ((kind == RegistrationKind::announce || kind == RegistrationKind::refused) &&
            of_servers);
  }

  friend bool operator==(const RegistrationMessage&, const RegistrationMessage&) = default;
};

/// Bytes of a frame with a registration message.
inline constexpr std::size_t kRegistrationBytes =
    sizeof(EthernetHeader) + sizeof(Ipv4Header) + sizeof(UdpHeader) + sizeof(RegistrationHeader);

/// Writes the message as an Ethernet frame and returns its length, kRegistrationBytes. Throws
/// std::length_error if `out` is shorter.
std::size_t encode(const RegistrationMessage& message, std::span<std::byte> out);

/// Parses the message in an Ethernet frame. Returns nothing if the frame is anything else.
std::optional<RegistrationMessage> decode_registration(std::span<const std::byte> bytes);

/// Whether the frame's UDP port is that of registration messages. It is cheap enough to be called
/// for every frame.
bool is_registration(std::span<const std::byte> bytes);

}  // namespace ina::wire
