// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "hw/cluster/systems/system.hpp"
#include "hw/cluster/systems/window.hpp"
#include "hw/protocol/server/ps_server.hpp"
#include "hw/protocol/transport/ps_worker.hpp"

namespace ina::cluster {

/// The plain parameter server, to compare with: switches forward, servers sum.
class Ps : public WindowedSystem<PsWorker> {
 public:
  static constexpr SystemTraits kTraits{.protocol = wire::Protocol::ps,
                                        .title = "parameter server",
                                        .has_servers = true,
                                        .adds_up_in_racks = false,
                                        .has_aggregators = false,
                                        .has_own_slots = false,
                                        .job_ids = 65'535,
                                        .has_reminders = false,
                                        .flags = flag::of_ps,
                                        .loses_jobs_with_switch = false};

  PsServer::Config server;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    WindowedSystem::visit(visitor, self);
    visitor.integer(
        "kept_results", self.server.kept_results, fields::Bounds<std::uint32_t>{1, kMaxKeptResults},
        "The latest results that a parameter server keeps for workers that lost theirs");
    visitor.time(
        "request_timeout", self.server.request_timeout, fields::kTimeout,
        "Time after which a parameter server asks the workers for what an entry lacks; doubles "
        "until something new comes in");
  }

  const SystemTraits& traits() const override { return kTraits; }
  void limit(const ProcessLimits& limits) override {
    WindowedSystem::limit(limits);
    server.request_timeout = std::max(server.request_timeout, limits.least_timeout);
  }
  std::uint32_t kept_results() const override { return server.kept_results; }
  wire::Levels levels() const override { return wire::Levels::none; }
  Time least_timeout() const override { return std::max(worker.min_rto, server.request_timeout); }

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity, ValuePool& pool,
                                               ResultSink& sink) const override {
    return std::make_unique<PsWorker>(identity, worker, pool, sink);
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity,
                                               ValuePool&) const override {
    return std::make_unique<PsServer>(identity, server);
  }

  bool operator==(const Ps&) const = default;

 protected:
  /// Packets of all workers meet at the server's link.
  Way way_of_results(const Environment& environment) const override {
    return {environment.to_server_and_back, environment.ecn_threshold_bytes};
  }
};

}  // namespace ina::cluster
