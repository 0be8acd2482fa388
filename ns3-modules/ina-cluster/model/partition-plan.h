/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_PARTITION_PLAN_H
#define INA_PARTITION_PLAN_H

#include "scenario.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/** A partition of a layer's gradient: what is all-reduced as one tensor. */
struct PlannedPartition
{
    std::uint32_t layer;         //!< from 0, the front
    std::uint32_t firstFragment; //!< within the iteration
    std::uint32_t fragments;
    std::uint32_t exponentLead; //!< of these (ina::Tensor::exponent_lead)
};

/**
 * \ingroup ina-cluster
 * How a model's gradients are cut into partitions and fragments, in the order of sending. Every
 * worker of a job has the same plan, so that a PSN means the same fragment everywhere.
 */
class PartitionPlan
{
  public:
    /**
     * \param profile of the model
     * \param valuesPerFragment int32 values of a packet
     * \param exponentSlots SwitchML's slots, of block floating point; else 0
     */
    PartitionPlan(const ModelProfile& profile,
                  std::uint32_t valuesPerFragment,
                  std::uint32_t exponentSlots);

    const std::vector<PlannedPartition>&
    Partitions() const
    {
        return m_partitions;
    }

    std::uint32_t
    FragmentsPerIteration() const
    {
        return m_fragments;
    }

    /** The partition that holds a fragment of an iteration, as an index. */
    std::size_t PartitionOf(std::uint32_t fragment) const;

  private:
    std::vector<PlannedPartition> m_partitions;
    std::uint32_t m_fragments{0};
};

} // namespace ns3

#endif // INA_PARTITION_PLAN_H
