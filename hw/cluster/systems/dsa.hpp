// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/cluster/systems/hashed.hpp"
#include "hw/protocol/server/dsa_server.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/interface_queue.hpp"

namespace ina::cluster {

/// DSA: packets of higher priority preempt aggregators. Switches send results themselves. The
/// parameter server completes split tasks. The root of a job's tree adds the racks' sums.
class Dsa : public HashedSystem<DsaWorker> {
 public:
  static constexpr SystemTraits kTraits{.name = "dsa",
                                        .title = "DSA",
                                        .label = "DSA",
                                        .colour = 0,
                                        .format = wire::Format::dsa,
                                        .has_servers = true,
                                        .has_aggregators = true,
                                        .has_own_slots = false,
                                        .job_ids = 65'535,
                                        .has_reminders = true,
                                        .loses_jobs_with_switch = false,
                                        .chooses_roots = true};

  /// The value `auto` of reminder_min_timeout is this number of unloaded round trips on the longest
  /// path. hw/protocol/CORRECTNESS.md, "Time-outs", compares it with other numbers.
  static constexpr std::int64_t kAutoReminderRoundTrips = 5;

  DsaServer::Config server;
  std::optional<Time> reminder_min_timeout;
  bool auto_reminder = false;
  PriorityCode priorities;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    HashedSystem::visit(visitor, self);
    visitor.choice("remaining_time", self.priorities.remaining,
                   fields::names_in_order<RemainingTime>(kRemainingTimeNames),
                   "Moment at which a worker determines the remaining time of the iteration for a "
                   "priority. at_submission: once per tensor, when the tensor is submitted. "
                   "at_sending: for each packet, when the packet is sent");
    visitor.time("priority_unit", self.priorities.unit, fields::kTimeout,
                 "Unit of the remaining time in the priorities. Priorities grow with the unit, and "
                 "packets carry them in 16 bits: a longer unit resolves low priorities better, but "
                 "high priorities reach the maximum");
    visitor.time_or("auto", "reminder_min_timeout", self.reminder_min_timeout, self.auto_reminder,
                    fields::kTimeout,
                    "Minimum time after which a parameter server asks for the packets that a sum "
                    "still lacks. auto: five unloaded round trips. Default: the published 1ms, or "
                    "three unloaded round trips if these are longer");
  }

  const SystemTraits& traits() const override { return kTraits; }
  void fill_in(const Environment& environment) override {
    HashedSystem::fill_in(environment);
    if (auto_reminder) {
      reminder_min_timeout = environment.round_trips(kAutoReminderRoundTrips, frame_bytes());
    }
    const Time published = DsaServer::Config().reminder_min_timeout;
    set_reminder_min_timeout(
        reminder_min_timeout.value_or(environment.safe_timeout(published, frame_bytes())));
  }
  void limit(const ProcessLimits& limits) override {
    HashedSystem::limit(limits);
    set_reminder_min_timeout(std::max(server.reminder_min_timeout, limits.least_timeout));
  }
  std::uint32_t kept_results() const override { return server.kept_results; }
  Time first_timeout() const override {
    return std::max(worker.first_rto, server.reminder_min_timeout);
  }
  std::vector<TimeoutFloor> timeout_floors() const override {
    std::vector<TimeoutFloor> floors = HashedSystem::timeout_floors();
    floors.insert(
        floors.begin(),
        {.key = "reminder_min_timeout", .time = server.reminder_min_timeout, .adaptive = "auto"});
    return floors;
  }
  PriorityCode priority_code() const override { return priorities; }
  wire::Levels levels() const override { return wire::Levels::tree; }

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity, ValuePool& pool,
                                               ResultSink& sink) const override {
    return std::make_unique<DsaWorker>(identity, worker, pool, sink);
  }
  std::unique_ptr<ParameterServer> make_server(const ServerIdentity& identity,
                                               ValuePool& pool) const override {
    DsaServer::Config config = server;
    config.addressing = worker.addressing;
    config.values_per_packet = worker.values_per_packet;
    config.workers_rto = worker.first_rto;
    return std::make_unique<DsaServer>(identity, config, pool);
  }

  bool operator==(const Dsa&) const = default;

 protected:
  /// Path to the root and back. The only queue that counts is at the worker's own interface.
  /// Packets that wait for a server's link do not count, since all workers share that link.
  Path path_of_results(const Environment& environment) const override {
    return {environment.to_switch_and_back, kInterfaceQueueBytes};
  }

 private:
  void set_reminder_min_timeout(Time timeout) {
    reminder_min_timeout = timeout;
    auto_reminder = false;
    server.reminder_min_timeout = timeout;
  }
};

}  // namespace ina::cluster
