// SPDX-License-Identifier: BSD-3-Clause
// All systems, by the classes that have both halves. The list for hosts is cluster::AllSystems.
#pragma once

#include <boost/mp11.hpp>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "hw/cluster/systems/all.hpp"
#include "switch-models/systems/atp.hpp"
#include "switch-models/systems/dsa.hpp"
#include "switch-models/systems/forwarding.hpp"
#include "switch-models/systems/ps.hpp"
#include "switch-models/systems/switchml.hpp"

namespace ina::systems {

using cluster::SystemId;

template <class Schedule>
using AllReduce = Forwarding<cluster::AllReduce<Schedule>>;

/// All systems, in the order of cluster::AllSystems.
using All = boost::mp11::mp_append<std::tuple<Switchml, Atp, Dsa, Ps>,
                                   boost::mp11::mp_transform<AllReduce, schedules::All>>;

using cluster::kSystems;
static_assert([]<class... System, class... Hosts>(std::tuple<System...>*, std::tuple<Hosts...>*) {
  return (std::is_base_of_v<Hosts, System> && ...);
}(static_cast<All*>(nullptr), static_cast<cluster::AllSystems*>(nullptr)));

/// The settings of every system.
class Settings {
 public:
  template <class System>
  System& of() {
    return std::get<System>(all_);
  }
  template <class System>
  const System& of() const {
    return std::get<System>(all_);
  }

  /// Calls `use` with the settings of a system, as their concrete type, and returns the result.
  template <class Use>
  decltype(auto) with(SystemId id, Use&& use) {
    return boost::mp11::mp_with_index<kSystems>(
        static_cast<std::size_t>(id),
        [&](auto index) -> decltype(auto) { return use(std::get<index>(all_)); });
  }
  template <class Use>
  decltype(auto) with(SystemId id, Use&& use) const {
    return boost::mp11::mp_with_index<kSystems>(
        static_cast<std::size_t>(id),
        [&](auto index) -> decltype(auto) { return use(std::get<index>(all_)); });
  }

  cluster::System& hosts(SystemId id) {
    return with(id, [](auto& system) -> cluster::System& { return system; });
  }
  const cluster::System& hosts(SystemId id) const {
    return with(id, [](const auto& system) -> const cluster::System& { return system; });
  }
  const SwitchHalf& switches(SystemId id) const {
    return with(id, [](const auto& system) -> const SwitchHalf& { return system; });
  }

  bool operator==(const Settings&) const = default;

 private:
  All all_;
};

/// Reads and writes all keys of all systems. The settings that it reads include the switch half.
const cluster::SettingsFields& all_settings();
/// The switch half of settings. Throws std::bad_cast if settings_on_hosts() read the settings.
const SwitchHalf& half_on_switches(const cluster::System& settings);

/// Calls `use(system)` for each system.
template <class Use>
void for_each_system(Use&& use) {
  for (std::size_t i = 0; i < kSystems; ++i) use(static_cast<SystemId>(i));
}

}  // namespace ina::systems
