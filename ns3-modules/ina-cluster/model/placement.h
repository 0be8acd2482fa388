/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * Where the parts of a cluster are, and what tells the jobs of a run apart.
 */
#ifndef INA_PLACEMENT_H
#define INA_PLACEMENT_H

#include "scenario.h"

#include "hw/protocol/wire/frame.hpp"

#include <cstdint>
#include <vector>

namespace ns3
{

/// The hosts of a job's workers, by rank: jobs take the hosts in order.
std::vector<ina::HostId> WorkerHosts(const Scenario& scenario, std::size_t job);

/// The host of a job's parameter server: they come after the hosts.
ina::HostId ServerHost(const Scenario& scenario, std::size_t job);

/// The seed of a job's synthetic gradients.
std::uint64_t GradientSeed(const Scenario& scenario, std::size_t job);

} // namespace ns3

#endif // INA_PLACEMENT_H
