// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/wire/addressing.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/programs/join_priority.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "tests/support/star_network.hpp"

namespace ina::testing {

enum class System : std::uint8_t { switchml, atp, dsa };
/// In the order of System.
inline constexpr const char* kSystemNames[] = {"switchml", "atp", "dsa"};
inline const char* name_of(System system) { return kSystemNames[static_cast<std::size_t>(system)]; }

wire::Protocol protocol_of(System system);

/// What the parts of a cluster have in common.
struct ClusterShape {
  System system = System::dsa;
  std::uint16_t jobs = 1;    ///< that run at a time
  std::uint16_t leaves = 0;  ///< ATP: racks beside that of the servers
  wire::Levels levels = wire::Levels::two;
  std::uint32_t aggregators = 1;  ///< SwitchML: slots of each job
  std::size_t width = 8;          ///< values that frames carry
  policies::CollisionPolicy policy = policies::kDsaPolicy;
  std::uint64_t policy_seed = 0;
  programs::JoinPriority join_priority = programs::JoinPriority::keep;  ///< DSA
  CongestionWindow::Config window;
  Time min_rto = std::chrono::milliseconds(1);
  bool adaptive_rto = false;                                ///< SwitchML
  bool congestion_control = false;                          ///< SwitchML: has the window
  wire::AddressingConfig addressing;                        ///< its aggregators are those above
  std::uint32_t kept_results = 256;                         ///< ATP, DSA
  Time aggregator_expiry = std::chrono::milliseconds(100);  ///< ATP
};

std::unique_ptr<WorkerTransport> make_worker(const ClusterShape& shape,
                                             const WorkerIdentity& identity, ValuePool& pool,
                                             ResultSink& sink);
/// Null for SwitchML, which has no servers.
std::unique_ptr<ParameterServer> make_server(const ClusterShape& shape,
                                             const ServerIdentity& identity, ValuePool& pool);
/// Verifies the rules of the pipeline on every packet.
std::unique_ptr<programs::SwitchProgram> make_program(const ClusterShape& shape);

/// What the control plane tells the switch about the job that runs as the `place`-th.
programs::JobEntry job_entry(const ClusterShape& shape, std::uint16_t workers, HostId server,
                             std::uint32_t place);

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
