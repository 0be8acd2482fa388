// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "hw/protocol/registration/id_pool.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/registration.hpp"

namespace ina::registration {

using wire::RegistrationMessage;

/// Interval at which a worker repeats its join message.
inline constexpr Time kJoinInterval = std::chrono::milliseconds(50);
/// Interval at which a worker in a session sends probes.
inline constexpr Time kProbeInterval = std::chrono::milliseconds(250);
/// If a worker sends joins or probes at these intervals and gets no answer for kSilenceLimit, it
/// assumes that its switch is gone.
inline constexpr Time kSilenceLimit = std::chrono::seconds(4);

/// Makes a worker a member of its job's sessions (CORRECTNESS.md, "Sessions"): it joins a session
/// and detects when the session is over. It does no I/O: the caller passes received messages to
/// receive(), and sends those that next() returns.
class WorkerMembership {
 public:
  struct Config {
    JobId job = 0;  ///< number of the job
    std::uint16_t rank = 0;
    std::uint16_t workers = 0;
    HostId host = 0;
    std::uint8_t system = 0;                                       ///< number of the system
    std::string (*name_of_system)(std::uint8_t system) = nullptr;  ///< for error messages
    std::uint16_t values_per_packet = 0;
    std::uint32_t cluster = 0;  ///< checksum of the cluster file
    /// Random number that identifies the process. A process that continues after a session adds 1
    /// to the number that it used in the session.
    std::uint64_t incarnation = 0;
    bool continues = false;
  };
  enum class State : std::uint8_t {
    joining,
    in_session,
    refused,  ///< why() has the reason
    over,     ///< the session has ended; why() has the reason
  };

  explicit WorkerMembership(const Config& config) : config_(config) {}

  void receive(const RegistrationMessage& message, Time now);
  /// Returns the message to send, if one is due.
  std::optional<RegistrationMessage> next(Time now);
  /// Time at which next() must be called again.
  Time deadline() const { return next_at_; }

  State state() const { return state_; }
  /// Id of the session. Valid while the worker is in a session.
  JobId id() const { return id_; }
  const Config& config() const { return config_; }
  /// Reason, in one line, why the worker is not in a session: what it waits for, why it was
  /// refused, or why its session is over.
  std::string why() const;

 private:
  RegistrationMessage message(wire::RegistrationKind kind) const;
  void end(State state, const RegistrationMessage& message);
  std::string end_of_session() const;
  std::string missing() const;
  std::string refusal() const;

  Config config_;
  State state_ = State::joining;
  JobId id_ = wire::kNoId;   // id that was announced, or id of the session
  std::uint32_t epoch_ = 0;  // epoch of the registrar's last message
  Time next_at_{};           // the first message is due at once
  Time unanswered_for_{};
  std::optional<RegistrationMessage> last_;  // the last `waiting`, `ended` or `refused`

  BOOST_DESCRIBE_CLASS(WorkerMembership, (), (), (), (state_, id_, epoch_))
};

/// Makes a parameter server a member of its job's sessions: it adopts the ids that the registrar
/// announces.
class ServerMembership {
 public:
  struct Config {
    JobId job = 0;            ///< number of the job
    std::uint16_t index = 0;  ///< among the servers of the job
    HostId host = 0;
    IdPool ids;
    std::uint32_t cluster = 0;  ///< checksum of the cluster file
  };

  explicit ServerMembership(const Config& config) : config_(config) {}

  /// Returns whether the message begins another session. If so, id() returns the new id, and the
  /// server must discard all its state.
  bool receive(const RegistrationMessage& message);
  /// Call this if a frame has an id other than id(). The server then asks the registrar for the
  /// current id, at most once per kJoinInterval.
  void ask(Time now);
  /// The message to send, if there is one.
  std::optional<RegistrationMessage> next();

  /// Id of the latest session of which the server has heard; kNoId if there is none.
  JobId id() const { return id_; }
  /// Reason why a switch refused the server, in one line; empty if it was not refused.
  std::optional<std::string> refusal() const;

 private:
  Config config_;
  JobId id_ = wire::kNoId;
  bool answers_ = false;
  bool asks_ = false;
  Time asked_at_{};
  std::optional<RegistrationMessage> refused_;

  BOOST_DESCRIBE_CLASS(ServerMembership, (), (), (), (id_, answers_, asks_))
};

}  // namespace ina::registration
