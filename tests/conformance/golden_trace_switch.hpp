// SPDX-License-Identifier: BSD-3-Clause
// The switch of golden traces (tests/vectors/README.md): its ports, and the frames that each
// admits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "switch-models/node/switch_node.hpp"
#include "switch-models/systems/job_place.hpp"

namespace ina::golden_traces {

using Json = nlohmann::json;

/// The switch of a golden trace. It uses the keys `jobs` and, if present, `switch`. Ports have the
/// same names as in the trace: the connected host or, for a port to another switch, a number of its
/// own.
class TraceSwitch {
 public:
  TraceSwitch(const Json& trace, std::unique_ptr<programs::SwitchProgram> program) : trace_(trace) {
    node_.set_program(std::move(program));
    add_ports();
    for (const auto& [id, job] : trace.at("jobs").items()) {
      install(static_cast<JobId>(std::stoul(id)), job);
    }
  }

  bool admit(const Frame& frame, HostId ingress) {
    if (!ports_.contains(ingress)) add_port(ingress);
    return node_.admit(frame, ports_.at(ingress));
  }
  /// Processes a frame that was admitted.
  rmt::Verdict process(Frame& frame, HostId ingress, Time now) {
    return node_.process(frame, ports_.at(ingress), now);
  }
  /// Runs the first pass of a frame that was admitted, or a further one.
  rmt::Verdict first_pass(Frame& frame, rmt::Carry& carry, HostId ingress, Time now) {
    return node_.first_pass(frame, carry, ports_.at(ingress), now);
  }
  rmt::Verdict next_pass(Frame& frame, rmt::Carry& carry, Time now) {
    return node_.next_pass(frame, carry, now);
  }
  /// Sorted egress ports of a frame that was not dropped.
  std::vector<HostId> egress(const Frame& frame, rmt::Verdict::Exit exit) {
    std::vector<HostId> names;
    for (const node::PortIndex port : node_.egress(frame, exit)) names.push_back(names_.at(port));
    std::ranges::sort(names);
    return names;
  }

 private:
  static constexpr std::uint16_t kOnlyRack = 0;

  std::uint16_t rack() const { return number("rack"); }
  std::uint16_t root() const { return number("root"); }
  std::uint16_t number(const char* key) const {
    return trace_.contains("switch") ? trace_.at("switch").at(key).get<std::uint16_t>() : kOnlyRack;
  }

  cluster::JobHosts hosts_of(const Json& job) const {
    cluster::JobHosts hosts;
    hosts.workers = job.at("workers").get<std::vector<HostId>>();
    hosts.racks = job.value("racks", std::vector<std::uint16_t>(hosts.workers.size(), kOnlyRack));
    if (job.contains("server")) {
      const Json& servers = job.at("server");  // one, or a list
      hosts.servers = servers.is_array() ? wire::JobServers(servers.get<std::vector<HostId>>())
                                         : wire::JobServers(servers.get<HostId>());
      hosts.server_racks.assign(hosts.servers.count(), root());
    }
    return hosts;
  }

  void add_ports() {
    std::map<std::uint16_t, std::set<HostId>> hosts;  // by rack; servers are at the root
    for (const Json& job : trace_.at("jobs")) {
      const cluster::JobHosts members = hosts_of(job);
      for (std::size_t rank = 0; rank < members.workers.size(); ++rank) {
        hosts[members.racks[rank]].insert(members.workers[rank]);
      }
      hosts[root()].insert(members.servers.hosts().begin(), members.servers.hosts().end());
    }
    for (const HostId host : hosts[rack()]) add_port(host);
    if (!trace_.contains("switch")) return;
    for (const auto& [name, racks] : trace_.at("switch").at("ports").items()) {
      std::vector<HostId> behind;
      for (const std::uint16_t one : racks) {
        behind.insert(behind.end(), hosts[one].begin(), hosts[one].end());
      }
      keep(static_cast<HostId>(std::stoul(name)), node_.add_trunk(behind));
    }
  }
  void add_port(HostId host) { keep(host, node_.add_port(host)); }
  void keep(HostId name, node::PortIndex port) {
    ports_[name] = port;
    names_[port] = name;
  }

  void install(JobId id, const Json& job) {
    const cluster::JobHosts hosts = hosts_of(job);
    const auto paths = wire::aggregation_paths(hosts.racks, root(), wire::Levels::two);
    std::vector<HostId> below;
    for (std::size_t rank = 0; rank < hosts.workers.size(); ++rank) {
      const bool is_below = rack() == root() || hosts.racks[rank] == rack();
      if (is_below) below.push_back(hosts.workers[rank]);
    }
    const systems::JobPlace place = systems::place_of({hosts, paths, root()}, rack(), below);
    const programs::JobEntry entry{place.contributions, hosts.servers, job.value("first_slot", 0U),
                                   job.value("slots", 0U)};
    node_.install_job(id, place.complete(entry), place.members);
  }

  const Json& trace_;
  node::SwitchNode node_;
  std::map<HostId, node::PortIndex> ports_;
  std::map<node::PortIndex, HostId> names_;
};

}  // namespace ina::golden_traces
