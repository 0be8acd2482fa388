/* SPDX-License-Identifier: GPL-2.0-only */
#include "partition-plan.h"

#include "hw/protocol/transport/worker_transport.hpp"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

constexpr std::uint64_t BYTES_PER_PARAMETER = 4;

/// Back to front, the partitions of a layer ascending.
std::vector<std::pair<std::uint32_t, std::uint32_t>>
DefaultOrder(const ModelProfile& profile)
{
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
    for (auto layer = static_cast<std::uint32_t>(profile.layers.size()); layer > 0; --layer)
    {
        const auto partitions = PartitionCount(profile.layers[layer - 1], profile.partition_bytes);
        for (std::uint32_t partition = 1; partition <= partitions; ++partition)
        {
            order.emplace_back(layer, partition);
        }
    }
    return order;
}

} // namespace

PartitionPlan::PartitionPlan(const ModelProfile& profile,
                             std::uint32_t valuesPerFragment,
                             std::uint32_t exponentSlots)
{
    const auto order = profile.send_order.empty() ? DefaultOrder(profile) : profile.send_order;
    const std::uint64_t partitionValues = profile.partition_bytes / BYTES_PER_PARAMETER;
    for (const auto& [layer, partition] : order)
    {
        const std::uint64_t before = (partition - 1) * partitionValues;
        const std::uint64_t values =
            std::min(partitionValues, profile.layers[layer - 1].parameters - before);
        const auto withValues =
            static_cast<std::uint32_t>((values + valuesPerFragment - 1) / valuesPerFragment);
        const std::uint32_t lead = ina::exponent_lead_of(withValues, exponentSlots);
        m_partitions.push_back({layer - 1, m_fragments, withValues + lead, lead});
        m_fragments += withValues + lead;
    }
}

std::size_t
PartitionPlan::PartitionOf(std::uint32_t fragment) const
{
    const auto after = std::upper_bound(m_partitions.begin(),
                                        m_partitions.end(),
                                        fragment,
                                        [](std::uint32_t f, const PlannedPartition& partition)
                                        { return f < partition.firstFragment; });
    return static_cast<std::size_t>(after - m_partitions.begin()) - 1;
}

} // namespace ns3
