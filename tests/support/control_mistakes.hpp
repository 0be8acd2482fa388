// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "hw/cluster/control/control_plane.hpp"

namespace ina::testing {

/// Makes an object between the control plane and its world that implements a mistake. Jobs must be
/// added before any of them is registered again, so that a job's first id is its number.
using MakeControlMistake = std::unique_ptr<cluster::ControlWorld> (*)(cluster::ControlWorld&);

/// All registrations of a job have the id of the first one.
std::unique_ptr<cluster::ControlWorld> make_same_id(cluster::ControlWorld& world);
/// Workers that start again skip the iteration that some of them have not finished.
std::unique_ptr<cluster::ControlWorld> make_later_iteration(cluster::ControlWorld& world);
/// A removed job remains at the switch of the servers' rack, which has the highest number.
std::unique_ptr<cluster::ControlWorld> make_forgotten_switch(cluster::ControlWorld& world);
/// A job that is registered again keeps the server of its first registration.
std::unique_ptr<cluster::ControlWorld> make_old_server(cluster::ControlWorld& world);
/// A switch that is back gets no jobs.
std::unique_ptr<cluster::ControlWorld> make_empty_switch(cluster::ControlWorld& world);
/// The end of a pause is forgotten.
std::unique_ptr<cluster::ControlWorld> make_endless_pause(cluster::ControlWorld& world);

}  // namespace ina::testing
