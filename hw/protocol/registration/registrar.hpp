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

/// A worker that joins and is not heard for this long does not take part in the next session.
inline constexpr Time kJoinExpiry = std::chrono::seconds(2);
/// Interval between two `ended` or `announce` messages to a member that does not answer.
inline constexpr Time kRepeatInterval = std::chrono::milliseconds(50);

/// Gives the sessions of one job their ids (CORRECTNESS.md, "Sessions"). It is part of the switch
/// at the root of the job's tree, and reactive: each message that it receives may produce messages;
/// it has no timer, since the members repeat theirs.
///
/// The invariant: an id stands for one set of processes, one per rank. When another process joins
/// in the place of one of them, the session is over, and the next one has another id. A join
/// message counts only if it echoes the present epoch, so that its sender was alive after the
/// session began: what the network held back ends no session.
class Registrar {
 public:
  struct Config {
    JobId job = 0;  ///< its number
    IdPool ids;
    std::uint8_t system = 0;  ///< as in registration messages
    std::uint16_t values_per_packet = 0;
    std::uint32_t cluster = 0;    ///< checksum of the cluster file, which members must have too
    std::vector<HostId> workers;  ///< by rank
    wire::JobServers servers;     ///< none: the system has none
    std::uint32_t epoch = 1;      ///< any number that no former registrar of the job had
    /// The first session has the id after this one, unless a member or a switch has heard of
    /// another id. A random one, if a former registrar may have given ids that nobody remembers.
    JobId drawn = wire::kNoId;
  };

  explicit Registrar(Config config);

  /// Handles a join, probe or ready message of a member, whose sender the switch has verified;
  /// drops all others. Appends the messages to send. Returns the id of a session that begins: the
  /// switch has to accept its frames before it sends the messages.
  std::optional<JobId> receive(const RegistrationMessage& message, Time now, Messages& out);

  /// The id of the latest session; kNoId: there was none.
  JobId current() const { return current_; }

 private:
  using Incarnation = std::uint64_t;
  /// A worker that wants to take part in the next session.
  struct Joining {
    Incarnation incarnation = 0;
    bool continues = false;
    bool confirmed = false;  ///< the id that was announced
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
  bool is_drawn_;  // latest_: nobody has heard of it
  JobId latest_;   // that was given to a session, or announced
  std::uint32_t epoch_;
  JobId current_ = wire::kNoId;                       // of the session
  std::vector<Incarnation> incarnations_;             // in it, by rank
  JobId announced_ = wire::kNoId;                     // of the next session
  std::vector<std::optional<Joining>> joining_;       // by rank
  std::vector<std::uint8_t> servers_ready_;           // by index: for the id that is announced
  std::vector<std::optional<Incarnation>> replaced_;  // by rank: the last one
  std::optional<Time> announced_at_;                  // to servers, for the last time
  std::optional<Time> ended_at_;                      // said to workers, for the last time

  BOOST_DESCRIBE_CLASS(Registrar, (), (), (),
                       (is_drawn_, latest_, epoch_, current_, incarnations_, announced_, joining_,
                        servers_ready_, replaced_, announced_at_, ended_at_))
};

}  // namespace ina::registration
