// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/registration/member.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ina::registration {

using wire::kNoId;
using wire::RefusalReason;
using wire::RegistrationKind;

namespace {

std::string wrong_port(const RegistrationMessage& refused, HostId host) {
  return "found the link of host " + std::to_string(refused.detail) +
         "; allowed: the link of host " + std::to_string(host);
}

std::string other_file(const RegistrationMessage& refused, std::uint32_t cluster) {
  const auto hexadecimal = [](std::uint32_t checksum) {
    std::ostringstream text;
    text << std::hex << std::setfill('0') << std::setw(8) << checksum;
    return text.str();
  };
  return "found a cluster file with the checksum " + hexadecimal(cluster) +
         "; allowed: that of the switch's file, " + hexadecimal(refused.cluster);
}

}  // namespace

// ---- workers

void WorkerMembership::receive(const RegistrationMessage& message, Time now) {
  if (message.job != config_.job || message.member != config_.rank) return;
  if (message.incarnation != config_.incarnation) return;
  unanswered_for_ = Time::zero();
  switch (message.kind) {
    case RegistrationKind::waiting:
      last_ = message;
      if (message.epoch != epoch_ && state_ == State::joining) next_at_ = now;
      epoch_ = message.epoch;
      return;
    case RegistrationKind::announce:
      if (state_ != State::joining) return;
      id_ = message.id;
      next_at_ = now;
      return;
    case RegistrationKind::welcome:
      if (state_ != State::joining) return;
      state_ = State::in_session;
      id_ = message.id;
      next_at_ = now + kProbeInterval;
      return;
    case RegistrationKind::ended:
      return end(State::over, message);
    case RegistrationKind::refused:
      if (state_ == State::joining) end(State::refused, message);
      return;
    default:
      return;
  }
}

void WorkerMembership::end(State state, const RegistrationMessage& message) {
  if (state_ == State::refused || state_ == State::over) return;
  state_ = state;
  last_ = message;
  next_at_ = kNever;
}

std::optional<RegistrationMessage> WorkerMembership::next(Time now) {
  if (next_at_ > now) return std::nullopt;
  const bool joins = state_ == State::joining;
  const Time interval = joins ? kJoinInterval : kProbeInterval;
  // A program that is starting has a time limit of its own.
  if ((!joins || config_.continues) && unanswered_for_ >= kSilenceLimit) {
    state_ = State::over;
    last_.reset();
    next_at_ = kNever;
    return std::nullopt;
  }
  unanswered_for_ += interval;
  next_at_ = now + interval;
  return message(joins ? RegistrationKind::join : RegistrationKind::probe);
}

RegistrationMessage WorkerMembership::message(RegistrationKind kind) const {
  RegistrationMessage message;
  message.kind = kind;
  message.continues = config_.continues;
  message.system = config_.system;
  message.job = config_.job;
  message.member = config_.rank;
  message.source = config_.host;
  message.destination = wire::kRegistrarAddress;
  message.id = id_;
  if (state_ == State::in_session) message.latest_id = id_;
  message.workers = config_.workers;
  message.values_per_packet = config_.values_per_packet;
  message.incarnation = config_.incarnation;
  message.epoch = epoch_;
  message.cluster = config_.cluster;
  return message;
}

std::string WorkerMembership::why() const {
  switch (state_) {
    case State::joining:
      return last_ ? missing() : "no answer from the switch";
    case State::refused:
      return refusal();
    case State::over:
      return end_of_session();
    case State::in_session:
      break;
  }
  return "";
}

std::string WorkerMembership::end_of_session() const {
  if (!last_) return "the switch no longer answers";
  if (last_->reason != RefusalReason::replaced) {
    return "the switch no longer knows this session";
  }
  const std::string rank = std::to_string(last_->detail);
  return last_->detail == config_.rank
             ? "another process joined as rank " + rank + ", which ended the session"
             : "rank " + rank + " started again, which ended the session";
}

/// "waiting for ranks 2, 3".
std::string WorkerMembership::missing() const {
  const std::size_t listed = std::min<std::size_t>(last_->detail, wire::kListedMembers);
  std::string text = last_->of_servers ? "waiting for server" : "waiting for rank";
  if (last_->detail != 1) text += 's';
  for (std::size_t i = 0; i < listed; ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(last_->listed[i]);
  }
  if (last_->detail > listed) {
    text += " and " + std::to_string(last_->detail - listed) + " more";
  }
  return text;
}

std::string WorkerMembership::refusal() const {
  switch (last_->reason) {
    case RefusalReason::wrong_port:
      return wrong_port(*last_, config_.host);
    case RefusalReason::replaced:
      return "another process joined as rank " + std::to_string(config_.rank) +
             "; allowed: one process per rank";
    case RefusalReason::other_cluster: {
      const auto describe = [this](std::uint8_t system, int workers, int values) {
        return config_.name_of_system(system) + ", " + std::to_string(workers) + " workers, " +
               std::to_string(values) + " values per packet";
      };
      const std::string own = describe(config_.system, config_.workers, config_.values_per_packet);
      const std::string allowed = describe(last_->system, last_->workers, last_->values_per_packet);
      if (own == allowed) return other_file(*last_, config_.cluster);
      return "found a cluster file with " + own + "; allowed by the switch's file: " + allowed;
    }
    case RefusalReason::no_ids:
      return "found no free id for another session; allowed: " + std::to_string(IdPool::kMostJobs) +
             " jobs in a cluster, or a restart of the switch";
    case RefusalReason::none:
      break;
  }
  return "refused by the switch";
}

// ---- servers

bool ServerMembership::receive(const RegistrationMessage& message) {
  if (message.job != config_.job || !message.of_servers || message.member != config_.index) {
    return false;
  }
  if (message.kind == RegistrationKind::refused) refused_ = message;
  if (message.kind != RegistrationKind::announce || !config_.ids.contains(message.id)) return false;
  answers_ = true;
  asks_ = false;
  if (!config_.ids.is_later(message.id, id_)) return false;
  id_ = message.id;
  return true;
}

void ServerMembership::ask(Time now) {
  if (asked_at_ != Time() && now - asked_at_ < kJoinInterval) return;
  asked_at_ = now;
  asks_ = true;
}

std::optional<RegistrationMessage> ServerMembership::next() {
  if (!answers_ && !asks_) return std::nullopt;
  RegistrationMessage message;
  message.kind = RegistrationKind::ready;
  message.of_servers = true;
  message.job = config_.job;
  message.member = config_.index;
  message.source = config_.host;
  message.destination = wire::kRegistrarAddress;
  message.id = asks_ ? kNoId : id_;
  message.latest_id = id_;
  message.cluster = config_.cluster;
  asks_ = answers_ = false;
  return message;
}

std::optional<std::string> ServerMembership::refusal() const {
  if (!refused_) return std::nullopt;
  return refused_->reason == RefusalReason::wrong_port ? wrong_port(*refused_, config_.host)
                                                       : other_file(*refused_, config_.cluster);
}

}  // namespace ina::registration
