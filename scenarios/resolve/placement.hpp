// SPDX-License-Identifier: BSD-3-Clause
// Positions of workers and parameter servers, and random streams of jobs.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/cluster/network/topology.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Positions of all workers and parameter servers. A machine is a node with a link to a switch.
/// The hosts for workers have the first machine numbers, followed by those for parameter servers,
/// as in link_names(). Each worker and server has an address in frames. The address of the first
/// one on a machine is the machine's number. Further ones have addresses above all these numbers.
struct Placements {
  std::vector<std::vector<HostId>> workers;  ///< addresses, by job and rank
  /// Addresses, by job and index; empty if the system has no servers.
  std::vector<std::vector<HostId>> servers;
  std::vector<std::uint32_t> machine_of;  ///< by address

  /// Whether a machine has several workers or servers.
  bool are_shared(const Network& network) const;
};

/// Whether the topology has the hosts that jobs name, and enough hosts for the other jobs.
bool can_be_placed(const Scenario& scenario, const Network& network);

/// Machines of workers, by job and rank. Requires can_be_placed().
std::vector<std::vector<std::uint32_t>> worker_machines(const Scenario& scenario,
                                                        const Network& network);

/// Places all jobs. Requires a scenario that passed check_places().
Placements placements_of(const Scenario& scenario, const Network& network);

/// The topology with the switch of every address.
cluster::Topology placed_topology(const cluster::Topology& network, const Placements& placements);

/// Hosts that no job names, in the order in which workers of the other jobs take them.
std::vector<std::uint32_t> unnamed_hosts(const Scenario& scenario, const Network& network);

/// Number of parameter servers of a job, provided that the system has any.
std::size_t server_count(const JobScenario& job);

/// Machines of a job's parameter servers. Omits machines that the topology does not have; a
/// scenario that passed check_places() names none of these, so there are server_count() machines.
std::vector<std::uint32_t> server_machines(const Scenario& scenario, const Network& network,
                                           std::size_t job);

/// Whether any job's server is outside the servers' rack, so that frames to it pass that rack's
/// switch and leave the rack again.
bool has_distant_server(const Scenario& scenario, const Network& network);

/// First random stream of a job, from which its start time is drawn. The streams of its workers
/// follow by rank. If `job` is the number of jobs, this is the first unused stream.
std::uint64_t first_random_stream(const Scenario& scenario, std::size_t job);

/// The seed of a job's synthetic gradients.
std::uint64_t gradient_seed(const Scenario& scenario, std::size_t job);

}  // namespace ina::scenarios
