// SPDX-License-Identifier: BSD-3-Clause
#include "tests/properties/random_cluster.hpp"

#include <utility>
#include <vector>

#include "tests/support/every_policy.hpp"
#include "tests/support/star_network.hpp"
#include "tests/support/training_host.hpp"

namespace ina::testing {

namespace {

/// Generous: with a window of one packet, 20 % loss on every link and time-outs that double, a
/// fragment may take a second. A deadlock never ends.
constexpr Time kTimeLimit = std::chrono::minutes(5);

JobPlan draw_job(Random& random, const Demands& demands) {
  JobPlan plan;
  plan.workers = static_cast<std::uint16_t>(random.between(1, 8));
  const bool lossy = demands.loss_percent != 0;
  plan.iterations = random.between(1, lossy ? 2 : 4);
  plan.any_order = random.percent(50);
  plan.straggler_percent = random.percent(50) ? 0 : random.between(5, 50);
  const std::uint32_t tensors = random.between(1, 4);
  for (std::uint32_t i = 0; i < tensors; ++i) {
    plan.tensors.push_back(random.between(1, lossy ? 12 : 24));
  }
  return plan;
}

constexpr std::uint16_t kMostJobs = 4;

ClusterShape draw_shape(SystemId system, policies::CollisionPolicy policy, Random& random) {
  ClusterShape shape;
  shape.system = system;
  shape.jobs = kMostJobs;
  shape.aggregators = random.between(1, 64);
  shape.width = random.between(5, 12);
  shape.policy = testing::with_drawn_parameters(policy, random);
  shape.policy_seed = random.bits();
  shape.window = {random.between(1, 64), random.percent(50) ? 0U : random.between(64, 128),
                  random.percent(80)};
  shape.min_rto = std::chrono::microseconds(random.between(100, 1500));
  shape.addressing.scheme = static_cast<wire::AddressingScheme>(random.between(0, 2));
  shape.addressing.rehash = random.percent(50);
  shape.addressing.table_entries = random.between(1, 64);
  shape.kept_results = random.percent(50) ? 8192 : random.between(1, 16);
  shape.addressing.hash = static_cast<wire::Hash>(random.between(0, wire::kHashNames.size() - 1));
  if (random.percent(50)) shape.join_priority = programs::JoinPriority::raise;
  shape.adaptive_rto = random.percent(50);
  shape.congestion_control = random.percent(50);
  if (random.percent(25)) shape.answered_by = programs::AnsweredBy::server;
  return shape;
}

StarNetwork::Config draw_network(SystemId system, Random& random) {
  StarNetwork::Config config;
  config.format = cluster::traits_of(system).format;
  config.max_delay = std::chrono::microseconds(random.between(1, 40));
  config.ecn_percent = random.percent(50) ? 0 : random.between(1, 20);
  return config;
}

class Cluster {
 public:
  Cluster(SystemId system, policies::CollisionPolicy policy, std::uint64_t seed,
          const Demands& demands)
      : random_(seed),
        shape_(draw_shape(system, policy, random_)),
        pool_(shape_.width),
        network_(draw_network(system, random_), make_program(shape_), pool_, random_) {
    const std::uint32_t jobs = random_.between(1, kMostJobs);
    for (std::uint32_t job = 0; job < jobs; ++job) {
      JobPlan plan = draw_job(random_, demands);
      if (demands.blocks) plan.exponent_slots = shape_.aggregators;
      jobs_.push_back(std::make_unique<JobInTraining>(plan, static_cast<JobId>(job), random_.bits(),
                                                      shape_.width));
      add_job(*jobs_.back());
    }
    if (demands.loss_percent != 0) lose(random_.between(1, demands.loss_percent));
  }

  Outcome run() {
    for (const auto& [id, worker] : workers_) {
      worker->begin(0, Time::zero());
      network_.wake_at(id, Time::zero());
    }
    Outcome outcome;
    outcome.failure = network_.run(kTimeLimit);
    count(outcome);
    if (outcome.failure.empty()) outcome.failure = check();
    return outcome;
  }
  const ValuePool& pool() const { return pool_; }
  /// Destroys everything that can hold values, and returns the number of buffers still in use.
  std::size_t buffers_left() {
    workers_.clear();
    servers_.clear();
    return pool_.taken();
  }

 private:
  void add_job(const JobInTraining& job) {
    const auto server = static_cast<HostId>(workers_.size() + jobs_.size() - 1);
    const std::uint16_t workers = job.plan.workers;
    std::vector<HostId> ids;
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      ids.push_back(static_cast<HostId>(server + 1 + rank));
    }
    add_server(job, server, ids);
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      const HostId self = ids[rank];
      const WorkerIdentity identity{job.id, rank, workers, self, server};
      auto worker = std::make_unique<TrainingHost>(job, rank, random_, [&](ResultSink& sink) {
        return make_worker(shape_, identity, pool_, sink);
      });
      network_.add(*worker, "worker");
      workers_.emplace_back(self, std::move(worker));
    }
    network_.install_job(job.id, job_entry(shape_, workers, server, job.id),
                         members_in_star(shape_, ids, server));
  }

  void add_server(const JobInTraining& job, HostId self, const std::vector<HostId>& workers) {
    ServerIdentity identity{job.id, job.plan.workers, self,
                            job.training.partitions.fragments_per_iteration()};
    identity.members = workers;
    auto server = make_server(shape_, identity, pool_);
    if (server == nullptr) {
      network_.add(silent_, "no server");
      return;
    }
    servers_.push_back(std::make_unique<ServerHost>(std::move(server)));
    network_.add(*servers_.back(), "server");
  }

  void lose(std::uint32_t percent) {
    faults::LinkFaults::Config config;
    config.loss = percent / 100.0;
    const auto hosts = static_cast<HostId>(workers_.size() + jobs_.size());
    for (HostId host = 0; host < hosts; ++host) {
      network_.add_faults(host, Direction::up, config, random_.bits());
      network_.add_faults(host, Direction::down, config, random_.bits());
    }
  }

  void count(Outcome& outcome) {
    for (const auto& job : jobs_) {
      const auto counters = network_.node().aggregator_counters(job->id);
      outcome.collisions += counters[programs::AggregatorEvent::collided];
      outcome.preemptions += counters[programs::AggregatorEvent::preempted];
    }
    for (const auto& server : servers_)
      outcome.reminders += server->server().statistics().reminders;
    for (const auto& [id, worker] : workers_) {
      outcome.retransmissions += worker->statistics().retransmissions;
    }
  }

  std::string check() {
    for (const auto& [id, worker] : workers_) {
      if (std::string complaint = worker->verdict(TrainingHost::AtTheEnd::nothing_waits);
          !complaint.empty())
        return complaint;
    }
    for (const auto& server : servers_) {
      if (server->server().open_entries() != 0) return "a server still has open entries";
    }
    const programs::SwitchProgram& program = *network_.node().program();
    if (program.occupied() != 0 || program.cells_in_use() != 0) {
      return std::to_string(program.occupied()) + " aggregators are still in use";
    }
    return {};
  }

  Random random_;
  ClusterShape shape_;
  ValuePool pool_;
  SilentHost silent_;
  StarNetwork network_;
  std::vector<std::unique_ptr<JobInTraining>> jobs_;
  std::vector<std::unique_ptr<ServerHost>> servers_;
  std::vector<std::pair<HostId, std::unique_ptr<TrainingHost>>> workers_;
};

}  // namespace

Outcome run_random_cluster(SystemId system, policies::CollisionPolicy policy, std::uint64_t seed,
                           const Demands& demands) {
  Cluster cluster(system, policy, seed, demands);
  Outcome outcome = cluster.run();
  if (outcome.failure.empty() && cluster.buffers_left() != 0) {
    outcome.failure = "buffers of values are still taken";
  }
  return outcome;
}

}  // namespace ina::testing
