// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/node/switch_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ina::node {

PortIndex SwitchNode::add_port(HostId host) {
  const PortIndex port = routes_.add_port(Routes::PortTo::host);
  set_route(host, port);
  return port;
}

PortIndex SwitchNode::add_trunk(const std::vector<HostId>& hosts) {
  const PortIndex port = routes_.add_port(Routes::PortTo::other_switch);
  set_routes(hosts, {port});
  return port;
}

void SwitchNode::set_route(HostId host, PortIndex port) { set_routes({host}, {port}); }

void SwitchNode::set_routes(const std::vector<HostId>& hosts, const std::vector<PortIndex>& ports) {
  routes_.set(hosts, ports);
  admission_.forget_admitted(routes_);
}

PortIndex SwitchNode::port_to(HostId host) const {
  if (const auto port = routes_.only_port_to(host)) return *port;
  throw std::invalid_argument(fmt::format("host {} has no port of its own", host));
}

std::span<const PortIndex> SwitchNode::chosen_route(const Frame& frame) const {
  const std::span<const PortIndex> ports = routes_.ports_to(frame.destination);
  if (ports.empty()) return {};
  if (const PortIndex* port = route_in_tree(frame, ports)) return {port, 1};
  return {&routes_.pick(ports, frame), 1};
}

/// Route within the job's tree, because switches outside the tree do not admit the job's frames.
/// Null if the job has no tree here.
const PortIndex* SwitchNode::route_in_tree(const Frame& frame,
                                           std::span<const PortIndex> ports) const {
  if (routes_.are_by_flow() || frame.job >= below_.size()) return nullptr;
  const auto& below = below_[frame.job];
  const auto found = std::ranges::lower_bound(below, frame.destination, {}, &HostPort::first);
  if (found != below.end() && found->first == frame.destination) return &found->second;
  const auto towards_root = std::ranges::find_first_of(ports, admission_.up(frame.job));
  return towards_root == ports.end() ? nullptr : &*towards_root;
}

std::optional<PortIndex> SwitchNode::way_of_flow(HostId host, std::uint64_t flow) const {
  const std::span<const PortIndex> ports = routes_.ports_to(host);
  if (ports.empty()) return std::nullopt;
  return ports.size() == 1 ? ports.front() : routes_.pick(ports, flow);
}

namespace {

/// Paths from the switch down. `group` and the ports to it are in the same order.
std::vector<std::pair<HostId, PortIndex>> paths_down(const JobMembers& members) {
  std::vector<std::pair<HostId, PortIndex>> paths = members.ports->servers;
  const std::size_t workers = std::min(members.group.size(), members.ports->group.size());
  for (std::size_t i = 0; i < workers; ++i) {
    paths.emplace_back(members.group[i], members.ports->group[i]);
  }
  return paths;
}

}  // namespace

void SwitchNode::install_job(JobId job, const programs::JobEntry& entry,
                             const JobMembers& members) {
  PortIndex up = kNoPort;
  if (members.ports) {
    set_group_ports(job, members.ports->group);
    up = members.ports->up.value_or(kNoPort);
    set_paths_down(job, paths_down(members));
  } else {
    set_group(job, members.group);
    if (members.towards_root) up = port_to(*members.towards_root);
  }
  admission_.install_job(job,
                         {.workers = members.workers,
                          .servers = members.servers,
                          .paths = members.paths,
                          .up = up,
                          .only_forwards = members.only_forwards,
                          .among_workers = members.among_workers},
                         routes_);
  has_trees_ = has_trees_ || members.only_forwards || is_below_root(job);
  if (!members.only_forwards) program_->install_job(job, entry);
}

std::uint64_t SwitchNode::remove_job(JobId job) {
  admission_.remove_job(job, routes_);
  return program_->remove_job(job);
}

void SwitchNode::set_group(JobId job, const std::vector<HostId>& hosts) {
  std::vector<PortIndex> ports(hosts.size());
  std::ranges::transform(hosts, ports.begin(), [this](HostId host) { return port_to(host); });
  set_group_ports(job, ports);
}

void SwitchNode::set_group_ports(JobId job, const std::vector<PortIndex>& ports) {
  if (job >= groups_.size()) groups_.resize(job + std::size_t{1});
  std::vector<PortIndex>& group = groups_[job];
  group.clear();
  for (const PortIndex port : ports) {
    if (std::ranges::find(group, port) == group.end()) group.push_back(port);
  }
}

/// Sets the paths to hosts that several ports lead to.
void SwitchNode::set_paths_down(JobId job, std::vector<HostPort> paths) {
  if (job >= below_.size()) below_.resize(job + std::size_t{1});
  std::erase_if(
      paths, [this](const HostPort& path) { return routes_.only_port_to(path.first).has_value(); });
  std::ranges::sort(paths);
  below_[job] = std::move(paths);
}

rmt::Verdict::Exit SwitchNode::pass_by(const Frame& frame, PortIndex ingress) const {
  using Exit = rmt::Verdict::Exit;
  if (!is_below_root(frame.job)) return Exit::drop;
  if (admission_.comes_down(frame, ingress))
    return admission_.members().is_for_server(frame) ? Exit::forward : Exit::drop;
  return admission_.members().is_of_server(frame) ? Exit::up : Exit::drop;
}

/// Uses the tree of the job that the frame names now: an evicted frame may belong to another job.
rmt::Verdict SwitchNode::redirect(const Frame& frame, rmt::Verdict verdict) const {
  const bool is_for_root = is_below_root(frame.job) && admission_.members().is_for_server(frame);
  if (is_for_root && verdict.exit == rmt::Verdict::Exit::forward) {
    verdict.exit = rmt::Verdict::Exit::up;
  }
  return verdict;
}

/// SwitchML's updates have no destination.
rmt::Verdict SwitchNode::pass_on(const Frame& frame) const {
  const bool goes_up =
      frame.kind == FrameKind::gradient && admission_.members().is_without_server(frame.job);
  return goes_up ? rmt::kUp : programs::forward(frame);
}

void SwitchNode::expire(Time now) {
  program_->expire(now);
  if (program_->deadline() > now) return;
  throw std::logic_error(fmt::format("a switch program is due at {} ps after expire() at {} ps",
                                     program_->deadline().count(), now.count()));
}

void SwitchNode::go_down(std::unique_ptr<programs::SwitchProgram> program) {
  using programs::AggregatorEvent;
  down_ = true;
  earlier_rejected_ = rejected();
  earlier_.resize(std::max(earlier_.size(), program_->jobs_end()));
  for (std::size_t job = 0; job < earlier_.size(); ++job) {
    earlier_[job] = aggregator_counters(static_cast<JobId>(job));
    earlier_[job][AggregatorEvent::freed] = earlier_[job][AggregatorEvent::allocated];
  }
  admission_.remove_all(routes_);
  set_program(std::move(program));
}

programs::AggregatorCounters SwitchNode::aggregator_counters(JobId job) const {
  programs::AggregatorCounters sum = program_->counters(job);
  if (job < earlier_.size()) sum += earlier_[job];
  return sum;
}

}  // namespace ina::node
