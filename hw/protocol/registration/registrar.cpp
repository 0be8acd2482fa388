// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/registration/registrar.hpp"

#include <algorithm>
#include <utility>

namespace ina::registration {

using wire::kNoId;
using wire::RefusalReason;
using wire::RegistrationKind;

namespace {

bool is_due(const std::optional<Time>& last, Time now) {
  return !last || now - *last >= kRepeatInterval;
}

}  // namespace

Registrar::Registrar(Config config)
    : config_(std::move(config)),
      is_drawn_(config_.drawn != kNoId),
      latest_(config_.drawn),
      epoch_(config_.epoch),
      joining_(workers()),
      servers_ready_(config_.servers.count()),
      replaced_(workers()) {}

std::optional<JobId> Registrar::receive(const RegistrationMessage& message, Time now,
                                        Messages& out) {
  const std::size_t members = message.names_server() ? servers_ready_.size() : workers();
  if (message.member >= members) return std::nullopt;
  if (message.kind != RegistrationKind::probe && message.cluster != config_.cluster) {
    out.push_back(refusal(message, RefusalReason::other_cluster));
    return std::nullopt;
  }
  if (message.kind != RegistrationKind::probe || current_ == kNoId) learn(message.latest_id);
  switch (message.kind) {
    case RegistrationKind::join:
      join(message, now, out);
      break;
    case RegistrationKind::ready:
      ready(message, out);
      break;
    case RegistrationKind::probe: {
      const auto answer =
          is_in_session(message) ? RegistrationKind::waiting : RegistrationKind::ended;
      out.push_back(to_worker(answer, message.member, message.incarnation));
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
  return begin_session(out);
}

// ---- workers

bool Registrar::is_in_session(const RegistrationMessage& message) const {
  return current_ != kNoId && incarnations_[message.member] == message.incarnation;
}

/// Whether a process may continue. During a session, its incarnation must be that of its former
/// session plus 1.
bool Registrar::may_continue(const RegistrationMessage& join) const {
  return current_ == kNoId || incarnations_[join.member] + 1 == join.incarnation;
}

void Registrar::join(const RegistrationMessage& message, Time now, Messages& out) {
  const auto answer = [&](const RegistrationMessage& text) { out.push_back(text); };
  if (is_in_session(message)) {
    return answer(to_worker(RegistrationKind::welcome, message.member, message.incarnation));
  }
  if (replaced_[message.member] == message.incarnation) {
    return answer(refusal(message, RefusalReason::replaced));
  }
  if (latest_ != kNoId && announced_ == kNoId && !config_.ids.has_spare_ids()) {
    return answer(refusal(message, RefusalReason::no_ids));
  }
  forget_silent(now);
  if (message.epoch != epoch_) return answer(missing(message));
  const auto is_fresh = [](const auto& one) { return one && !one->continues; };
  const auto fresh = std::ranges::find_if(joining_, is_fresh);
  if (message.continues && (fresh != joining_.end() || !may_continue(message))) {
    return answer(fresh == joining_.end()
                      ? to_worker(RegistrationKind::ended, message.member, message.incarnation)
                      : end_of(message.member, message.incarnation,
                               static_cast<std::uint16_t>(fresh - joining_.begin())));
  }
  note(message, now, out);
  advance(now, out);
  if (!all_confirmed()) answer(missing(message));
}

void Registrar::note(const RegistrationMessage& join, Time now, Messages& out) {
  std::optional<Joining>& own = joining_[join.member];
  if (!own || own->incarnation != join.incarnation) {
    if (own) replaced_[join.member] = own->incarnation;
    own = Joining{join.incarnation, join.continues, false, now};
  }
  own->heard = now;
  if (announced_ != kNoId && join.id == announced_) own->confirmed = true;
  if (join.continues) return;
  drop_continuing(join.member, out);
  end_session(join.member, now, out);
}

void Registrar::drop_continuing(std::uint16_t because_of, Messages& out) {
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    if (!joining_[rank] || !joining_[rank]->continues) continue;
    out.push_back(end_of(rank, joining_[rank]->incarnation, because_of));
    joining_[rank].reset();
  }
}

/// Notifies the workers that are still in the session.
void Registrar::end_session(std::uint16_t because_of, Time now, Messages& out) {
  if (current_ == kNoId || !is_due(ended_at_, now)) return;
  ended_at_ = now;
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    if (joining_[rank] && rank != because_of) continue;
    out.push_back(end_of(rank, incarnations_[rank], because_of));
  }
}

void Registrar::forget_silent(Time now) {
  for (auto& one : joining_) {
    if (one && now - one->heard > kJoinExpiry) one.reset();
  }
}

// ---- servers, and switches on the path

void Registrar::learn(JobId latest) {
  if (latest == kNoId || !config_.ids.contains(latest)) return;
  const bool counts = is_drawn_ || config_.ids.is_later(latest, latest_);
  is_drawn_ = false;
  if (!counts || latest == latest_) return;
  latest_ = latest;
  announced_ = kNoId;  // the id was assigned before
}

void Registrar::ready(const RegistrationMessage& message, Messages& out) {
  if (announced_ != kNoId && message.id == announced_) {
    servers_ready_[message.member] = 1;
  } else if (announced_ != kNoId) {
    out.push_back(announcement(message.member, announced_));
  } else if (message.id == kNoId && current_ != kNoId) {
    out.push_back(announcement(message.member, current_));
  }
}

// ---- the next session

bool Registrar::all_joined() const {
  return std::ranges::all_of(joining_, [](const auto& one) { return one.has_value(); });
}

bool Registrar::all_confirmed() const {
  return announced_ != kNoId &&
         std::ranges::all_of(joining_, [](const auto& one) { return one && one->confirmed; }) &&
         std::ranges::all_of(servers_ready_, [](std::uint8_t ready) { return ready != 0; });
}

void Registrar::advance(Time now, Messages& out) {
  if (!all_joined()) return;
  if (announced_ == kNoId) {
    announced_ = latest_ = config_.ids.after(latest_);
    for (auto& one : joining_) one->confirmed = false;
    std::ranges::fill(servers_ready_, 0);
    announced_at_.reset();
  }
  if (!is_due(announced_at_, now)) return;
  announced_at_ = now;
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    if (joining_[rank]->confirmed) continue;
    out.push_back(to_worker(RegistrationKind::announce, rank, joining_[rank]->incarnation));
    out.back().id = announced_;
  }
  announce_to_servers(out);
}

void Registrar::announce_to_servers(Messages& out) {
  for (std::size_t index = 0; index < servers_ready_.size(); ++index) {
    if (servers_ready_[index] == 0) out.push_back(announcement(index, announced_));
  }
}

std::optional<JobId> Registrar::begin_session(Messages& out) {
  if (!all_confirmed()) return std::nullopt;
  ++epoch_;
  is_drawn_ = false;
  current_ = announced_;
  incarnations_.resize(workers());
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    incarnations_[rank] = joining_[rank]->incarnation;
    joining_[rank].reset();
    out.push_back(to_worker(RegistrationKind::welcome, rank, incarnations_[rank]));
  }
  announced_ = kNoId;
  return current_;
}

// ---- messages

RegistrationMessage Registrar::to_member(RegistrationKind kind, std::size_t member,
                                         HostId host) const {
  RegistrationMessage message;
  message.kind = kind;
  message.system = config_.system;
  message.job = config_.job;
  message.member = static_cast<std::uint16_t>(member);
  message.source = wire::kRegistrarAddress;
  message.destination = host;
  return message;
}

RegistrationMessage Registrar::to_worker(RegistrationKind kind, std::size_t rank,
                                         Incarnation incarnation) const {
  RegistrationMessage message = to_member(kind, rank, config_.workers[rank]);
  message.id = current_;
  message.workers = static_cast<std::uint16_t>(workers());
  message.values_per_packet = config_.values_per_packet;
  message.incarnation = incarnation;
  message.epoch = epoch_;
  return message;
}

RegistrationMessage Registrar::end_of(std::size_t rank, Incarnation incarnation,
                                      std::uint16_t because_of) const {
  RegistrationMessage message = to_worker(RegistrationKind::ended, rank, incarnation);
  message.reason = RefusalReason::replaced;
  message.detail = because_of;
  return message;
}

RegistrationMessage Registrar::announcement(std::size_t server, JobId id) const {
  RegistrationMessage message =
      to_member(RegistrationKind::announce, server, config_.servers.host(server));
  message.of_servers = true;
  message.id = id;
  return message;
}

RegistrationMessage Registrar::refusal(const RegistrationMessage& message,
                                       RefusalReason reason) const {
  RegistrationMessage answer =
      message.names_server()
          ? to_member(RegistrationKind::refused, message.member, message.source)
          : to_worker(RegistrationKind::refused, message.member, message.incarnation);
  answer.of_servers = message.names_server();
  answer.reason = reason;
  answer.cluster = config_.cluster;
  return answer;
}

/// The workers that have not joined or, if all have, the members that have not confirmed.
RegistrationMessage Registrar::missing(const RegistrationMessage& join) const {
  RegistrationMessage message = to_worker(RegistrationKind::waiting, join.member, join.incarnation);
  const auto list = [&](std::size_t member) {
    if (message.detail < wire::kListedMembers) {
      message.listed[message.detail] = static_cast<std::uint16_t>(member);
    }
    ++message.detail;
  };
  const bool joined = all_joined();
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    if (!joining_[rank] || (joined && !joining_[rank]->confirmed)) list(rank);
  }
  if (!joined || message.detail != 0) return message;
  message.of_servers = true;
  for (std::size_t index = 0; index < servers_ready_.size(); ++index) {
    if (servers_ready_[index] == 0) list(index);
  }
  return message;
}

}  // namespace ina::registration
