// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/asking_server.hpp"
#include "hw/cluster/systems/window.hpp"
#include "hw/protocol/server/ps_server.hpp"
#include "hw/protocol/transport/ps_worker.hpp"

namespace ina::cluster {

/// The plain parameter server, a baseline in which switches only forward and servers add.
class Ps : public AskingServer<WindowedSystem<PsWorker>, PsServer> {
 public:
  static constexpr SystemTraits kTraits{.name = "ps",
                                        .title = "parameter server",
                                        .label = "Parameter server",
                                        .colour = 3,
                                        .format = wire::Format::ps,
                                        .has_servers = true,
                                        .has_aggregators = false,
                                        .has_own_slots = false,
                                        .job_ids = 65'535,
                                        .has_reminders = false,
                                        .loses_jobs_with_switch = false,
                                        .results_from_servers = true};

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    visitor.integer("values_per_packet", self.worker.values_per_packet,
                    fields::Bounds<std::uint32_t>{1, wire::kMostPsValues},
                    "Number of values in a packet. Headers add 58 bytes to the frame. An MTU of "
                    "1500 bytes has room for 364 values, and one of 9000 bytes for 2239");
    WindowedSystem::visit(visitor, self);
    visit_server(visitor, self);
  }

  const SystemTraits& traits() const override { return kTraits; }
  std::uint32_t values_per_packet() const override { return worker.values_per_packet; }
  wire::Levels levels() const override { return wire::Levels::none; }

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity, ValuePool& pool,
                                               ResultSink& sink) const override {
    return std::make_unique<PsWorker>(identity, worker, pool, sink);
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity,
                                               ValuePool&) const override {
    return std::make_unique<PsServer>(identity, server, worker.values_per_packet);
  }

  bool operator==(const Ps&) const = default;
};

}  // namespace ina::cluster
