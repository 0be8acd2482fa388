// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/registrations.hpp"

#include <algorithm>

#include "hw/dpdk/endpoints/registrars.hpp"

namespace ina::software {

using rmt::Verdict;
using wire::RegistrationKind;
using wire::RegistrationMessage;

namespace {

bool announces_session(RegistrationKind kind) {
  return kind == RegistrationKind::announce || kind == RegistrationKind::welcome;
}

/// The host by whose switch the registrar is, where frames take paths of their own.
HostId host_at_root(const cluster::JobHosts& hosts) {
  return hosts.servers.empty() ? hosts.workers.front() : hosts.servers.host(0);
}

}  // namespace

Registrations::Registrations(const cluster::Spec& cluster, cluster::SwitchIndex at,
                             const std::vector<Peer>& peers, SoftwareSwitch& part, Orders& orders)
    : at_(at), peers_(peers), part_(part), orders_(orders) {
  const auto jobs = static_cast<std::uint16_t>(cluster.jobs.size());
  for (cluster::Registration& job : cluster.registrations()) {
    const registration::IdPool ids(static_cast<std::uint16_t>(job.job), jobs);
    jobs_.push_back({ids, std::move(job)});
    Job& added = jobs_.back();
    if (added.first.tree.root() != at_) continue;
    added.registrar.emplace(endpoints::make_registrar(cluster, added.first));
  }
}

void Registrations::receive(const RegistrationMessage& message, PortIndex ingress, Time now) {
  if (message.job >= jobs_.size()) return;
  Job& job = jobs_[message.job];
  if (!endpoints::host_of_member(job.first.hosts, message)) return;
  if (!peers_[ingress].is_switch && !is_from_member(job, message, ingress)) return;
  if (endpoints::is_for_registrar(message.kind)) {
    take_up(job, message, now);
  } else {
    take_down(job, message);
  }
}

/// A worker at the port of another host hears of that.
bool Registrations::is_from_member(const Job& job, const RegistrationMessage& message,
                                   PortIndex ingress) {
  const HostId host = peers_[ingress].number;
  const HostId claimed = *endpoints::host_of_member(job.first.hosts, message);
  if (host == claimed && message.source == claimed) {
    return endpoints::is_for_registrar(message.kind);
  }
  if (message.kind != RegistrationKind::join) return false;
  RegistrationMessage answer = message;
  answer.kind = RegistrationKind::refused;
  answer.reason = wire::RefusalReason::wrong_port;
  answer.source = wire::kRegistrarAddress;
  answer.destination = message.source;
  answer.detail = host;
  send({&ingress, 1}, answer);
  return false;
}

void Registrations::take_up(Job& job, RegistrationMessage message, Time now) {
  if (!job.registrar) {
    if (job.ids.is_later(job.latest, message.latest_id)) message.latest_id = job.latest;
    return send_to_root(job, message);
  }
  registration::Messages messages;
  if (const auto id = job.registrar->receive(message, now, messages)) learn(job, *id);
  for (const RegistrationMessage& one : messages) send_to_host(job, one);
}

void Registrations::take_down(Job& job, const RegistrationMessage& message) {
  if (announces_session(message.kind)) learn(job, message.id);
  send_to_host(job, message);
}

/// Of the job's first session all is there: the switch knows the job by its id since it started.
/// Where switches only forward, it knows all ids.
void Registrations::learn(Job& job, JobId id) {
  if (!job.ids.contains(id) || !job.ids.is_later(id, job.latest)) return;
  const bool is_first = job.latest == wire::kNoId && id == job.first.id;
  job.latest = id;
  if (is_first || job.first.by_flow) return;
  orders_.give(
      {.kind = Order::Kind::begin_session, .job = static_cast<JobId>(job.first.job), .id = id});
}

// Routes are those of the job's first id: sessions keep its tree.

void Registrations::send_to_host(const Job& job, const RegistrationMessage& message) {
  Frame frame;
  frame.job = job.first.id;
  frame.destination = message.destination;
  send(part_.egress(frame, Verdict::Exit::forward), message);
}

void Registrations::send_to_root(const Job& job, const RegistrationMessage& message) {
  Frame frame;
  frame.job = job.first.id;
  frame.destination = host_at_root(job.first.hosts);
  const auto exit = job.first.by_flow ? Verdict::Exit::forward : Verdict::Exit::up;
  send(part_.egress(frame, exit), message);
}

void Registrations::send(std::span<const PortIndex> ports, const RegistrationMessage& message) {
  for (const PortIndex port : ports) outgoing_.push_back({port, message});
}

}  // namespace ina::software
