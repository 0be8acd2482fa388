/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_PRIORITY_ESTIMATES_H
#define INA_PRIORITY_ESTIMATES_H

#include "scenario.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup ina-cluster
 * DSA V, the priority of a partition: P = 1/T * L/l * Comm/Comp, with T the remaining time of the
 * iteration in milliseconds, l the partition's layer of L, Comm and Comp the times of
 * communication and computation. In packets it is 64 * P, rounded, from 1 to 65535. T, Comm and
 * Comp are a worker's own: averages of its iterations, which begin with the profile's values.
 */
class PriorityEstimates
{
  public:
    PriorityEstimates(const ModelProfile& profile, uint64_t lineRate_bps);

    /**
     * \param layer from 0, the front
     * \param elapsed since the iteration began, in time steps
     */
    uint16_t Priority(uint32_t layer, int64_t elapsed) const;

    /** What an iteration took, in time steps. */
    void Update(int64_t iteration, int64_t communication, int64_t computation);

  private:
    double m_layers;
    double m_iterationMs;
    double m_communicationMs;
    double m_computationMs;
};

} // namespace ns3

#endif // INA_PRIORITY_ESTIMATES_H
