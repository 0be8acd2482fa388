// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/software_switch.hpp"

#include <algorithm>
#include <utility>

namespace ina::software {

using programs::AggregatorEvent;

SoftwareSwitch::LinkCounters& SoftwareSwitch::LinkCounters::operator+=(const LinkCounters& other) {
  dropped += other.dropped;
  marked += other.marked;
  lost += other.lost;
  corrupted += other.corrupted;
  duplicated += other.duplicated;
  delayed += other.delayed;
  return *this;
}

SoftwareSwitch::SoftwareSwitch(std::shared_ptr<SharedLinks> links,
                               std::unique_ptr<programs::SwitchProgram> program)
    : links_(std::move(links)), program_(std::move(program)) {}

PortIndex SoftwareSwitch::add(std::optional<HostId> host) {
  const auto index = static_cast<PortIndex>(ports_.size());
  Port& port = ports_.emplace_back();
  port.link = &links_->link(index);
  port.host = host;
  return index;
}

void SoftwareSwitch::set_route(HostId host, PortIndex port) {
  if (host >= port_of_.size()) port_of_.resize(host + std::size_t{1}, kNoPort);
  port_of_[host] = port;
}

PortIndex SoftwareSwitch::add_port(HostId host) {
  const PortIndex port = add(host);
  set_route(host, port);
  return port;
}

PortIndex SoftwareSwitch::add_trunk(const std::vector<HostId>& hosts) {
  const PortIndex port = add(std::nullopt);
  for (const HostId host : hosts) set_route(host, port);
  return port;
}

void SoftwareSwitch::install_job(JobId job, const programs::JobEntry& entry,
                                 const JobMembers& members) {
  program_->install_job(job, entry);
  if (job >= jobs_.size()) jobs_.resize(job + std::size_t{1});
  jobs_[job] = {entry, {}, true};
  members_.install(job, members.workers, members.server, members.paths);
  if (job >= groups_.size()) groups_.resize(job + std::size_t{1});
  std::vector<PortIndex>& group = groups_[job];
  group.clear();
  for (const HostId host : members.group) {
    const PortIndex port = port_of(host);
    if (std::ranges::find(group, port) == group.end()) group.push_back(port);
  }
}

void SoftwareSwitch::remove_job(JobId job) {
  if (job >= jobs_.size() || !jobs_[job].installed) return;
  members_.remove(job);
  program_->remove_job(job);
  jobs_[job].installed = false;
}

void SoftwareSwitch::go_down(std::unique_ptr<programs::SwitchProgram> program) {
  down_ = true;
  earlier_rejected_ += program_->rejected_frames();
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    programs::AggregatorCounters& earlier = jobs_[job].earlier;
    earlier = aggregator_counters(static_cast<JobId>(job));
    earlier[AggregatorEvent::freed] = earlier[AggregatorEvent::allocated];
  }
  program_ = std::move(program);
  for (std::size_t job = 0; job < jobs_.size(); ++job) {  // unknown, except for its counters
    program_->install_job(static_cast<JobId>(job), {});
  }
}

void SoftwareSwitch::come_back() {
  down_ = false;
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    if (jobs_[job].installed) program_->install_job(static_cast<JobId>(job), jobs_[job].entry);
  }
}

programs::AggregatorCounters SoftwareSwitch::aggregator_counters(JobId job) const {
  if (job >= jobs_.size()) return {};
  programs::AggregatorCounters sum = program_->counters(job);
  for (std::size_t event = 0; event < programs::kAggregatorEvents; ++event) {
    sum.count[event] += jobs_[job].earlier.count[event];
  }
  return sum;
}

void SoftwareSwitch::receive(Frame&& frame, PortIndex ingress, Time now) {
  pass_link(Direction::to_switch, ingress, std::move(frame), now,
            [&](Frame&& arrived) { process(std::move(arrived), ingress, now); });
}

bool SoftwareSwitch::next(PortIndex egress, Frame& out) {
  Port& port = ports_[egress];
  if (port.queue.empty()) return false;
  out = std::move(port.queue.front());
  port.queue.pop_front();
  links_->give_room(*port.link, out.bytes);
  return true;
}

void SoftwareSwitch::expire(Time now) {
  while (deadline() <= now) {
    // The heap's order does not look at what is moved out.
    Held held = std::move(const_cast<Held&>(held_.top()));
    held_.pop();
    if (held.direction == Direction::to_switch) {
      process(std::move(held.frame), held.port, now);
    } else {
      enqueue(ports_[held.port], std::move(held.frame));
    }
  }
}

template <class Arrive>
void SoftwareSwitch::pass_link(Direction direction, PortIndex port, Frame&& frame, Time now,
                               Arrive&& arrive) {
  FaultyDirection& faulty = ports_[port].link->directions[static_cast<std::size_t>(direction)];
  if (!faulty.any()) [[likely]] {
    return arrive(std::move(frame));
  }
  LinkCounters& counters = ports_[port].counters_of(direction);
  const faults::LinkFaults::Fate fate = faulty.decide(frame, now);
  if (fate.lost || fate.corrupted) {
    ++(fate.lost ? counters.lost : counters.corrupted);
    return;
  }
  if (fate.duplicated) {
    ++counters.duplicated;
    arrive(Frame(frame));
  }
  if (fate.delay == Time::zero()) return arrive(std::move(frame));
  ++counters.delayed;
  held_.push({now + fate.delay, held_in_all_++, direction, port, std::move(frame)});
}

/// From another switch comes what is of the hosts behind it, and goes on, not back.
bool SoftwareSwitch::admits(const Frame& frame, PortIndex ingress) const {
  if (const auto host = ports_[ingress].host) return members_.admits(frame, *host);
  return port_of(frame.source) == ingress && port_of(frame.destination) != ingress &&
         members_.admits_from_switch(frame);
}

void SoftwareSwitch::process(Frame&& frame, PortIndex ingress, Time now) {
  if (down_) [[unlikely]] {
    return;
  }
  if (!admits(frame, ingress)) {
    ++refused_;
    return;
  }
  if (observer_ != nullptr) observer_->arrived(frame, ingress, now);
  const rmt::Verdict::Exit exit = program_->process(frame, now).exit;
  if (exit == rmt::Verdict::Exit::drop) return;
  if (observer_ != nullptr) observer_->departed(frame, exit);
  if (exit == rmt::Verdict::Exit::forward) {
    const PortIndex egress = port_of(frame.destination);
    return leave(egress, std::move(frame), now);
  }
  for (const PortIndex egress : groups_[frame.job]) leave(egress, Frame(frame), now);
}

void SoftwareSwitch::leave(PortIndex egress, Frame&& frame, Time now) {
  if (egress == kNoPort) {
    ++without_route_;
    return;
  }
  pass_link(Direction::from_switch, egress, std::move(frame), now,
            [&](Frame&& passed) { enqueue(ports_[egress], std::move(passed)); });
}

void SoftwareSwitch::enqueue(Port& port, Frame&& frame) {
  LinkCounters& counters = port.counters_of(Direction::from_switch);
  const SharedLinks::Room room = links_->take_room(*port.link, frame.bytes);
  if (room == SharedLinks::Room::none) {
    ++counters.dropped;
    return;
  }
  if (room == SharedLinks::Room::beyond_ecn_threshold) {
    frame.set(flag::ecn);
    ++counters.marked;
  }
  port.queue.emplace_back(std::move(frame));
}

}  // namespace ina::software
