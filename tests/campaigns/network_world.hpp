// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hw/cluster/control/control_plane.hpp"
#include "tests/campaigns/campaign.hpp"
#include "tests/campaigns/fault_plan.hpp"
#include "tests/campaigns/hostile_host.hpp"
#include "tests/support/cluster_parts.hpp"
#include "tests/support/star_network.hpp"
#include "tests/support/training_host.hpp"

namespace ina::campaigns {

/// The cluster's control plane and training workers on a network in memory. Hosts take their time:
/// a registration comes to each of them a little later than to the switches, as does the end of
/// their job.
class NetworkWorld final : private cluster::ControlWorld, private programs::AggregatorObserver {
 public:
  NetworkWorld(const testing::ClusterShape& shape, const testing::StarNetwork::Config& network,
               const Setting& setting, ValuePool& pool, testing::Random& random, Counts& counts);

  void add_job(const testing::JobPlan& plan);
  /// After the last job.
  void add_leaves();
  /// One more host, or one of a job's, attacks; nothing of that job counts from now on.
  void add_hostile_host(const HostilePlan& plan);
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
  /// The hosts' objects of a registration live on when there is another one.
  struct Hosts {
    std::unique_ptr<testing::JobInTraining> training;
    std::vector<std::unique_ptr<testing::TrainingHost>> workers;
    std::vector<std::unique_ptr<testing::ServerHost>> servers;
    std::vector<const testing::ServerHost*> serving;  ///< by index; null: it was stopped
  };
  struct Job {
    testing::JobPlan plan;
    std::vector<HostId> servers;
    std::vector<HostId> workers;
    std::vector<std::uint16_t> racks;  ///< of the workers; the servers' is the one after the leaves
    bool hostile = false;              ///< one of its hosts is: it gets what it deserves
    std::vector<Hosts> registrations;
  };

  void install_job(std::size_t rack, const cluster::Registration& registration) override;
  void remove_job(std::size_t rack, const cluster::Registration& registration) override;
  void take_switch_down(std::size_t rack) override;
  void bring_switch_back(std::size_t rack) override;
  void start_workers(const cluster::Registration& registration, Time now) override;
  void start_server(const cluster::Registration& registration, std::uint16_t index,
                    Time now) override;
  void stop(const cluster::JobHost& host, Time now) override;
  void pause(const cluster::JobHost& host, Time until, Time now) override;
  void resume(const cluster::JobHost& host, Time now) override;
  void expect(const cluster::JobHost&, Time) override {}
  void job_event(cluster::JobEvent event, const cluster::JobHost& host) override;

  std::uint16_t draw_rack(const std::vector<std::uint16_t>& taken);
  std::unique_ptr<programs::SwitchProgram> make_program();
  void make_workers(const cluster::Registration& registration, Hosts& hosts);
  void iteration_ended(std::uint32_t job, std::size_t registration, std::uint16_t rank);
  HostId address_of(const cluster::JobHost& host) const;
  /// The host has the address from now on, the hostile one in its place if the address is its.
  void put(HostId address, testing::Host& host);
  /// After a while, unless somebody else has got the address meanwhile.
  void put_soon(
      HostId address, testing::Host& host, std::function<void()> begin = [] {});
  void tell_hostile_host(const cluster::Registration& registration);
  void end_hostile_job();

  void aggregator_event(programs::AggregatorEvent event, JobId job, Psn psn,
                        std::uint32_t aggregator_index) override;
  void watch_hostile_host(programs::AggregatorEvent event, JobId job,
                          std::uint32_t aggregator_index);
  bool is_hostile(JobId id) const;
  std::string complaint_of(std::uint32_t job) const;

  testing::ClusterShape shape_;
  const Setting& setting_;
  ValuePool& pool_;
  testing::Random& random_;
  Counts& counts_;
  testing::StarNetwork network_;
  std::vector<HostId> switches_;  ///< by rack: the leaves, then the middle
  testing::SilentHost silent_;
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> occupants_;  ///< of each address, how many there were
  std::unique_ptr<HostileHost> hostile_;
  HostId hostile_address_ = 0;
  std::optional<std::uint32_t> hostile_job_;  ///< none: it is no member of any
  std::string hostile_deed_;                  ///< what it must not have been able to do
  /// By switch and aggregator: when a gradient of its task last came.
  std::map<std::pair<HostId, std::uint32_t>, Time> touched_;
  std::optional<std::uint32_t> just_evicted_;
  bool removes_at_once_ = false;
  std::unique_ptr<cluster::ControlWorld> mistaken_;  ///< between the control plane and this one
  cluster::ControlPlane control_;
};

}  // namespace ina::campaigns
