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

namespace ina::exploration {

/// Coin in the switch. The explorer chooses its side, and `tossed` records whether it was used.
struct Coin {
  bool heads = false;
  bool tossed = false;
};

/// Makes a system's objects, and visits their state.
class System {
 public:
  virtual ~System() = default;
  virtual std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                                       ResultSink& sink) = 0;
  /// Returns nullptr if the system has no servers.
  virtual std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity) = 0;
  virtual std::unique_ptr<programs::SwitchProgram> make_program() = 0;
  /// The configuration of the cluster as a mistaken control plane sees it.
  virtual cluster::ControlPlane::Config taken_for(const cluster::ControlPlane::Config& it) const {
    return it;
  }
  /// Object between the control plane and its world that implements a mistake of the control plane.
  /// nullptr: there is no mistake.
  virtual std::unique_ptr<cluster::ControlWorld> make_control_mistake(cluster::ControlWorld&) {
    return nullptr;
  }
  /// Delivers a frame to the server.
  virtual void receive(ParameterServer& server, Frame&& frame, Time now) {
    server.receive(std::move(frame), now);
  }
  /// Aggregator tables of the hosts of ATP and DSA. Empty with another addressing.
  virtual std::vector<std::uint32_t> table_of_worker(WorkerTransport& worker) const;
  virtual std::vector<std::uint32_t> table_of_server(ParameterServer& server) const;
  /// Number of timers of a worker whose state was read back. Any of them may fire.
  virtual std::size_t timers(WorkerTransport& worker) const {
    return worker.deadline() == kNever ? 0 : 1;
  }
  /// Makes this timer due by the worker's deadline, and no other.
  virtual void let_fire(WorkerTransport&, std::size_t, Time) {}
  /// Delivers a frame to the worker.
  virtual void receive(WorkerTransport& worker, const Frame& frame, Time now) {
    worker.receive(frame, now);
  }
  /// The tensor as it is passed to the worker.
  virtual Tensor changed(const Tensor& tensor) const { return tensor; }
  virtual void visit_worker(Archive& archive, WorkerTransport& worker) = 0;
  virtual void visit_server(Archive& archive, ParameterServer& server) = 0;
  /// Writes whether an active program has a deadline. The distance to the deadline does not matter;
  /// after it is read back, the deadline is later than the switch's clock.
  virtual void visit_program(Archive& archive, programs::SwitchProgram& program) = 0;
  /// Tasks of the aggregators in use. Empty for SwitchML, whose aggregators do not store their
  /// task.
  virtual std::vector<programs::TaskId> tasks(const programs::SwitchProgram& program) const = 0;
};

/// The real system of a configuration. `pool` and `coin` must outlive it.
std::unique_ptr<System> make_system(const Configuration& configuration, ValuePool& pool,
                                    Coin& coin);

}  // namespace ina::exploration
