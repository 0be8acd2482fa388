/* SPDX-License-Identifier: GPL-2.0-only */
#include "priority-estimates.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr double STEPS_PER_MS = 1e9;
constexpr double MIN_MS = 0.01; // of what P is divided by
constexpr double PRIORITY_SCALE = 64;
constexpr double PRIORITY_MAX = 65535;
constexpr double EWMA_WEIGHT = 0.125;

double
Ms(int64_t steps)
{
    return static_cast<double>(steps) / STEPS_PER_MS;
}

double
Ewma(double old, double sample)
{
    return old + EWMA_WEIGHT * (sample - old);
}

} // namespace

PriorityEstimates::PriorityEstimates(const ModelProfile& profile, uint64_t lineRate_bps) :
    m_layers(static_cast<double>(profile.layers.size()))
{
    double computePs = 0;
    double parameters = 0;
    for (const LayerProfile& layer : profile.layers)
    {
        computePs += static_cast<double>(layer.forward_ps + layer.backward_ps);
        parameters += static_cast<double>(layer.parameters);
    }
    m_communicationMs = parameters * 32 / static_cast<double>(lineRate_bps) * 1e3;
    m_computationMs = std::max(computePs / STEPS_PER_MS, MIN_MS);
    m_iterationMs = m_communicationMs + m_computationMs;
}

uint16_t
PriorityEstimates::Priority(uint32_t layer, int64_t elapsed) const
{
    const double remainingMs = std::max(m_iterationMs - Ms(elapsed), MIN_MS);
    const double priority =
        1 / remainingMs * m_layers / (layer + 1.0) * m_communicationMs / m_computationMs;
    return static_cast<uint16_t>(
        std::clamp(std::round(PRIORITY_SCALE * priority), 1.0, PRIORITY_MAX));
}

void
PriorityEstimates::Update(int64_t iteration, int64_t communication, int64_t computation)
{
    m_iterationMs = Ewma(m_iterationMs, Ms(iteration));
    m_communicationMs = Ewma(m_communicationMs, Ms(communication));
    m_computationMs = std::max(Ewma(m_computationMs, Ms(computation)), MIN_MS);
}

} // namespace ns3
