// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/window.hpp"
#include "hw/protocol/transport/interface_queue.hpp"
#include "hw/protocol/transport/lone_worker.hpp"
#include "hw/protocol/transport/peer_schedule.hpp"
#include "hw/protocol/transport/peer_worker.hpp"

namespace ina::cluster {

/// Base class of the all-reduces among workers: switches only forward, and there are no servers.
class AmongWorkers : public WindowedSystem<PeerWorker> {
 public:
  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    using Count = fields::Bounds<std::uint32_t>;
    visitor.integer("values_per_packet", self.worker.values_per_packet,
                    Count{1, wire::kMostFlowValues},
                    "Number of values in a packet. Headers add 62 bytes to the frame. An MTU of "
                    "1500 bytes has room for 363 values, and one of 9000 bytes for 2238");
    WindowedSystem::visit(visitor, self);
    visitor.integer("receive_buffer_packets", self.worker.receive_buffer,
                    Count{1, PeerWorker::kMostReceiveBuffer},
                    "Number of packets that a worker buffers for each sender, for partitions that "
                    "the worker has not submitted yet. A sender has at most this many packets in "
                    "flight, and waits while the buffer is full");
  }

  std::uint32_t values_per_packet() const override { return worker.values_per_packet; }
  wire::Levels levels() const override { return wire::Levels::none; }
  Time first_timeout() const override { return worker.first_rto; }

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity, ValuePool& pool,
                                               ResultSink& sink) const override {
    if (identity.workers == 1) return std::make_unique<LoneWorker>(pool, sink);
    return std::make_unique<PeerWorker>(identity, schedule(identity.rank, identity.workers), worker,
                                        pool, sink);
  }

  bool operator==(const AmongWorkers&) const = default;

 protected:
  virtual PeerSchedule schedule(std::uint16_t rank, std::uint16_t workers) const = 0;

  /// Path to another worker and back. The frame and its acknowledgement each wait in the queue of a
  /// host's interface.
  Path path_of_results(const Environment& environment) const override {
    return {environment.to_server_and_back,
            environment.ecn_threshold_bytes + 2 * std::uint64_t{kInterfaceQueueBytes}};
  }
};

/// All-reduce whose workers follow `Schedule` (from hw/protocol/transport/schedules/all.hpp).
template <class Schedule>
class AllReduce : public AmongWorkers {
 public:
  static constexpr SystemTraits kTraits{.name = Schedule::kName,
                                        .title = Schedule::kTitle,
                                        .label = Schedule::kLabel,
                                        .colour = std::nullopt,
                                        .format = wire::Format::flow,
                                        .has_servers = false,
                                        .has_aggregators = false,
                                        .has_own_slots = false,
                                        .job_ids = 65'535,
                                        .has_reminders = false,
                                        .loses_jobs_with_switch = false};

  const SystemTraits& traits() const override { return kTraits; }
  std::uint32_t steps(std::uint16_t workers) const override { return Schedule::steps(workers); }

  bool operator==(const AllReduce&) const = default;

 protected:
  PeerSchedule schedule(std::uint16_t rank, std::uint16_t workers) const override {
    return Schedule::make(rank, workers);
  }
};

}  // namespace ina::cluster
