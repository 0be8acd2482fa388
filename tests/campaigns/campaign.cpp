// SPDX-License-Identifier: BSD-3-Clause
#include "tests/campaigns/campaign.hpp"

#include <fmt/format.h>

#include <boost/mp11.hpp>
#include <ostream>

#include "hw/cluster/systems/all.hpp"
#include "switch-models/rmt/pass.hpp"
#include "tests/campaigns/fault_plan.hpp"
#include "tests/campaigns/network_world.hpp"
#include "tests/support/every_policy.hpp"

namespace ina::campaigns {

namespace {

using std::chrono::microseconds;
using testing::ClusterShape;
using testing::JobPlan;
using testing::Random;
using testing::system_called;
using testing::SystemId;

/// Time limit: thousands of times the duration of a run without faults.
constexpr Time kTimeLimit = std::chrono::minutes(30);
constexpr std::uint32_t kMostLeaves = 3;
/// Share of runs with a job that needs several leaves, among clusters with enough leaves.
constexpr std::uint32_t kWideJobPercent = 2;
constexpr std::uint32_t kMostOfAWideJob = 64;
constexpr std::uint64_t kMostFrames = 2'000'000;
/// Stream of the hostile host's draws, separate from the cluster's.
constexpr std::uint64_t kHostileStream = std::uint64_t{1} << 63U;

// The following draws have their own streams, so that the other draws of a seed do not depend on
// them.
wire::Levels draw_levels(SystemId system, std::uint64_t seed) {
  if (testing::has_trees(system)) return wire::Levels::tree;
  return Random(~seed ^ kHostileStream).percent(30) ? wire::Levels::one : wire::Levels::two;
}

std::uint32_t draw_overflow_percent(SystemId system, std::uint64_t seed) {
  // Systems that only add integers scale values such that no sum overflows.
  if (!testing::collects_floats(system)) return 0;
  return Random(~seed).one_of({0, 0, 2, 20, 100});
}

/// Whether values are in block floating point.
bool draw_blocks(SystemId system, std::uint64_t seed) {
  return testing::has_block_floating_point(system) &&
         Random(~seed ^ (kHostileStream >> 2U)).percent(50);
}

programs::JoinPriority draw_join_priority(std::uint64_t seed) {
  using programs::JoinPriority;
  return Random(~seed ^ (kHostileStream >> 1U)).one_of({JoinPriority::keep, JoinPriority::raise});
}

programs::AnsweredBy draw_answered_by(std::uint64_t seed) {
  using programs::AnsweredBy;
  return Random(~seed ^ (kHostileStream >> 5U))
      .one_of({AnsweredBy::network_switch, AnsweredBy::network_switch, AnsweredBy::server});
}

wire::AddressingConfig draw_addressing(std::uint64_t seed) {
  using enum wire::AddressingScheme;
  Random random(seed ^ (kHostileStream >> 1U));
  wire::AddressingConfig addressing;
  addressing.scheme = random.one_of({table, table, hash, hash, linear});
  addressing.rehash = random.percent(50);
  addressing.table_entries = random.between(1, 16);
  addressing.hash = static_cast<wire::Hash>(random.between(0, wire::kHashNames.size() - 1));
  return addressing;
}

/// Draws SwitchML's own transport, or one with ATP's time-outs, with ATP's window, or with both.
void draw_transport(std::uint64_t seed, ClusterShape& shape) {
  Random random(~seed);
  shape.adaptive_rto = random.percent(50);
  shape.congestion_control = random.percent(50);
}

/// In one third of the clusters, other packets come between the passes of a packet.
void draw_passes(std::uint64_t seed, ClusterShape& shape) {
  Random random(seed ^ (kHostileStream >> 7U));
  shape.separate_passes = random.percent(33);
  if (shape.separate_passes) shape.switchml_values = random.one_of({32, 64, 256});
}

/// Half of the clusters have leaves.
std::uint16_t draw_leaves(Random& random) {
  if (!random.percent(50)) return 0;
  return static_cast<std::uint16_t>(random.between(1, kMostLeaves));
}

/// One third of the clusters of systems with servers have several servers per job.
std::uint16_t draw_servers(SystemId system, std::uint64_t seed) {
  if (!cluster::traits_of(system).has_servers) return 1;
  return Random(seed ^ (kHostileStream >> 4U)).one_of<std::uint16_t>({1, 1, 1, 1, 2, 3});
}

ClusterShape draw_shape(SystemId system, std::uint64_t seed, Random& random) {
  ClusterShape shape;
  shape.system = system;
  shape.jobs = static_cast<std::uint16_t>(random.between(1, 3));
  shape.aggregators = random.percent(70) ? random.between(1, 4) : random.between(5, 16);
  shape.width = random.between(5, 12);
  shape.policy = testing::with_drawn_parameters(random.one_of(policies::every_policy()), random);
  shape.policy_seed = random.bits();
  shape.join_priority = draw_join_priority(seed);
  shape.answered_by = draw_answered_by(seed);
  shape.window = {random.between(1, 32), random.percent(50) ? 0U : random.between(32, 64),
                  random.percent(80)};
  shape.min_rto = microseconds(random.between(100, 1500));
  shape.addressing = draw_addressing(seed);
  shape.kept_results = random.percent(50) ? 256 : random.between(1, 8);
  shape.aggregator_expiry = std::chrono::milliseconds(random.one_of({2, 10, 100}));
  draw_transport(seed, shape);
  draw_passes(seed, shape);
  if (system == system_called("atp")) {  // ATP's seeds are older than separate streams
    shape.leaves = draw_leaves(random);
  } else if (cluster::traits_of(system).has_aggregators) {
    Random own(seed ^ (kHostileStream >> 3U));
    shape.leaves = draw_leaves(own);
  }
  shape.servers = draw_servers(system, seed);
  if (shape.leaves > 0) shape.levels = draw_levels(system, seed);
  return shape;
}

JobPlan draw_job(Random& random) {
  const bool large = random.percent(20);
  JobPlan plan;
  plan.workers = static_cast<std::uint16_t>(random.between(2, large ? 8 : 5));
  plan.iterations = random.between(1, 3);
  plan.any_order = random.percent(50);
  plan.straggler_percent = random.percent(50) ? 0 : random.between(5, 50);
  const std::uint32_t tensors = random.between(1, 3);
  for (std::uint32_t i = 0; i < tensors; ++i) {
    plan.tensors.push_back(random.between(1, large ? 24 : 6));
  }
  return plan;
}

/// Gives a job a few fragments and more workers than one switch supports.
void widen(JobPlan& plan, Random& random) {
  constexpr auto kLeast = static_cast<std::uint32_t>(wire::kMaxWorkersPerSwitch + 1);
  plan.workers = static_cast<std::uint16_t>(random.between(kLeast, kMostOfAWideJob));
  plan.iterations = 1;
  plan.tensors = {random.between(1, 4)};
}

std::uint64_t fragments_of(const JobPlan& plan) {
  std::uint64_t fragments = 0;
  for (const std::uint32_t with_values : plan.tensors) {
    fragments += with_values + exponent_lead_of(with_values, plan.exponent_slots);
  }
  return fragments * plan.iterations;
}

testing::StarNetwork::Config draw_network(SystemId system, Random& random) {
  testing::StarNetwork::Config config;
  config.format = cluster::traits_of(system).format;
  config.max_delay = microseconds(random.between(1, 40));
  config.ecn_percent = random.percent(50) ? 0 : random.between(1, 20);
  return config;
}

/// Draws from its own stream, so that cluster and faults do not change.
testing::StarNetwork::Config with_passes(testing::StarNetwork::Config config, std::uint64_t seed) {
  Random random(seed ^ (kHostileStream >> 8U));
  config.max_pass = microseconds(random.one_of({1, 1, 5}));
  config.lost_recirculations_percent = random.percent(50) ? 0 : random.between(1, 10);
  return config;
}

/// Draws from its own stream, so that cluster and faults do not change.
testing::StarNetwork::Config with_host_stage(testing::StarNetwork::Config config,
                                             const Setting& setting, std::uint64_t seed) {
  Random random(seed ^ (kHostileStream >> 6U));
  config.host_stage_seed = random.bits();
  config.host_stage = setting.host_stage ? *setting.host_stage : draw_host_stage(random);
  return config;
}

HostilePlan draw_hostile_plan(SystemId system, const Crew& crew, Random& random) {
  HostilePlan plan;
  plan.seed = random.bits();
  plan.attack.frames = random.between(1, 200);
  plan.attack.begin = microseconds(random.between(0, 200));
  plan.attack.gap = microseconds(random.one_of({2, 20, 200}));
  plan.hosts = static_cast<HostId>(crew.hosts);
  if (random.percent(40)) {
    ++plan.hosts;
    plan.at = random.between(0, kMostLeaves);
    return plan;
  }
  plan.job = random.between(0, static_cast<std::uint32_t>(crew.workers.size() - 1));
  const bool server = cluster::traits_of(system).has_servers && random.percent(30);
  if (!server) {
    plan.rank = static_cast<std::uint16_t>(random.between(0, crew.workers[*plan.job] - 1U));
  }
  plan.afterwards = std::chrono::milliseconds(random.between(0, 20));
  return plan;
}

class Run {
 public:
  Run(SystemId system, std::uint64_t seed, const Setting& setting, std::ostream* trace)
      : random_(seed),
        shape_(draw_shape(system, seed, random_)),
        pool_(shape_.width),
        network_(with_passes(with_host_stage(draw_network(system, random_), setting, seed), seed)),
        world_(shape_, network_, setting, pool_, random_, counts_) {
    if (trace != nullptr) world_.network().trace_to(*trace);
    Crew crew;
    Random of_wide_jobs(~seed ^ (kHostileStream >> 3U));
    const bool has_wide_job = shape_.leaves > 1 && of_wide_jobs.percent(kWideJobPercent);
    for (std::uint32_t place = 0; place < shape_.jobs; ++place) {
      JobPlan plan = draw_job(random_);
      if (has_wide_job && place == 0) widen(plan, of_wide_jobs);
      plan.overflow_percent = draw_overflow_percent(system, seed);
      plan.exponent_slots = draw_blocks(system, seed) ? shape_.aggregators : 0;
      crew.workers.push_back(plan.workers);
      crew.hosts += std::uint32_t{shape_.servers} + plan.workers;
      crew.fragments += std::uint64_t{plan.workers} * fragments_of(plan);
      world_.add_job(plan);
    }
    crew.hosts += shape_.leaves;  // the link of a leaf can fail like a host's
    world_.add_leaves();
    plan_ = draw_fault_plan(system, crew, random_);
    world_.remove_jobs_at_their_end(random_.percent(50));
    if (setting.hostile_host) {
      Random of_its_own(seed ^
                        kHostileStream);  // a stream of its own: cluster and faults do not change
      world_.add_hostile_host(draw_hostile_plan(system, crew, of_its_own));
    }
    if (setting.open_ports) world_.network().open_ports();
    if (trace != nullptr) print(*trace);
    for (const LinkFault& fault : plan_.links) add_to_links(fault, crew.hosts);
  }

  Outcome run() {
    world_.start();
    Outcome outcome;
    outcome.failure = run_to_the_end();
    outcome.ended = world_.network().now();
    if (outcome.failure.empty()) outcome.failure = world_.verdict();
    if (outcome.failure.empty()) outcome.failure = judge_sweeping();
    world_.count_hosts();
    count_network();
    outcome.counts = counts_;
    return outcome;
  }

  /// Destroys everything that can hold values, and returns the buffers still in use.
  std::size_t buffers_left() {
    world_.forget_hosts();
    return pool_.taken();
  }

 private:
  void add_to_links(const LinkFault& fault, std::uint32_t hosts) {
    for (HostId host = 0; host < hosts; ++host) {
      if (fault.host.value_or(host) != host) continue;
      using testing::Direction;
      if (fault.up) {
        world_.network().add_faults(host, Direction::up, fault.config, random_.bits());
      }
      if (fault.down) {
        world_.network().add_faults(host, Direction::down, fault.config, random_.bits());
      }
    }
  }

  std::string run_to_the_end() {
    testing::StarNetwork& network = world_.network();
    std::size_t struck = 0;
    while (network.failure().empty() && network.step()) {
      const std::uint64_t frames = network.statistics().switched;
      while (struck < plan_.nodes.size() && plan_.nodes[struck].at_frame <= frames) {
        world_.strike(plan_.nodes[struck++]);
      }
      if (network.now() > kTimeLimit || frames > kMostFrames) {
        return fmt::format("stuck after {} and {} frames: {}", testing::in_words(network.now()),
                           frames, world_.complaint());
      }
    }
    return network.failure();
  }

  std::string judge_sweeping() const {
    const bool copies_may_be_late = plan_.copies_may_be_late() || network_.host_stage.reorder;
    const bool swaps_may_be_late =
        shape_.separate_passes && testing::has_collision_policy(shape_.system);
    const bool allowed =
        testing::shares_aggregators(shape_.system) && (copies_may_be_late || swaps_may_be_late);
    if (allowed || counts_.swept_late_copies == 0) return {};
    return fmt::format("{} aggregators were in use by jobs that had finished",
                       counts_.swept_late_copies);
  }

  void count_network() {
    using faults::FrameClass;
    const testing::StarNetwork::Statistics& all = world_.network().statistics();
    const auto lost = [&](FrameClass c) { return all.lost_of_class[static_cast<std::size_t>(c)]; };
    counts_.frames = all.switched;
    counts_.refused = all.refused;
    counts_.lost = all.lost;
    counts_.lost_gradients = lost(FrameClass::gradient);
    counts_.lost_partials = lost(FrameClass::partial);
    counts_.lost_results = lost(FrameClass::result);
    counts_.lost_reminders = lost(FrameClass::reminder);
    counts_.corrupted = all.corrupted;
    counts_.corrupted_decoded = all.corrupted_decoded;
    counts_.duplicated = all.duplicated;
    counts_.reordered = all.reordered;
    counts_.host_stages = network_.host_stage.is_on() ? 1 : 0;
    counts_.lost_in_hosts = all.lost_in_host;
    counts_.further_passes = all.further_passes;
    counts_.lost_between_passes = all.lost_between_passes;
  }

  void print(std::ostream& out) {
    out << fmt::format("{}, {} aggregators, {}, {} leaves, {} servers a job\n",
                       cluster::name_of(shape_.system), shape_.aggregators,
                       policies::name_of(shape_.policy), shape_.leaves, shape_.servers);
    world_.tell_jobs(out);
    if (network_.host_stage.is_on()) out << "hosts " << in_words(network_.host_stage) << '\n';
    for (const LinkFault& fault : plan_.links) {
      const std::string& host = world_.network().name(fault.host.value_or(0));
      out << "fault " << in_words(fault, host) << '\n';
    }
    for (const NodeStrike& fault : plan_.nodes) out << "fault " << in_words(fault) << '\n';
  }

  Random random_;
  Counts counts_;
  ClusterShape shape_;
  ValuePool pool_;
  testing::StarNetwork::Config network_;
  NetworkWorld world_;
  FaultPlan plan_;
};

}  // namespace

Counts& operator+=(Counts& total, const Counts& one) {
  using Members = boost::describe::describe_members<Counts, boost::describe::mod_public>;
  boost::mp11::mp_for_each<Members>(
      [&](auto member) { total.*member.pointer += one.*member.pointer; });
  return total;
}

std::vector<SystemId> campaign_systems() { return testing::every_system(); }

Outcome run_campaign(SystemId system, std::uint64_t seed, const Setting& setting,
                     std::ostream* trace) {
  Run run(system, seed, setting, trace);
  Outcome outcome;
  try {
    outcome = run.run();
  } catch (const rmt::PipelineViolation& violation) {
    outcome.failure = violation.what();
  }
  if (outcome.failure.empty() && run.buffers_left() != 0) {
    outcome.failure = "buffers of values are still taken";
  }
  return outcome;
}

}  // namespace ina::campaigns
