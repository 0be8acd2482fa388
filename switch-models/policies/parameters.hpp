// SPDX-License-Identifier: BSD-3-Clause
// Conversions between a policy's Config and the values in a CollisionPolicy. Both directions use
// the policy's visit().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hw/protocol/time.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/policies/decision.hpp"

namespace ina::policies {

template <class Policy>
concept Parametrised = requires {
  typename Policy::Config;
};

/// A visitor that collects parameters and their values. A policy with more than kMostParameters
/// does not compile.
struct CollectedParameters {
  std::array<Parameter, kMostParameters> parameters{};
  std::array<std::int64_t, kMostParameters> values{};
  std::size_t count = 0;

  constexpr void time(std::string_view name, const Time& value, Time low, Time high,
                      std::string_view help) {
    add({name, Parameter::Kind::time, low.count(), high.count(), help}, value.count());
  }
  constexpr void integer(std::string_view name, std::uint32_t value, std::uint32_t low,
                         std::uint32_t high, std::string_view help) {
    add({name, Parameter::Kind::integer, low, high, help}, value);
  }

 private:
  constexpr void add(const Parameter& parameter, std::int64_t value) {
    parameters.at(count) = parameter;
    values.at(count++) = value;
  }
};

/// A visitor that sets each parameter from its value.
struct SetParameters {
  const std::array<std::int64_t, kMostParameters>& values;
  std::size_t next = 0;

  constexpr void time(std::string_view, Time& value, Time, Time, std::string_view) {
    value = Time(values[next++]);
  }
  constexpr void integer(std::string_view, std::uint32_t& value, std::uint32_t, std::uint32_t,
                         std::string_view) {
    value = static_cast<std::uint32_t>(values[next++]);
  }
};

/// The parameters of the policy, with its defaults.
template <class Policy>
constexpr CollectedParameters collect_parameters() {
  CollectedParameters collected;
  if constexpr (Parametrised<Policy>) {
    const typename Policy::Config defaults{};
    Policy::visit(collected, defaults);
  }
  return collected;
}

template <class Policy>
inline constexpr CollectedParameters kParameters = collect_parameters<Policy>();

template <Parametrised Policy>
constexpr typename Policy::Config config_of(
    const std::array<std::int64_t, kMostParameters>& values) {
  typename Policy::Config config{};
  SetParameters set{values};
  Policy::visit(set, config);
  return config;
}

/// Makes an object of the policy. `seed`: used only by policies that set kDraws.
template <class Policy>
Policy make_policy(const std::array<std::int64_t, kMostParameters>& values, std::uint64_t seed) {
  if constexpr (Parametrised<Policy> && kDraws<Policy>) {
    return Policy(config_of<Policy>(values), seed);
  } else if constexpr (Parametrised<Policy>) {
    return Policy(config_of<Policy>(values));
  } else if constexpr (kDraws<Policy>) {
    return Policy(seed);
  } else {
    return Policy();
  }
}

}  // namespace ina::policies
