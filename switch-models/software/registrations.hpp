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

/// A switch's part in the sessions of its jobs (CORRECTNESS.md, "Sessions"): verifies by the port
/// who sends a registration message, registers the jobs whose root it is, and passes on the
/// messages of others, between the members of a job and its root. From the messages that come down
/// it learns the id of the session. Used by one core of the switch.
class Registrations {
 public:
  struct Outgoing {
    PortIndex port;
    wire::RegistrationMessage message;
  };

  /// `peers`: what the ports lead to, in their order; `part`: for its routes; `orders`: to all
  /// cores. All must outlive it.
  Registrations(const cluster::Spec& cluster, cluster::SwitchIndex at,
                const std::vector<Peer>& peers, SoftwareSwitch& part, Orders& orders);

  void receive(const wire::RegistrationMessage& message, PortIndex ingress, Time now);
  /// The messages to send, which are gone then.
  std::vector<Outgoing> take_outgoing() { return std::exchange(outgoing_, {}); }

 private:
  struct Job {
    registration::IdPool ids;
    cluster::Registration first;  ///< as the job was registered when the switch started
    JobId latest = wire::kNoId;   ///< id of the latest session; kNoId: there was none
    std::optional<registration::Registrar> registrar = std::nullopt;  // of a root
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
  std::uint8_t system_;  // as messages have it
  std::uint16_t values_per_packet_;
  std::uint32_t checksum_;
  const std::vector<Peer>& peers_;
  SoftwareSwitch& part_;
  Orders& orders_;
  std::vector<Job> jobs_;  // by number
  std::vector<Outgoing> outgoing_;
};

}  // namespace ina::software
