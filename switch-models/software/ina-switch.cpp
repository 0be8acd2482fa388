// SPDX-License-Identifier: BSD-3-Clause
// The software switch: a data-plane program between DPDK ports, in place of a Tofino in a testbed.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/dpdk/ports/eal.hpp"
#include "hw/dpdk/ports/program.hpp"
#include "hw/fields/number_argument.hpp"
#include "hw/fields/read_number.hpp"
#include "hw/processes/cluster_file.hpp"
#include "switch-models/software/journal.hpp"
#include "switch-models/software/neighbourhood.hpp"
#include "switch-models/software/order_listener.hpp"
#include "switch-models/software/orders.hpp"
#include "switch-models/software/part_control.hpp"
#include "switch-models/software/switch_core.hpp"
#include "switch-models/software/switch_core_report.hpp"
#include "switch-models/software/switch_file.hpp"

namespace {

using namespace ina;

struct SwitchOptions {
  std::optional<std::string> name;
  std::vector<std::string> ports;
  std::string journal;
  unsigned cores = 1;
};

/// A value of --port.
struct NamedDevice {
  std::string peer;
  std::string device;
};

/// Parses "3=net_memif3,role=server,..." or "rack1=...".
NamedDevice parse_device(const std::string& text) {
  const std::size_t peer = text.find('=');
  if (peer == std::string::npos || peer + 1 == text.size()) {
    throw ports::PortError("--port " + text + "; allowed: HOST=DEVICE, SWITCH=DEVICE");
  }
  return {text.substr(0, peer), text.substr(peer + 1)};
}

std::optional<cluster::SwitchIndex> find_switch(const cluster::Topology& topology,
                                                const std::string& name) {
  const auto found = std::ranges::find(topology.switches, name, &cluster::Topology::Switch::name);
  if (found == topology.switches.end()) return std::nullopt;
  return static_cast<cluster::SwitchIndex>(found - topology.switches.begin());
}

/// "3" is a host, any other name a switch.
software::Peer peer_of(const std::string& name, const cluster::Topology& topology) {
  if (const auto at = find_switch(topology, name)) return software::Peer::of_switch(*at);
  HostId host = 0;
  if (fields::read_number(name, host)) return software::Peer::host(host);
  throw ports::PortError("--port " + name +
                         "=...; allowed: the number of a host, the name of a switch in --cluster");
}

cluster::SwitchIndex switch_named(const std::optional<std::string>& name,
                                  const cluster::Topology& topology) {
  if (!name) return topology.of_servers();
  if (const auto at = find_switch(topology, *name)) return *at;
  throw ports::PortError("--switch " + *name + "; allowed: the name of a switch in --cluster");
}

/// Reports how several cores share the devices. This depends on the devices' drivers.
void report_layouts(const std::vector<software::PortDevice>& devices, unsigned cores) {
  std::map<std::string, int> layouts;
  for (const auto& one : devices) ++layouts[one.device->queue_layout()];
  for (const auto& [layout, count] : layouts) {
    fmt::print(stderr, "ina-switch: {} cores: {} port{} with {}\n", cores, count,
               count == 1 ? "" : "s", layout);
  }
}

std::vector<software::PortDevice> open_devices(const std::vector<NamedDevice>& named,
                                               wire::Format format, unsigned cores) {
  rte_mempool& buffers = ports::make_mempool(named.size(), cores);
  std::vector<software::PortDevice> devices;
  devices.reserve(named.size());
  for (const NamedDevice& one : named) {
    const auto home = static_cast<unsigned>(devices.size() % cores);
    devices.push_back(
        {one.peer, std::make_unique<ports::Device>(one.device, format, buffers,
                                                   ports::Device::Sharing{cores, home})});
  }
  if (cores > 1) report_layouts(devices, cores);
  return devices;
}

ports::Eal::Config eal_config(const ports::Options& options, const std::vector<NamedDevice>& named,
                              unsigned cores) {
  ports::Eal::Config config;
  config.hugepages = options.hugepages;
  config.cores = cores;
  config.pinned = options.poll;
  for (const NamedDevice& one : named) config.devices.push_back(one.device);
  return config;
}

/// The switch of a cluster file, with storage for the values of each part's frames.
struct SwitchSetup {
  cluster::Spec cluster;
  cluster::SwitchIndex at = 0;
  std::vector<software::Peer> peers;
  std::vector<std::unique_ptr<ValuePool>> values;
  software::SwitchParts parts;

  const systems::SwitchHalf& system() const { return systems::half_on_switches(*cluster.system); }
};

SwitchSetup read_setup(const std::string& path, const std::optional<std::string>& name,
                       const std::vector<NamedDevice>& named, unsigned cores) {
  SwitchSetup setup;
  setup.cluster = processes::read_cluster_file(path, systems::all_settings());
  for (unsigned core = 0; core < cores; ++core) {
    setup.values.push_back(std::make_unique<ValuePool>(setup.cluster.values_per_packet()));
  }
  const cluster::Topology& topology = setup.cluster.topology;
  setup.at = switch_named(name, topology);
  for (const NamedDevice& one : named) setup.peers.push_back(peer_of(one.peer, topology));
  setup.parts = software::make_switch(setup.cluster, setup.system(), setup.at, setup.peers, cores);
  return setup;
}

/// Waits for the links to the switches above. There is no wait for switches below, because they
/// start later.
void wait_for_links_up(const SwitchSetup& setup, const std::vector<NamedDevice>& named,
                       const std::vector<software::PortDevice>& devices) {
  for (const cluster::Topology::Trunk& trunk : setup.cluster.topology.trunks) {
    if (trunk.lower != setup.at) continue;
    const auto up = std::ranges::find(setup.peers, software::Peer::of_switch(trunk.upper));
    if (up == setup.peers.end()) continue;
    const auto port = static_cast<std::size_t>(up - setup.peers.begin());
    ports::wait_for_link(*devices[port].device, named[port].device);
  }
}

std::vector<JobId> ids_of(const cluster::Spec& cluster) {
  std::vector<JobId> ids;
  for (const cluster::JobSpec& job : cluster.jobs) ids.push_back(job.id);
  return ids;
}

void check(const SwitchOptions& own) {
  ports::check_cores(own.cores);
  if (own.journal.empty() || own.cores == 1) return;
  throw ports::PortError(fmt::format(
      "--journal with --cores {}: what they do has no one order; allowed: --cores 1", own.cores));
}

int run(const ports::Options& options, const SwitchOptions& own) {
  check(own);
  std::vector<NamedDevice> named;
  for (const std::string& text : own.ports) named.push_back(parse_device(text));
  const SwitchSetup setup = read_setup(options.cluster, own.name, named, own.cores);
  const wire::Format format = setup.cluster.format();
  std::optional<software::JournalWriter> journal;
  if (!own.journal.empty()) {
    journal.emplace(own.journal, format);
    setup.parts.front()->set_traffic_observer(&*journal);
    setup.parts.front()->program().set_observer(&*journal);
  }
  const ports::Eal eal(eal_config(options, named, own.cores));
  const auto devices = open_devices(named, format, own.cores);
  std::optional<ports::BufferRings> rings;
  if (own.cores > 1) rings.emplace(own.cores, ports::ring_buffers(own.cores));
  software::SwitchCores cores;
  for (unsigned core = 0; core < own.cores; ++core) {
    cores.push_back(std::make_unique<software::SwitchCore>(
        core, format, *setup.parts[core], *setup.values[core], devices, rings ? &*rings : nullptr));
  }
  wait_for_links_up(setup, named, devices);
  const auto clock = ports::begin(options);
  if (!clock) return 0;

  software::Orders orders(own.cores, ids_of(setup.cluster));
  software::OrderListener listener(options.together, setup.cluster, orders);
  const software::Neighbourhood around(setup.cluster, setup.system(), setup.at, setup.peers);
  constexpr unsigned kCore = ports::Steering::kRegistrationCore;
  software::Registrations registrations(setup.cluster, setup.at, setup.peers, *setup.parts[kCore],
                                        orders);
  cores[kCore]->handle(registrations);
  ports::run_on_cores(own.cores, [&](unsigned core) {
    software::PartControl control(setup.cluster, setup.system(), around, core, *setup.parts[core]);
    ports::Stats stats(options.stats);
    ports::run_until_stopped(options, *clock, [&](Time now) {
      orders.take(core, [&](const software::Order& order) { control.obey(order); });
      stats.tick(now, [&] { cores[core]->print_stats(now); });
      return cores[core]->step(now);
    });
  });
  listener.stop();
  if (journal) journal->close();
  if (!options.report.empty()) {
    processes::write_report(options.report, software::report_of(cores, devices, orders.ids()));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  SwitchOptions own;
  return ina::ports::run_main(
      argc, argv,
      {"ina-switch", "The software switch, until it is stopped by SIGTERM.",
       [&](CLI::App& app) {
         app.add_option("--port", own.ports,
                        "number of a host or name of another switch, and the DPDK device of the "
                        "link to it: 3=net_memif3,role=server or rack1=... (once for each link)")
             ->required()
             ->type_name("PEER=DEVICE")
             ->allow_extra_args(false);
         app.add_option("--switch", own.name,
                        "name of this switch (default: the parameter servers' switch)")
             ->type_name("NAME");
         app.add_option("--cores", own.cores,
                        "number of processors that share the aggregators (default: 1)")
             ->type_name("NUMBER")
             ->transform(ina::fields::whole_number({0, std::numeric_limits<unsigned>::max()}));
         app.add_option("--journal", own.journal,
                        "write all incoming frames and all decisions to this file")
             ->type_name("FILE");
       },
       [&](const ports::Options& options) { return run(options, own); }});
}
