// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/network/topology.hpp"
#include "hw/fields/document.hpp"

namespace ina::cluster {

/// That the topology of a cluster file, with numbers of its own switches in it, is one. Throws
/// fields::InputError.
void check_topology(const Topology& topology, const fields::PlainDocument& file);

}  // namespace ina::cluster
