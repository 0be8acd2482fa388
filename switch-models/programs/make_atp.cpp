// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/atp.hpp"
#include "switch-models/programs/make_program.hpp"

namespace ina::programs {

template <class Mode>
std::unique_ptr<SwitchProgram> make_atp(const AtpConfig& config) {
  return std::make_unique<AtpProgram<Mode>>(config);
}

template std::unique_ptr<SwitchProgram> make_atp<rmt::Fast>(const AtpConfig&);
template std::unique_ptr<SwitchProgram> make_atp<rmt::Checked>(const AtpConfig&);
template std::unique_ptr<SwitchProgram> make_atp<rmt::Separate>(const AtpConfig&);
template std::unique_ptr<SwitchProgram> make_atp<rmt::CheckedSeparate>(const AtpConfig&);

}  // namespace ina::programs
