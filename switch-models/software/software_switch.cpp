// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/software_switch.hpp"

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
    : links_(std::move(links)) {
  node_.set_program(std::move(program));
}

PortIndex SoftwareSwitch::add_port(HostId host) { return with_link(node_.add_port(host)); }

PortIndex SoftwareSwitch::add_trunk(const std::vector<HostId>& hosts) {
  return with_link(node_.add_trunk(hosts));
}

PortIndex SoftwareSwitch::with_link(PortIndex port) {
  ports_.emplace_back().link = &links_->link(port);
  return port;
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
  release_held(now);
  if (node_.deadline() <= now) expire_program(now);
}

void SoftwareSwitch::release_held(Time now) {
  while (next_held() <= now) {
    // This cast is safe, because the heap's order does not depend on the moved members.
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
  const faults::LinkFaults::Outcome outcome = faulty.decide(frame, now);
  if (outcome.lost || outcome.corrupted) {
    ++(outcome.lost ? counters.lost : counters.corrupted);
    return;
  }
  if (outcome.duplicated) {
    ++counters.duplicated;
    arrive(Frame(frame));
  }
  if (outcome.delay == Time::zero()) return arrive(std::move(frame));
  ++counters.delayed;
  held_.push({now + outcome.delay, held_in_all_++, direction, port, std::move(frame)});
}

void SoftwareSwitch::process(Frame&& frame, PortIndex ingress, Time now) {
  if (!node_.admit(frame, ingress)) return;
  const rmt::Verdict::Exit exit = observer_ == nullptr ? node_.process(frame, ingress, now).exit
                                                       : process_observed(frame, ingress, now).exit;
  if (exit != rmt::Verdict::Exit::drop) let_out(frame, exit, now);
  if (node_.is_active()) [[unlikely]] {
    send_own(now);
  }
}

void SoftwareSwitch::expire_program(Time now) {
  if (observer_ != nullptr) observer_->expired(now);
  node_.expire(now);
  send_own(now);
}

/// Sends the program's own frames.
void SoftwareSwitch::send_own(Time now) {
  node_.send_own(
      now, [&](Frame& frame, const rmt::Verdict& verdict) { let_out(frame, verdict.exit, now); },
      [&](const Frame& frame, rmt::Verdict::Exit exit) {
        if (observer_ != nullptr) observer_->departed(frame, exit);
      });
}

/// `exit`: not `drop`.
void SoftwareSwitch::let_out(Frame& frame, rmt::Verdict::Exit exit, Time now) {
  const auto ports = node_.egress(frame, exit);
  if (ports.empty()) return;
  node::send_to_each(ports, frame, [&](PortIndex egress, Frame leaving) {
    pass_link(Direction::from_switch, egress, std::move(leaving), now,
              [&](Frame&& passed) { enqueue(ports_[egress], std::move(passed)); });
  });
}

/// Reports the frames that enter and leave the program to the observer.
rmt::Verdict SoftwareSwitch::process_observed(Frame& frame, PortIndex ingress, Time now) {
  const rmt::Verdict::Exit passing = node_.pass_by(frame, ingress);
  if (passing != rmt::Verdict::Exit::drop) return {passing};
  observer_->arrived(frame, ingress, now);
  const rmt::Verdict verdict = node_.decide(frame, now);
  if (verdict.exit != rmt::Verdict::Exit::drop) observer_->departed(frame, verdict.exit);
  return node_.redirect(frame, verdict);
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
