// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/software_switch.hpp"

#include <algorithm>
#include <utility>

namespace ina::software {

SoftwareSwitch::SoftwareSwitch(const Config& config,
                               std::unique_ptr<programs::SwitchProgram> program)
    : config_(config), program_(std::move(program)) {}

void SoftwareSwitch::add_port(HostId host) {
  if (host >= ports_.size()) ports_.resize(host + std::size_t{1});
  ports_[host].exists = true;
}

void SoftwareSwitch::install_job(JobId job, const programs::JobEntry& entry,
                                 const std::vector<HostId>& workers, HostId server) {
  program_->install_job(job, entry);
  members_.install(job, workers, server,
                   std::vector(workers.size(), wire::one_level(workers.size())));
  if (job >= workers_.size()) workers_.resize(job + std::size_t{1});
  workers_[job] = workers;
}

void SoftwareSwitch::add_faults(HostId host, Direction direction,
                                const faults::LinkFaults::Config& config, std::uint64_t seed) {
  ports_[host].link(direction).faults.emplace_back(config, seed);
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
  port.queue_bytes -= out.bytes;
  buffered_bytes_ -= out.bytes;
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
  Link& link = ports_[host].link(direction);
  if (link.faults.empty()) [[likely]] {
    return arrive(std::move(frame));
  }
  faults::LinkFaults::Fate fate;
  for (faults::LinkFaults& one : link.faults) {
    const faults::LinkFaults::Fate its = one.decide(frame, now);
    fate.lost |= its.lost;
    fate.corrupted |= its.corrupted;
    fate.duplicated |= its.duplicated;
    fate.delay = std::max(fate.delay, its.delay);
  }
  if (fate.lost || fate.corrupted) {
    ++(fate.lost ? link.counters.lost : link.counters.corrupted);
    return;
  }
  if (fate.duplicated) {
    ++link.counters.duplicated;
    arrive(Frame(frame));
  }
  if (fate.delay == Time::zero()) return arrive(std::move(frame));
  ++link.counters.delayed;
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
  if (egress >= ports_.size() || !ports_[egress].exists) {
    ++without_route_;
    return;
  }
  pass_link(Direction::from_switch, egress, std::move(frame), now,
            [&](Frame&& passed) { enqueue(ports_[egress], std::move(passed)); });
}

void SoftwareSwitch::enqueue(Port& port, Frame&& frame) {
  LinkCounters& counters = port.link(Direction::from_switch).counters;
  if (buffered_bytes_ + frame.bytes > config_.buffer_bytes) {
    ++counters.dropped;
    return;
  }
  if (port.queue_bytes > config_.ecn_threshold_bytes) {
    frame.set(flag::ecn);
    ++counters.marked;
  }
  buffered_bytes_ += frame.bytes;
  port.queue_bytes += frame.bytes;
  port.queue.emplace_back(std::move(frame));
}

}  // namespace ina::software
