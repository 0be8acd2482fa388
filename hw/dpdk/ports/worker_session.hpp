// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/spec/spec.hpp"
#include "hw/dpdk/ports/idle.hpp"
#include "hw/dpdk/ports/port.hpp"
#include "hw/processes/members.hpp"
#include "hw/processes/run_clock.hpp"
#include "hw/protocol/registration/member.hpp"

namespace ina::ports {

/// A worker's membership in the sessions of its job, negotiated through its port. It installs
/// itself as the port's handler of registration messages.
class WorkerSession {
 public:
  WorkerSession(Port& port, const cluster::Spec& cluster, processes::WorkerId self);

  /// Time since construction.
  Time now() const { return clock_.now(); }
  /// Sends the registration message that is due, if any. Call this after each read of the port.
  void step(Time now);
  /// One loop pass of a joining worker. Discards received frames, which belong to a former session,
  /// and sends the registration message that is due, if any.
  void join_turn(Idle& idle);
  /// Begins to join the next session; the job's other workers do so, too. The current session
  /// continues until all workers have joined.
  void join_again();

  const registration::WorkerMembership& membership() const { return membership_; }

 private:
  Port& port_;
  processes::RunClock clock_;
  registration::WorkerMembership membership_;
};

}  // namespace ina::ports
