// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/spec/spec.hpp"
#include "hw/fields/strict_json.hpp"

namespace ina::systems {

/// What each switch has to know of each job of a cluster before anything fails, for control planes
/// that are no part of this program: an array by job of {"paths", by rank [fan_in_degree0,
/// fan_in_degree1, bitmap0, bitmap1]; "places", of the switches that the job's frames pass}. A
/// place has its "switch", by number; "level": only, leaf, root, or forwards; "below": the "rank"
/// of each worker whose frames come there, and the "trunk" by which they come, null: the worker
/// hangs there; "up": the trunk towards the root, or null; "server_trunks": those to the servers,
/// by index, null where one hangs there. Empty for a system that adds up at no switch.
fields::Json planned_trees(const cluster::Spec& cluster);

}  // namespace ina::systems
