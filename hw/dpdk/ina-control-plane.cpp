// SPDX-License-Identifier: BSD-3-Clause
// The control plane of a cluster of processes. Reads events from standard input and writes orders
// to standard output (processes/process_control.hpp).
#include <iostream>
#include <string>
#include <vector>

#include "hw/processes/cluster_file.hpp"
#include "hw/processes/command_line.hpp"
#include "hw/processes/process.hpp"
#include "hw/processes/process_control.hpp"

namespace {

using namespace ina;

processes::ProcessControl control_of(const cluster::Spec& spec) {
  std::vector<processes::ProcessControl::Job> jobs;
  for (const cluster::JobSpec& job : spec.jobs) {
    jobs.push_back({spec.hosts(job), job.training.iterations});
  }
  return {spec.control(), jobs, spec.node_faults, std::cout};
}

int run(const std::string& file) {
  auto control = control_of(processes::read_cluster_file(file));
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
  return processes::run_program(kName, [&] {
    CLI::App app("Controls a cluster's jobs, by events from standard input and until its end",
                 kName);
    std::string cluster;
    app.add_option("--cluster", cluster, "cluster file, as `ina-sim plan` prints it")->required();
    if (const auto status = processes::parse_options(app, argc, argv)) return *status;
    return run(cluster);
  });
}
