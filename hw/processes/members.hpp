// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/spec/spec.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::processes {

using cluster::JobSpec;
using cluster::Spec;

/// A worker of a job.
struct WorkerId {
  JobId job = 0;
  std::uint16_t rank = 0;
};

/// A parameter server of a job.
struct ServerId {
  JobId job = 0;
  std::uint16_t index = 0;
};

/// The job and rank of a host's worker. Throws InputError if the host has no worker.
WorkerId find_worker(const Spec& cluster, HostId host);
/// The job and index of a host's parameter server. Throws InputError if the host has no server.
ServerId find_server(const Spec& cluster, HostId host);

}  // namespace ina::processes
