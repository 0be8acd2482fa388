// SPDX-License-Identifier: BSD-3-Clause
// Options and main function of the programs that run one host of a cluster.
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
  std::optional<JobId> job_id;  ///< the job's new id, if it was registered again
  std::string device;
};

struct HostProgram {
  const char* name;
  const char* description;
  /// Runs the program. Returns the exit status.
  std::function<int(const HostOptions&)> body;
  /// Adds the program's own options.
  std::function<void(CLI::App&)> add_options = {};
};

/// Returns the exit status.
int run_host_main(int argc, char** argv, const HostProgram& program) noexcept;

/// The host's end of its link, and the memory for the values of its frames.
class HostLink {
 public:
  /// Throws PortError.
  HostLink(const HostOptions& options, const cluster::Spec& cluster);

  ValuePool& values() { return values_; }
  Port& port() { return port_; }
  /// Whether frames can reach the other end, as far as the device knows.
  bool is_up() { return device_.link_is_up() && has_carrier(options_.device); }
  /// Waits for the link. Returns at once if stopped. Throws PortError on timeout.
  void wait();
  /// Waits for the link, then calls ports::begin().
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
