// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>

#include "hw/cluster/systems/hashed.hpp"
#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"

namespace ina::cluster {

/// ATP (NSDI '21): aggregators that all jobs share, first come, first served; a parameter server
/// for what collides; two levels of racks.
class Atp : public HashedSystem<AtpWorker> {
 public:
  static constexpr SystemTraits kTraits{.protocol = wire::Protocol::atp,
                                        .title = "ATP",
                                        .has_servers = true,
                                        .adds_up_in_racks = true,
                                        .has_aggregators = true,
                                        .has_own_slots = false,
                                        .job_ids = 65'535,
                                        .has_reminders = false,
                                        .flags = flag::of_atp,
                                        .loses_jobs_with_switch = false};

  AtpServer::Config server;
  double overflow_share = 0;
  std::uint32_t rack_levels = 2;  ///< 1: racks add up their own, and nobody their sums

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    HashedSystem::visit(visitor, self);
    visitor.boolean("rehash", self.worker.addressing.rehash,
                    "Whether a collision gives the aggregator's fragments another one for ever, if "
                    "addressing is hash");
    visitor.integer(
        "kept_results", self.server.kept_results, fields::Bounds<std::uint32_t>{1, kMaxKeptResults},
        "The latest results that a parameter server keeps for workers that lost theirs");
    visitor.time(
        "request_timeout", self.server.request_timeout, fields::kTimeout,
        "Time after which a parameter server asks the workers for what an entry lacks; doubles "
        "until something new comes in");
    visitor.probability("overflow", self.overflow_share,
                        "Share of fragments in which a value does not fit an integer, so that the "
                        "parameter server asks for floats; needs a payload");
    visitor.one_of(
        "levels", self.rack_levels, std::array<std::uint32_t, 2>{1, 2},
        "Levels of aggregation with racks: with 1 a rack's sum goes to the parameter server as "
        "it is, with 2 the parameter server's switch adds the racks' sums up");
  }

  const SystemTraits& traits() const override { return kTraits; }
  void limit(const ProcessLimits& limits) override {
    HashedSystem::limit(limits);
    server.request_timeout = std::max(server.request_timeout, limits.least_timeout);
  }
  std::uint32_t kept_results() const override { return server.kept_results; }
  Time least_timeout() const override { return std::max(worker.min_rto, server.request_timeout); }
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
    return std::make_unique<AtpServer>(identity, config);
  }

  bool operator==(const Atp&) const = default;

 protected:
  /// Packets of all workers meet at the server's link.
  Way way_of_results(const Environment& environment) const override {
    return {environment.to_server_and_back, environment.ecn_threshold_bytes};
  }
};

}  // namespace ina::cluster
