// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hw/dpdk/endpoints/fields.hpp"
#include "hw/dpdk/endpoints/jitter_per.hpp"
#include "hw/dpdk/endpoints/quantisation.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/congestion_window.hpp"
#include "hw/protocol/transport/priority_estimates.hpp"
#include "hw/protocol/wire/addressing.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::endpoints {

/// What a job trains: its model's compute times, and the partitions that are all-reduced, in the
/// order of sending.
struct TrainingPlan {
  struct Layer {
    Time forward{};
    Time backward{};
  };
  struct Partition {
    std::uint32_t layer = 0;  ///< from 0, the front
    Psn first_fragment = 0;   ///< within the iteration
    std::uint32_t fragments = 0;
    std::uint32_t exponent_lead = 0;  ///< of these (Tensor::exponent_lead)
  };

  std::uint64_t seed = 0;  ///< of the synthetic gradients
  std::uint32_t iterations = 1;
  Time start{};
  Time jitter_low{};
  Time jitter_high{};
  JitterPer jitter_per = JitterPer::partition;
  /// Larger is slower. Worker w, iteration i: [w % size][i % size of that]; none: 1.
  std::vector<std::vector<double>> compute_time_factors;
  std::vector<Layer> layers;  ///< from front to back
  std::vector<Partition> partitions;
  PriorityEstimates::Model model;

  std::uint32_t fragments_per_iteration() const {
    return partitions.back().first_fragment + partitions.back().fragments;
  }
};

struct Job {
  std::vector<HostId> workers;  ///< their hosts, by rank
  HostId server = 0;
  std::uint32_t first_slot = 0;  ///< SwitchML: its part of the pool
  std::uint32_t slots = 0;
  TrainingPlan training;
};

/// What everyone who takes part in a run knows of it: the content of a cluster file, but for what
/// concerns the switch alone.
struct Cluster {
  wire::Protocol protocol = wire::Protocol::dsa;
  std::uint32_t values_per_packet = 0;
  Quantisation quantisation = Quantisation::fixed_point;  ///< SwitchML
  std::uint64_t line_rate_bps = 0;
  wire::AddressingConfig addressing;  ///< SwitchML: its aggregators are the slots of all jobs
  CongestionWindow::Config window;
  Time worker_timeout{};         ///< the least if adaptive
  bool adaptive_timeout = true;  ///< ATP's and DSA's always is
  Time server_timeout{};
  RemainingTime remaining_time = kDsaRemainingTime;
  std::uint32_t kept_results = 0;
  std::vector<Job> jobs;  ///< by JobId

  /// Whether exponents of block floating point go ahead of the values.
  bool in_blocks() const {
    return protocol == wire::Protocol::switchml &&
           quantisation == Quantisation::block_floating_point;
  }
};

/// The cluster in the content of a file that `ina-sim plan` describes (hw/README.md). Throws
/// InputError.
Cluster read_cluster(const Fields& file);

/// The job and rank of a worker's host, or the job whose parameter server a host is. Throws
/// InputError if the host is none.
struct Seat {
  JobId job = 0;
  std::uint16_t rank = 0;
};
Seat worker_seat(const Cluster& cluster, HostId host);
JobId server_seat(const Cluster& cluster, HostId host);

}  // namespace ina::endpoints
