/* SPDX-License-Identifier: GPL-2.0-only */
#include "priority-estimates.h"

namespace ns3
{

ina::PriorityEstimates
EstimatesOf(const ModelProfile& profile, uint64_t lineRate_bps, ina::RemainingTime remaining)
{
    ina::PriorityEstimates::Model model;
    model.layers = static_cast<std::uint32_t>(profile.layers.size());
    for (const LayerProfile& layer : profile.layers)
    {
        model.parameters += layer.parameters;
        model.computation += ina::Time(layer.forward_ps + layer.backward_ps);
    }
    return {model, lineRate_bps, remaining};
}

} // namespace ns3
