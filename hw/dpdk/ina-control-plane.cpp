// SPDX-License-Identifier: BSD-3-Clause
// The control plane of a cluster of processes: hears what happened on standard input, and says what
// is to be done on standard output (endpoints/process_control.hpp). Exit status: 0, 1 (trouble with
// the machine), 2 (wrong options, cluster or input).
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "hw/dpdk/endpoints/cluster.hpp"
#include "hw/dpdk/endpoints/process.hpp"
#include "hw/dpdk/endpoints/process_control.hpp"

namespace {

using namespace ina;

std::vector<faults::PlannedNodeFault> read_node_faults(const endpoints::Fields& file,
                                                       const endpoints::Cluster& cluster) {
  std::vector<faults::PlannedNodeFault> faults;
  file.each("node_faults", [&](const endpoints::Fields& fields) {
    faults::PlannedNodeFault fault;
    fault.fault = static_cast<faults::NodeFault>(fields.choice("fault", faults::kNodeFaultNames));
    fault.at = fields.time("at_ps");
    fault.duration = fields.time("duration_ps", Time::zero(), Time::max() - fault.at);
    const auto last_job = static_cast<std::uint32_t>(cluster.jobs.size() - 1);
    fault.job = fields.integer<std::uint32_t>("job", 0, last_job);
    const std::size_t workers = cluster.jobs[fault.job].workers.size();
    fault.worker =
        fields.integer<std::uint16_t>("worker", 0, static_cast<std::uint16_t>(workers - 1));
    fault.rack = cluster.racks.of_servers();
    if (faults::strikes_server(fault.fault) && !cluster.has_servers()) {
      fields.refuse("fault", "one of a system's servers, if it has them");
    }
    faults.push_back(fault);
  });
  return faults;
}

/// Of the content of a cluster file.
endpoints::ProcessControl control_of(const endpoints::Fields& file) {
  const endpoints::Cluster cluster = endpoints::read_cluster(file);
  std::vector<endpoints::ProcessControl::Job> jobs;
  for (const endpoints::Job& job : cluster.jobs) {
    const auto server = cluster.has_servers() ? std::optional(job.server) : std::nullopt;
    jobs.push_back({{job.workers, job.racks, server}, job.training.iterations});
  }
  const bool survive = !cluster.system->traits().loses_jobs_with_switch;
  return {{cluster.racks.count, cluster.racks.levels, survive},
          jobs,
          read_node_faults(file, cluster),
          std::cout};
}

int run(const std::string& file) {
  auto control = endpoints::read_file(file, control_of);
  control.wait();
  for (std::string event; std::getline(std::cin, event);) {
    control.take(event);
    control.wait();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr const char* kName = "ina-control-plane";
  return endpoints::run_program(kName, [&] {
    CLI::App app("Decides what becomes of a cluster's jobs, until the end of its input.", kName);
    std::string cluster;
    app.add_option("--cluster", cluster, "as ina-sim plan prints it")->required();
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return app.exit(error);  // --help
      throw endpoints::InputError(error.what());
    }
    return run(cluster);
  });
}
