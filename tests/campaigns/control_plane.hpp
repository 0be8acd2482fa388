// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/campaigns/campaign.hpp"
#include "tests/campaigns/fault_plan.hpp"
#include "tests/campaigns/hostile_host.hpp"
#include "tests/support/cluster_parts.hpp"
#include "tests/support/star_network.hpp"
#include "tests/support/training_job.hpp"

namespace ina::campaigns {

/// What runs a cluster: registers jobs at the switch and at their hosts, registers them again under
/// a fresh id where they cannot go on (ATP A.4), removes those that have ended; and strikes nodes
/// with faults.
class ControlPlane final : private programs::AggregatorObserver {
 public:
  ControlPlane(const testing::ClusterShape& shape, const testing::StarNetwork::Config& network,
               const MakeProgram& make_program, ValuePool& pool, testing::Random& random,
               Counts& counts);

  /// What the job all-reduces; its id and seed are those of its registrations.
  void add_job(const testing::JobPlan& plan);
  /// After the last job.
  void add_leaves();
  /// One more host, or one of a job's, attacks; nothing of that job counts from now on.
  void add_hostile_host(const HostilePlan& plan);
  /// Lets every frame into the switch, whoever sends it.
  void open_ports() {
    for (const Switch& at : switches_) network_.set_members(nullptr, at.at);
  }
  /// Or when all has fallen silent.
  void remove_jobs_at_their_end(bool at_once) { removes_at_once_ = at_once; }
  void start();
  void strike(const NodeStrike& fault);

  /// What is wrong with a job, or nothing.
  std::string complaint() const;
  /// What is wrong when all has fallen silent, or nothing. Sweeps what finished jobs have left.
  std::string verdict();
  void count_hosts();
  void forget_hosts();

  testing::StarNetwork& network() { return network_; }
  void tell_jobs(std::ostream& out) const;

 private:
  /// A job under one id: its hosts' objects live on when it has another one.
  struct Registration {
    testing::JobPlan plan;
    std::vector<std::unique_ptr<testing::TrainingWorker>> workers;
    std::vector<std::unique_ptr<testing::ServerHost>> servers;  ///< the last one is in use
    std::size_t unfinished = 0;
  };
  enum class State : std::uint8_t { running, finished, failed };
  struct Job {
    testing::JobPlan plan;
    std::uint32_t place = 0;
    HostId server = 0;
    std::vector<HostId> hosts;
    std::vector<std::uint16_t> racks;  ///< of the hosts; the servers' is the one after the leaves
    std::vector<wire::AggregationPath> paths;  ///< of the hosts
    std::uint32_t iterations_done = 0;         ///< by all workers, before the registration
    State state = State::running;
    bool removed = false;
    std::optional<std::uint16_t> dead;  ///< rank
    bool hostile = false;               ///< one of its hosts is: it gets what it deserves
    std::vector<std::unique_ptr<Registration>> registrations;

    Registration& current() { return *registrations.back(); }
    const Registration& current() const { return *registrations.back(); }
    JobId id() const { return current().plan.job; }
    bool is_current(const Registration& registration) const {
      return !removed && &registration == registrations.back().get();
    }
  };

  struct Switch {
    std::unique_ptr<programs::SwitchProgram> program;
    programs::MemberTable members;
    HostId at = testing::StarNetwork::kMiddle;
  };

  void register_job(Job& job);
  void register_again(Job& job);
  void make_workers(Job& job, Registration& registration);
  void begin_at_hosts(Job& job, Registration& registration);
  void install(const Job& job, Switch& at);
  /// A server with nothing in it, if the system has servers.
  void add_server(const Job& job, Registration& registration);

  /// The host has the address from now on, the hostile one in its place if the address is its.
  void put(HostId address, testing::Host& host);
  void tell_hostile_host(const Job& job);
  void end_hostile_job(Job& job);

  void finish(Job& job);
  void fail(Job& job);
  /// Takes a job away, and returns how many aggregators it held.
  std::uint64_t remove(Job& job);
  std::uint64_t remove_from_switches(const Job& job);
  /// The same of a job that has finished, which ought to hold none.
  void sweep(Job& job);
  void silence_hosts(Job& job);

  void strike_job(Job& job, const NodeStrike& fault);
  void pause(HostId host, const NodeStrike& fault);
  void restart_server(Job& job, Time length);
  void reboot(Switch& at, Time length);
  void start(Switch& at);
  void kill_worker(Job& job, const NodeStrike& fault);

  void aggregator_event(programs::AggregatorEvent event, JobId job, Psn psn,
                        std::uint32_t aggregator_index) override;
  void watch_hostile_host(programs::AggregatorEvent event, JobId job,
                          std::uint32_t aggregator_index);
  bool is_hostile(JobId id) const;
  std::string complaint_of(const Job& job) const;
  Time soon() { return network_.now() + random_.between(Time::zero(), kMostControlDelay); }
  Time after(Time length) const { return network_.now() + length; }

  static constexpr Time kMostControlDelay = std::chrono::microseconds(200);

  testing::ClusterShape shape_;
  MakeProgram make_program_;
  ValuePool& pool_;
  testing::Random& random_;
  Counts& counts_;
  std::vector<Switch> switches_;  ///< the middle, then the leaves
  testing::StarNetwork network_;
  testing::SilentHost silent_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::unique_ptr<HostileHost> hostile_;
  HostId hostile_address_ = 0;
  Job* hostile_job_ = nullptr;  ///< none: it is no member of any
  std::string hostile_deed_;    ///< what it must not have been able to do
  /// By switch and aggregator: when a gradient of its task last came.
  std::map<std::pair<HostId, std::uint32_t>, Time> touched_;
  std::optional<std::uint32_t> just_evicted_;
  JobId next_id_ = 0;
  bool removes_at_once_ = false;
};

}  // namespace ina::campaigns
