// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/network/topology.hpp"
#include "hw/fields/document.hpp"

namespace ina::cluster {

/// Checks the topology that a cluster file lists explicitly, by numbers of switches and hosts.
/// Throws fields::InputError.
void check_topology(const Topology& topology, const fields::PlainDocument& file);

}  // namespace ina::cluster
