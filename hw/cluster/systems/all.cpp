// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/systems/all.hpp"

#include <boost/mp11.hpp>
#include <cstddef>

#include "hw/cluster/systems/settings_fields.hpp"

namespace ina::cluster {

const SystemTraits& traits_of(wire::Protocol protocol) {
  constexpr std::size_t kSystems = std::tuple_size_v<AllSystems>;
  return boost::mp11::mp_with_index<kSystems>(
      static_cast<std::size_t>(protocol), [](auto index) -> const SystemTraits& {
        using OfProtocol = std::tuple_element_t<index, AllSystems>;
        static_assert(OfProtocol::kTraits.protocol == static_cast<wire::Protocol>(index()));
        return OfProtocol::kTraits;
      });
}

const SettingsFields& settings_on_hosts() {
  static const SettingsFieldsOf<AllSystems, OtherKeys::skipped> fields;
  return fields;
}

}  // namespace ina::cluster
