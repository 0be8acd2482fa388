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

/// Runs the control plane and the training workers on an in-memory network. As in a real network,
/// the start and the end of a registration reach hosts a little later than switches.
class NetworkWorld final : private cluster::ControlWorld, private programs::AggregatorObserver {
 public:
  NetworkWorld(const testing::ClusterShape& shape, const testing::StarNetwork::Config& network,
               const Setting& setting, ValuePool& pool, testing::Random& random, Counts& counts);

  void add_job(const testing::JobPlan& plan);
  /// Adds the leaf switches. Call this after the last add_job().
  void add_leaves();
  /// Adds a hostile host, or makes one of a job's hosts hostile. In the second case the job's
  /// outcome is not checked.
  void add_hostile_host(const HostilePlan& plan);
  /// Whether jobs are removed as soon as they finish (true) or when no event is left (false).
  void remove_jobs_at_their_end(bool at_once) { removes_at_once_ = at_once; }
  void start();
  void strike(const NodeStrike& fault);

  /// Describes what is wrong with a job, or returns "".
  std::string complaint() const;
  /// Call this when no event is left. Removes all jobs from the switches, which frees aggregators
  /// that late copies of packets still hold. Describes what is wrong, or returns "".
  std::string verdict();
  void count_hosts();
  void forget_hosts();

  testing::StarNetwork& network() { return network_; }
  void tell_jobs(std::ostream& out) const;

 private:
  /// Objects of one registration. They are kept after the job is registered again.
  struct Hosts {
    std::unique_ptr<testing::JobInTraining> training;
    std::vector<std::unique_ptr<testing::TrainingHost>> workers;
    std::vector<std::unique_ptr<testing::ServerHost>> servers;
    std::vector<const testing::ServerHost*> serving;  ///< by index; null: stopped
  };
  struct Job {
    testing::JobPlan plan;
    std::vector<HostId> servers;
    std::vector<HostId> workers;
    std::vector<std::uint16_t> racks;  ///< workers' racks; the servers' rack has the last number
    bool hostile = false;              ///< one of its hosts is hostile, so nothing is promised
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
  /// Assigns the address to the host, or to the hostile host if that has the address.
  void put(HostId address, testing::Host& host);
  /// Like put(), but after a delay, unless the address is assigned to another host before that.
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
  std::vector<std::uint32_t> occupants_;  ///< number of hosts that had the address so far
  std::unique_ptr<HostileHost> hostile_;
  HostId hostile_address_ = 0;
  std::optional<std::uint32_t> hostile_job_;  ///< empty: it is not a member of any job
  std::string hostile_deed_;                  ///< the hostile host's forbidden action, if any
  /// Time of the last gradient for an aggregator's task, by switch and aggregator.
  std::map<std::pair<HostId, std::uint32_t>, Time> touched_;
  std::optional<std::uint32_t> just_evicted_;
  bool removes_at_once_ = false;
  std::unique_ptr<cluster::ControlWorld> mistaken_;  ///< between the control plane and this world
  cluster::ControlPlane control_;
};

}  // namespace ina::campaigns
