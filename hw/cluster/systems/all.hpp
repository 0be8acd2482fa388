// SPDX-License-Identifier: BSD-3-Clause
// The one list of the systems' halves on hosts.
#pragma once

#include <tuple>

#include "hw/cluster/systems/atp.hpp"
#include "hw/cluster/systems/byteps.hpp"
#include "hw/cluster/systems/dsa.hpp"
#include "hw/cluster/systems/halving_doubling.hpp"
#include "hw/cluster/systems/ps.hpp"
#include "hw/cluster/systems/ring.hpp"
#include "hw/cluster/systems/switchml.hpp"
#include "hw/cluster/systems/tree.hpp"

namespace ina::cluster {

/// In the order of wire::Protocol.
using AllSystems = std::tuple<Switchml, Atp, Dsa, Ps, Ring, HalvingDoubling, Tree, Byteps>;

const SystemTraits& traits_of(wire::Protocol protocol);

class SettingsFields;
/// Those of hosts. Keys of the half on switches stand beside them, and are skipped: who makes a
/// switch reads all, and knows which there are.
const SettingsFields& settings_on_hosts();

}  // namespace ina::cluster
