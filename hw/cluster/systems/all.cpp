// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/systems/all.hpp"

#include "hw/cluster/systems/settings_fields.hpp"

namespace ina::cluster {

const SystemTraits& traits_of(SystemId system) {
  return boost::mp11::mp_with_index<kSystems>(
      static_cast<std::size_t>(system), [](auto index) -> const SystemTraits& {
        return std::tuple_element_t<index, AllSystems>::kTraits;
      });
}

std::string name_of_number(std::uint8_t system) {
  return system < kSystems ? std::string(kSystemNames[system]) : "system " + std::to_string(system);
}

const SettingsFields& settings_on_hosts() {
  static const SettingsFieldsOf<AllSystems, OtherKeys::skipped> fields;
  return fields;
}

}  // namespace ina::cluster
