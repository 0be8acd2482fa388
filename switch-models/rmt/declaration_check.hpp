// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#include "switch-models/rmt/chip.hpp"
#include "switch-models/rmt/declaration.hpp"

namespace ina::rmt {

/// A program exceeds the abilities of the chip. The message names what does not fit.
class DoesNotFit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws DoesNotFit unless the chip supports every array, action and pass, regardless of their
/// stages: widths, sizes, comparisons and outputs of the ALUs. Each array may occur once in a pass,
/// after everything that it needs.
void check(const Declaration& program, const Chip& chip);

}  // namespace ina::rmt
