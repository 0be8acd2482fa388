// SPDX-License-Identifier: BSD-3-Clause
// A cluster file of the testbed's processes. It is rejected with a one-line message, or every host
// in it is found and a switch with its faults can be made.
#include <cstdint>
#include <string_view>

#include "hw/processes/members.hpp"
#include "switch-models/software/switch_file.hpp"
#include "tests/fuzz/require.hpp"

namespace ina::fuzz {
namespace {

/// Limit because a switch allocates the memory that the file asks for.
constexpr std::uint32_t kMostAggregators = 1024;
constexpr unsigned kParts = 2;

void check_training(const cluster::TrainingPlan& plan) {
  Psn next = 0;
  for (const auto& partition : plan.partitions.partitions()) {
    require(partition.first_fragment == next, "partitions follow one another");
    require(partition.layer < plan.layers.size(), "a partition's layer is there");
    next += partition.fragments;
  }
  require(plan.partitions.fragments_per_iteration() == next,
          "the iteration is what its partitions are");
  std::int64_t computation_ps = 0;
  for (const cluster::LayerProfile& layer : plan.layers) {
    computation_ps += layer.forward_ps + layer.backward_ps;
    require(computation_ps >= 0, "the compute times' sum is a time");
  }
}

std::vector<HostId> check_seats(const cluster::Spec& cluster) {
  std::vector<HostId> hosts;
  for (std::size_t job = 0; job < cluster.jobs.size(); ++job) {
    const auto& workers = cluster.jobs[job].workers;
    for (std::size_t rank = 0; rank < workers.size(); ++rank) {
      const processes::WorkerId self = processes::find_worker(cluster, workers[rank]);
      require(self.job == job && self.rank == rank, "every worker is found");
      hosts.push_back(workers[rank]);
    }
    if (!cluster.has_servers()) continue;
    const auto& servers = cluster.jobs[job].servers;
    for (std::size_t index = 0; index < servers.size(); ++index) {
      const processes::ServerId self = processes::find_server(cluster, servers[index]);
      require(self.job == job && self.index == index, "every server is found");
      hosts.push_back(servers[index]);
    }
  }
  return hosts;
}

void check_written(const cluster::Spec& cluster, const fields::Json& written) {
  const cluster::Spec again = cluster::read_spec(written, "again", systems::all_settings());
  require(cluster::write_spec(again, systems::all_settings()) == written,
          "what is written is read as it was");
  require(again.jobs == cluster.jobs && again.topology == cluster.topology &&
              again.link_faults == cluster.link_faults && again.node_faults == cluster.node_faults,
          "what is written says the same");
}

/// The peers of a switch: its own hosts among `hosts`, and the adjacent switches.
std::vector<software::Peer> peers_of(const cluster::Spec& cluster, cluster::SwitchIndex at,
                                     const std::vector<HostId>& hosts) {
  std::vector<software::Peer> peers;
  for (const HostId host : hosts) {
    if (cluster.topology.switch_of[host] == at) peers.push_back(software::Peer::host(host));
  }
  for (const cluster::Topology::Trunk& trunk : cluster.topology.trunks) {
    if (trunk.upper == at) peers.push_back(software::Peer::of_switch(trunk.lower));
    if (trunk.lower == at) peers.push_back(software::Peer::of_switch(trunk.upper));
  }
  return peers;
}

void check(const fields::Json& json) {
  const cluster::Spec cluster = cluster::read_spec(json, "file", systems::all_settings());
  for (const cluster::JobSpec& job : cluster.jobs) check_training(job.training);
  check_written(cluster, cluster::write_spec(cluster, systems::all_settings()));
  const std::vector<HostId> hosts = check_seats(cluster);
  const systems::SwitchHalf& system = systems::half_on_switches(*cluster.system);
  if (system.aggregators(cluster.environment.jobs) > kMostAggregators) return;
  const cluster::SwitchIndex root = cluster.topology.of_servers();
  software::make_switch(cluster, system, root, peers_of(cluster, root, hosts), kParts);
}

void check_one_clear_line(std::string_view message) {
  require(message.find('\n') == std::string_view::npos, "the message is one line");
  require(message.size() < 4096, "the message is short");
}

}  // namespace
}  // namespace ina::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    ina::fuzz::check(ina::fields::parse_strict_json(text, "file"));
  } catch (const ina::fields::InputError& error) {
    ina::fuzz::check_one_clear_line(error.what());
  }
  return 0;
}
