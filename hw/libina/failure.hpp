// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include "hw/libina/ina.h"

namespace ina::library {

/// Thrown if a call of the library fails. what() returns the reason.
class Failure : public std::runtime_error {
 public:
  Failure(ina_status status, const std::string& why) : runtime_error(why), status_(status) {}
  ina_status status() const { return status_; }

 private:
  ina_status status_;
};

}  // namespace ina::library
