// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/node/switch_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ina::node {

PortIndex SwitchNode::add_port(HostId host) {
  const PortIndex port = add_trunk({host});
  host_at_[port] = host;
  return port;
}

PortIndex SwitchNode::add_trunk(const std::vector<HostId>& hosts) {
  const auto port = static_cast<PortIndex>(host_at_.size());
  host_at_.push_back(kOtherSwitch);
  for (const HostId host : hosts) set_route(host, port);
  return port;
}

void SwitchNode::set_route(HostId host, PortIndex port) {
  if (host >= port_of_.size()) port_of_.resize(host + std::size_t{1}, kNoPort);
  port_of_[host] = port;
}

void SwitchNode::install_job(JobId job, const programs::JobEntry& entry,
                             const JobMembers& members) {
  set_group(job, members.group);
  set_way_up(job, members.towards_root);
  members_.install(job, members.workers, members.server, members.paths);
  members_only_ = true;
  program_->install_job(job, entry);
}

std::uint64_t SwitchNode::remove_job(JobId job) {
  members_.remove(job);
  return program_->remove_job(job);
}

void SwitchNode::set_group(JobId job, const std::vector<HostId>& hosts) {
  if (job >= groups_.size()) groups_.resize(job + std::size_t{1});
  std::vector<PortIndex>& group = groups_[job];
  group.clear();
  for (const HostId host : hosts) {
    const PortIndex port = existing_port_of(host);
    if (std::ranges::find(group, port) == group.end()) group.push_back(port);
  }
}

void SwitchNode::set_way_up(JobId job, std::optional<HostId> towards_root) {
  if (job >= up_.size()) up_.resize(job + std::size_t{1}, kNoPort);
  up_[job] = towards_root ? existing_port_of(*towards_root) : kNoPort;
}

PortIndex SwitchNode::existing_port_of(HostId host) const {
  const PortIndex port = port_of(host);
  if (port == kNoPort) throw std::invalid_argument(fmt::format("host {} has no port", host));
  return port;
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
  program_ = std::move(program);
}

programs::AggregatorCounters SwitchNode::aggregator_counters(JobId job) const {
  programs::AggregatorCounters sum = program_->counters(job);
  if (job < earlier_.size()) sum += earlier_[job];
  return sum;
}

}  // namespace ina::node
