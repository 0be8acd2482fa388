// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "hw/fields/bounds.hpp"
#include "switch-models/policies/collision_policy.hpp"

namespace ina::policies {

/// Passes a parameter of a policy to a visitor that has the functions of ObjectReader (hw/fields),
/// such as ObjectWriter.
template <class Visitor, class Value>
void visit_parameter(Visitor& visitor, const Parameter& parameter, Value& value) {
  const fields::Bounds<std::int64_t> bounds{parameter.low, parameter.high};
  switch (parameter.kind) {
    case Parameter::Kind::time:
      return visitor.time(parameter.name, value, bounds, parameter.help);
    case Parameter::Kind::integer:
      return visitor.integer(parameter.name, value, bounds, parameter.help);
  }
}

/// Passes a policy to a visitor (see above): its name, or an object with its name and parameters.
template <class Visitor, class Policy>
void visit_policy(Visitor& visitor, std::string_view key, Policy& policy, std::string_view help) {
  const auto visit_parameters = [&](auto& inner) {
    for_each_parameter(policy, [&](const Parameter& parameter, auto& value) {
      visit_parameter(inner, parameter, value);
    });
  };
  visitor.named(key, policy_names(), policy, visit_parameters, help);
}

}  // namespace ina::policies
