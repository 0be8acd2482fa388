// SPDX-License-Identifier: BSD-3-Clause
// What the programs have in common that are one host of a cluster.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hw/cluster/spec/spec.hpp"
#include "hw/dpdk/ports/carrier.hpp"
#include "hw/dpdk/ports/eal.hpp"
#include "hw/dpdk/ports/program.hpp"

namespace ina::ports {

struct HostOptions : Options {
  HostId host = 0;
  std::optional<JobId> job_id;  ///< of a job that has been registered again
  std::string device;
};

struct HostProgram {
  const char* name;
  const char* description;
  /// Does the work. Returns the exit status.
  std::function<int(const HostOptions&)> body;
  /// Adds options to those that all have.
  std::function<void(CLI::App&)> add_options = {};
};

/// Returns the exit status.
int run_host_main(int argc, char** argv, const HostProgram& program) noexcept;

/// The host's end of its link, with the values of its frames.
class HostLink {
 public:
  /// Throws PortError.
  HostLink(const HostOptions& options, const cluster::Spec& cluster);

  ValuePool& values() { return values_; }
  Port& port() { return port_; }
  /// Whether frames can get to the other end, as far as the device knows.
  bool is_up() { return device_.link_is_up() && has_carrier(options_.device); }
  /// Waits for the link; throws PortError if it is not up in a while. Returns at once if stopped.
  void wait();
  /// Waits for the link, then as ports::begin.
  std::optional<processes::RunClock> begin();

 private:
  struct FreeBuffers {
    void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
  };

  HostOptions options_;
  Eal eal_;
  std::unique_ptr<rte_mempool, FreeBuffers> buffers_;
  ValuePool values_;
  Device device_;
  Port port_;
};

}  // namespace ina::ports
