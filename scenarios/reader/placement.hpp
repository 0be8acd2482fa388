// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of a cluster are, and what tells the jobs of a run apart.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/protocol/wire/frame.hpp"
#include "scenarios/reader/scenario.hpp"

namespace ina::scenarios {

/// The hosts for workers, in the order in which these take them.
std::vector<HostId> hosts_in_order(const TopologyScenario& scenario);

/// The hosts of each job's workers, by rank. There must be enough for all.
std::vector<std::vector<HostId>> worker_hosts(const Scenario& scenario);

/// The host of a job's parameter server: they come after the hosts.
HostId server_host(const Scenario& scenario, std::size_t job);

/// The first random stream of a job: of its start, and behind it those of its workers, by rank. Of
/// the job behind the last one: the first stream that no job has.
std::uint64_t first_random_stream(const Scenario& scenario, std::size_t job);

/// The seed of a job's synthetic gradients.
std::uint64_t gradient_seed(const Scenario& scenario, std::size_t job);

}  // namespace ina::scenarios
