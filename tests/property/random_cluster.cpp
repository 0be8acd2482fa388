// SPDX-License-Identifier: BSD-3-Clause
#include "tests/property/random_cluster.hpp"

#include <utility>
#include <vector>

#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/server/dsa_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "tests/property/star_network.hpp"
#include "tests/property/training_job.hpp"

namespace ina::testing {

namespace {

/// Generous: with a window of one packet, 20 % loss on every link and time-outs that double, a
/// fragment can take a second. What stands still for ever has no end at all.
constexpr Time kTimeLimit = std::chrono::minutes(5);

class ServerHost final : public Host {
 public:
  explicit ServerHost(std::unique_ptr<ParameterServer> server) : server_(std::move(server)) {}
  void receive(Frame&& frame, Time now) override { server_->receive(std::move(frame), now); }
  bool next(Frame& out, Time) override { return server_->next(out); }
  Time deadline() const override { return server_->deadline(); }
  void expire(Time now) override { server_->expire(now); }
  const ParameterServer& server() const { return *server_; }

 private:
  std::unique_ptr<ParameterServer> server_;
};

/// A SwitchML job has no server; something must have its address.
class SilentHost final : public Host {
 public:
  void receive(Frame&&, Time) override {}
  bool next(Frame&, Time) override { return false; }
  Time deadline() const override { return kNever; }
  void expire(Time) override {}
};

const numeric::SyntheticTable& table() {
  static const numeric::SyntheticTable instance;
  return instance;
}

JobPlan draw_job(JobId job, Random& random, const Demands& demands) {
  JobPlan plan;
  plan.job = job;
  plan.workers = static_cast<std::uint16_t>(random.between(1, 8));
  const bool lossy = demands.loss_percent != 0;
  plan.iterations = random.between(1, lossy ? 2 : 4);
  plan.seed = random.bits();
  plan.any_order = random.percent(50);
  plan.straggler_percent = random.percent(50) ? 0 : random.between(5, 50);
  const std::uint32_t tensors = random.between(1, 4);
  for (std::uint32_t i = 0; i < tensors; ++i) {
    plan.tensors.push_back(random.between(1, lossy ? 12 : 24));
  }
  return plan;
}

StarNetwork::Config draw_network(Random& random, const Demands& demands) {
  StarNetwork::Config config;
  config.max_delay = std::chrono::microseconds(random.between(1, 40));
  config.ecn_percent = random.percent(50) ? 0 : random.between(1, 20);
  if (demands.loss_percent != 0) config.loss_percent = random.between(1, demands.loss_percent);
  return config;
}

class Cluster {
 public:
  Cluster(System system, const MakeProgram& make_program, std::uint64_t seed,
          const Demands& demands)
      : system_(system),
        random_(seed),
        shape_{random_.between(1, 64), random_.between(5, 12), random_.bits()},
        window_{random_.between(1, 64), random_.percent(50) ? 0U : random_.between(64, 128),
                random_.percent(80)},
        min_rto_(std::chrono::microseconds(random_.between(100, 1500))),
        pool_(shape_.width),
        program_(make_program(shape_)),
        network_(draw_network(random_, demands), *program_, random_) {
    const std::uint32_t jobs = random_.between(1, 4);
    for (std::uint32_t job = 0; job < jobs; ++job) {
      plans_.push_back(
          std::make_unique<JobPlan>(draw_job(static_cast<JobId>(job), random_, demands)));
      add_job(*plans_.back());
    }
  }

  Outcome run() {
    for (const auto& [id, worker] : workers_) worker->start(id);
    Outcome outcome;
    outcome.failure = network_.run(kTimeLimit);
    count(outcome);
    if (outcome.failure.empty()) outcome.failure = check();
    return outcome;
  }
  const ValuePool& pool() const { return pool_; }
  /// Ends everything that can hold values.
  std::size_t buffers_left() {
    workers_.clear();
    servers_.clear();
    return pool_.taken();
  }

 private:
  void add_job(const JobPlan& plan) {
    const HostId server = add_server(plan);
    std::vector<HostId> ids;
    for (std::uint16_t rank = 0; rank < plan.workers; ++rank) {
      const auto self = static_cast<HostId>(server + 1 + rank);
      const WorkerIdentity identity{plan.job, rank, plan.workers, self, server};
      auto worker = std::make_unique<TrainingWorker>(
          table(), plan, rank, network_, random_,
          [&](ResultSink& sink) { return make_transport(identity, sink); });
      ids.push_back(network_.add(*worker));
      workers_.emplace_back(self, std::move(worker));
    }
    network_.set_workers(plan.job, std::move(ids));
    program_->install_job(
        plan.job, {plan.workers, server, plan.job * shape_.aggregators, shape_.aggregators});
  }

  HostId add_server(const JobPlan& plan) {
    const auto self = next_host(plan);
    const ServerIdentity identity{plan.job, plan.workers, self, plan.psns_per_iteration()};
    if (system_ == System::switchml) return network_.add(silent_);
    std::unique_ptr<ParameterServer> server;
    if (system_ == System::atp) {
      const std::uint32_t kept = random_.percent(50) ? 8192 : random_.between(1, 16);
      server = std::make_unique<AtpServer>(
          identity, AtpServer::Config{shape_.aggregators, random_.percent(50), kept});
    } else {
      server = std::make_unique<DsaServer>(identity, DsaServer::Config{min_rto_}, pool_);
    }
    servers_.push_back(std::make_unique<ServerHost>(std::move(server)));
    return network_.add(*servers_.back());
  }

  HostId next_host(const JobPlan&) const {
    return static_cast<HostId>(workers_.size() + plans_.size() - 1);
  }

  std::unique_ptr<WorkerTransport> make_transport(const WorkerIdentity& identity,
                                                  ResultSink& sink) {
    switch (system_) {
      case System::switchml:
        return std::make_unique<SwitchmlWorker>(
            identity, SwitchmlWorker::Config{shape_.aggregators, 32, min_rto_}, pool_, sink);
      case System::atp:
        return std::make_unique<AtpWorker>(
            identity, AtpWorker::Config{shape_.aggregators, window_, min_rto_}, pool_, sink);
      case System::dsa:
        break;
    }
    return std::make_unique<DsaWorker>(
        identity, DsaWorker::Config{shape_.aggregators, window_, min_rto_}, pool_, sink);
  }

  void count(Outcome& outcome) const {
    for (const auto& plan : plans_) {
      const auto& counters = program_->counters(plan->job);
      outcome.collisions += counters[programs::AggregatorEvent::collided];
      outcome.preemptions += counters[programs::AggregatorEvent::preempted];
    }
    for (const auto& server : servers_)
      outcome.reminders += server->server().statistics().reminders;
    for (const auto& [id, worker] : workers_) {
      outcome.retransmissions += worker->statistics().retransmissions;
    }
  }

  std::string check() const {
    for (const auto& [id, worker] : workers_) {
      if (std::string complaint = worker->verdict(); !complaint.empty()) return complaint;
    }
    for (const auto& server : servers_) {
      if (server->server().open_entries() != 0) return "a server still has open entries";
    }
    if (program_->occupied() != 0 || program_->cells_in_use() != 0) {
      return std::to_string(program_->occupied()) + " aggregators are still in use";
    }
    return {};
  }

  System system_;
  Random random_;
  ClusterShape shape_;
  CongestionWindow::Config window_;
  Time min_rto_;
  ValuePool pool_;
  std::unique_ptr<programs::SwitchProgram> program_;
  SilentHost silent_;
  StarNetwork network_;
  std::vector<std::unique_ptr<JobPlan>> plans_;
  std::vector<std::unique_ptr<ServerHost>> servers_;
  std::vector<std::pair<HostId, std::unique_ptr<TrainingWorker>>> workers_;
};

}  // namespace

Outcome run_random_cluster(System system, const MakeProgram& make_program, std::uint64_t seed,
                           const Demands& demands) {
  Cluster cluster(system, make_program, seed, demands);
  Outcome outcome = cluster.run();
  if (outcome.failure.empty() && cluster.buffers_left() != 0) {
    outcome.failure = "buffers of values are still taken";
  }
  return outcome;
}

}  // namespace ina::testing
