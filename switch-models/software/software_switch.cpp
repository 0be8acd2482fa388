// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/software_switch.hpp"

#include <algorithm>
#include <utility>

namespace ina::software {

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

void SoftwareSwitch::add_port(HostId host) {
  if (host >= ports_.size()) ports_.resize(host + std::size_t{1});
  ports_[host].link = &links_->link(host);
}

void SoftwareSwitch::install_job(JobId job, const programs::JobEntry& entry,
                                 const std::vector<HostId>& workers, HostId server) {
  program_->install_job(job, entry);
  members_.install(job, workers, server,
                   std::vector(workers.size(), wire::one_level(workers.size())));
  if (job >= workers_.size()) workers_.resize(job + std::size_t{1});
  workers_[job] = workers;
}

void SoftwareSwitch::receive(Frame&& frame, HostId ingress, Time now) {
  pass_link(Direction::to_switch, ingress, std::move(frame), now,
            [&](Frame&& arrived) { process(std::move(arrived), ingress, now); });
}

bool SoftwareSwitch::next(HostId egress, Frame& out) {
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
      process(std::move(held.frame), held.host, now);
    } else {
      enqueue(ports_[held.host], std::move(held.frame));
    }
  }
}

template <class Arrive>
void SoftwareSwitch::pass_link(Direction direction, HostId host, Frame&& frame, Time now,
                               Arrive&& arrive) {
  FaultyDirection& faulty = ports_[host].link->directions[static_cast<std::size_t>(direction)];
  if (!faulty.any()) [[likely]] {
    return arrive(std::move(frame));
  }
  LinkCounters& counters = ports_[host].counters_of(direction);
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
  held_.push({now + fate.delay, held_in_all_++, direction, host, std::move(frame)});
}

void SoftwareSwitch::process(Frame&& frame, HostId ingress, Time now) {
  if (!members_.admits(frame, ingress)) {
    ++refused_;
    return;
  }
  if (observer_ != nullptr) observer_->arrived(frame, ingress, now);
  const rmt::Verdict::Exit exit = program_->process(frame, now).exit;
  if (exit == rmt::Verdict::Exit::drop) return;
  if (observer_ != nullptr) observer_->departed(frame, exit);
  if (exit == rmt::Verdict::Exit::forward) {
    const HostId destination = frame.destination;
    return leave(destination, std::move(frame), now);
  }
  for (const HostId worker : workers_[frame.job]) leave(worker, Frame(frame), now);
}

void SoftwareSwitch::leave(HostId egress, Frame&& frame, Time now) {
  if (egress >= ports_.size() || ports_[egress].link == nullptr) {
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
