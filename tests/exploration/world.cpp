// SPDX-License-Identifier: BSD-3-Clause
#include "tests/exploration/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <limits>
#include <numeric>
#include <utility>

#include "hw/cluster/systems/all.hpp"
#include "hw/cluster/topologies/star.hpp"
#include "hw/protocol/wire/limits.hpp"
#include "switch-models/systems/job_place.hpp"
#include "tests/exploration/control_state.hpp"
#include "tests/exploration/protocol_state.hpp"
#include "tests/support/cluster_parts.hpp"
#include "tests/support/every_format.hpp"
#include "tests/support/frame_words.hpp"

namespace ina::exploration {

namespace {

using Kind = Action::Kind;
using Way = Action::Way;
using cluster::JobHost;
using cluster::JobStatus;
using cluster::Registration;
using faults::NodeFault;

/// Clocks begin here, so that earlier instants exist. The control plane's clock stands still,
/// because node faults end at once.
constexpr Time kNow = std::chrono::hours(1);

/// Every task has a number. Worker r puts it into byte r of the value, so that a sum shows which
/// workers it contains, and how often. `series` numbers the registrations of all jobs.
std::int32_t task_number(std::uint32_t series, Psn psn) {
  return static_cast<std::int32_t>(16 * series + psn + 1);
}

std::int32_t contribution(std::uint32_t series, Psn psn, std::uint16_t rank) {
  return task_number(series, psn) << (8 * rank);
}

/// Time of computing if there are stragglers. Otherwise computing takes no time. All tensors of an
/// iteration belong to one layer.
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
  plan.line_rates_bps = {1'000'000'000};
  return plan;
}

/// The training loop reads no values.
const numeric::SyntheticTable& synthetic_table() {
  static const numeric::SyntheticTable table;
  return table;
}

/// Limit for one more iteration, which takes a few dozen steps.
constexpr int kMostFairSteps = 10'000;

/// Two workers' contributions of this size overflow int32 together.
constexpr std::int32_t kOverflow = std::int32_t{1} << 30;

std::int32_t sum_of_all(std::uint32_t series, Psn psn, std::uint16_t workers) {
  std::int32_t sum = 0;
  for (std::uint16_t rank = 0; rank < workers; ++rank) sum += contribution(series, psn, rank);
  return sum;
}

/// Exponent in block floating point. It differs between workers and between fragments.
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

/// Whether ranks are interchangeable. They are not with a plain server, which sends in
/// order, or in all-reduces, where they are positions.
bool workers_are_alike(const Configuration& configuration) {
  const cluster::SystemTraits& traits = cluster::traits_of(configuration.system);
  return configuration.leaves == 0 && configuration.blocks == 0 && traits.has_aggregators;
}

bool is_among_workers(const Configuration& configuration) {
  return cluster::traits_of(configuration.system).sends_among_workers();
}

wire::Levels levels_of(const Configuration& configuration) {
  if (testing::has_trees(configuration.system)) return wire::Levels::tree;
  if (is_among_workers(configuration)) return wire::Levels::none;
  return configuration.levels == 1 ? wire::Levels::one : wire::Levels::two;
}

class Contribution final : public GradientSource {
 public:
  /// Sums of the PSNs before `overflows` do not fit into int32.
  Contribution(std::uint32_t series, std::uint16_t rank, std::uint16_t workers,
               std::uint8_t overflows)
      : series_(series), rank_(rank), workers_(workers), overflows_(overflows) {}
  void set_series(std::uint32_t series) { series_ = series; }
  void read(Psn psn, std::span<std::int32_t> out) const override {
    const std::int32_t too_much = psn < overflows_ ? kOverflow : 0;
    std::fill(out.begin(), out.end(), contribution(series_, psn, rank_) + too_much);
  }
  void read_floats(Psn psn, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), static_cast<float>(contribution(series_, psn, rank_)));
  }
  numeric::ExponentCode exponent(Psn psn) const override { return exponent_of(psn, rank_); }
  /// Reads zeros for any exponent except the largest, so that a wrong exponent makes the sum wrong.
  void read_block(Psn psn, numeric::ExponentCode exponent,
                  std::span<std::int32_t> out) const override {
    const bool right = exponent == largest_exponent(psn, workers_);
    std::fill(out.begin(), out.end(), right ? contribution(series_, psn, rank_) : 0);
  }

 private:
  std::uint32_t series_;
  std::uint16_t rank_;
  std::uint16_t workers_;
  std::uint8_t overflows_;
};

}  // namespace

class World::Host final : public ResultSink, private cluster::TrainingWorld {
 public:
  Host(World& world, std::uint8_t id, std::uint32_t job, std::uint16_t rank, std::uint16_t rack)
      : world_(world),
        source(job, rank, world.configuration_.workers, world.configuration_.overflows),
        id(id),
        job(job),
        rank(rank),
        rack(rack) {}

  void make_training() {
    cluster::TrainingWorld& itself = *this;
    training =
        std::make_unique<cluster::TrainingWorker>(world_.plan_, world_.no_gradients_, itself, rank);
  }
  /// Passes results to the training loop without their values, which are checked here.
  void fragment_complete(const Frame& result, const Delivery& delivery, Time at) override {
    world_.check_result(*this, result);
    if (!world_.failure_.empty() || is_of_the_last(result.psn)) return;
    Frame without_values = result;
    without_values.values.reset();
    training->fragment_complete(without_values, delivery, at);
  }
  void tensor_complete(Psn first_psn, Time at) override {
    if (!is_of_the_last(first_psn)) training->tensor_complete(first_psn, at);
  }

 private:
  bool is_of_the_last(Psn psn) const { return psn >= psns(); }

  void submit(const Tensor& tensor, Time) override { world_.submit(*this, tensor); }
  Time serialisation(std::uint32_t) const override { return kShortest; }
  Time draw(Time low, Time) override { return low; }
  void iteration_started(std::uint32_t, Time) override {}
  void partition_submitted(std::uint32_t, std::size_t, Time) override {}
  Time last_submitted(std::uint32_t, std::size_t) const override { return {}; }
  void iteration_ended(std::uint32_t, const cluster::WorkerIteration&) override {
    world_.control_.iteration_ended(job, rank, kNow);
  }

  World& world_;

 public:
  std::unique_ptr<WorkerTransport> worker;  // null for servers and leaves
  std::unique_ptr<ParameterServer> server;  // null for workers and leaves
  Link up;
  Link down;
  Time now = kNow;
  Contribution source;
  std::uint8_t id;
  std::uint32_t job;
  std::uint16_t rank;  // of a leaf: its rack
  std::uint16_t rack;  // rack of the switch above the host
  JobId registered_as = 0;
  // Members of a worker.
  std::unique_ptr<cluster::TrainingWorker> training;
  std::uint8_t returns = 0;          // number of repeated registrations
  std::uint8_t first_iteration = 0;  // first iteration of the current registration
  std::uint16_t sent = 0;            // by PSN
  std::uint16_t got = 0;

  bool is_leaf() const { return !worker && !server; }
  Time deadline() const {
    if (is_leaf()) return kNever;
    return worker ? worker->deadline() : server->deadline();
  }
  /// Number of PSNs of the current registration.
  Psn psns() const {
    const Configuration& configuration = world_.configuration_;
    return configuration.psns_per_iteration() *
           static_cast<Psn>(configuration.iterations - first_iteration);
  }
  std::uint32_t series() const { return job + world_.configuration_.jobs * returns; }
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
      pool_(configuration.width()),
      switch_now_(kNow),
      system_(make_system(configuration, pool_, coin_)),
      switches_(configuration.leaves + std::size_t{1}),
      mistaken_(system_->make_control_mistake(*this)),
      control_(
          system_->taken_for(
              {.topology = cluster::topology_of(cluster::Star{.racks = configuration.leaves + 1U}),
               .path_choice = {.by_flow =
                                   !cluster::traits_of(configuration.system).has_aggregators},
               .levels = levels_of(configuration),
               .jobs_survive_reboots = !configuration.loses_jobs_with_switch()}),
          mistaken_ ? *mistaken_ : *this) {
  for (Switch& at : switches_) at.node.set_program(system_->make_program());
  add_hosts();
  add_leaves();
  add_jobs();
}

World::~World() = default;

void World::add_hosts() {
  const std::vector<std::uint16_t> racks = configuration_.racks();
  for (std::uint32_t job = 0; job < configuration_.jobs; ++job) {
    for (std::uint16_t rank = 0; rank < configuration_.workers; ++rank) {
      add_host(job, rank, racks[rank]).make_training();
    }
  }
  const bool has_servers = cluster::traits_of(configuration_.system).has_servers;
  for (std::uint32_t job = 0; has_servers && job < configuration_.jobs; ++job) {
    for (std::uint16_t index = 0; index < configuration_.servers; ++index) {
      add_host(job, index, configuration_.rack_of_servers());
    }
  }
  for (const auto& host : hosts_) {
    Switch& at = switches_[host->rack];
    at.node.add_port(host->id);
    at.neighbours.push_back({host->id, Way::down});
  }
}

World::Host& World::add_host(std::uint32_t job, std::uint16_t rank, std::uint16_t rack) {
  const auto id = static_cast<std::uint8_t>(hosts_.size());
  hosts_.push_back(std::make_unique<Host>(*this, id, job, rank, rack));
  return *hosts_.back();
}

void World::add_leaves() {
  const std::size_t hosts = hosts_.size();
  Switch& above = switches_.back();
  for (std::uint16_t rack = 0; rack < configuration_.leaves; ++rack) {
    std::vector<HostId> under;
    std::vector<HostId> elsewhere;
    for (std::size_t i = 0; i < hosts; ++i) {
      (hosts_[i]->rack == rack ? under : elsewhere).push_back(hosts_[i]->id);
    }
    const Host& leaf = add_host(0, rack, configuration_.leaves);
    above.node.add_trunk(under);
    above.neighbours.push_back({leaf.id, Way::down});
    switches_[rack].node.add_trunk(elsewhere);
    switches_[rack].neighbours.push_back({leaf.id, Way::up});
  }
}

void World::add_jobs() {
  const std::size_t workers = configuration_.workers;
  for (std::size_t job = 0; job < configuration_.jobs; ++job) {
    cluster::JobHosts hosts{{}, configuration_.racks(), {}};
    for (std::size_t rank = 0; rank < workers; ++rank) {
      hosts.workers.push_back(static_cast<HostId>(job * workers + rank));
    }
    if (cluster::traits_of(configuration_.system).has_servers) {
      std::vector<HostId> servers(configuration_.servers);
      std::iota(servers.begin(), servers.end(),
                static_cast<HostId>(configuration_.jobs * workers + job * servers.size()));
      hosts.servers = wire::JobServers(servers);
      hosts.server_racks.assign(servers.size(), configuration_.rack_of_servers());
    }
    control_.add_job(hosts, configuration_.iterations, kNow);
  }
}

// ---- decisions of the control plane

void World::install_job(std::size_t rack, const Registration& registration) {
  const std::uint32_t slots = configuration_.aggregators;
  const systems::JobPlace place =
      systems::place_of(registration, static_cast<cluster::SwitchIndex>(rack));
  switches_[rack].node.install_job(
      registration.id,
      place.complete({place.contributions, place.members.servers, registration.job * slots, slots}),
      place.members);
}

void World::remove_job(std::size_t rack, const Registration& registration) {
  switches_[rack].node.remove_job(registration.id);
}

/// The switch is back at once. The budget of losses covers frames that get lost while it is down.
void World::take_switch_down(std::size_t rack) {
  say([&] { return name_of_switch(rack) + " reboots and its registers are empty"; });
  switches_[rack].passing = {};
  switches_[rack].node.go_down(system_->make_program());
}

void World::bring_switch_back(std::size_t rack) { switches_[rack].node.come_back(); }

void World::start_workers(const Registration& registration, Time) {
  for (std::uint16_t rank = 0; rank < configuration_.workers; ++rank) {
    Host& host = *hosts_[registration.hosts.workers[rank]];
    if (host.worker) {
      ++host.returns;
      say([&] {
        return fmt::format("{} begins again as of job id {}, with iteration {}", name_of(host),
                           registration.id, registration.first_iteration);
      });
    }
    if (host.training->iteration() < registration.first_iteration) {
      fail(name_of(host) + " skips an iteration that it has not ended");
    }
    host.first_iteration = static_cast<std::uint8_t>(registration.first_iteration);
    host.sent = 0;
    host.got = 0;
    make_worker(host, registration);
    host.training->begin(registration.first_iteration, host.now);
    host.training->advance(host.now);
    pull(host);
  }
}

void World::start_server(const Registration& registration, std::uint16_t index, Time) {
  Host& host = *hosts_[registration.hosts.servers.host(index)];
  if (host.server) say([&] { return name_of(host) + " begins again and knows nothing"; });
  make_server(host, registration);
}

/// A stopped host starts again at once. Outages need no code here, because in some schedules no
/// frame and no timer reaches a host for a while.
void World::stop(const JobHost&, Time) {}
void World::pause(const JobHost&, Time, Time) {}
void World::resume(const JobHost&, Time) {}
void World::expect(const JobHost&, Time) {}
void World::job_event(cluster::JobEvent, const JobHost&) {}

void World::make_worker(Host& host, const Registration& registration) {
  host.registered_as = registration.id;
  host.source.set_series(host.series());
  host.worker = system_->make_worker(registration.worker(host.rank), host);
}

void World::make_server(Host& host, const Registration& registration) {
  host.registered_as = registration.id;
  host.server =
      system_->make_server(registration.server(host.rank, configuration_.psns_per_iteration()));
}

Registration World::registration(std::uint32_t job, JobId id) const {
  Registration registration = control_.registration(job);
  registration.id = id;
  return registration;
}

bool World::running(const Host& host) const {
  return control_.status(host.job) == JobStatus::running;
}

// ---- the state as bytes

void World::visit_links(Archive& archive, Host& host) {
  for (Link* link : {&host.up, &host.down}) {
    visit(archive, link->queue);
    visit(archive, link->late);
  }
}

void World::visit_host(Archive& archive, Host& host) {
  if (host.is_leaf()) return;
  visit_registration(archive, host);
  if (host.server) system_->visit_server(archive, *host.server);
  if (!host.worker) return;
  system_->visit_worker(archive, *host.worker);
  archive.number(host.sent);
  archive.number(host.got);
  visit_training(archive, host);
}

/// Archives a host's registration. Reading the state of another registration replaces the host's
/// worker or server.
void World::visit_registration(Archive& archive, Host& host) {
  JobId id = host.registered_as;
  archive.number(id);
  archive.number(host.returns);
  archive.number(host.first_iteration);
  if (!archive.reading()) return;
  if (host.worker) host.source.set_series(host.series());
  if (id == host.registered_as) return;
  if (host.worker) {
    make_worker(host, registration(host.job, id));
  } else {
    make_server(host, registration(host.job, id));
  }
}

/// Archives the training loop. Between two steps the loop waits for results, or to submit an
/// iteration. Either all or none of its submissions are due, and the world knows which results have
/// arrived.
void World::visit_training(Archive& archive, Host& host) {
  cluster::TrainingWorker& training = *host.training;
  auto& iteration = member<"iteration_">(training);
  auto& hands_in = member<"backward_">(training);
  archive.number(iteration);
  archive.number(hands_in);
  archive.number(member<"partitions_missing_">(training).front());
  if (!archive.reading()) return;
  const Time due = host.now + kShortest;
  member<"first_psn_">(training) =
      (iteration - host.first_iteration) * configuration_.psns_per_iteration();
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

/// The job whose frames the switch admits under an id. Empty if the id is unknown there.
std::optional<std::uint32_t> World::job_at(const Switch& at, JobId id) const {
  const auto& jobs = member<"jobs_">(member<"members_">(member<"admission_">(at.node)));
  if (id >= jobs.size() || jobs[id].workers.empty()) return std::nullopt;
  return hosts_[jobs[id].workers.front()]->job;
}

/// Archives the job of each id. Its members and group follow from the configuration.
void World::visit_jobs(Archive& archive, std::size_t rack) {
  for (JobId id = 0; id < configuration_.registrations(); ++id) {
    const std::optional<std::uint32_t> now = job_at(switches_[rack], id);
    std::uint32_t place = now ? *now + 1 : 0;
    archive.number(place);
    if (!archive.reading()) continue;
    if (now && *now + 1 != place) remove_job(rack, registration(*now, id));
    if (place > 0 && now != place - 1) install_job(rack, registration(place - 1, id));
  }
}

void World::visit_switches(Archive& archive) {
  for (std::size_t rack = 0; rack < switches_.size(); ++rack) {
    visit_jobs(archive, rack);
    system_->visit_program(archive, *switches_[rack].node.program());
    for (auto& path : switches_[rack].passing) visit(archive, path);
  }
}

void World::forget_unreadable() {
  if (!configuration_.separates_passes()) return;
  for (Switch& at : switches_) system_->forget_unreadable(*at.node.program(), at.passing);
}

void World::save(Bytes& out) {
  forget_unreadable();
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
  for (const std::uint8_t left :
       {budget_.losses, budget_.firings, budget_.copies, budget_.delays, budget_.expiries,
        budget_.restarts, budget_.reboots, budget_.crashes, budget_.interruptions}) {
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
  visit(writer, control_);
}

void World::restore(std::span<const std::byte> state) {
  failure_.clear();
  const auto left = [&](std::size_t i) { return static_cast<std::uint8_t>(state[i]); };
  budget_ = {left(0), left(1), left(2), left(3), left(4), left(5), left(6), left(7), left(8)};
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
  visit(reader, control_);
}

// ---- possible actions

World::Link& World::link(const Action& action) {
  Host& host = *hosts_[action.host];
  return action.way == Way::up ? host.up : host.down;
}

const World::Link& World::link(const Action& action) const {
  const Host& host = *hosts_[action.host];
  return action.way == Way::up ? host.up : host.down;
}

/// Rack of the switch that an action concerns.
std::size_t World::rack_of(const Action& action) const {
  const bool is_pass = action.kind == Kind::pass || action.kind == Kind::lose_pass;
  const std::size_t number = is_pass ? action.index / 2 : action.index;
  return number == 0 ? configuration_.leaves : number - 1;
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
  if (host.worker) return system_->timers(*host.worker);
  return has_timer(host) ? waiting_entries(*host.server) : 0;
}

bool World::has_timer(const Host& host) const {
  return host.worker ? system_->timers(*host.worker) > 0 : host.deadline() != kNever;
}

void World::list_host_actions(std::uint8_t id, std::vector<Action>& out) const {
  const Host& host = *hosts_[id];
  list_link_actions(id, Way::down, out);
  for (std::uint8_t i = 0; budget_.firings > 0 && i < timers(host); ++i) {
    out.push_back({Kind::fire, Way::up, id, i});
  }
  if (host.may_submit()) out.push_back({Kind::submit, Way::up, id});
}

/// Lists node faults. If a host is `waiting`, its next step comes first, so only faults that do
/// not commute with it are listed.
void World::list_node_faults(const Host* waiting, std::vector<Action>& out) const {
  const auto list = [&](const Action& fault) {
    if (!possible(fault) || !affordable(fault)) return;
    if (waiting == nullptr || !commutes(fault, *waiting)) out.push_back(fault);
  };
  for (const auto& host : hosts_) {
    list({Kind::restart, Way::up, host->id});
    list({Kind::crash, Way::up, host->id});
  }
  for (std::uint8_t i = 0; i <= configuration_.leaves; ++i) list({Kind::reboot, Way::up, 0, i});
}

/// Whether the fault commutes with a step of the host.
bool World::commutes(const Action& fault, const Host& host) const {
  if (may_end_its_job(host)) return false;
  if (fault.kind == Kind::restart) return fault.host != host.id;
  if (fault.kind == Kind::crash) return hosts_[fault.host]->job != host.job;
  return !configuration_.loses_jobs_with_switch();
}

/// Whether a step may end the job, after which the control plane ignores the host.
bool World::may_end_its_job(const Host& host) const {
  return host.worker && std::ranges::all_of(hosts_, [&](const auto& other) {
           return !other->worker || other->job != host.job || other.get() == &host ||
                  other->training->done();
         });
}

bool World::is_passing(const Switch& at) const {
  return !at.passing[0].empty() || !at.passing[1].empty();
}

/// Switch to which a link leads in this direction. Null for hosts.
const World::Switch* World::switch_at_end_of(const Host& host, Way way) const {
  if (way == Way::up) return &switches_[host.rack];
  return host.is_leaf() ? &switches_[host.rank] : nullptr;
}

/// Whether a frame arrives between two passes of another one.
bool World::interrupts(const Action& delivery) const {
  const Switch* const at = switch_at_end_of(*hosts_[delivery.host], delivery.way);
  return at != nullptr && is_passing(*at);
}

void World::list_passes(std::vector<Action>& out) const {
  for (std::uint8_t i = 0; i < 2 * switches_.size(); ++i) {
    const Action pass{Kind::pass, Way::up, 0, i};
    if (possible(pass)) out.push_back(pass);
    const Action loss{Kind::lose_pass, Way::up, 0, i};
    if (budget_.losses > 0 && possible(loss)) out.push_back(loss);
  }
}

/// Lists the steps while frames are between passes, and returns whether there are such frames. A
/// pass takes less time than a frame to a host and back, so only frames that are already on their
/// way to the switch come in between.
bool World::list_steps_between_passes(std::vector<Action>& out) const {
  list_passes(out);
  if (out.empty()) return false;
  for (const auto& host : hosts_) {
    for (const Way way : {Way::up, Way::down}) {
      const Switch* const at = switch_at_end_of(*host, way);
      if (at == nullptr || !is_passing(*at) || budget_.interruptions == 0) continue;
      const Link& on = link({Kind::deliver, way, host->id});
      if (!on.queue.empty()) out.push_back({Kind::deliver, way, host->id});
      for (std::size_t i = 0; i < on.late.size(); ++i) {
        out.push_back({Kind::deliver_late, way, host->id, static_cast<std::uint8_t>(i)});
      }
    }
  }
  return true;
}

void World::list_actions(std::vector<Action>& out) const {
  out.clear();
  if (list_steps_between_passes(out)) return;
  for (const auto& host : hosts_) {
    if (host->is_leaf() || host->down.queue.empty()) continue;
    list_host_actions(host->id, out);
    list_node_faults(host.get(), out);
    return;
  }
  for (const auto& host : hosts_) {
    list_link_actions(host->id, Way::up, out);
    list_host_actions(host->id, out);
  }
  if (budget_.firings > 0) list_switch_deadlines(out);
  if (budget_.expiries > 0) out.push_back({Kind::expiry});
  list_node_faults(nullptr, out);
}

void World::list_fair_step(std::vector<Action>& out) const {
  out.clear();
  for (std::uint8_t i = 0; i < 2 * switches_.size(); ++i) {
    const Action pass{Kind::pass, Way::up, 0, i};
    if (!possible(pass)) continue;
    out.push_back(pass);
    return;
  }
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
    if (has_timer(*host)) out.push_back({Kind::fire, Way::up, host->id});
  }
  list_switch_deadlines(out);
}

bool World::has_deadline(const Action& switch_fire) const {
  return switches_[rack_of(switch_fire)].node.deadline() != kNever;
}

void World::list_switch_deadlines(std::vector<Action>& out) const {
  for (std::uint8_t i = 0; i <= configuration_.leaves; ++i) {
    const Action next{Kind::switch_fire, Way::up, 0, i};
    if (has_deadline(next)) out.push_back(next);
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
      return host.server && running(host);
    case Kind::crash:
      return host.worker && running(host);
    case Kind::expiry:
      return true;
    case Kind::reboot:
      return action.index <= configuration_.leaves && !control_.all_ended();
    case Kind::switch_fire:
      return action.index <= configuration_.leaves && has_deadline(action);
    case Kind::deliver_late:
      return action.index < link(action).late.size();
    case Kind::pass:
    case Kind::lose_pass:
      return action.index / 2U < switches_.size() &&
             (action.kind == Kind::pass || action.index % 2 == 1) &&
             !switches_[rack_of(action)].passing[action.index % 2].empty();
    default:
      return !link(action).queue.empty();
  }
}

bool World::affordable(const Action& action) const {
  switch (action.kind) {
    case Kind::fire:
    case Kind::switch_fire:
      return budget_.firings > 0;
    case Kind::lose:
    case Kind::lose_pass:
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
    case Kind::crash:
      return budget_.crashes > 0;
    case Kind::submit:
    case Kind::pass:
      return true;
    case Kind::deliver:
    case Kind::deliver_late:
      return budget_.interruptions > 0 || !interrupts(action);
  }
  return false;
}

// ---- effects of actions

bool World::apply(const Action& action) {
  coin_ = {action.heads, false};
  const auto spend = [](std::uint8_t& left) {
    if (left > 0) --left;
  };
  Host& host = *hosts_[action.host];
  switch (action.kind) {
    case Kind::submit:
      submit(host);
      break;
    case Kind::fire:
      spend(budget_.firings);
      fire(host, action.index);
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
      if (interrupts(action)) spend(budget_.interruptions);
      arrive(action, take(action));
      break;
    case Kind::pass:
      run_next_pass(action);
      break;
    case Kind::lose_pass: {
      spend(budget_.losses);
      std::vector<Passing>& path = switches_[rack_of(action)].passing[action.index % 2];
      say([&] { return "lost between two passes: " + describe(path.front().frame); });
      path.erase(path.begin());
      break;
    }
    case Kind::restart:
      spend(budget_.restarts);
      strike(action);
      break;
    case Kind::crash:
      spend(budget_.crashes);
      say([&] { return name_of(host) + " dies and returns"; });
      strike(action);
      break;
    case Kind::expiry:
      spend(budget_.expiries);
      say([] { return "aggregators that are in use are old now"; });
      switch_now_ += 2 * programs::kAggregatorExpiry;
      break;
    case Kind::reboot:
      spend(budget_.reboots);
      strike(action);
      break;
    case Kind::switch_fire:
      spend(budget_.firings);
      fire_at_switch(rack_of(action));
      break;
  }
  return coin_.tossed;
}

/// Applies a node fault, which ends at once.
void World::strike(const Action& action) {
  const Host& host = *hosts_[action.host];
  const NodeFault fault = action.kind == Kind::restart ? NodeFault::server_restarts
                          : action.kind == Kind::crash ? NodeFault::worker_returns
                                                       : NodeFault::switch_reboots;
  control_.plan(
      {{.fault = fault, .at = kNow, .job = host.job, .worker = host.rank, .server = host.rank},
       static_cast<std::uint16_t>(rack_of(action))});
  control_.expire(kNow);
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
    if (action.way == Way::up) {
      at_switch(host.rack, {host.id, Way::down}, std::move(frame));
    } else if (host.is_leaf()) {
      at_switch(host.rank, {host.id, Way::up}, std::move(frame));
    } else {
      say([&] { return name_of(host) + " gets: " + describe(frame); });
      at_host(host, std::move(frame));
    }
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void World::at_switch(std::size_t rack, const Neighbour& from, Frame frame) {
  say([&] {
    return name_of_switch(rack) + " gets from " + name_of(from) + ": " + describe(frame);
  });
  Switch& at = switches_[rack];
  const auto ingress = std::ranges::find(at.neighbours, from) - at.neighbours.begin();
  if (!at.node.admit(frame, static_cast<node::PortIndex>(ingress))) {
    if (!job_at(at, frame.job)) return say([] { return "  and refuses what is of no job there"; });
    return fail(name_of_switch(rack) + " refuses what a member of the job sent");
  }
  rmt::Carry carry;
  const auto port = static_cast<node::PortIndex>(ingress);
  const rmt::Verdict verdict = configuration_.separates_passes()
                                   ? at.node.first_pass(frame, carry, port, switch_now_)
                                   : at.node.process(frame, port, switch_now_);
  after_pass(at, frame, carry, verdict);
}

void World::run_next_pass(const Action& pass) {
  Switch& at = switches_[rack_of(pass)];
  std::vector<Passing>& path = at.passing[pass.index % 2];
  Passing passing = std::move(path.front());
  path.erase(path.begin());
  say([&] {
    return fmt::format("{} passes again: {}", pass.index % 2 == 0 ? "resubmitted" : "recirculated",
                       describe(passing.frame));
  });
  try {
    const rmt::Verdict verdict = at.node.next_pass(passing.frame, passing.carry, switch_now_);
    after_pass(at, passing.frame, passing.carry, verdict);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void World::after_pass(Switch& at, Frame& frame, const rmt::Carry& carry,
                       const rmt::Verdict& verdict) {
  if (configuration_.separates_passes() && verdict.continues()) {
    say([] { return "  and takes a further pass"; });
    at.passing[verdict.recirculations].push_back({std::move(frame), carry});
  } else if (verdict.exit == rmt::Verdict::Exit::drop) {
    say([] { return "  and keeps or drops it"; });
  } else {
    let_out(at, frame, verdict.exit);
  }
  send_own(at);
}

/// Sends out the program's own frames.
void World::send_own(Switch& at) {
  at.node.send_own(switch_now_, [&](Frame& frame, const rmt::Verdict& verdict) {
    let_out(at, frame, verdict.exit);
  });
}

void World::fire_at_switch(std::size_t rack) {
  Switch& at = switches_[rack];
  switch_now_ = std::max(switch_now_, at.node.deadline());
  say([&] { return "the timer of " + name_of_switch(rack) + " fires"; });
  try {
    at.node.expire(switch_now_);
    send_own(at);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void World::let_out(Switch& at, Frame& frame, rmt::Verdict::Exit exit) {
  const std::span<const node::PortIndex> egress = at.node.egress(frame, exit);
  if (egress.empty()) return fail("nothing leads to where the switch sends " + describe(frame));
  node::send_to_each(egress, frame, [&](node::PortIndex port, Frame copy) {
    send_on(at.neighbours[port], std::move(copy));
  });
}

void World::send_on(const Neighbour& next, Frame&& frame) {
  say([&] { return "  to " + name_of(next) + ": " + describe(frame); });
  link({Kind::deliver, next.way, next.host}).queue.push_back(std::move(frame));
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

void World::fire(Host& host, std::size_t timer) {
  if (host.worker) system_->let_fire(*host.worker, timer, host.now);
  if (host.server && timer > 0) put_first(*host.server, timer);
  host.now = std::max(host.now, host.deadline());
  say([&] { return "the timer of " + name_of(host) + " fires"; });
  if (host.worker) {
    host.worker->expire(host.now);
  } else {
    host.server->expire(host.now);
  }
  pull(host);
}

/// Priorities depend only on the job, because the state has no elapsed time.
void World::submit(Host& host, const Tensor& tensor) {
  if (tensor.first_psn == tensor.low_watermark) {
    say([&] {
      return fmt::format("{} submits its iteration {}", name_of(host), host.training->iteration());
    });
  }
  Tensor submitted = tensor;
  submitted.priority = static_cast<std::uint16_t>(2 + host.job);
  submitted.source = &host.source;
  if (is_among_workers(configuration_)) {
    // Counts as sent, even if the worker only completes a sum.
    for (std::uint32_t i = 0; i < tensor.fragments; ++i) {
      host.sent = static_cast<std::uint16_t>(host.sent | 1U << (tensor.first_psn + i));
    }
  }
  host.worker->submit(system_->changed(submitted), host.now);
}

/// Submissions that are due a moment later happen now, because the delay is not part of the state.
void World::submit(Host& host) {
  host.training->advance(host.training->deadline());
  pull(host);
}

void World::submit_another_iteration() {
  say([] { return "all workers submit one more iteration"; });
  for (const auto& host : hosts_) {
    if (!host->worker) continue;
    const Psn first = host->psns();
    const auto priority = static_cast<std::uint16_t>(2 + host->job);
    host->worker->submit({first, psns_of_another_iteration(), priority, first, &host->source},
                         host->now);
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

// ---- properties

void World::check_result(Host& worker, const Frame& result) {
  const auto bit = static_cast<std::uint16_t>(1U << result.psn);
  const std::string what = fmt::format("{} got PSN {}", name_of(worker), result.psn);
  if (result.psn >= worker.psns() + psns_of_another_iteration())
    return fail(what + ", which does not exist");
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
  const auto* const block = std::get_if<SwitchmlFields>(&result.fields);
  const numeric::ExponentCode found =
      block == nullptr ? numeric::ExponentCode{0} : block->exponents;
  if (found != exponent) {
    fail(fmt::format("{} by the exponent {} instead of {}", what, found, exponent));
  }
  const std::int32_t sum =
      carries_values ? sum_of_all(worker.series(), result.psn, configuration_.workers) : 0;
  const bool floats = result.psn < configuration_.overflows;
  const std::int32_t right = floats ? std::bit_cast<std::int32_t>(static_cast<float>(sum)) : sum;
  const bool all_right = std::ranges::all_of(std::span(result.values.data(), result.values.size()),
                                             [=](std::int32_t v) { return v == right; });
  if (!all_right || result.has(flag::floats) != floats) {
    fail(what + " with a wrong sum: " + describe(result));
  }
}

void World::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
}

std::string World::verdict_at_end() {
  for (const auto& host : hosts_) {
    if (host->worker && host->got != (1U << host->psns()) - 1) {
      return name_of(*host) + " waits for ever";
    }
    if (host->worker && control_.status(host->job) != JobStatus::finished) {
      return "the control plane does not know that " + name_of(*host) + " has ended";
    }
  }
  for (const auto& host : hosts_) {
    if (host->server && host->server->open_entries() != 0) {
      return name_of(*host) + " keeps an open entry";
    }
  }
  std::string wrong = configuration_.table > 0 ? verdict_on_tables() : "";
  switch_now_ += 2 * programs::kAggregatorExpiry;
  for (auto at = switches_.rbegin(); wrong.empty() && at != switches_.rend(); ++at) {
    wrong = verdict_on_leftovers(*at);
  }
  return wrong;
}

/// Number of PSNs of an iteration in which each server uses every entry once.
Psn World::psns_of_another_iteration() const {
  return configuration_.table * Psn{configuration_.servers};
}

/// After one more iteration all workers of a job must have the same table. For ATP, the server of
/// an entry must have the same entry, too, because servers name its aggregator in every result.
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
  for (std::uint32_t job = 0; job < configuration_.jobs; ++job) {
    if (std::string wrong = verdict_on_tables_of(job); !wrong.empty()) return wrong;
  }
  return {};
}

std::string World::verdict_on_tables_of(std::uint32_t job) {
  std::vector<std::uint32_t> first;
  for (const auto& host : hosts_) {
    if (host->job != job || host->is_leaf()) continue;
    if (host->server && configuration_.system == system_called("dsa")) continue;
    const auto table = table_of(*host, first);
    if (first.empty()) first = table;
    if (table != first) return name_of(*host) + " addresses other aggregators than worker 0";
  }
  return {};
}

/// The table of a host. For a server, entries of other servers are taken from `others`.
std::vector<std::uint32_t> World::table_of(const Host& host,
                                           const std::vector<std::uint32_t>& others) {
  if (host.worker) return system_->table_of_worker(*host.worker);
  std::vector<std::uint32_t> table = system_->table_of_server(*host.server);
  const wire::JobServers& servers = control_.registration(host.job).hosts.servers;
  for (Psn entry = 0; entry < table.size(); ++entry) {
    if (servers.of(entry) != host.id) table[entry] = others[entry];
  }
  return table;
}

/// A packet that arrives after its task is complete reserves an aggregator again. This requires a
/// network that duplicates packets or delays a packet by more than a round trip, or a packet that
/// swaps and is overtaken by its own retransmission between two passes. Each such packet reserves
/// at most one aggregator per switch, and packets of other tasks free this aggregator.
std::string World::verdict_on_leftovers(Switch& at) {
  programs::SwitchProgram& program = *at.node.program();
  const Budget& all = configuration_.budget;
  const int late_packets = all.copies + all.delays + std::min(all.firings, all.interruptions);
  const std::uint64_t in_use = program.cells_in_use();
  const std::vector<programs::TaskId> left = system_->tasks(program);
  if (in_use != left.size() || in_use > static_cast<std::uint64_t>(late_packets)) {
    return fmt::format("{} aggregators are in use at the end", in_use);
  }
  for (std::uint32_t i = 0; i < configuration_.aggregators; ++i) probe(at, i);
  for (const programs::TaskId& task : system_->tasks(program)) {
    if (std::find(left.begin(), left.end(), task) != left.end()) {
      return "an aggregator stays in use for ever";
    }
  }
  return {};
}

/// Sends enough packets of a new task to free any aggregator: 16 halve its priority to 0.
void World::probe(Switch& at, std::uint32_t aggregator) {
  constexpr int kMostCollisions = 17;
  JobId known = 0;
  while (known < configuration_.registrations() && !job_at(at, known)) ++known;
  for (int i = 0; i < kMostCollisions; ++i) {
    Frame frame;
    frame.kind =
        configuration_.system == system_called("atp") ? FrameKind::result : FrameKind::gradient;
    frame.job = known;
    frame.psn = configuration_.psns() + psns_of_another_iteration();
    frame.fields = wire::fields_of(cluster::traits_of(configuration_.system).format);
    if (!std::holds_alternative<FlowFields>(frame.fields)) testing::index_of(frame) = aggregator;
    if (std::holds_alternative<AggregatorFields>(frame.fields)) stand_alone(frame, at);
    frame.values = pool_.take();
    std::fill_n(frame.values.data(), frame.values.size(), 0);
    coin_.heads = true;
    at.node.program()->process(frame, switch_now_);
  }
}

/// Makes the packet one of several contributions that the switch aggregates.
void World::stand_alone(Frame& frame, const Switch& at) const {
  const bool has_branches = configuration_.leaves > 0;
  AggregatorFields& fields = frame.aggregator();
  fields.priority = 1;
  fields.bitmap0 = 1;
  fields.fan_in_degree0 = configuration_.workers;
  fields.fan_in_degree1 = has_branches ? configuration_.workers : std::uint8_t{0};
  if (!has_branches || configuration_.system == system_called("atp")) return;
  if (&at == &switches_.back()) {
    fields.bitmap1 = std::exchange(fields.bitmap0, 0U);
    frame.set(flag::second_level);
    return;
  }
  const auto rack = static_cast<std::uint16_t>(&at - switches_.data());
  const std::vector<std::uint16_t> racks = configuration_.racks();
  const auto rank = std::ranges::find(racks, rack) - racks.begin();
  fields.bitmap1 = control_.registration(0).paths[static_cast<std::size_t>(rank)].bitmap1;
}

// ---- descriptions for the log

std::string World::name_of(const Host& host) const {
  const std::string job = configuration_.jobs > 1 ? fmt::format(" of job {}", host.job) : "";
  if (host.server && configuration_.servers > 1) return fmt::format("server {}{}", host.rank, job);
  if (host.server) return "the server" + job;
  if (host.is_leaf()) return name_of_switch(host.rank);
  return fmt::format("worker {}{}", host.rank, job);
}

std::string World::name_of_switch(std::size_t rack) const {
  return rack == configuration_.leaves ? "the switch" : fmt::format("leaf {}", rack);
}

std::string World::name_of(const Neighbour& neighbour) const {
  return neighbour.way == Way::up ? name_of_switch(configuration_.leaves)
                                  : name_of(*hosts_[neighbour.host]);
}

std::string World::describe(const Frame& frame) const {
  std::string text = testing::in_words(frame, configuration_.workers);
  if (!frame.values) return text;
  const std::int32_t bits = *frame.values.data();
  if (bits == std::numeric_limits<std::int32_t>::max()) return text + ", saturated";
  const bool floats = frame.has(flag::floats);
  text += ", sum of";
  const auto value = floats ? static_cast<std::uint32_t>(std::bit_cast<float>(bits))
                            : static_cast<std::uint32_t>(bits);
  for (int rank = configuration_.workers; rank-- > 0;) {
    text += fmt::format(" {}", value >> (8 * rank) & 0xffU);
  }
  return text;
}

}  // namespace ina::exploration
