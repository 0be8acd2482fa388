// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/star_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <ostream>
#include <utility>

#include "hw/protocol/numeric/split_mix.hpp"
#include "tests/support/damaged_frame.hpp"
#include "tests/support/frame_words.hpp"

namespace ina::testing {

namespace {

/// Share of corrupted frames that are also decoded without verifying the check sequence.
constexpr std::uint32_t kUncheckedPercent = 25;

/// Leaf's port to the middle switch.
constexpr node::PortIndex kTrunk = 0;

constexpr std::size_t index_of(Direction direction) { return static_cast<std::size_t>(direction); }

}  // namespace

HostId StarNetwork::add(Host& host, std::string name) {
  const auto id = static_cast<HostId>(ports_.size());
  for (const Port& port : ports_) {
    if (port.leaf) port.leaf->node.set_route(id, kTrunk);
  }
  ports_.emplace_back();
  ports_.back().host = &host;
  ports_.back().name = std::move(name);
  connect(id, kMiddle);
  if (config_.host_stage.is_on()) add_stages(id);
  return id;
}

void StarNetwork::add_stages(HostId host) {
  using Stage = cluster::HostStage;
  const std::uint64_t seed = numeric::split_mix(config_.host_stage_seed, host);
  std::array<std::optional<Stage>, 2>& stages = ports_[host].stages;
  stages[index_of(Direction::up)].emplace(config_.host_stage, seed, Stage::Direction::send);
  stages[index_of(Direction::down)].emplace(config_.host_stage, seed, Stage::Direction::receive);
}

void StarNetwork::connect(HostId host, HostId at) {
  ports_[host].above = at;
  ports_[host].port = switch_at(at).node.add_port(host);
  switch_at(at).links.push_back(host);
}

HostId StarNetwork::add_leaf(std::unique_ptr<programs::SwitchProgram> program, std::string name,
                             const std::vector<HostId>& hosts) {
  const auto id = static_cast<HostId>(ports_.size());
  auto leaf = std::make_unique<Switch>();
  leaf->node.set_program(std::move(program));
  leaf->node.add_trunk({});
  leaf->links.push_back(id);
  for (HostId host = 0; host < id; ++host) {
    if (ports_[host].host != nullptr) leaf->node.set_route(host, kTrunk);
  }
  ports_.emplace_back();
  ports_.back().leaf = std::move(leaf);
  ports_.back().name = std::move(name);
  ports_.back().port = middle_.node.add_trunk({});
  middle_.links.push_back(id);
  for (const HostId host : hosts) move_under(host, id);
  return id;
}

void StarNetwork::move_under(HostId host, HostId leaf) {
  if (leaf == kMiddle) return;
  connect(host, leaf);
  middle_.node.set_route(host, ports_[leaf].port);
}

void StarNetwork::install_job(JobId job, const programs::JobEntry& entry,
                              const node::JobMembers& members, HostId at) {
  if (job >= workers_.size()) workers_.resize(job + std::size_t{1});
  workers_[job] = members.workers.size();
  node(at).install_job(job, entry, members);
  set_switch_timer(at);
}

void StarNetwork::add_faults(HostId host, Direction direction,
                             const faults::LinkFaults::Config& config, std::uint64_t seed) {
  ports_[host].faults[index_of(direction)].emplace_back(config, seed);
}

void StarNetwork::wake_at(HostId host, Time at) {
  push(at, What::wake, host, ports_[host].generation);
}

void StarNetwork::call_at(Time at, std::function<void()> action) {
  actions_.push_back(std::move(action));
  push(at, What::action, 0, static_cast<std::uint32_t>(actions_.size() - 1));
}

void StarNetwork::replace(HostId address, Host& host) {
  Port& port = ports_[address];
  port.host = &host;
  ++port.generation;
  port.timer = kNever;
  port.held.clear();
  set_timer(address);
}

void StarNetwork::push(Time at, What what, HostId host, std::uint32_t tag, Frame frame) {
  events_.push({at, sequence_++, tag, what, host, std::move(frame), {}});
}

// ---- links

void StarNetwork::transmit(Direction direction, HostId host, const Frame& frame) {
  Port& port = ports_[host];
  // Drawn before the outcome is known, so that a lost frame takes the same draws here as a
  // delivered one.
  const Time delay = random_.between(config_.min_delay, config_.max_delay);
  const faults::LinkFaults::Outcome outcome =
      faults::decide(port.faults[index_of(direction)], frame, now_);
  if (outcome.lost) return lose(direction, host, frame);
  if (outcome.corrupted) return corrupt(direction, host, frame);
  Time& last = port.last_arrival[index_of(direction)];
  const Time in_order = std::max(now_ + delay, last + Time(1));
  const bool late = outcome.delay > Time::zero();
  if (late) {
    ++statistics_.reordered;
    arrive(in_order + outcome.delay, direction, host, frame);
  }
  if (!late || outcome.duplicated) {
    last = in_order;
    arrive(last, direction, host, frame);
  }
  if (outcome.duplicated) ++statistics_.duplicated;
  if (outcome.duplicated && !late) arrive(last += Time(1), direction, host, frame);
}

void StarNetwork::lose(Direction direction, HostId host, const Frame& frame) {
  ++statistics_.lost;
  ++statistics_.lost_of_class[static_cast<std::size_t>(faults::class_of(frame))];
  if (trace_ == nullptr) return;
  say(direction == Direction::up ? "lost from " + name(host) : "lost to " + name(host), frame);
}

void StarNetwork::corrupt(Direction direction, HostId host, const Frame& frame) {
  Bytes line = to_line(config_.format, frame);
  damage(line, random_);
  if (random_.percent(kUncheckedPercent) &&
      from_line_unchecked(config_.format, line, pool_).has_value()) {
    ++statistics_.corrupted_decoded;
  }
  if (const auto received = from_line(config_.format, line, pool_)) {
    return arrive(now_ + config_.max_delay, direction, host, *received);
  }
  ++statistics_.corrupted;
  if (trace_ == nullptr) return;
  say((direction == Direction::up ? "corrupted from " : "corrupted to ") + name(host), frame);
}

void StarNetwork::arrive(Time at, Direction direction, HostId host, const Frame& frame) {
  push(at, direction == Direction::up ? What::at_switch : What::at_port, host, 0, frame);
}

// ---- events

bool StarNetwork::step() {
  if (events_.empty()) return false;
  // Moving is safe: the heap's order does not read the moved member.
  Event event = std::move(const_cast<Event&>(events_.top()));
  events_.pop();
  now_ = event.at;
  handle(event);
  return true;
}

std::string StarNetwork::run(Time limit) {
  while (failure_.empty() && step()) {
    if (now_ > limit) return "still busy at the time limit";
  }
  return failure_;
}

void StarNetwork::handle(Event& event) {
  switch (event.what) {
    case What::sent:
      return transmit(Direction::up, event.host, event.frame);
    case What::at_port:
      return receive_at_port(event);
    case What::at_switch:
      return switch_frame(ports_[event.host].above, event.host, event.frame);
    case What::action:
      return actions_[event.tag]();
    case What::switch_deadline:
      return expire_switch(event.host);
    case What::next_pass:
      return run_next_pass(event);
    default:
      return handle_unless_paused(event);
  }
}

void StarNetwork::receive_at_port(Event& event) {
  Port& port = ports_[event.host];
  if (port.leaf) return switch_frame(event.host, event.host, event.frame);
  event.what = What::at_host;
  std::optional<cluster::HostStage>& stage = port.stages[index_of(Direction::down)];
  if (!stage) return handle_unless_paused(event);
  if (const Time done = stage->receive(event.frame.bytes, now_); done != kNever) {
    return push(done, What::at_host, event.host, 0, std::move(event.frame));
  }
  ++statistics_.lost_in_host;
  if (trace_ != nullptr) say("lost in the full queue of " + port.name, event.frame);
}

void StarNetwork::handle_unless_paused(Event& event) {
  if (!ports_[event.host].paused) return handle_at_host(event);
  // Timers are evaluated again when the host resumes.
  if (event.what != What::deadline) ports_[event.host].held.push_back(std::move(event));
}

void StarNetwork::handle_at_host(Event& event) {
  Port& port = ports_[event.host];
  if (event.what != What::at_host && event.tag != port.generation) return;
  switch (event.what) {
    case What::deadline:
      if (port.timer != now_) return;  // an earlier timer was set meanwhile
      port.timer = kNever;
      if (port.host->deadline() <= now_) {
        if (trace_ != nullptr) note("time-out at " + port.name);
        port.host->expire(now_);
      }
      break;
    case What::wake:
      port.host->wake(now_);
      break;
    default:
      if (trace_ != nullptr) say("at " + port.name, event.frame);
      port.host->receive(std::move(event.frame), now_);
  }
  serve(event.host);
}

void StarNetwork::resume(HostId id) {
  Port& port = ports_[id];
  if (!port.paused) return;
  if (trace_ != nullptr) note(port.name + " goes on");
  port.paused = false;
  port.timer = kNever;
  for (Event& event : std::exchange(port.held, {})) handle_at_host(event);
  serve(id);
}

/// `link`: host or leaf over whose link the frame arrived. A leaf's own link leads to the middle
/// switch.
void StarNetwork::switch_frame(HostId at, HostId link, Frame& frame) {
  ++statistics_.switched;
  node::SwitchNode& node = switch_at(at).node;
  if (node.is_down()) {
    ++statistics_.unheard;
    return;
  }
  if (trace_ != nullptr) say("at " + name_of_switch(at), frame);
  tap_(frame);
  const HostId ingress = link == at ? kMiddle : link;
  const node::PortIndex port = link == at ? kTrunk : ports_[link].port;
  if (!ports_are_open_ && !node.admit(frame, port)) {
    ++statistics_.refused;
    if (trace_ != nullptr) note("refused, from " + name_of_switch(ingress));
    return;
  }
  Passing passing{.carry = {}, .arrival = {at, ingress, frame.source}, .program = node.program()};
  arrival_ = passing.arrival;
  const rmt::Verdict verdict = node.program()->separates_passes()
                                   ? node.first_pass(frame, passing.carry, port, now_)
                                   : node.process(frame, port, now_);
  arrival_.reset();
  after_pass(at, frame, passing, verdict);
  serve_switch(at);
}

void StarNetwork::run_next_pass(Event& event) {
  node::SwitchNode& node = switch_at(event.host).node;
  Passing& passing = event.passing;
  if (node.is_down() || node.program() != passing.program) {
    ++statistics_.lost_between_passes;
    return;
  }
  ++statistics_.further_passes;
  if (trace_ != nullptr) say("passes " + name_of_switch(event.host) + " again", event.frame);
  arrival_ = passing.arrival;
  const rmt::Verdict verdict = node.next_pass(event.frame, passing.carry, now_);
  arrival_.reset();
  after_pass(event.host, event.frame, passing, verdict);
  serve_switch(event.host);
}

/// Frames of one path, resubmission or recirculation, stay in order.
void StarNetwork::after_pass(HostId at, Frame& frame, const Passing& passing,
                             const rmt::Verdict& verdict) {
  if (!passing.program->separates_passes() || !verdict.continues()) {
    if (verdict.exit != rmt::Verdict::Exit::drop) let_out(at, frame, verdict.exit);
    return;
  }
  const bool is_recirculated = verdict.recirculations != 0;
  const Time duration = random_.between(Time(1), config_.max_pass);
  if (is_recirculated && random_.percent(config_.lost_recirculations_percent)) {
    ++statistics_.lost_between_passes;
    if (trace_ != nullptr) say("lost in " + name_of_switch(at), frame);
    return;
  }
  Time& last = switch_at(at).last_pass[is_recirculated ? 1 : 0];
  last = std::max(now_ + duration, last + Time(1));
  events_.push({last, sequence_++, 0, What::next_pass, at, std::move(frame), passing});
}

void StarNetwork::let_out(HostId at, Frame& frame, rmt::Verdict::Exit exit) {
  if (random_.percent(config_.ecn_percent)) frame.set(flag::ecn);
  if (trace_ != nullptr) say(name_of_switch(at) + " lets out", frame);
  tap_(frame);
  Switch& from = switch_at(at);
  const auto egress = from.node.egress(frame, exit);
  if (egress.empty()) {
    failure_ = fmt::format("{} sends a frame of job {} to host {}", name_of_switch(at), frame.job,
                           frame.destination);
  }
  for (const node::PortIndex port : egress) {
    const HostId link = from.links[port];
    transmit(link == at ? Direction::up : Direction::down, link, frame);
  }
}

void StarNetwork::expire_switch(HostId at) {
  Switch& expired = switch_at(at);
  if (expired.timer != now_) return;  // an earlier timer was set meanwhile
  expired.timer = kNever;
  if (expired.node.deadline() <= now_) {
    if (trace_ != nullptr) note("time-out at " + name_of_switch(at));
    expired.node.expire(now_);
  }
  serve_switch(at);
}

/// Sends out the program's own frames.
void StarNetwork::serve_switch(HostId at) {
  switch_at(at).node.send_own(
      now_, [&](Frame& frame, const rmt::Verdict& verdict) { let_out(at, frame, verdict.exit); });
  set_switch_timer(at);
}

void StarNetwork::set_switch_timer(HostId at) {
  Switch& of = switch_at(at);
  const Time deadline = of.node.deadline();
  if (deadline >= of.timer) return;
  of.timer = std::max(deadline, now_);
  push(of.timer, What::switch_deadline, at);
}

void StarNetwork::serve(HostId id) {
  Port& port = ports_[id];
  Frame out;
  while (port.host->next(out, now_)) {
    if (trace_ != nullptr) say(port.name + " sends", out);
    send(id, std::move(out));
    out = Frame{};
  }
  set_timer(id);
}

void StarNetwork::send(HostId id, Frame&& frame) {
  std::optional<cluster::HostStage>& stage = ports_[id].stages[index_of(Direction::up)];
  if (!stage) return transmit(Direction::up, id, frame);
  const Time done = stage->send(frame.bytes, now_);
  push(done, What::sent, id, 0, std::move(frame));
}

void StarNetwork::set_timer(HostId id) {
  Port& port = ports_[id];
  const Time deadline = port.host->deadline();
  if (deadline >= port.timer) return;
  port.timer = std::max(deadline, now_);
  push(port.timer, What::deadline, id, port.generation);
}

// ---- in words

void StarNetwork::note(const std::string& what) {
  if (trace_ != nullptr) *trace_ << fmt::format("{:>18}  {}\n", in_words(now_), what);
}

void StarNetwork::say(const std::string& what, const Frame& frame) {
  const bool known = frame.job < workers_.size();
  const int workers = known ? static_cast<int>(workers_[frame.job]) : 32;
  note(what + ": " + in_words(frame, workers));
}

std::string in_words(Time time) {
  return fmt::format("{:.6f} us", static_cast<double>(time.count()) * 1e-6);
}

}  // namespace ina::testing
