/* SPDX-License-Identifier: GPL-2.0-only */
#include "placement.h"

namespace ns3
{

namespace
{

constexpr std::uint64_t SEED_STRIDE = 1'000'003; // between the gradients of two jobs of a run

} // namespace

std::vector<ina::HostId>
WorkerHosts(const Scenario& scenario, std::size_t job)
{
    std::uint32_t first = 0;
    for (std::size_t before = 0; before < job; ++before)
    {
        first += scenario.jobs[before].workers;
    }
    std::vector<ina::HostId> hosts;
    for (std::uint32_t rank = 0; rank < scenario.jobs[job].workers; ++rank)
    {
        hosts.push_back(static_cast<ina::HostId>(first + rank));
    }
    return hosts;
}

ina::HostId
ServerHost(const Scenario& scenario, std::size_t job)
{
    return static_cast<ina::HostId>(scenario.topology.hosts + job);
}

std::uint64_t
GradientSeed(const Scenario& scenario, std::size_t job)
{
    return scenario.seed * SEED_STRIDE + job;
}

} // namespace ns3
