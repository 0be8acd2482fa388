// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/protocol/registration/id_pool.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/job_servers.hpp"
#include "hw/protocol/wire/registration.hpp"

namespace ina::registration {

using wire::RegistrationMessage;
using Messages = std::vector<RegistrationMessage>;

/// If a worker that has joined is silent for this time, it is dropped from the next session.
inline constexpr Time kJoinExpiry = std::chrono::seconds(2);
/// Interval between two `ended` or `announce` messages to a member that does not answer.
inline constexpr Time kRepeatInterval = std::chrono::milliseconds(50);

/// Assigns ids to the sessions of one job (CORRECTNESS.md, "Sessions"). It is part of the switch at
/// the root of the job's tree. It sends messages only in response to a message and needs no timer,
/// since the members repeat their messages.
///
/// The invariant: an id belongs to one set of processes, one process per rank. When another process
/// joins under one of the ranks, the session is over, and the next session has another id. A join
/// message counts only if it has the current epoch. Its sender was thus alive after the session
/// began, so a delayed message cannot end a session.
class Registrar {
 public:
  struct Config {
    JobId job = 0;  ///< number of the job
    IdPool ids;
    std::uint8_t system = 0;  ///< number of the system
    std::uint16_t values_per_packet = 0;
    std::uint32_t cluster = 0;    ///< checksum of the cluster file; members must have the same
    std::vector<HostId> workers;  ///< by rank
    wire::JobServers servers;     ///< empty if the system has none
    std::uint32_t epoch = 1;      ///< first epoch; no earlier registrar of the job used it
    /// The first session has the id that follows this one, unless a member or a switch reports an
    /// id, which then replaces this one. Pass a random id if an earlier registrar may have assigned
    /// ids that no member remembers.
    JobId drawn = wire::kNoId;
  };

  explicit Registrar(Config config);

  /// Handles a join, probe or ready message from a member whose identity the switch has verified.
  /// Drops or refuses other messages. Appends the messages to send to `out`. If a session begins,
  /// returns its id, and the switch must accept frames with this id before it sends the messages.
  std::optional<JobId> receive(const RegistrationMessage& message, Time now, Messages& out);

  /// Id of the latest session; kNoId if there was none.
  JobId current() const { return current_; }

 private:
  using Incarnation = std::uint64_t;
  /// A worker that has joined the next session.
  struct Joining {
    Incarnation incarnation = 0;
    bool continues = false;
    bool confirmed = false;  ///< whether the worker confirmed the announced id
    Time heard{};

    BOOST_DESCRIBE_CLASS(Joining, (), (incarnation, continues, confirmed, heard), (), ())
  };
  std::size_t workers() const { return config_.workers.size(); }
  bool is_in_session(const RegistrationMessage& message) const;
  bool may_continue(const RegistrationMessage& join) const;
  void join(const RegistrationMessage& message, Time now, Messages& out);
  void note(const RegistrationMessage& join, Time now, Messages& out);
  void end_session(std::uint16_t because_of, Time now, Messages& out);
  void drop_continuing(std::uint16_t because_of, Messages& out);
  void forget_silent(Time now);
  void learn(JobId latest);
  void ready(const RegistrationMessage& message, Messages& out);
  bool all_joined() const;
  bool all_confirmed() const;
  void advance(Time now, Messages& out);
  void announce_to_servers(Messages& out);
  std::optional<JobId> begin_session(Messages& out);

  RegistrationMessage to_member(wire::RegistrationKind kind, std::size_t member, HostId host) const;
  RegistrationMessage to_worker(wire::RegistrationKind kind, std::size_t rank,
                                Incarnation incarnation) const;
  RegistrationMessage end_of(std::size_t rank, Incarnation incarnation,
                             std::uint16_t because_of) const;
  RegistrationMessage announcement(std::size_t server, JobId id) const;
  RegistrationMessage refusal(const RegistrationMessage& message, wire::RefusalReason reason) const;
  RegistrationMessage missing(const RegistrationMessage& join) const;

  Config config_;
  bool is_drawn_;  // whether latest_ comes from Config::drawn, and from no member
  JobId latest_;   // last id that was given to a session or announced
  std::uint32_t epoch_;
  JobId current_ = wire::kNoId;                       // id of the running session
  std::vector<Incarnation> incarnations_;             // by rank: processes in the session
  JobId announced_ = wire::kNoId;                     // id of the next session
  std::vector<std::optional<Joining>> joining_;       // by rank
  std::vector<std::uint8_t> servers_ready_;           // by index: whether ready for announced_
  std::vector<std::optional<Incarnation>> replaced_;  // by rank: the process that was replaced last
  std::optional<Time> announced_at_;                  // last announcement of an id
  std::optional<Time> ended_at_;                      // last `ended` messages to workers

  BOOST_DESCRIBE_CLASS(Registrar, (), (), (),
                       (is_drawn_, latest_, epoch_, current_, incarnations_, announced_, joining_,
                        servers_ready_, replaced_, announced_at_, ended_at_))
};

}  // namespace ina::registration
