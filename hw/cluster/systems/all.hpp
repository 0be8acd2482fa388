// SPDX-License-Identifier: BSD-3-Clause
// The list of all systems, by their host-side classes.
#pragma once

#include <array>
#include <boost/mp11.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>

#include "hw/cluster/systems/all_reduce.hpp"
#include "hw/cluster/systems/atp.hpp"
#include "hw/cluster/systems/dsa.hpp"
#include "hw/cluster/systems/ps.hpp"
#include "hw/cluster/systems/switchml.hpp"
#include "hw/protocol/transport/schedules/all.hpp"

namespace ina::cluster {

using AllSystems = boost::mp11::mp_append<std::tuple<Switchml, Atp, Dsa, Ps>,
                                          boost::mp11::mp_transform<AllReduce, schedules::All>>;
inline constexpr std::size_t kSystems = std::tuple_size_v<AllSystems>;

/// Names of the systems, by SystemId.
inline constexpr auto kSystemNames = []<class... System>(std::tuple<System...>*) {
  return std::array<std::string_view, kSystems>{System::kTraits.name...};
}(static_cast<AllSystems*>(nullptr));

constexpr std::string_view name_of(SystemId system) {
  return kSystemNames.at(static_cast<std::size_t>(system));
}

/// SystemId of a name. Throws std::out_of_range if no system has it.
constexpr SystemId system_called(std::string_view name) {
  for (std::size_t i = 0; i < kSystems; ++i) {
    if (kSystemNames[i] == name) return static_cast<SystemId>(i);
  }
  throw std::out_of_range(std::string(name) + " is not a system");
}

const SystemTraits& traits_of(SystemId system);

/// Name of a system for messages. Any number is allowed, since it may come from another process.
std::string name_of_number(std::uint8_t system);

class SettingsFields;
/// Reads and writes the host-side keys of all systems, and skips switch-side keys. Programs that
/// make switches use other SettingsFields, which read and check all keys.
const SettingsFields& settings_on_hosts();

}  // namespace ina::cluster
