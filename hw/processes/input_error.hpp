// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace ina::processes {

/// Invalid input of a program. The message says, in one line, where, what was found, and what is
/// allowed.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ina::processes
