// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/wire/addressing.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/programs/answered_by.hpp"
#include "switch-models/programs/join_priority.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/systems/all.hpp"
#include "tests/support/every_system.hpp"
#include "tests/support/star_network.hpp"

namespace ina::testing {

using cluster::system_called;
using cluster::SystemId;

/// Whether the jobs share aggregators, so that their tasks may meet in one.
bool shares_aggregators(SystemId system);
bool has_collision_policy(SystemId system);
bool has_block_floating_point(SystemId system);
/// Whether its servers collect as floats what overflows as integers.
bool collects_floats(SystemId system);
/// Whether the leaves of a job hand their sums to a switch that need not be its servers' leaf.
bool has_trees(SystemId system);

/// What the parts of a cluster have in common. A system takes of it what it has a setting for.
struct ClusterShape {
  SystemId system = system_called("dsa");
  std::uint16_t jobs = 1;     ///< that run at a time
  std::uint16_t servers = 1;  ///< of each job, if the system has any
  std::uint16_t leaves = 0;   ///< racks beside that of the servers, of a system that has such
  wire::Levels levels = wire::Levels::two;
  std::uint32_t aggregators = 1;  ///< or slots of each job
  std::size_t width = 8;          ///< values that frames carry
  policies::CollisionPolicy policy = policies::kDsaPolicy;
  std::uint64_t policy_seed = 0;
  programs::JoinPriority join_priority = programs::JoinPriority::keep;
  programs::AnsweredBy answered_by = programs::AnsweredBy::network_switch;
  CongestionWindow::Config window;
  Time min_rto = std::chrono::milliseconds(1);
  bool adaptive_rto = false;        ///< of a system that need not have one
  bool congestion_control = false;  ///< of a system that need not have a window
  /// Its aggregators are those above, and no system rehashes that does not by default.
  wire::AddressingConfig addressing;
  /// By a server; where workers add up, frames that each keeps of each other one.
  std::uint32_t kept_results = 256;
  Time aggregator_expiry = std::chrono::milliseconds(100);

  /// The settings of its system that follow from it.
  systems::Settings settings() const;
};

std::unique_ptr<WorkerTransport> make_worker(const ClusterShape& shape,
                                             const WorkerIdentity& identity, ValuePool& pool,
                                             ResultSink& sink);
/// Null if the system has no servers.
std::unique_ptr<ParameterServer> make_server(const ClusterShape& shape,
                                             const ServerIdentity& identity, ValuePool& pool);
/// Verifies the rules of the pipeline on every packet.
std::unique_ptr<programs::SwitchProgram> make_program(const ClusterShape& shape);

/// What the control plane installs at the switch for the job that runs as number `number`.
programs::JobEntry job_entry(const ClusterShape& shape, std::uint16_t workers,
                             const wire::JobServers& servers, std::uint32_t number);
/// Of a job whose workers are all at the middle. `server`: ignored by systems that have none.
node::JobMembers members_in_star(const ClusterShape& shape, const std::vector<HostId>& workers,
                                 HostId server);

class ServerHost final : public Host {
 public:
  explicit ServerHost(std::unique_ptr<ParameterServer> server) : server_(std::move(server)) {}
  void receive(Frame&& frame, Time now) override { server_->receive(std::move(frame), now); }
  bool next(Frame& out, Time) override { return server_->next(out); }
  Time deadline() const override { return server_->deadline(); }
  void expire(Time now) override { server_->expire(now); }
  const ParameterServer& server() const { return *server_; }

 private:
  std::unique_ptr<ParameterServer> server_;
};

}  // namespace ina::testing
