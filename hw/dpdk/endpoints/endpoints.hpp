// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "hw/dpdk/endpoints/cluster.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina::endpoints {

/// The worker's end of the cluster's system.
std::unique_ptr<WorkerTransport> make_transport(const Cluster& cluster, Seat seat, ValuePool& pool,
                                                ResultSink& sink);

/// The parameter server of a job; null if the system has none.
std::unique_ptr<ParameterServer> make_server(const Cluster& cluster, JobId job, ValuePool& pool);

}  // namespace ina::endpoints
