// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/processes/input_error.hpp"

namespace ina::ports {

/// A port that cannot be opened: which one, and why, in one line.
class PortError : public processes::InputError {
 public:
  using InputError::InputError;
};

}  // namespace ina::ports
