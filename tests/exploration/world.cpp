// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/world.hpp"

#include "hw/cluster/systems/all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <limits>
#include <utility>

#include "hw/protocol/wire/limits.hpp"
#include "tests/exploration/protocol_state.hpp"
#include "tests/support/frame_words.hpp"

namespace ina::exploration {

namespace {

using Kind = Action::Kind;
using Way = Action::Way;

/// Clocks begin here, so that instants before exist.
constexpr Time kNow = std::chrono::hours(1);

/// Every task has a number, and worker r puts it into byte r of the value: a sum shows who is in
/// it, and how often.
std::int32_t task_number(JobId job, Psn psn) {
  return static_cast<std::int32_t>(16 * job + psn + 1);
}

std::int32_t contribution(JobId job, Psn psn, std::uint16_t rank) {
  return task_number(job, psn) << (8 * rank);
}

/// No time passes while a worker computes, but before it submits an iteration, if it may do so as
/// late as it likes. All tensors of an iteration are of one layer.
constexpr Time kShortest(1);

cluster::TrainingPlan training_plan(const Configuration& configuration) {
  cluster::TrainingPlan plan;
  plan.iterations = configuration.iterations;
  plan.layers.resize(1);
  plan.layers.front().backward_ps = configuration.stragglers == 0 ? 0 : kShortest.count();
  const std::uint32_t exponent_slots = configuration.blocks == 0 ? 0 : configuration.aggregators;
  for (std::uint8_t i = 0; i < configuration.tensors; ++i) {
    plan.partitions.add(0, configuration.fragments, exponent_slots);
  }
  plan.line_rate_bps = 1'000'000'000;
  return plan;
}

/// The loop's gradients have no values.
const numeric::SyntheticTable& synthetic_table() {
  static const numeric::SyntheticTable table;
  return table;
}

/// Of one more iteration; it takes a few dozen.
constexpr int kMostFairSteps = 10'000;

/// With it, two workers' contributions are beyond int32 together.
constexpr std::int32_t kOverflow = std::int32_t{1} << 30;

std::int32_t sum_of_all(JobId job, Psn psn, std::uint16_t workers) {
  std::int32_t sum = 0;
  for (std::uint16_t rank = 0; rank < workers; ++rank) sum += contribution(job, psn, rank);
  return sum;
}

/// Of block floating point: differs between workers, and from fragment to fragment.
numeric::ExponentCode exponent_of(Psn psn, std::uint16_t rank) {
  return static_cast<numeric::ExponentCode>(1 + (5 * psn + 3 * rank) % 7);
}

numeric::ExponentCode largest_exponent(Psn psn, std::uint16_t workers) {
  numeric::ExponentCode largest = 0;
  for (std::uint16_t rank = 0; rank < workers; ++rank) {
    largest = std::max(largest, exponent_of(psn, rank));
  }
  return largest;
}

/// Whether they differ in nothing but their ranks. A plain server sends to them in the order of
/// these.
bool workers_are_alike(const Configuration& configuration) {
  return configuration.leaves == 0 && configuration.blocks == 0 &&
         configuration.system != wire::Protocol::ps;
}

class Contribution final : public GradientSource {
 public:
  /// Of the PSNs before `overflows` the sum does not fit an integer.
  Contribution(JobId job, std::uint16_t rank, std::uint16_t workers, std::uint8_t overflows)
      : job_(job), rank_(rank), workers_(workers), overflows_(overflows) {}
  void read(Psn psn, std::span<std::int32_t> out) const override {
    const std::int32_t too_much = psn < overflows_ ? kOverflow : 0;
    std::fill(out.begin(), out.end(), contribution(job_, psn, rank_) + too_much);
  }
  void read_floats(Psn psn, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), static_cast<float>(contribution(job_, psn, rank_)));
  }
  numeric::ExponentCode exponent(Psn psn) const override { return exponent_of(psn, rank_); }
  /// Nothing, which makes the sum wrong, by any exponent but the largest.
  void read_block(Psn psn, numeric::ExponentCode exponent,
                  std::span<std::int32_t> out) const override {
    const bool right = exponent == largest_exponent(psn, workers_);
    std::fill(out.begin(), out.end(), right ? contribution(job_, psn, rank_) : 0);
  }

 private:
  JobId job_;
  std::uint16_t rank_;
  std::uint16_t workers_;
  std::uint8_t overflows_;
};

}  // namespace

class World::Host final : public ResultSink, private cluster::TrainingWorld {
 public:
  Host(World& world, std::uint8_t id, JobId job, std::uint16_t rank)
      : world_(world),
        source(job, rank, world.configuration_.workers, world.configuration_.overflows),
        id(id),
        job(job),
        rank(rank) {}

  void make_training() {
    cluster::TrainingWorld& itself = *this;
    training =
        std::make_unique<cluster::TrainingWorker>(world_.plan_, world_.no_gradients_, itself, rank);
  }
  /// Its loop gets what comes without the values, which are checked here.
  void fragment_complete(const Frame& result, bool resent, Time at) override {
    world_.check_result(*this, result);
    if (!world_.failure_.empty() || is_of_the_last(result.psn)) return;
    Frame without_values = result;
    without_values.values.reset();
    training->fragment_complete(without_values, resent, at);
  }
  void tensor_complete(Psn first_psn, Time at) override {
    if (!is_of_the_last(first_psn)) training->tensor_complete(first_psn, at);
  }

 private:
  bool is_of_the_last(Psn psn) const { return psn >= world_.configuration_.psns(); }

  void submit(const Tensor& tensor, Time) override { world_.hand_in(*this, tensor); }
  const WorkerTransport& transport() const override { return *worker; }
  Time serialisation(std::uint32_t) const override { return kShortest; }
  Time draw(Time low, Time) override { return low; }
  void iteration_started(std::uint32_t, Time) override {}
  void partition_submitted(std::uint32_t, std::size_t, Time) override {}
  Time last_submitted(std::uint32_t, std::size_t) const override { return {}; }
  void iteration_ended(std::uint32_t, Time, Time, const cluster::JctBreakdown&) override {}

  World& world_;

 public:
  std::unique_ptr<WorkerTransport> worker;           // or
  std::unique_ptr<ParameterServer> server;           // or
  std::unique_ptr<programs::SwitchProgram> program;  // of a leaf
  Host* leaf = nullptr;                              // that it is under; none: the servers' switch
  Link up;
  Link down;
  Time now = kNow;
  Contribution source;
  std::uint8_t id;
  JobId job;
  std::uint16_t rank;
  // Of a worker.
  std::unique_ptr<cluster::TrainingWorker> training;
  std::uint16_t sent = 0;  // by PSN
  std::uint16_t got = 0;

  Time deadline() const {
    if (program) return kNever;
    return worker ? worker->deadline() : server->deadline();
  }
  bool may_submit() const { return worker && training->deadline() != kNever; }
};

World::World(const Configuration& configuration, const MakeSystem& make_system)
    : configuration_(configuration),
      plan_(training_plan(configuration)),
      no_gradients_(synthetic_table(), plan_.partitions, {.workers = configuration.workers}, 0),
      renamings_(workers_are_alike(configuration)
                     ? Renaming::all(configuration.workers, configuration.jobs)
                     : std::vector{Renaming(configuration.workers, configuration.jobs)}),
      budget_(configuration.budget),
      pool_(1),
      switch_now_(kNow),
      system_(make_system(configuration, pool_, coin_)),
      program_(boot()),
      paths_(wire::aggregation_paths(
          configuration.racks(), configuration.leaves,
          configuration.levels == 1 ? wire::Levels::one : wire::Levels::two)) {
  add_workers();
  add_servers();
  add_leaves();
  add_members();
  for (const auto& host : hosts_) {
    if (!host->worker) continue;
    host->training->begin(0, host->now);
    host->training->advance(host->now);
    pull(*host);
  }
}

World::~World() = default;

void World::add_workers() {
  for (JobId job = 0; job < configuration_.jobs; ++job) {
    for (std::uint16_t rank = 0; rank < configuration_.workers; ++rank) {
      const auto id = static_cast<std::uint8_t>(hosts_.size());
      hosts_.push_back(std::make_unique<Host>(*this, id, job, rank));
      hosts_.back()->worker = system_->make_worker(
          {job, rank, configuration_.workers, id, server_of(job), paths_[rank]}, *hosts_.back());
      hosts_.back()->make_training();
    }
  }
}

void World::add_servers() {
  for (JobId job = 0; job < configuration_.jobs; ++job) {
    auto server = make_server(job);
    if (!server) break;
    hosts_.push_back(
        std::make_unique<Host>(*this, static_cast<std::uint8_t>(server_of(job)), job, 0));
    hosts_.back()->server = std::move(server);
  }
}

void World::add_leaves() {
  const std::vector<std::uint16_t> racks = configuration_.racks();
  for (std::uint16_t leaf = 0; leaf < configuration_.leaves; ++leaf) {
    const auto id = static_cast<std::uint8_t>(hosts_.size());
    hosts_.push_back(std::make_unique<Host>(*this, id, 0, leaf));
    hosts_.back()->program = boot();
    for (const auto& host : hosts_) {
      if (host->worker && racks[host->rank] == leaf) host->leaf = hosts_.back().get();
    }
  }
}

void World::add_members() {
  std::vector<std::vector<HostId>> workers(configuration_.jobs);
  for (const auto& host : hosts_) {
    if (host->worker) workers[host->job].push_back(host->id);
  }
  const bool has_server = cluster::traits_of(configuration_.system).has_servers;
  for (JobId job = 0; job < configuration_.jobs; ++job) {
    members_.install(job, std::move(workers[job]),
                     has_server ? server_of(job) : programs::MemberTable::kNobody, paths_);
  }
}

std::unique_ptr<programs::SwitchProgram> World::boot() const {
  auto program = system_->make_program();
  const std::uint8_t slots = configuration_.aggregators;
  for (JobId job = 0; job < configuration_.jobs; ++job) {
    program->install_job(job, {configuration_.workers, server_of(job),
                               static_cast<std::uint32_t>(job * slots), slots});
  }
  return program;
}

std::unique_ptr<ParameterServer> World::make_server(JobId job) const {
  ServerIdentity identity{job, configuration_.workers, server_of(job),
                          configuration_.psns_per_iteration(), wire::branches(paths_)};
  for (const auto& host : hosts_) {
    if (host->worker && host->job == job) identity.members.push_back(host->id);
  }
  return system_->make_server(identity);
}

// ---- the state as bytes

void World::visit_links(Archive& archive, Host& host) {
  for (Link* link : {&host.up, &host.down}) {
    visit(archive, link->queue);
    visit(archive, link->late);
  }
}

void World::visit_host(Archive& archive, Host& host) {
  if (host.server) system_->visit_server(archive, *host.server);
  if (!host.worker) return;
  system_->visit_worker(archive, *host.worker);
  archive.number(host.sent);
  archive.number(host.got);
  visit_training(archive, host);
}

/// Between two steps it waits for results, or to submit an iteration. Its submissions are all due
/// or all done then, and which results it has is known here.
void World::visit_training(Archive& archive, Host& host) {
  cluster::TrainingWorker& training = *host.training;
  auto& iteration = member<"iteration_">(training);
  auto& hands_in = member<"backward_">(training);
  archive.number(iteration);
  archive.number(hands_in);
  archive.number(member<"partitions_missing_">(training).front());
  if (!archive.reading()) return;
  const Time due = host.now + kShortest;
  member<"first_psn_">(training) = iteration * configuration_.psns_per_iteration();
  member<"next_forward_">(training) = 0;
  member<"computes_until_">(training) = hands_in ? std::optional(due) : std::nullopt;
  auto& submissions = member<"submissions_">(training);
  for (auto& submission : submissions) submission.at = due;
  member<"next_submission_">(training) = hands_in ? 0 : submissions.size();
  auto& verified = member<"verified_">(training);
  verified = RecentPsnSet(configuration_.psns());
  for (Psn psn = 0; psn < configuration_.psns(); ++psn) {
    if ((host.got >> psn & 1U) != 0) verified.insert(psn);
  }
}

void World::visit_switches(Archive& archive) {
  system_->visit_program(archive, *program_);
  for (const auto& host : hosts_) {
    if (host->program) system_->visit_program(archive, *host->program);
  }
}

void World::save(Bytes& out) {
  collectors_.clear();
  for (const auto& host : hosts_) {
    collectors_.push_back(Archive::collector());
    collectors_.back().enter(host->now, nullptr);
    visit_host(collectors_.back(), *host);
  }
  save_renamed(out, renamings_.front());
}

void World::save_renamed(Bytes& out, const Renaming& renaming) {
  out.clear();
  for (const std::uint8_t left : {budget_.losses, budget_.firings, budget_.copies, budget_.delays,
                                  budget_.expiries, budget_.restarts, budget_.reboots}) {
    out.push_back(static_cast<std::byte>(left));
  }
  Archive writer = Archive::writer(out, renaming);
  std::array<std::uint8_t, UINT8_MAX> at;
  for (const auto& host : hosts_) at[renaming.host(host->id)] = host->id;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    Host& host = *hosts_[at[i]];
    writer.enter(host.now, nullptr);
    writer.rank_by(collectors_[host.id]);
    visit_host(writer, host);
    visit_links(writer, host);
  }
  writer.enter(switch_now_, nullptr);
  visit_switches(writer);
}

void World::restore(std::span<const std::byte> state) {
  failure_.clear();
  const auto left = [&](std::size_t i) { return static_cast<std::uint8_t>(state[i]); };
  budget_ = {left(0), left(1), left(2), left(3), left(4), left(5), left(6)};
  Archive reader = Archive::reader(state.subspan(kBudgetBytes), pool_);
  for (const auto& host : hosts_) {
    host->now = kNow;
    reader.enter(kNow, &host->source);
    visit_host(reader, *host);
    visit_links(reader, *host);
  }
  switch_now_ = kNow;
  reader.enter(kNow, nullptr);
  visit_switches(reader);
}

// ---- what may happen

World::Link& World::link(const Action& action) {
  Host& host = *hosts_[action.host];
  return action.way == Way::up ? host.up : host.down;
}

const World::Link& World::link(const Action& action) const {
  const Host& host = *hosts_[action.host];
  return action.way == Way::up ? host.up : host.down;
}

/// The leaf that an action at a switch concerns; none: it is the servers' switch.
World::Host* World::switch_of(const Action& action) const {
  if (action.index == 0) return nullptr;
  return hosts_[hosts_.size() - configuration_.leaves + action.index - 1U].get();
}

void World::list_link_actions(std::uint8_t host, Way way, std::vector<Action>& out) const {
  const Link& at = link({Kind::deliver, way, host});
  if (!at.queue.empty()) {
    out.push_back({Kind::deliver, way, host});
    if (budget_.losses > 0) out.push_back({Kind::lose, way, host});
    if (budget_.copies > 0) out.push_back({Kind::copy, way, host});
    if (budget_.delays > 0) out.push_back({Kind::delay, way, host});
  }
  for (std::size_t i = 0; i < at.late.size(); ++i) {
    out.push_back({Kind::deliver_late, way, host, static_cast<std::uint8_t>(i)});
  }
}

std::size_t World::timers(const Host& host) const {
  if (host.deadline() == kNever) return 0;
  return host.server ? waiting_entries(*host.server) : 1;
}

void World::list_host_actions(std::uint8_t id, std::vector<Action>& out) const {
  const Host& host = *hosts_[id];
  list_link_actions(id, Way::down, out);
  for (std::uint8_t i = 0; budget_.firings > 0 && i < timers(host); ++i) {
    out.push_back({Kind::fire, Way::up, id, i});
  }
  if (host.may_submit()) out.push_back({Kind::submit, Way::up, id});
  if (budget_.restarts > 0 && host.server) out.push_back({Kind::restart, Way::up, id});
}

void World::list_actions(std::vector<Action>& out) const {
  out.clear();
  for (const auto& host : hosts_) {
    if (host->program || host->down.queue.empty()) continue;
    list_host_actions(host->id, out);
    return;
  }
  for (const auto& host : hosts_) {
    list_link_actions(host->id, Way::up, out);
    list_host_actions(host->id, out);
  }
  if (budget_.expiries > 0) out.push_back({Kind::expiry});
  for (std::uint8_t i = 0; budget_.reboots > 0 && i <= configuration_.leaves; ++i) {
    out.push_back({Kind::reboot, Way::up, 0, i});
  }
}

void World::list_fair_step(std::vector<Action>& out) const {
  out.clear();
  for (const Way way : {Way::down, Way::up}) {
    for (const auto& host : hosts_) {
      const Action next{Kind::deliver, way, host->id};
      if (!link(next).queue.empty()) out.push_back(next);
      if (!out.empty()) return;
    }
  }
  for (const auto& host : hosts_) {
    for (const Way way : {Way::down, Way::up}) {
      const Action next{Kind::deliver_late, way, host->id, 0};
      if (!link(next).late.empty()) out.push_back(next);
    }
    if (host->may_submit()) out.push_back({Kind::submit, Way::up, host->id});
    if (!out.empty()) return;
  }
  for (const auto& host : hosts_) {
    if (host->deadline() != kNever) out.push_back({Kind::fire, Way::up, host->id});
  }
}

bool World::possible(const Action& action) const {
  if (action.host >= hosts_.size()) return false;
  const Host& host = *hosts_[action.host];
  switch (action.kind) {
    case Kind::submit:
      return host.may_submit();
    case Kind::fire:
      return action.index < timers(host);
    case Kind::restart:
      return host.server != nullptr;
    case Kind::expiry:
      return true;
    case Kind::reboot:
      return action.index <= configuration_.leaves;
    case Kind::deliver_late:
      return action.index < link(action).late.size();
    default:
      return !link(action).queue.empty();
  }
}

bool World::affordable(const Action& action) const {
  switch (action.kind) {
    case Kind::fire:
      return budget_.firings > 0;
    case Kind::lose:
      return budget_.losses > 0;
    case Kind::copy:
      return budget_.copies > 0;
    case Kind::delay:
      return budget_.delays > 0;
    case Kind::expiry:
      return budget_.expiries > 0;
    case Kind::restart:
      return budget_.restarts > 0;
    case Kind::reboot:
      return budget_.reboots > 0;
    case Kind::submit:
    case Kind::deliver:
    case Kind::deliver_late:
      return true;
  }
  return false;
}

// ---- what happens

bool World::apply(const Action& action) {
  coin_ = {action.heads, false};
  const auto spend = [](std::uint8_t& left) {
    if (left > 0) --left;
  };
  Host& host = *hosts_[action.host];
  Host* const leaf = action.kind == Kind::reboot ? switch_of(action) : nullptr;
  switch (action.kind) {
    case Kind::submit:
      submit(host);
      break;
    case Kind::fire:
      spend(budget_.firings);
      if (action.index > 0) put_first(*host.server, action.index);
      fire(host);
      break;
    case Kind::lose:
      spend(budget_.losses);
      say([&] { return "lost: " + describe(link(action).queue.front()); });
      take(action);
      break;
    case Kind::delay:
      spend(budget_.delays);
      say([&] { return "delayed: " + describe(link(action).queue.front()); });
      link(action).late.push_back(take(action));
      break;
    case Kind::copy:
      spend(budget_.copies);
      link(action).late.push_back(link(action).queue.front());
      arrive(action, take(action));
      break;
    case Kind::deliver:
    case Kind::deliver_late:
      arrive(action, take(action));
      break;
    case Kind::restart:
      spend(budget_.restarts);
      say([&] { return name_of(host) + " restarts and knows nothing"; });
      host.server = make_server(host.job);
      break;
    case Kind::expiry:
      spend(budget_.expiries);
      say([] { return "aggregators that are in use are old now"; });
      switch_now_ += 2 * programs::kAggregatorExpiry;
      break;
    case Kind::reboot:
      spend(budget_.reboots);
      say([&] { return name_of_switch(leaf) + " reboots and its registers are empty"; });
      (leaf == nullptr ? program_ : leaf->program) = boot();
      break;
  }
  return coin_.tossed;
}

Frame World::take(const Action& action) {
  std::vector<Frame>& from =
      action.kind == Kind::deliver_late ? link(action).late : link(action).queue;
  const auto at = from.begin() + action.index;
  Frame frame = std::move(*at);
  from.erase(at);
  return frame;
}

void World::arrive(const Action& action, Frame frame) {
  Host& host = *hosts_[action.host];
  try {
    if (action.way == Way::up || host.program) {
      Host* const leaf = action.way == Way::up ? host.leaf : &host;
      say([&] {
        const std::string from = action.way == Way::up ? name_of(host) : name_of_switch(nullptr);
        return name_of_switch(leaf) + " gets from " + from + ": " + describe(frame);
      });
      const bool from_switch = host.program != nullptr;
      if (!(from_switch ? members_.admits_from_switch(frame) : members_.admits(frame, host.id))) {
        return fail(name_of_switch(leaf) + " refuses what a member of the job sent");
      }
      at_switch(leaf, std::move(frame));
    } else {
      say([&] { return name_of(host) + " gets: " + describe(frame); });
      at_host(host, std::move(frame));
    }
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void World::at_switch(Host* leaf, Frame frame) {
  programs::SwitchProgram& program = leaf == nullptr ? *program_ : *leaf->program;
  const rmt::Verdict verdict = program.process(frame, switch_now_);
  switch (verdict.exit) {
    case rmt::Verdict::Exit::drop:
      say([] { return "  and keeps or drops it"; });
      break;
    case rmt::Verdict::Exit::forward:
      send_on(leaf, frame.destination, frame);
      break;
    case rmt::Verdict::Exit::multicast:
      multicast(leaf, frame);
      break;
  }
}

/// To the job's workers at the switch, and to every leaf under it.
void World::multicast(Host* leaf, const Frame& frame) {
  for (const auto& host : hosts_) {
    const bool worker = host->worker && host->job == frame.job;
    if ((worker || host->program) && host->leaf == leaf && host.get() != leaf) {
      send_on(leaf, host->id, frame);
    }
  }
}

void World::send_on(Host* leaf, HostId destination, const Frame& frame) {
  if (destination >= hosts_.size()) {
    fail(fmt::format("the switch sends a frame to host {}, which is none", destination));
    return;
  }
  Host& host = *hosts_[destination];
  const bool is_here = host.leaf == leaf;
  const bool is_above = !is_here && leaf != nullptr;
  say([&] {
    const std::string next =
        is_here ? name_of(host) : name_of_switch(is_above ? nullptr : host.leaf);
    return "  to " + next + ": " + describe(frame);
  });
  Link& link = is_here ? host.down : is_above ? leaf->up : host.leaf->down;
  link.queue.push_back(frame);
}

void World::at_host(Host& host, Frame frame) {
  if (host.worker) {
    system_->receive(*host.worker, frame, host.now);
    host.training->advance(host.now);
  } else {
    system_->receive(*host.server, std::move(frame), host.now);
  }
  pull(host);
}

void World::fire(Host& host) {
  host.now = std::max(host.now, host.deadline());
  say([&] { return "the timer of " + name_of(host) + " fires"; });
  if (host.worker) {
    host.worker->expire(host.now);
  } else {
    host.server->expire(host.now);
  }
  pull(host);
}

/// The priority is the job's: of how much time has passed no state tells.
void World::hand_in(Host& host, const Tensor& tensor) {
  if (tensor.first_psn == tensor.low_watermark) {
    say([&] {
      return fmt::format("{} submits its iteration {}", name_of(host), host.training->iteration());
    });
  }
  Tensor handed_in = tensor;
  handed_in.priority = static_cast<std::uint16_t>(2 + host.job);
  handed_in.source = &host.source;
  host.worker->submit(system_->hand_in(handed_in), host.now);
}

/// What was due a moment later happens now: how much later is no part of the state.
void World::submit(Host& host) {
  host.training->advance(host.training->deadline());
  pull(host);
}

void World::submit_another_iteration() {
  say([] { return "all workers submit one more iteration"; });
  const Psn first = configuration_.psns();
  for (const auto& host : hosts_) {
    if (!host->worker) continue;
    const auto priority = static_cast<std::uint16_t>(2 + host->job);
    host->worker->submit({first, configuration_.table, priority, first, &host->source}, host->now);
  }
  for (const auto& host : hosts_) {
    if (host->worker) pull(*host);
  }
}

void World::pull(Host& host) {
  Frame frame;
  while (host.worker ? host.worker->next(frame, host.now) : host.server->next(frame)) {
    if (host.worker && frame.kind == FrameKind::gradient) {
      host.sent = static_cast<std::uint16_t>(host.sent | 1U << frame.psn);
    }
    say([&] { return "  " + name_of(host) + " sends: " + describe(frame); });
    host.up.queue.push_back(std::move(frame));
    frame = Frame{};
  }
}

// ---- what must hold

void World::check_result(Host& worker, const Frame& result) {
  const auto bit = static_cast<std::uint16_t>(1U << result.psn);
  const std::string what = fmt::format("{} got PSN {}", name_of(worker), result.psn);
  if (result.psn >= psns_with_the_last()) return fail(what + ", which does not exist");
  if ((worker.got & bit) != 0) return fail(what + " twice");
  worker.got = static_cast<std::uint16_t>(worker.got | bit);
  for (const auto& host : hosts_) {
    if (host->worker && host->job == worker.job && (host->sent & bit) == 0) {
      return fail(what + " before " + name_of(*host) + " sent it");
    }
  }
  const Psn offset = result.psn % configuration_.psns_per_tensor();
  const bool carries_values = offset >= configuration_.exponent_lead();
  const numeric::ExponentCode exponent = carries_values && configuration_.blocks != 0
                                             ? largest_exponent(result.psn, configuration_.workers)
                                             : numeric::ExponentCode{0};
  if (result.exponents != exponent) {
    fail(fmt::format("{} by the exponent {} instead of {}", what, result.exponents, exponent));
  }
  const std::int32_t sum =
      carries_values ? sum_of_all(worker.job, result.psn, configuration_.workers) : 0;
  const bool floats = result.psn < configuration_.overflows;
  const std::int32_t right = floats ? std::bit_cast<std::int32_t>(static_cast<float>(sum)) : sum;
  const bool is_float = configuration_.system == wire::Protocol::atp && result.has(flag::floats);
  if (*result.values.data() != right || is_float != floats) {
    fail(what + " with a wrong sum: " + describe(result));
  }
}

void World::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
}

std::string World::verdict_at_end() {
  const std::uint32_t all = (1U << configuration_.psns()) - 1;
  for (const auto& host : hosts_) {
    if (host->worker && host->got != all) return name_of(*host) + " waits for ever";
  }
  for (const auto& host : hosts_) {
    if (host->server && host->server->open_entries() != 0) {
      return name_of(*host) + " keeps an open entry";
    }
  }
  std::string wrong = configuration_.table > 0 ? verdict_on_tables() : "";
  switch_now_ += 2 * programs::kAggregatorExpiry;
  if (wrong.empty()) wrong = verdict_on_leftovers(*program_);
  for (const auto& host : hosts_) {
    if (host->program && wrong.empty()) wrong = verdict_on_leftovers(*host->program);
  }
  return wrong;
}

/// After one more iteration, in which every entry is used once, all workers of a job have the same
/// table; of ATP, whose server names the entry's aggregator with every result, the server too.
std::string World::verdict_on_tables() {
  submit_another_iteration();
  std::vector<Action> steps;
  for (int i = 0; i < kMostFairSteps; ++i) {
    list_fair_step(steps);
    if (steps.empty()) break;
    for (const Action& step : steps) apply(step);
    if (!failure_.empty()) return failure_;
  }
  if (!steps.empty()) return "one more iteration does not end";
  for (JobId job = 0; job < configuration_.jobs; ++job) {
    if (std::string wrong = verdict_on_tables_of(job); !wrong.empty()) return wrong;
  }
  return {};
}

std::string World::verdict_on_tables_of(JobId job) {
  std::vector<std::uint32_t> first;
  for (const auto& host : hosts_) {
    if (host->job != job || host->program) continue;
    if (host->server && configuration_.system == wire::Protocol::dsa) continue;
    const auto table = host->worker ? system_->table_of_worker(*host->worker)
                                    : system_->table_of_server(*host->server);
    if (first.empty()) first = table;
    if (table != first) return name_of(*host) + " addresses other aggregators than worker 0";
  }
  return {};
}

/// A packet that comes when its task is complete reserves an aggregator again. Only a network that
/// duplicates packets, or lets a packet be overtaken by a whole round trip, brings such a packet,
/// each one at most one aggregator of a switch; and packets of other tasks free it.
std::string World::verdict_on_leftovers(programs::SwitchProgram& program) {
  const int late_packets = configuration_.budget.copies + configuration_.budget.delays;
  const std::uint64_t in_use = program.cells_in_use();
  const std::vector<programs::TaskId> left = system_->tasks(program);
  if (in_use != left.size() || in_use > static_cast<std::uint64_t>(late_packets)) {
    return fmt::format("{} aggregators are in use at the end", in_use);
  }
  for (std::uint32_t i = 0; i < configuration_.aggregators; ++i) probe(program, i);
  for (const programs::TaskId& task : system_->tasks(program)) {
    if (std::find(left.begin(), left.end(), task) != left.end()) {
      return "an aggregator stays in use for ever";
    }
  }
  return {};
}

/// So many packets of a task that there was not as free any aggregator: 17 halve the highest
/// priority to 0 and are above that.
void World::probe(programs::SwitchProgram& program, std::uint32_t aggregator) {
  constexpr int kMostCollisions = 17;
  for (int i = 0; i < kMostCollisions; ++i) {
    Frame frame;
    frame.kind =
        configuration_.system == wire::Protocol::atp ? FrameKind::result : FrameKind::gradient;
    frame.psn = psns_with_the_last();
    frame.aggregator_index = aggregator;
    frame.bitmap0 = 1;
    frame.fan_in_degree0 = configuration_.workers;
    frame.priority = 1;
    frame.values = pool_.take();
    *frame.values.data() = 0;
    coin_.heads = true;
    program.process(frame, switch_now_);
  }
}

// ---- in words

std::string World::name_of(const Host& host) const {
  const std::string job = configuration_.jobs > 1 ? fmt::format(" of job {}", host.job) : "";
  if (host.server) return "the server" + job;
  if (host.program) return name_of_switch(&host);
  return fmt::format("worker {}{}", host.rank, job);
}

std::string World::name_of_switch(const Host* leaf) {
  return leaf == nullptr ? "the switch" : fmt::format("leaf {}", leaf->rank);
}

std::string World::describe(const Frame& frame) const {
  std::string text = testing::in_words(frame, configuration_.workers);
  if (!frame.values) return text;
  const std::int32_t bits = *frame.values.data();
  if (bits == std::numeric_limits<std::int32_t>::max()) return text + ", saturated";
  const bool floats = configuration_.system == wire::Protocol::atp && frame.has(flag::floats);
  text += ", sum of";
  const auto value = floats ? static_cast<std::uint32_t>(std::bit_cast<float>(bits))
                            : static_cast<std::uint32_t>(bits);
  for (int rank = configuration_.workers; rank-- > 0;) {
    text += fmt::format(" {}", value >> (8 * rank) & 0xffU);
  }
  return text;
}

}  // namespace ina::exploration
