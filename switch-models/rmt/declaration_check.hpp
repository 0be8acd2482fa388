// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#include "switch-models/rmt/chip.hpp"
#include "switch-models/rmt/declaration.hpp"

namespace ina::rmt {

/// Thrown if a program exceeds the capabilities of a chip. The message names what does not fit.
class DoesNotFit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws DoesNotFit unless the chip supports every array, action and pass by itself: its width,
/// its size, and the comparisons and outputs of its ALU. Stages are not considered. Each array may
/// occur only once in a pass, after everything that it depends on.
void check(const Declaration& program, const Chip& chip);

}  // namespace ina::rmt
