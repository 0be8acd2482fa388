// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/window.hpp"
#include "hw/protocol/transport/interface_queue.hpp"
#include "hw/protocol/transport/ring_worker.hpp"

namespace ina::cluster {

/// Ring all-reduce, to compare with: workers sum, switches forward, and there are no servers.
class Ring : public WindowedSystem<RingWorker> {
 public:
  static constexpr SystemTraits kTraits{.protocol = wire::Protocol::ring,
                                        .title = "ring all-reduce",
                                        .has_servers = false,
                                        .has_aggregators = false,
                                        .has_own_slots = false,
                                        .job_ids = 65'535,
                                        .has_reminders = false,
                                        .loses_jobs_with_switch = false};

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    using Count = fields::Bounds<std::uint32_t>;
    visitor.integer(
        "values_per_packet", self.worker.values_per_packet, Count{1, wire::kMostRingValues},
        "Values in a packet, whose frame has 58 bytes besides; 364 fill an MTU of 1500");
    WindowedSystem::visit(visitor, self);
    visitor.integer("receive_buffer_packets", self.worker.receive_buffer,
                    Count{1, RingWorker::kMostReceiveBuffer},
                    "Packets that a worker keeps of partitions that it has not submitted itself; "
                    "the worker before it has no more than these in flight, and waits when they "
                    "are full");
  }

  const SystemTraits& traits() const override { return kTraits; }
  std::uint32_t values_per_packet() const override { return worker.values_per_packet; }
  wire::Levels levels() const override { return wire::Levels::none; }
  Time least_timeout() const override { return worker.min_rto; }

  std::unique_ptr<WorkerTransport> make_worker(const WorkerIdentity& identity, ValuePool& pool,
                                               ResultSink& sink) const override {
    return std::make_unique<RingWorker>(identity, worker, pool, sink);
  }

  bool operator==(const Ring&) const = default;

 protected:
  /// To the next worker, and back with the acknowledgement, each behind what waits in its host.
  Way way_of_results(const Environment& environment) const override {
    return {environment.to_server_and_back,
            environment.ecn_threshold_bytes + 2 * std::uint64_t{kInterfaceQueueBytes}};
  }
};

}  // namespace ina::cluster
