// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "hw/processes/members.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina::processes {

/// Transport of a worker under the cluster's system.
std::unique_ptr<WorkerTransport> make_transport(const Spec& cluster, WorkerId self, ValuePool& pool,
                                                ResultSink& sink);

/// A parameter server of a job; null if the system has none.
std::unique_ptr<ParameterServer> make_server(const Spec& cluster, ServerId self, ValuePool& pool);

}  // namespace ina::processes
