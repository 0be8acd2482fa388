// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/spec/spec.hpp"
#include "hw/dpdk/ports/idle.hpp"
#include "hw/dpdk/ports/port.hpp"
#include "hw/processes/members.hpp"
#include "hw/processes/run_clock.hpp"
#include "hw/protocol/registration/member.hpp"

namespace ina::ports {

/// A worker's membership in the sessions of its job, over its port. Registers itself as the port's
/// handler of registration messages.
class WorkerSession {
 public:
  WorkerSession(Port& port, const cluster::Spec& cluster, processes::WorkerId self);

  /// Time since construction.
  Time now() const { return clock_.now(); }
  /// Sends the messages that are due. Call this after each read of the port.
  void step(Time now);
  /// One turn of a joining worker: drains the port, whose frames belong to a former session, and
  /// sends the messages that are due.
  void join_turn(Idle& idle);
  /// Begins to join the next session, together with the program's other workers. The current
  /// session continues until then.
  void join_again();

  const registration::WorkerMembership& membership() const { return membership_; }

 private:
  Port& port_;
  processes::RunClock clock_;
  registration::WorkerMembership membership_;
};

}  // namespace ina::ports
