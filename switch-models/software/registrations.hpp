// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hw/cluster/spec/spec.hpp"
#include "hw/protocol/registration/registrar.hpp"
#include "switch-models/software/orders.hpp"
#include "switch-models/software/peer.hpp"
#include "switch-models/software/software_switch.hpp"

namespace ina::software {

/// Handles a switch's registration messages, which begin and end the sessions of jobs
/// (CORRECTNESS.md, "Sessions"). It verifies the sender of a message by its port, registers jobs
/// whose root is this switch, and forwards messages of other jobs between members and root. It
/// learns a session's id from messages of the root. Only one core of the switch uses it.
class Registrations {
 public:
  struct Outgoing {
    PortIndex port;
    wire::RegistrationMessage message;
  };

  /// `peers`: peer of each port, in the order of the ports; `part`: provides the routes; `orders`:
  /// receives orders for all cores. All references must outlive this.
  Registrations(const cluster::Spec& cluster, cluster::SwitchIndex at,
                const std::vector<Peer>& peers, SoftwareSwitch& part, Orders& orders);

  void receive(const wire::RegistrationMessage& message, PortIndex ingress, Time now);
  /// Returns the messages to send, and removes them.
  std::vector<Outgoing> take_outgoing() { return std::exchange(outgoing_, {}); }

 private:
  struct Job {
    registration::IdPool ids;
    cluster::Registration first;  ///< the job's registration when the switch started
    JobId latest = wire::kNoId;   ///< id of the latest session; kNoId: there was none
    std::optional<registration::Registrar> registrar = std::nullopt;  // at a root
  };

  bool is_from_member(const Job& job, const wire::RegistrationMessage& message, PortIndex ingress);
  void refuse_unknown(wire::RegistrationMessage message, PortIndex ingress);
  void refuse(const wire::RegistrationMessage& message, PortIndex ingress,
              wire::RefusalReason reason);
  static bool has_lost(const Job& job, const wire::RegistrationMessage& message);
  void end_session(const Job& job, wire::RegistrationMessage probe);
  void take_up(Job& job, wire::RegistrationMessage message, Time now);
  void take_down(Job& job, const wire::RegistrationMessage& message);
  void learn(Job& job, JobId id);
  void send_to_host(const Job& job, const wire::RegistrationMessage& message);
  void send_to_root(const Job& job, const wire::RegistrationMessage& message);
  void send(std::span<const PortIndex> ports, const wire::RegistrationMessage& message);

  cluster::SwitchIndex at_;
  std::uint8_t system_;  // the system's number in messages
  std::uint16_t values_per_packet_;
  std::uint32_t checksum_;
  const std::vector<Peer>& peers_;
  SoftwareSwitch& part_;
  Orders& orders_;
  std::vector<Job> jobs_;  // by job number
  std::vector<Outgoing> outgoing_;
};

}  // namespace ina::software
