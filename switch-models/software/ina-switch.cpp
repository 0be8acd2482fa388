// SPDX-License-Identifier: BSD-3-Clause
// The software switch: a data-plane program between DPDK ports, where a testbed with a Tofino has
// that. Exit status: 0, 1 (trouble with the machine), 2 (wrong options, cluster or ports).
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "hw/dpdk/endpoints/cluster.hpp"
#include "hw/dpdk/ports/eal.hpp"
#include "hw/dpdk/ports/program.hpp"
#include "switch-models/software/journal.hpp"
#include "switch-models/software/switch_file.hpp"

namespace {

using namespace ina;

struct SwitchOptions {
  std::vector<std::string> ports;
  std::string journal;
};

struct HostDevice {
  HostId host = 0;
  std::string device;
};

struct HostPort {
  HostId host = 0;
  std::unique_ptr<ports::Port> port;
};

/// "3=net_memif3,role=server,..."
HostDevice parse_device(const std::string& text) {
  HostDevice device;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, device.host);
  if (error != std::errc() || stop == end || *stop != '=') {
    throw ports::PortError("--port " + text + "; allowed: HOST=DEVICE");
  }
  device.device.assign(stop + 1, end);
  return device;
}

nlohmann::json to_json(const software::SoftwareSwitch::LinkCounters& counters) {
  return {{"dropped", counters.dropped},
          {"marked", counters.marked},
          {"lost", counters.lost},
          {"corrupted", counters.corrupted},
          {"duplicated", counters.duplicated},
          {"delayed", counters.delayed}};
}

nlohmann::json report_of(const HostPort& port, const software::SoftwareSwitch& fabric) {
  using Direction = software::SoftwareSwitch::Direction;
  return {{"host", port.host},
          {"port", ports::to_json(port.port->counters())},
          {"to_switch", to_json(fabric.counters(port.host, Direction::to_switch))},
          {"from_switch", to_json(fabric.counters(port.host, Direction::from_switch))}};
}

nlohmann::json report_of(const std::vector<HostPort>& host_ports, software::SoftwareSwitch& fabric,
                         std::size_t jobs) {
  nlohmann::json report;
  report["cells_in_use"] = fabric.program().cells_in_use();
  report["occupied"] = fabric.program().occupied();
  report["foreign_frames"] = fabric.program().foreign_frames() + fabric.refused();
  report["frames_without_route"] = fabric.without_route();
  report["jobs"] = nlohmann::json::array();
  for (std::size_t job = 0; job < jobs; ++job) {
    nlohmann::json events;
    for (std::size_t event = 0; event < programs::kAggregatorEvents; ++event) {
      events[programs::kAggregatorEventNames[event]] =
          fabric.program().counters(static_cast<JobId>(job)).count[event];
    }
    report["jobs"].push_back(events);
  }
  report["ports"] = nlohmann::json::array();
  for (const HostPort& port : host_ports) report["ports"].push_back(report_of(port, fabric));
  return report;
}

std::vector<HostPort> open_ports(const std::vector<HostDevice>& devices, wire::Protocol protocol,
                                 ValuePool& values) {
  rte_mempool& buffers = ports::make_mempool(devices.size());
  std::vector<HostPort> host_ports;
  host_ports.reserve(devices.size());
  for (const HostDevice& device : devices) {
    host_ports.push_back(
        {device.host, std::make_unique<ports::Port>(device.device, protocol, values, buffers)});
  }
  return host_ports;
}

std::size_t step(std::vector<HostPort>& host_ports, software::SoftwareSwitch& fabric, Time now) {
  std::size_t moved = 0;
  for (HostPort& port : host_ports) {
    moved += port.port->receive(
        [&](Frame&& frame) { fabric.receive(std::move(frame), port.host, now); });
  }
  if (fabric.deadline() <= now) fabric.expire(now);
  for (HostPort& port : host_ports) {
    moved += port.port->send([&](Frame& out) { return fabric.next(port.host, out); });
  }
  return moved;
}

int run(const ports::Options& options, const SwitchOptions& own) {
  std::vector<HostDevice> devices;
  std::vector<HostId> hosts;
  ports::Eal::Config config;
  config.hugepages = options.hugepages;
  for (const std::string& text : own.ports) {
    devices.push_back(parse_device(text));
    hosts.push_back(devices.back().host);
    config.devices.push_back(devices.back().device);
  }
  endpoints::Cluster cluster;
  std::optional<ValuePool> values;  // outlives the frames in the switch
  const auto fabric = endpoints::read_file(options.cluster, [&](const endpoints::Fields& file) {
    cluster = endpoints::read_cluster(file);
    values.emplace(cluster.values_per_packet);
    return software::read_switch(file, cluster, hosts);
  });
  std::optional<software::JournalWriter> journal;
  if (!own.journal.empty()) {
    journal.emplace(own.journal, cluster.protocol);
    fabric->set_traffic_observer(&*journal);
    fabric->program().set_observer(&*journal);
  }
  const ports::Eal eal(config);
  std::vector<HostPort> host_ports = open_ports(devices, cluster.protocol, *values);
  const auto clock = ports::begin(options);
  if (!clock) return 0;

  ports::Stats stats(options.stats);
  ports::run_until_stopped(*clock, [&](Time now) {
    stats.tick(now, [&] {
      for (const HostPort& port : host_ports) {
        ports::print_stats(now, "port of host " + std::to_string(port.host), port.port->counters());
      }
    });
    return step(host_ports, *fabric, now);
  });
  if (journal) journal->close();
  if (!options.report.empty()) {
    endpoints::write_report(options.report, report_of(host_ports, *fabric, cluster.jobs.size()));
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
                        "a host and the DPDK device to it: 3=net_memif3,role=server (several)")
             ->required()
             ->type_name("HOST=DEVICE")
             ->allow_extra_args(false);
         app.add_option("--journal", own.journal,
                        "write what comes in and what is decided to this file")
             ->type_name("FILE");
       },
       [&](const ports::Options& options) { return run(options, own); }});
}
