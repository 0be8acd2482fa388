// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/priority_estimates.hpp"

namespace ina::scenarios {

PriorityEstimates estimates_of(const ModelProfile& profile, uint64_t line_rate_bps,
                               RemainingTime remaining) {
  PriorityEstimates::Model model;
  model.layers = static_cast<std::uint32_t>(profile.layers.size());
  for (const LayerProfile& layer : profile.layers) {
    model.parameters += layer.parameters;
    model.computation += Time(layer.forward_ps + layer.backward_ps);
  }
  return {model, line_rate_bps, remaining};
}

}  // namespace ina::scenarios
