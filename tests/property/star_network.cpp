// SPDX-License-Identifier: BSD-3-Clause
#include "tests/property/star_network.hpp"

#include <algorithm>
#include <utility>

namespace ina::testing {

HostId StarNetwork::add(Host& host) {
  ports_.push_back({&host, {}, kNever});
  return static_cast<HostId>(ports_.size() - 1);
}

void StarNetwork::set_workers(JobId job, std::vector<HostId> workers) {
  if (job >= workers_.size()) workers_.resize(job + std::size_t{1});
  workers_[job] = std::move(workers);
}

void StarNetwork::wake_at(HostId host, Time at) { push(at, What::wake, host); }

void StarNetwork::push(Time at, What what, HostId host, Frame frame) {
  events_.push({at, sequence_++, what, host, std::move(frame)});
}

void StarNetwork::transmit(What what, HostId host, const Frame& frame) {
  // The draws do not depend on each other's outcome, so that a run with loss is the run without it
  // and the losses.
  const Time delay = random_.between(config_.min_delay, config_.max_delay);
  const bool lost = random_.percent(config_.loss_percent);
  Time& last = ports_[host].last_arrival[what == What::at_switch ? 0 : 1];
  last = std::max(now_ + delay, last + Time(1));
  if (!lost) push(last, what, host, frame);
}

std::string StarNetwork::run(Time limit) {
  while (!events_.empty() && failure_.empty()) {
    Event event = events_.top();
    events_.pop();
    now_ = event.at;
    if (now_ > limit) return "still busy at the time limit";
    handle(event);
  }
  return failure_;
}

void StarNetwork::handle(Event& event) {
  switch (event.what) {
    case What::at_switch:
      switch_frame(event.frame);
      return;
    case What::at_host:
      ports_[event.host].host->receive(std::move(event.frame), now_);
      break;
    case What::deadline:
      if (ports_[event.host].timer != now_) return;  // an earlier one was set since
      ports_[event.host].timer = kNever;
      if (ports_[event.host].host->deadline() <= now_) ports_[event.host].host->expire(now_);
      break;
    case What::wake:
      ports_[event.host].host->wake(now_);
      break;
  }
  serve(event.host);
}

void StarNetwork::switch_frame(Frame& frame) {
  const rmt::Verdict verdict = program_.process(frame, now_);
  if (verdict.exit == rmt::Verdict::Exit::drop) return;
  if (random_.percent(config_.ecn_percent)) frame.set(flag::ecn);
  if (verdict.exit == rmt::Verdict::Exit::forward) {
    if (frame.destination >= ports_.size()) {
      failure_ = "the switch sends a frame to host " + std::to_string(frame.destination);
      return;
    }
    transmit(What::at_host, frame.destination, frame);
    return;
  }
  for (const HostId worker : workers_.at(frame.job)) transmit(What::at_host, worker, frame);
}

void StarNetwork::serve(HostId id) {
  Port& port = ports_[id];
  Frame out;
  while (port.host->next(out, now_)) {
    transmit(What::at_switch, id, out);
    out = Frame{};
  }
  const Time deadline = port.host->deadline();
  if (deadline >= port.timer) return;
  port.timer = std::max(deadline, now_);
  push(port.timer, What::deadline, id);
}

}  // namespace ina::testing
