// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/registrations.hpp"

#include <algorithm>

#include "hw/processes/registrars.hpp"

namespace ina::software {

using rmt::Verdict;
using wire::RegistrationKind;
using wire::RegistrationMessage;

namespace {

bool announces_session(RegistrationKind kind) {
  return kind == RegistrationKind::announce || kind == RegistrationKind::welcome;
}

/// Host at the switch of the registrar, if flows take independent paths.
HostId host_at_root(const cluster::JobHosts& hosts) {
  return hosts.servers.empty() ? hosts.workers.front() : hosts.servers.host(0);
}

}  // namespace

Registrations::Registrations(const cluster::Spec& cluster, cluster::SwitchIndex at,
                             const std::vector<Peer>& peers, SoftwareSwitch& part, Orders& orders)
    : at_(at),
      system_(cluster.system_number()),
      values_per_packet_(static_cast<std::uint16_t>(cluster.values_per_packet())),
      checksum_(cluster.checksum),
      peers_(peers),
      part_(part),
      orders_(orders) {
  for (cluster::Registration& job : cluster.registrations()) {
    jobs_.push_back({processes::ids_of(cluster, job.job), std::move(job)});
    Job& added = jobs_.back();
    if (added.first.tree.root() != at_) continue;
    added.registrar.emplace(processes::make_registrar(cluster, added.first));
  }
}

void Registrations::receive(const RegistrationMessage& message, PortIndex ingress, Time now) {
  const bool is_known = message.job < jobs_.size() &&
                        processes::host_of_member(jobs_[message.job].first.hosts, message);
  if (!is_known) return refuse_unknown(message, ingress);
  Job& job = jobs_[message.job];
  if (!peers_[ingress].is_switch && !is_from_member(job, message, ingress)) return;
  if (processes::is_for_registrar(message.kind)) {
    take_up(job, message, now);
  } else {
    take_down(job, message);
  }
}

/// Whether the member sent the message itself, and to the registrar. A member at another host's
/// port gets a refusal.
bool Registrations::is_from_member(const Job& job, const RegistrationMessage& message,
                                   PortIndex ingress) {
  const HostId host = peers_[ingress].number;
  const HostId claimed = *processes::host_of_member(job.first.hosts, message);
  if (host == claimed && message.source == claimed) {
    return processes::is_for_registrar(message.kind);
  }
  refuse(message, ingress, wire::RefusalReason::wrong_port);
  return false;
}

/// Refuses a job or rank that is not in this switch's cluster file. The refusal states the numbers
/// in the file.
void Registrations::refuse_unknown(RegistrationMessage message, PortIndex ingress) {
  const bool has_job = message.job < jobs_.size();
  message.workers = static_cast<std::uint16_t>(
      has_job ? jobs_[message.job].first.hosts.workers.size() : std::size_t{0});
  message.system = system_;
  message.values_per_packet = values_per_packet_;
  message.cluster = checksum_;
  refuse(message, ingress, wire::RefusalReason::other_cluster);
}

/// Sends a refusal to a host that asked to join.
void Registrations::refuse(const RegistrationMessage& message, PortIndex ingress,
                           wire::RefusalReason reason) {
  const bool wants_to_take_part =
      message.kind == RegistrationKind::join || message.kind == RegistrationKind::ready;
  if (peers_[ingress].is_switch || !wants_to_take_part) return;
  RegistrationMessage answer = message;
  answer.kind = RegistrationKind::refused;
  answer.of_servers = message.names_server();
  answer.reason = reason;
  answer.source = wire::kRegistrarAddress;
  answer.destination = message.source;
  answer.detail = peers_[ingress].number;
  send({&ingress, 1}, answer);
}

void Registrations::take_up(Job& job, RegistrationMessage message, Time now) {
  if (!job.registrar) {
    if (has_lost(job, message)) return end_session(job, message);
    if (job.ids.is_later(job.latest, message.latest_id)) message.latest_id = job.latest;
    return send_to_root(job, message);
  }
  registration::Messages messages;
  if (const auto id = job.registrar->receive(message, now, messages)) learn(job, *id);
  for (const RegistrationMessage& one : messages) send_to_host(job, one);
}

/// Whether this switch was restarted during the worker's session, and thus lost its state.
bool Registrations::has_lost(const Job& job, const RegistrationMessage& message) {
  return message.kind == RegistrationKind::probe && !job.first.by_flow && message.id != job.latest;
}

void Registrations::end_session(const Job& job, RegistrationMessage probe) {
  probe.kind = RegistrationKind::ended;
  probe.destination = std::exchange(probe.source, wire::kRegistrarAddress);
  send_to_host(job, probe);
}

void Registrations::take_down(Job& job, const RegistrationMessage& message) {
  if (announces_session(message.kind)) learn(job, message.id);
  send_to_host(job, message);
}

/// Switches that only forward know all ids.
void Registrations::learn(Job& job, JobId id) {
  if (!job.ids.contains(id) || !job.ids.is_later(id, job.latest)) return;
  job.latest = id;
  if (job.first.by_flow) return;
  orders_.give(
      {.kind = Order::Kind::begin_session, .job = static_cast<JobId>(job.first.job), .id = id});
}

// Uses the routes of the job's first id, because all sessions of a job have the same tree.

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
