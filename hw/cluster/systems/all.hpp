// SPDX-License-Identifier: BSD-3-Clause
// The one list of the systems' halves on hosts.
#pragma once

#include <boost/mp11.hpp>
#include <tuple>

#include "hw/cluster/systems/all_reduce.hpp"
#include "hw/cluster/systems/atp.hpp"
#include "hw/cluster/systems/dsa.hpp"
#include "hw/cluster/systems/ps.hpp"
#include "hw/cluster/systems/switchml.hpp"
#include "hw/protocol/transport/schedules/all.hpp"

namespace ina::cluster {

/// In the order of wire::Protocol.
using AllSystems = boost::mp11::mp_append<std::tuple<Switchml, Atp, Dsa, Ps>,
                                          boost::mp11::mp_transform<AllReduce, schedules::All>>;

const SystemTraits& traits_of(wire::Protocol protocol);

class SettingsFields;
/// Those of hosts. Keys of the half on switches stand beside them, and are skipped: who makes a
/// switch reads all, and knows which there are.
const SettingsFields& settings_on_hosts();

}  // namespace ina::cluster
