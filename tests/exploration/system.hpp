// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "hw/cluster/control/control_plane.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/programs/task_id.hpp"
#include "tests/exploration/archive.hpp"
#include "tests/exploration/configuration.hpp"
#include "tests/exploration/passing.hpp"

namespace ina::exploration {

/// The switch's source of random decisions. The explorer chooses its side; `tossed` records whether
/// a program used it.
struct Coin {
  bool heads = false;
  bool tossed = false;
};

/// Makes the objects of one of the systems, and visits their state.
class System {
 public:
  virtual ~System() = default;
  virtual std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                                       ResultSink& sink) = 0;
  /// Returns nullptr if the system has no servers.
  virtual std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity) = 0;
  virtual std::unique_ptr<programs::SwitchProgram> make_program() = 0;
  /// Configuration that the control plane uses instead of `it`. Only a mistake changes it.
  virtual cluster::ControlPlane::Config taken_for(const cluster::ControlPlane::Config& it) const {
    return it;
  }
  /// Makes an object between the control plane and its world that implements a mistake of the
  /// control plane. Returns nullptr if there is no mistake.
  virtual std::unique_ptr<cluster::ControlWorld> make_control_mistake(cluster::ControlWorld&) {
    return nullptr;
  }
  /// Delivers a frame to the server.
  virtual void receive(ParameterServer& server, Frame&& frame, Time now) {
    server.receive(std::move(frame), now);
  }
  /// Aggregator tables of the hosts of ATP and DSA; empty if aggregators are found by hash.
  virtual std::vector<std::uint32_t> table_of_worker(WorkerTransport& worker) const;
  virtual std::vector<std::uint32_t> table_of_server(ParameterServer& server) const;
  /// Number of timers of a worker whose state was read back. Any of them may fire.
  virtual std::size_t timers(WorkerTransport& worker) const {
    return worker.deadline() == kNever ? 0 : 1;
  }
  /// Makes only this timer due at the worker's deadline.
  virtual void let_fire(WorkerTransport&, std::size_t, Time) {}
  /// Delivers a frame to the worker.
  virtual void receive(WorkerTransport& worker, const Frame& frame, Time now) {
    worker.receive(frame, now);
  }
  /// Tensor that the worker gets instead of `tensor`. Only a mistake changes it.
  virtual Tensor changed(const Tensor& tensor) const { return tensor; }
  virtual void visit_worker(Archive& archive, WorkerTransport& worker) = 0;
  virtual void visit_server(Archive& archive, ParameterServer& server) = 0;
  /// For an active program, also writes whether it has a deadline. The time until the deadline does
  /// not matter: after reading back, the deadline is later than the switch's clock.
  virtual void visit_program(Archive& archive, programs::SwitchProgram& program) = 0;
  /// With separate passes: brings states that the same schedules can follow to the same form.
  virtual void forget_unreadable(programs::SwitchProgram&, PassingFrames&) {}
  /// Tasks of the aggregators in use; empty for SwitchML, whose aggregators do not store their
  /// task.
  virtual std::vector<programs::TaskId> tasks(const programs::SwitchProgram& program) const = 0;
};

/// Makes the system of a configuration, without a mistake. `pool` and `coin` must outlive it.
std::unique_ptr<System> make_system(const Configuration& configuration, ValuePool& pool,
                                    Coin& coin);

}  // namespace ina::exploration
