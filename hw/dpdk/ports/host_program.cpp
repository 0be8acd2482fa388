// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/host_program.hpp"

#include <limits>

#include "hw/dpdk/ports/mempool.hpp"
#include "hw/fields/number_argument.hpp"

namespace ina::ports {

int run_host_main(int argc, char** argv, const HostProgram& program) noexcept {
  HostOptions options;
  const auto add_options = [&](CLI::App& app) {
    app.add_option("--host", options.host, "number of this host in the cluster")
        ->required()
        ->transform(fields::whole_number({0, std::numeric_limits<HostId>::max()}));
    app.add_option("--port", options.device, "DPDK device, such as net_af_packet0,iface=eth0")
        ->required();
    app.add_option("--job-id", options.job_id,
                   "id of the job in packets, if the job has been registered again")
        ->type_name("NUMBER")
        ->transform(fields::whole_number({0, std::numeric_limits<JobId>::max()}));
    if (program.add_options) program.add_options(app);
  };
  return run_main(argc, argv,
                  {program.name, program.description, add_options, [&](const Options& common) {
                     static_cast<Options&>(options) = common;
                     return program.body(options);
                   }});
}

HostLink::HostLink(const HostOptions& options, const cluster::Spec& cluster)
    : options_(options),
      eal_({{options.device}, options.hugepages, 1, options.poll}),
      buffers_(&make_mempool(1, 1)),
      values_(cluster.values_per_packet()),
      device_(options.device, cluster.format(), *buffers_),
      port_(device_, cluster.format(), values_) {}

void HostLink::wait() { wait_for_link(device_, options_.device); }

std::optional<processes::RunClock> HostLink::begin() {
  wait();
  return ports::begin(options_);
}

}  // namespace ina::ports
