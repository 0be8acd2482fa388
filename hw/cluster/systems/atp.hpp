// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "hw/cluster/systems/asking_server.hpp"
#include "hw/cluster/systems/hashed.hpp"
#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"

namespace ina::cluster {

/// ATP (NSDI '21). All jobs share the aggregators, first come, first served. A parameter server
/// adds packets that collided. Two levels of switches add.
class Atp : public AskingServer<HashedSystem<AtpWorker>, AtpServer> {
 public:
  static constexpr SystemTraits kTraits{.name = "atp",
                                        .title = "ATP",
                                        .label = "ATP",
                                        .colour = 1,
                                        .format = wire::Format::atp,
                                        .has_servers = true,
                                        .has_aggregators = true,
                                        .has_own_slots = false,
                                        .job_ids = 65'535,
                                        .has_reminders = false,
                                        .loses_jobs_with_switch = false,
                                        .results_from_servers = true};

  double overflow_share = 0;
  std::uint32_t rack_levels =
      2;  ///< 1: each rack's switch adds its workers' gradients; no switch adds the racks' sums

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    HashedSystem::visit(visitor, self);
    visitor.boolean("rehash", self.worker.addressing.rehash,
                    "Whether a job that collides in an aggregator permanently uses another "
                    "aggregator instead. Only for addressing hash");
    visit_server(visitor, self);
    visitor.probability("overflow", self.overflow_share,
                        "Share of fragments in which a sum overflows a 32-bit integer, so that the "
                        "parameter server requests floats. Requires a payload");
    visitor.boolean("overflow_is_congestion", self.worker.overflow_is_congestion,
                    "Whether a result that the parameter server computed from floats halves the "
                    "window, as an ECN mark does. According to ATP 3.8, overflows of less than 0.1 "
                    "% of the packets cost nothing");
    visitor.one_of(
        "levels", self.rack_levels, std::array<std::uint32_t, 2>{1, 2},
        "Number of levels of aggregation with several racks. 1: each rack's switch sends its sum "
        "to the parameter server. 2: the parameter server's switch adds the racks' sums first");
  }

  const SystemTraits& traits() const override { return kTraits; }
  wire::Levels levels() const override {
    return rack_levels == 1 ? wire::Levels::one : wire::Levels::two;
  }
  double overflow() const override { return overflow_share; }

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity, ValuePool& pool,
                                               ResultSink& sink) const override {
    return std::make_unique<AtpWorker>(identity, worker, pool, sink);
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity,
                                               ValuePool&) const override {
    AtpServer::Config config = server;
    config.addressing = worker.addressing;
    config.values_per_packet = worker.values_per_packet;
    return std::make_unique<AtpServer>(identity, config);
  }

  bool operator==(const Atp&) const = default;
};

}  // namespace ina::cluster
