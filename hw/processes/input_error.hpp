// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace ina::processes {

/// Something that was given to a program is not as it should be: place, what was found, what is
/// allowed, in one line.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ina::processes
