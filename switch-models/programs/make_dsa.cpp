// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "switch-models/policies/all.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/programs/make_program.hpp"

namespace ina::programs {

template <class Mode>
std::unique_ptr<SwitchProgram> make_dsa(const DsaConfig& config) {
  return policies::with_policy(
      config.policy, config.policy_seed, [&](auto policy) -> std::unique_ptr<SwitchProgram> {
        return std::make_unique<DsaProgram<decltype(policy), Mode>>(
            config.aggregators, config.width, std::move(policy), config.aggregator_expiry,
            config.join_priority, config.answered_by);
      });
}

template std::unique_ptr<SwitchProgram> make_dsa<rmt::Fast>(const DsaConfig&);
template std::unique_ptr<SwitchProgram> make_dsa<rmt::Checked>(const DsaConfig&);
template std::unique_ptr<SwitchProgram> make_dsa<rmt::Separate>(const DsaConfig&);
template std::unique_ptr<SwitchProgram> make_dsa<rmt::CheckedSeparate>(const DsaConfig&);

}  // namespace ina::programs
