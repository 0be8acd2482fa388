// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "hw/cluster/control/control_plane.hpp"

namespace ina::testing {

/// Makes what stands between the control plane and its world, to do what a mistaken one does. It
/// takes jobs to be added before any of them is registered again, so that a job's first id is its
/// number.
using MakeControlMistake = std::unique_ptr<cluster::ControlWorld> (*)(cluster::ControlWorld&);

/// A job has the id of its first registration in all of them.
std::unique_ptr<cluster::ControlWorld> make_same_id(cluster::ControlWorld& world);
/// Workers that begin again skip the iteration that not all have ended.
std::unique_ptr<cluster::ControlWorld> make_later_iteration(cluster::ControlWorld& world);
/// A job stays at the switch of the servers' rack, where the highest number is.
std::unique_ptr<cluster::ControlWorld> make_forgotten_switch(cluster::ControlWorld& world);
/// A job that is registered again gets the server of its first registration.
std::unique_ptr<cluster::ControlWorld> make_old_server(cluster::ControlWorld& world);
/// A switch that is back knows no jobs.
std::unique_ptr<cluster::ControlWorld> make_empty_switch(cluster::ControlWorld& world);
/// The end of a pause is forgotten.
std::unique_ptr<cluster::ControlWorld> make_endless_pause(cluster::ControlWorld& world);

}  // namespace ina::testing
