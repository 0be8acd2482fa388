// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#include "switch-models/rmt/chip.hpp"
#include "switch-models/rmt/declaration.hpp"

namespace ina::rmt {

/// A program asks for what the chip cannot do; names what does not fit.
class DoesNotFit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws DoesNotFit unless every array, action and pass is one that the chip can do, wherever it
/// stands: widths, sizes, comparisons and outputs of the ALUs, each array once in a pass and after
/// all that it needs.
void check(const Declaration& program, const Chip& chip);

}  // namespace ina::rmt
