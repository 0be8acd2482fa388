// SPDX-License-Identifier: BSD-3-Clause
// Tests of every system:
//   INSTANTIATE_TEST_SUITE_P(Every, Suite, ::testing::ValuesIn(every_system()), system_name());
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "hw/protocol/wire/limits.hpp"

namespace ina::wire {

inline void PrintTo(Protocol system, std::ostream* out) { *out << name_of(system); }

}  // namespace ina::wire

namespace ina::testing {

inline std::vector<wire::Protocol> every_system() {
  std::vector<wire::Protocol> all;
  for (std::size_t i = 0; i < wire::kProtocolNames.size(); ++i) {
    all.push_back(static_cast<wire::Protocol>(i));
  }
  return all;
}

/// Makes the end of a test's name.
inline auto system_name() {
  return [](const auto& info) { return std::string(wire::name_of(info.param)); };
}

}  // namespace ina::testing
