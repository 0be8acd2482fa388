// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/node/switch_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ina::node {

PortIndex SwitchNode::add_port(HostId host) {
  const PortIndex port = add_trunk({host});
  leads_to_switch_[port] = 0;
  return port;
}

PortIndex SwitchNode::add_trunk(const std::vector<HostId>& hosts) {
  const auto port = static_cast<PortIndex>(leads_to_switch_.size());
  leads_to_switch_.push_back(1);
  assign_routes(hosts, port);
  return port;
}

void SwitchNode::set_route(HostId host, PortIndex port) { assign_routes({&host, 1}, port); }

void SwitchNode::assign_routes(std::span<const HostId> hosts, PortIndex port_or_set) {
  for (const HostId host : hosts) {
    if (host >= port_of_.size()) port_of_.resize(host + std::size_t{1}, kNoPort);
    port_of_[host] = port_or_set;
  }
  reset_admitted();
}

void SwitchNode::set_routes(const std::vector<HostId>& hosts, const std::vector<PortIndex>& ports) {
  PortIndex route = ports.front();
  if (ports.size() > 1) {
    const auto known = std::ranges::find(sets_, ports);
    route = static_cast<PortIndex>(kFirstSet + (known - sets_.begin()));
    if (known == sets_.end()) sets_.push_back(ports);
  }
  assign_routes(hosts, route);
}

PortIndex SwitchNode::port_to(HostId host) const {
  const PortIndex port = port_of(host);
  if (port < kFirstSet) return port;
  throw std::invalid_argument(fmt::format("host {} has no port of its own", host));
}

std::span<const PortIndex> SwitchNode::chosen_route(const Frame& frame, PortIndex set) const {
  if (set == kNoPort) return {};
  if (const PortIndex* port = route_in_tree(frame, set)) return {port, 1};
  const std::vector<PortIndex>& ports = sets_[set - kFirstSet];
  return {&ports[wire::pick(choice_.of(frame), height_, ports.size())], 1};
}

/// Of a job that is added up: other switches do not let its frames in. Null if it has no tree here.
const PortIndex* SwitchNode::route_in_tree(const Frame& frame, PortIndex set) const {
  if (choice_.by_flow || frame.job >= below_.size()) return nullptr;
  const auto& below = below_[frame.job];
  const auto found = std::ranges::lower_bound(below, frame.destination, {}, &HostPort::first);
  if (found != below.end() && found->first == frame.destination) return &found->second;
  const std::vector<PortIndex>& ports = sets_[set - kFirstSet];
  const auto towards_root = std::ranges::find_first_of(ports, up(frame.job));
  return towards_root == ports.end() ? nullptr : &*towards_root;
}

bool SwitchNode::is_of_member(const Frame& frame, PortIndex ingress) {
  return leads_to_switch_[ingress] ? comes_from_switch(frame, ingress) : is_of_host(frame, ingress);
}

bool SwitchNode::is_of_host(const Frame& frame, PortIndex ingress) {
  if (port_of(frame.source) != ingress || !members_.admits(frame, frame.source)) return false;
  if (members_.goes_by_key(frame)) admitted_[ingress] = programs::AdmissionKey(frame);
  return true;
}

/// From another switch comes what is of the hosts behind it, and goes on, not back; and answers.
bool SwitchNode::comes_from_switch(const Frame& frame, PortIndex ingress) const {
  if (members_.is_without_server(frame.job)) return is_of_tree(frame, ingress);
  if (comes_down(frame, ingress)) return is_of_root(frame, ingress);
  if (choice_.by_flow && leads_to(ingress, frame.destination)) return false;
  return leads_to(ingress, members_.origin_of(frame)) && members_.admits_from_switch(frame);
}

/// What it let in, for a member below; or its answer to all, and its partial sums for the server.
bool SwitchNode::is_of_root(const Frame& frame, PortIndex ingress) const {
  if (members_.admits_answer(frame)) return true;
  return !leads_to(ingress, frame.destination) &&
         (members_.is_for_server(frame) || members_.admits_from_switch(frame));
}

/// From the root, whoever sent it there.
bool SwitchNode::comes_down(const Frame& frame, PortIndex ingress) const {
  const std::span<const PortIndex> root = up(frame.job);
  return !root.empty() && root.front() == ingress;
}

/// Up come sums, by the port of the leaf as which they count, and down results, whoever's packets
/// they came up in.
bool SwitchNode::is_of_tree(const Frame& frame, PortIndex ingress) const {
  if (frame.kind == FrameKind::result) return comes_down(frame, ingress);
  return frame.kind == FrameKind::gradient && leads_to(ingress, frame.source) &&
         (only_forwards(frame.job) || leads_to(ingress, members_.member_of(frame)));
}

std::optional<PortIndex> SwitchNode::way_of_flow(HostId host, std::uint64_t flow) const {
  const PortIndex port = port_of(host);
  if (port == kNoPort) return std::nullopt;
  if (port < kFirstSet) return port;
  const std::vector<PortIndex>& ports = sets_[port - kFirstSet];
  return ports[wire::pick(numeric::split_mix(choice_.seed, flow), height_, ports.size())];
}

bool SwitchNode::leads_to(PortIndex port, HostId host) const {
  const PortIndex route = port_of(host);
  if (route < kFirstSet || route == kNoPort) return route == port;
  return std::ranges::find(sets_[route - kFirstSet], port) != sets_[route - kFirstSet].end();
}

namespace {

/// From the switch down: `group` and the ports to it go in one order.
std::vector<std::pair<HostId, PortIndex>> ways_of(const JobMembers& members) {
  std::vector<std::pair<HostId, PortIndex>> ways = members.ports->servers;
  const std::size_t workers = std::min(members.group.size(), members.ports->group.size());
  for (std::size_t i = 0; i < workers; ++i) {
    ways.emplace_back(members.group[i], members.ports->group[i]);
  }
  return ways;
}

}  // namespace

void SwitchNode::install_job(JobId job, const programs::JobEntry& entry,
                             const JobMembers& members) {
  if (members.ports) {
    set_group_ports(job, members.ports->group);
    set_way_up(job, members.ports->up.value_or(kNoPort));
    set_ways_down(job, ways_of(members));
  } else {
    set_group(job, members.group);
    set_way_up(job, members.towards_root ? port_to(*members.towards_root) : kNoPort);
  }
  if (members.among_workers) {
    members_.install_among_workers(job, members.workers);
  } else {
    members_.install(job, members.workers, members.servers, members.paths);
  }
  members_only_ = true;
  reset_admitted();
  if (job >= forwarded_.size()) forwarded_.resize(job + std::size_t{1});
  forwarded_[job] = members.only_forwards;
  has_trees_ = has_trees_ || members.only_forwards || is_below_root(job);
  if (!members.only_forwards) program_->install_job(job, entry);
}

std::uint64_t SwitchNode::remove_job(JobId job) {
  members_.remove(job);
  reset_admitted();
  if (job < forwarded_.size()) forwarded_[job] = false;
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

/// Flows take ways of their own.
void SwitchNode::set_way_up(JobId job, PortIndex port) {
  if (job >= up_.size()) up_.resize(job + std::size_t{1}, kNoPort);
  up_[job] = choice_.by_flow ? kNoPort : port;
}

/// To hosts to which several ports lead.
void SwitchNode::set_ways_down(JobId job, std::vector<HostPort> ways) {
  if (job >= below_.size()) below_.resize(job + std::size_t{1});
  std::erase_if(ways, [this](const HostPort& way) { return port_of(way.first) < kFirstSet; });
  std::ranges::sort(ways);
  below_[job] = std::move(ways);
}

rmt::Verdict::Exit SwitchNode::pass_by(const Frame& frame, PortIndex ingress) const {
  using Exit = rmt::Verdict::Exit;
  if (!is_below_root(frame.job)) return Exit::drop;
  if (comes_down(frame, ingress)) return members_.is_for_server(frame) ? Exit::forward : Exit::drop;
  return members_.is_of_server(frame) ? Exit::up : Exit::drop;
}

/// By the tree of the job that it has now: the frame may have driven out another one's.
rmt::Verdict SwitchNode::redirect(const Frame& frame, rmt::Verdict verdict) const {
  const bool is_for_root = is_below_root(frame.job) && members_.is_for_server(frame);
  if (is_for_root && verdict.exit == rmt::Verdict::Exit::forward) {
    verdict.exit = rmt::Verdict::Exit::up;
  }
  return verdict;
}

/// SwitchML's updates name no destination.
rmt::Verdict SwitchNode::pass_on(const Frame& frame) const {
  const bool goes_up = frame.kind == FrameKind::gradient && members_.is_without_server(frame.job);
  return goes_up ? rmt::kUp : programs::forward(frame);
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
  members_ = {};
  reset_admitted();
  program_ = std::move(program);
}

programs::AggregatorCounters SwitchNode::aggregator_counters(JobId job) const {
  programs::AggregatorCounters sum = program_->counters(job);
  if (job < earlier_.size()) sum += earlier_[job];
  return sum;
}

}  // namespace ina::node
