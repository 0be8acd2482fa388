// SPDX-License-Identifier: BSD-3-Clause
// Tests of every packet format:
//   INSTANTIATE_TEST_SUITE_P(Every, Suite, ::testing::ValuesIn(every_format()), format_name());
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cstdint>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "hw/protocol/wire/frame.hpp"

namespace ina::wire {

inline std::string name_of(Format format) { return boost::describe::enum_to_string(format, ""); }

inline void PrintTo(Format format, std::ostream* out) { *out << name_of(format); }

}  // namespace ina::wire

namespace ina::testing {

inline std::vector<wire::Format> every_format() {
  std::vector<wire::Format> all;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<wire::Format>>(
      [&](auto format) { all.push_back(format.value); });
  return all;
}

/// The index of the aggregator or slot. The format must have one.
inline std::uint32_t& index_of(Frame& frame) {
  auto* const switchml = std::get_if<SwitchmlFields>(&frame.fields);
  return switchml != nullptr ? switchml->slot : frame.aggregator().index;
}

/// Name generator for parameterised tests.
inline auto format_name() {
  return [](const auto& info) { return wire::name_of(info.param); };
}

}  // namespace ina::testing
