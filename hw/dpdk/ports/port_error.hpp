// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/processes/input_error.hpp"

namespace ina::ports {

/// A port cannot be opened. The message names the port and the reason in one line.
class PortError : public processes::InputError {
 public:
  using InputError::InputError;
};

}  // namespace ina::ports
