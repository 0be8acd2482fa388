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

/// Whether jobs share aggregators, so that their tasks may collide.
bool shares_aggregators(SystemId system);
bool has_collision_policy(SystemId system);
bool has_block_floating_point(SystemId system);
/// Whether servers collect fragments again as floats if their integer sums overflow.
bool collects_floats(SystemId system);
/// Whether a job's leaves send their sums to a root, which may be another switch than its servers'
/// leaf.
bool has_trees(SystemId system);

/// Common parameters of the parts of a cluster. A system uses those for which it has a setting.
struct ClusterShape {
  SystemId system = system_called("dsa");
  std::uint16_t jobs = 1;     ///< number of jobs at the same time
  std::uint16_t servers = 1;  ///< per job, if the system has servers
  std::uint16_t leaves = 0;   ///< racks in addition to the servers' rack
  wire::Levels levels = wire::Levels::two;
  std::uint32_t aggregators = 1;       ///< under SwitchML: slots per job
  std::size_t width = 8;               ///< values per frame
  std::uint32_t switchml_values = 32;  ///< values that a frame of SwitchML stands for
  bool separate_passes = false;        ///< whether programs separate the passes of a packet
  policies::CollisionPolicy policy = policies::kDsaPolicy;
  std::uint64_t policy_seed = 0;
  programs::JoinPriority join_priority = programs::JoinPriority::keep;
  programs::AnsweredBy answered_by = programs::AnsweredBy::network_switch;
  CongestionWindow::Config window;
  Time min_rto = std::chrono::milliseconds(1);
  bool adaptive_rto = false;        ///< for systems in which it is optional
  bool congestion_control = false;  ///< for systems in which it is optional
  /// `aggregators` replaces its number of aggregators. A system rehashes only if it does by
  /// default.
  wire::AddressingConfig addressing;
  /// Results that a server keeps. In all-reduces among workers: frames that a worker holds per
  /// peer.
  std::uint32_t kept_results = 256;
  Time aggregator_expiry = std::chrono::milliseconds(100);

  /// The settings of the system that follow from this shape.
  systems::Settings settings() const;
};

std::unique_ptr<WorkerTransport> make_worker(const ClusterShape& shape,
                                             const WorkerIdentity& identity, ValuePool& pool,
                                             ResultSink& sink);
/// Returns nullptr if the system has no servers.
std::unique_ptr<ParameterServer> make_server(const ClusterShape& shape,
                                             const ServerIdentity& identity, ValuePool& pool);
/// Makes a program that verifies the rules of the pipeline on every packet.
std::unique_ptr<programs::SwitchProgram> make_program(const ClusterShape& shape);

/// The entry that the control plane installs at the switch for the job with this number.
programs::JobEntry job_entry(const ClusterShape& shape, std::uint16_t workers,
                             const wire::JobServers& servers, std::uint32_t number);
/// Members of a job whose workers are all at the middle switch. Systems without servers ignore
/// `server`.
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
