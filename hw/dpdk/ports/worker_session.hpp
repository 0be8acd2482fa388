// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/spec/spec.hpp"
#include "hw/dpdk/ports/idle.hpp"
#include "hw/dpdk/ports/port.hpp"
#include "hw/processes/members.hpp"
#include "hw/processes/run_clock.hpp"
#include "hw/protocol/registration/member.hpp"

namespace ina::ports {

/// A worker's membership in the sessions of its job, over its port, which passes it the
/// registration messages that come in. Owner of the port's on_registration().
class WorkerSession {
 public:
  WorkerSession(Port& port, const cluster::Spec& cluster, processes::WorkerId self);

  /// Time since this was made.
  Time now() const { return clock_.now(); }
  /// Sends what is due. Called whenever the port has been read.
  void step(Time now);
  /// One turn of a worker that joins: reads the port, whose frames are of a former session, and
  /// sends what is due.
  void join_turn(Idle& idle);
  /// Begins to join the next session, with the program's other workers; the present one goes on
  /// until that.
  void join_again();

  const registration::WorkerMembership& membership() const { return membership_; }

 private:
  Port& port_;
  processes::RunClock clock_;
  registration::WorkerMembership membership_;
};

}  // namespace ina::ports
