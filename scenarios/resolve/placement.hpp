// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of a cluster are, and what tells the jobs of a run apart.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/cluster/network/topology.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Where everyone is. A machine is what hangs on a switch by a link of its own: the hosts for
/// workers, and behind them those for parameter servers, as link_names() has them. An address is
/// that of one worker or one parameter server in frames. Who is alone on a machine, or there first,
/// has its number; who comes to others has one behind those of all machines.
struct Placements {
  std::vector<std::vector<HostId>> workers;  ///< addresses, by job and rank
  /// Addresses, by job and index; empty: the system has none.
  std::vector<std::vector<HostId>> servers;
  std::vector<std::uint32_t> machine_of;  ///< by address

  /// Whether several are on one machine.
  bool are_shared(const Network& network) const;
};

/// Whether the topology has the hosts that jobs name, and enough for the others.
bool can_be_placed(const Scenario& scenario, const Network& network);

/// Of workers, by job and rank. It must be possible to place them.
std::vector<std::vector<std::uint32_t>> worker_machines(const Scenario& scenario,
                                                        const Network& network);

/// Of a scenario that passed check_places().
Placements placements_of(const Scenario& scenario, const Network& network);

/// The network, with the switch of every address.
cluster::Topology placed_topology(const cluster::Topology& network, const Placements& placements);

/// The hosts that no job names, in the order in which workers of jobs that name none take them.
std::vector<std::uint32_t> unnamed_hosts(const Scenario& scenario, const Network& network);

/// How many parameter servers a job has if the system has any.
std::size_t server_count(const JobScenario& job);

/// The machines of a job's parameter servers, as far as the topology has them: all server_count()
/// after check_places().
std::vector<std::uint32_t> server_machines(const Scenario& scenario, const Network& network,
                                           std::size_t job);

/// Whether what goes to some job's server leaves the servers' rack again, as to another one of a
/// star.
bool has_distant_server(const Scenario& scenario, const Network& network);

/// The first random stream of a job: of its start, and behind it those of its workers, by rank. Of
/// the job behind the last one: the first stream that no job has.
std::uint64_t first_random_stream(const Scenario& scenario, std::size_t job);

/// The seed of a job's synthetic gradients.
std::uint64_t gradient_seed(const Scenario& scenario, std::size_t job);

}  // namespace ina::scenarios
