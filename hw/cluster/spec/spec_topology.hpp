// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/network/topology.hpp"
#include "hw/fields/document.hpp"

namespace ina::cluster {

/// Checks the topology of a cluster file, which lists switches, trunks and hosts by number. Throws
/// fields::InputError.
void check_topology(const Topology& topology, const fields::PlainDocument& file);

}  // namespace ina::cluster
