// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hw/dpdk/ports/port_error.hpp"

namespace ina::ports {

/// Message of the PortError that the call throws; empty if it throws none.
template <class Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const PortError& error) {
    return error.what();
  }
  return "";
}

}  // namespace ina::ports
