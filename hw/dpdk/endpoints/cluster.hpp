// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hw/cluster/systems/system.hpp"
#include "hw/cluster/training_worker.hpp"
#include "hw/dpdk/endpoints/fields.hpp"
#include "hw/dpdk/endpoints/racks.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::endpoints {

struct Job {
  JobId id = 0;                              ///< in packets
  std::vector<HostId> workers;               ///< their hosts, by rank
  std::vector<std::uint16_t> racks;          ///< of the workers, by rank
  std::vector<wire::AggregationPath> paths;  ///< likewise
  HostId server = 0;
  std::uint64_t gradient_seed = 0;
  Time start{};
  std::uint64_t first_stream = 0;  ///< of random numbers: rank 0's
  cluster::TrainingPlan training;
};

/// What everyone who takes part in a run knows of it: the content of a cluster file, except for
/// what concerns the switch alone.
struct Cluster {
  std::shared_ptr<const cluster::System> system;  ///< with its settings, which are filled in
  cluster::Environment environment;
  Racks racks;
  std::vector<Job> jobs;  ///< by JobId

  wire::Protocol protocol() const { return system->traits().protocol; }
  bool has_servers() const { return system->traits().has_servers; }
  std::uint32_t values_per_packet() const { return system->values_per_packet(); }
  /// Whether exponents of block floating point go ahead of the values.
  bool in_blocks() const { return system->exponent_slots() != 0; }
};

/// The cluster in the content of a file that `ina-sim plan` describes (hw/README.md). Throws
/// InputError.
Cluster read_cluster(const Fields& file);

/// Under another id from now on, with gradients of its own: a contribution that is left of another
/// registration makes a wrong sum.
void register_again(Job& job, JobId id);

/// The job and rank of a worker's host, or the job whose parameter server a host is. Throws
/// InputError if the host is none.
struct Seat {
  JobId job = 0;
  std::uint16_t rank = 0;
};
Seat worker_seat(const Cluster& cluster, HostId host);
JobId server_seat(const Cluster& cluster, HostId host);

}  // namespace ina::endpoints
