// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "hw/cluster/control/control_plane.hpp"
#include "hw/cluster/spec/spec.hpp"
#include "hw/protocol/registration/registrar.hpp"

namespace ina::processes {

/// The ids that a job's sessions may have. `job`: the job's number.
registration::IdPool ids_of(const cluster::Spec& cluster, std::uint32_t job);

/// The registrar of a job of the cluster. Its epoch and first id are random, so that they differ
/// from those of earlier registrars.
registration::Registrar make_registrar(const cluster::Spec& cluster,
                                       const cluster::Registration& job);

/// Host of the member that a registration message comes from or goes to; nothing if the job has no
/// such member. The message's kind determines whether the member is a worker or a server.
std::optional<HostId> host_of_member(const cluster::JobHosts& hosts,
                                     const wire::RegistrationMessage& message);

/// Whether messages of this kind go from a member to the registrar. Others go to a member.
bool is_for_registrar(wire::RegistrationKind kind);

}  // namespace ina::processes
