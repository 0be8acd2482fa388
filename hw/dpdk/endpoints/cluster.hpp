// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hw/cluster/quantisation.hpp"
#include "hw/cluster/training_worker.hpp"
#include "hw/dpdk/endpoints/fields.hpp"
#include "hw/dpdk/endpoints/racks.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/transport/priority_estimates.hpp"
#include "hw/protocol/wire/addressing.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::endpoints {

struct Job {
  JobId id = 0;                              ///< in packets
  std::vector<HostId> workers;               ///< their hosts, by rank
  std::vector<std::uint16_t> racks;          ///< of the workers, by rank
  std::vector<wire::AggregationPath> paths;  ///< likewise
  HostId server = 0;
  std::uint32_t first_slot = 0;  ///< SwitchML: its part of the pool
  std::uint32_t slots = 0;
  std::uint64_t gradient_seed = 0;
  double overflow = 0;  ///< ATP: the share of fragments that have to be collected as floats
  Time start{};
  std::uint64_t first_stream = 0;  ///< of random numbers: rank 0's
  std::uint64_t run = 0;           ///< of these
  cluster::TrainingPlan training;
};

/// What everyone who takes part in a run knows of it: the content of a cluster file, but for what
/// concerns the switch alone.
struct Cluster {
  wire::Protocol protocol = wire::Protocol::dsa;
  std::uint32_t values_per_packet = 0;
  cluster::Quantisation quantisation = cluster::Quantisation::fixed_point;  ///< SwitchML
  wire::AddressingConfig addressing;  ///< SwitchML: its aggregators are the slots of all jobs
  CongestionWindow::Config window;
  Time worker_timeout{};         ///< the least if adaptive
  bool adaptive_timeout = true;  ///< ATP's and DSA's always is
  Time server_timeout{};
  std::uint32_t kept_results = 0;
  Racks racks;
  std::vector<Job> jobs;  ///< by JobId

  /// Whether exponents of block floating point go ahead of the values.
  bool in_blocks() const {
    return protocol == wire::Protocol::switchml &&
           quantisation == cluster::Quantisation::block_floating_point;
  }
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
