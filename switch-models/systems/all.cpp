// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/all.hpp"

#include "hw/cluster/systems/settings_fields.hpp"

namespace ina::systems {

const cluster::SettingsFields& all_settings() {
  static const cluster::SettingsFieldsOf<All, cluster::OtherKeys::refused> fields;
  return fields;
}

const SwitchHalf& half_on_switches(const cluster::System& settings) {
  return dynamic_cast<const SwitchHalf&>(settings);
}

}  // namespace ina::systems
