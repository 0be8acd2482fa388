// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/spec/spec.hpp"
#include "hw/fields/strict_json.hpp"

namespace ina::systems {

/// The role of each switch in each job of a cluster before any failure, for control planes that are
/// separate programs. Empty if the system's switches add nothing. The result is an array with one
/// object per job, which has these keys:
/// - "paths": by rank, [fan_in_degree0, fan_in_degree1, bitmap0, bitmap1]
/// - "places": the switches that the job's frames pass, each with
///   - "switch": its number
///   - "level": only, leaf, root, or forwards
///   - "below": the "rank" of each worker whose frames pass the switch, and the "trunk" at which
///     the frames arrive; null if the worker is attached to the switch
///   - "up": the trunk towards the root, or null
///   - "server_trunks": the trunk to each server, by the server's index; null for a server that is
///     attached to the switch.
fields::Json planned_trees(const cluster::Spec& cluster);

}  // namespace ina::systems
