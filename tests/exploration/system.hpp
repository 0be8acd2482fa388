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

/// The chance in the switch: a coin whose side the explorer chooses, and which says whether it was
/// tossed.
struct Coin {
  bool heads = false;
  bool tossed = false;
};

/// Makes a system's objects, and walks through their state.
class System {
 public:
  virtual ~System() = default;
  virtual std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity,
                                                       ResultSink& sink) = 0;
  /// None if the system has no servers.
  virtual std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity) = 0;
  virtual std::unique_ptr<programs::SwitchProgram> make_program() = 0;
  /// What a mistaken control plane takes the cluster for.
  virtual cluster::ControlPlane::Config taken_for(const cluster::ControlPlane::Config& it) const {
    return it;
  }
  /// What stands between the control plane and its world, to do what a mistaken one does; none: it
  /// is as it is.
  virtual std::unique_ptr<cluster::ControlWorld> make_control_mistake(cluster::ControlWorld&) {
    return nullptr;
  }
  /// Hands the server a frame.
  virtual void receive(ParameterServer& server, Frame&& frame, Time now) {
    server.receive(std::move(frame), now);
  }
  /// The tables of aggregators of ATP's and DSA's hosts; empty with another addressing.
  virtual std::vector<std::uint32_t> table_of_worker(WorkerTransport& worker) const;
  virtual std::vector<std::uint32_t> table_of_server(ParameterServer& server) const;
  /// Of a worker that a saved state was read into. Any of them may fire.
  virtual std::size_t timers(WorkerTransport& worker) const {
    return worker.deadline() == kNever ? 0 : 1;
  }
  /// What this timer waits for is due by the worker's deadline, and nothing else.
  virtual void let_fire(WorkerTransport&, std::size_t, Time) {}
  /// Hands the worker a frame.
  virtual void receive(WorkerTransport& worker, const Frame& frame, Time now) {
    worker.receive(frame, now);
  }
  /// The tensor as the worker gets it.
  virtual Tensor changed(const Tensor& tensor) const { return tensor; }
  virtual void visit_worker(Archive& archive, WorkerTransport& worker) = 0;
  virtual void visit_server(Archive& archive, ParameterServer& server) = 0;
  /// An active program's deadline is written as whether there is one: how far away it is does not
  /// matter, and it is after the switch's clock when it is read back.
  virtual void visit_program(Archive& archive, programs::SwitchProgram& program) = 0;
  /// The tasks that aggregators are in use by; of SwitchML, whose aggregators do not know, none.
  virtual std::vector<programs::TaskId> tasks(const programs::SwitchProgram& program) const = 0;
};

/// The system of a configuration as it is. `pool` and `coin` must outlive it.
std::unique_ptr<System> make_system(const Configuration& configuration, ValuePool& pool,
                                    Coin& coin);

}  // namespace ina::exploration
