// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/make_program.hpp"
#include "switch-models/programs/switchml.hpp"

namespace ina::programs {

template <class Mode>
std::unique_ptr<SwitchProgram> make_switchml(std::size_t slots, std::size_t width,
                                             bool collects_marks) {
  return std::make_unique<SwitchmlProgram<Mode>>(slots, width, collects_marks);
}

template std::unique_ptr<SwitchProgram> make_switchml<rmt::Fast>(std::size_t, std::size_t, bool);
template std::unique_ptr<SwitchProgram> make_switchml<rmt::Checked>(std::size_t, std::size_t, bool);
template std::unique_ptr<SwitchProgram> make_switchml<rmt::Separate>(std::size_t, std::size_t,
                                                                     bool);
template std::unique_ptr<SwitchProgram> make_switchml<rmt::CheckedSeparate>(std::size_t,
                                                                            std::size_t, bool);

}  // namespace ina::programs
