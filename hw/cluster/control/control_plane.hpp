// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <boost/describe.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "hw/cluster/control/job_ids.hpp"
#include "hw/cluster/faults/node_faults.hpp"
#include "hw/cluster/network/paths.hpp"
#include "hw/cluster/network/root_choice.hpp"
#include "hw/cluster/network/topology.hpp"
#include "hw/cluster/topologies/star.hpp"
#include "hw/protocol/server/parameter_server.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/job_servers.hpp"
#include "hw/protocol/wire/path_choice.hpp"

namespace ina::cluster {

enum class JobStatus : std::uint8_t {
  running,
  finished,
  killed,
  worker_lost,  ///< failed, because a worker died permanently
  cut_off,      ///< failed, because a host has no path to the root of the job's tree
};
/// Names in the order of JobStatus, as in jobs.csv.
inline constexpr std::array<const char*, 5> kJobStatusNames = {"running", "finished", "killed",
                                                               "worker_lost", "cut_off"};
constexpr const char* name_of(JobStatus status) {
  return kJobStatusNames[static_cast<std::size_t>(status)];
}

/// The hosts of a job.
struct JobHosts {
  std::vector<HostId> workers;                   ///< by rank
  std::vector<std::uint16_t> racks;              ///< racks of the workers, by rank
  wire::JobServers servers;                      ///< empty if the system has no servers
  std::vector<std::uint16_t> server_racks = {};  ///< racks of the servers, by index
};

/// A job as registered under one id. A job that starts again is registered under a new id.
struct Registration {
  std::uint32_t job = 0;  ///< number of the job, in the order of add_job()
  JobId id = 0;           ///< id in frames; unique among all registrations
  std::uint32_t first_iteration = 0;
  JobHosts hosts;
  std::vector<wire::AggregationPath> paths;  ///< workers' aggregation paths, by rank
  JobTree tree;                              ///< tree of the switches that the job's frames pass
  bool by_flow = false;                      ///< each flow has its own path; switches add nothing

  /// Whether the job's workers send to each other: there are no servers, and switches add nothing.
  bool is_among_workers() const { return by_flow && hosts.servers.empty(); }

  /// The workers whose gradients pass a switch.
  std::vector<HostId> workers_below(std::size_t at) const;

  WorkerIdentity worker(std::uint16_t rank) const;
  /// `index`: number of the server in the job. `psns_per_iteration`: as in ServerIdentity.
  ServerIdentity server(std::uint16_t index, std::uint32_t psns_per_iteration) const;
};

/// Identifies a worker or a server of a job.
struct JobHost {
  std::uint32_t job = 0;
  std::optional<std::uint16_t> rank;  ///< empty for a server
  std::uint16_t server = 0;           ///< index of the server; unused for a worker

  friend auto operator<=>(const JobHost&, const JobHost&) = default;  // NOLINT: the 0 in it
};

/// Events of a job, for reports.
enum class JobEvent : std::uint8_t {
  registered_again,
  worker_died,
  worker_returned,
  server_restarted,
  killed,    ///< the event `failed` also occurs
  failed,    ///< ControlPlane::status() has the reason
  finished,  ///< all workers have ended the last iteration
};

/// Interface through which a ControlPlane acts on a simulated or real cluster. `rack` is the number
/// of a switch, which may also be above the racks. `now` is the time of the decision.
class ControlWorld {
 public:
  virtual ~ControlWorld() = default;

  /// Installs a job at a switch. From then on, the switch admits the members' frames, knows the
  /// workers below it, and adds their gradients.
  virtual void install_job(std::size_t rack, const Registration& registration) = 0;
  /// Removes a job from a switch, which frees the job's aggregators and then rejects its frames.
  virtual void remove_job(std::size_t rack, const Registration& registration) = 0;
  /// Begins a reboot: the switch loses all state, including the jobs.
  virtual void take_switch_down(std::size_t rack) = 0;
  virtual void bring_switch_back(std::size_t rack) = 0;
  /// Routes frames on the shortest paths of the topology, without dead trunks. A world needs to
  /// implement this only if links and switches can fail permanently.
  virtual void set_routes(const Topology& /* topology */) {}

  /// Starts workers with new transports. They end all activity under earlier ids, and begin with
  /// the registration's first iteration, at PSN 0. Their gradients must differ from the gradients
  /// under earlier ids, so that a contribution left over from one of these makes a wrong sum.
  virtual void start_workers(const Registration& registration, Time now) = 0;
  /// Starts server `index` of the job, with empty state.
  virtual void start_server(const Registration& registration, std::uint16_t index, Time now) = 0;
  /// Stops the host, which handles nothing until it is started again.
  virtual void stop(const JobHost& host, Time now) = 0;
  /// Pauses the host, which handles nothing until resume() is called, at `until` or later.
  virtual void pause(const JobHost& host, Time until, Time now) = 0;
  /// Ends the pause: the host handles the frames that arrived during it.
  virtual void resume(const JobHost& host, Time now) = 0;
  /// Announces that a fault may strike the host, or end, at `at`. Worlds need this if their hosts
  /// run ahead of the clock.
  virtual void expect(const JobHost& host, Time at) = 0;

  /// Reports an event. `host`: the worker that died or returned, or the server that restarted; in
  /// other events, the job's first server.
  virtual void job_event(JobEvent event, const JobHost& host) = 0;
};

/// Decides what happens to the jobs of a cluster; a ControlWorld carries it out. It registers jobs
/// at their switches and hosts. A job that cannot continue is registered again under a new id, and
/// repeats the first iteration that not all workers have ended (ATP A.4). A job that fails is
/// removed. The control plane also applies planned node faults, except faults of ended jobs.
class ControlPlane {
 public:
  struct Config {
    Topology topology = topology_of(Star{});    ///< default: one switch
    RootChoice root = RootChoice::server_leaf;  ///< unused if path_choice.by_flow
    wire::PathChoice path_choice = {};
    JobIds ids = {};  ///< ids of the registrations, in the order of registration
    wire::Levels levels = wire::Levels::one;
    /// Whether a rebooted switch gets its jobs back unchanged. If false, they are registered again.
    bool jobs_survive_reboots = true;

    /// Whether the job's frames may pass the switch. If switches add the job's gradients, the
    /// frames pass only the switches of its tree. Otherwise they may pass every switch.
    bool may_pass(const Registration& registration, SwitchIndex at) const {
      return path_choice.by_flow || registration.tree.passes(at);
    }
    /// Whether the switch may add gradients of some job, as the root or as a switch with workers.
    bool may_add_up(SwitchIndex at) const {
      const bool above_racks = root != RootChoice::server_leaf && !path_choice.by_flow;
      return topology.switches[at].height == 0 || above_racks;
    }
    /// The possible roots of a job, from find_roots(). If each flow has its own path, the only root
    /// is the switch of the first server or worker, whatever `root` is.
    std::vector<SwitchIndex> roots_of(const JobHosts& hosts) const;
    /// The root that the job's id selects from roots_of(). Throws std::invalid_argument if
    /// roots_of() is empty.
    SwitchIndex root_of(const Registration& registration) const;
    /// The job's tree with root `at`, which depends on the job's id. Throws as JobTree() does.
    JobTree tree_of(const Registration& registration, SwitchIndex at) const;
  };

  /// The world must outlive this.
  ControlPlane(const Config& config, ControlWorld& world);

  /// Registers a job; the first one is job 0. It finishes when all workers have ended `iterations`.
  void add_job(const JobHosts& hosts, std::uint32_t iterations, Time now);
  /// Call this when a worker has ended one more iteration under the job's present id.
  void iteration_ended(std::uint32_t job, std::uint16_t rank, Time now);

  /// Plans a fault, whose job must have been added. The fault strikes at fault.at. Faults with
  /// equal times strike in the order of the calls.
  void plan(const faults::PlannedNodeFault& fault);
  /// Time at which expire() is due; kNever if no fault has still to strike or end.
  Time deadline() const { return plan_.empty() ? kNever : plan_.begin()->first; }
  /// Begins and ends all faults that are due.
  void expire(Time now);

  /// Removes an ended job from the switches. Its hosts keep running.
  void remove_from_switches(std::uint32_t job);
  /// Removes an ended job from the switches, and stops its hosts.
  void remove(std::uint32_t job, Time now);

  std::size_t jobs() const { return jobs_.size(); }
  const Registration& registration(std::uint32_t job) const { return jobs_[job].registration; }
  /// Number of times that the job has been registered.
  std::uint32_t registrations(std::uint32_t job) const { return jobs_[job].registrations; }
  bool is_installed(std::uint32_t job, std::size_t rack) const {
    return jobs_[job].installed[rack];
  }
  JobStatus status(std::uint32_t job) const { return jobs_[job].status; }
  /// Time at which the job finished or failed.
  Time ended_at(std::uint32_t job) const { return jobs_[job].ended_at; }
  /// Whether the job's hosts were stopped permanently.
  bool is_removed(std::uint32_t job) const { return jobs_[job].removed; }
  bool all_ended() const;

 private:
  struct Job {
    Registration registration;
    std::uint32_t iterations = 1;
    std::uint32_t registrations = 0;
    std::vector<std::uint32_t> iterations_ended;  // by rank
    std::vector<bool> installed;                  // by switch
    JobStatus status = JobStatus::running;
    Time ended_at{};
    bool removed = false;
    std::map<std::uint16_t, Time> dead_until;         // by rank
    std::map<std::uint16_t, Time> server_down_until;  // by server index
    std::map<JobHost, Time> paused_until;

    bool running() const { return status == JobStatus::running; }
    JobHost server(std::uint16_t index = 0) const {
      return {registration.job, std::nullopt, index};
    }
    JobHost worker(std::uint16_t rank) const { return {registration.job, rank}; }
  };
  struct Switch {
    bool down = false;
    Time down_until{};
  };
  struct Due {
    faults::PlannedNodeFault fault;
    bool ends;
  };

  SwitchIndex choose_root(const Job& job) const;
  /// Number of workers of other running jobs whose frames pass the switch. All servers of a job
  /// together count as one worker, because the switch sends each sum to at most one server.
  std::size_t load_of_others(SwitchIndex at, const Job& job) const;
  void register_job(Job& job, Time now);
  void register_again(Job& job, Time now);
  void install(Job& job, std::size_t rack);
  void start_server(Job& job, std::uint16_t index, Time now);
  void uninstall(Job& job);
  void finish(Job& job, Time now);
  void fail(Job& job, JobStatus status, Time now);
  void stop_hosts(const Job& job, Time now);

  void expect(const faults::PlannedNodeFault& fault, Time at);
  void strike(const faults::PlannedNodeFault& fault, Time now);
  void strike_job(Job& job, const faults::PlannedNodeFault& fault, Time now);
  void end(const faults::PlannedNodeFault& fault, Time now);
  void end_of_job(Job& job, const faults::PlannedNodeFault& fault, Time now);
  void pause(Job& job, const JobHost& host, Time until, Time now);
  void resume(Job& job, const JobHost& host, Time now);
  void take_server_down(Job& job, std::uint16_t index, Time until, Time now);
  void restart_server(Job& job, std::uint16_t index, Time now);
  void kill(Job& job, std::uint16_t rank, Time until, Time now);
  void bring_back(Job& job, std::uint16_t rank, Time now);
  void take_switch_down(std::size_t rack, Time until);
  void bring_switch_back(std::size_t rack, Time now);
  void lose_link(std::size_t link, Time now);
  void cut_off(std::size_t machine);
  void lose_switch(SwitchIndex at, Time now);
  void find_ways_anew(Time now);
  void go_on_without(Job& job, Time now);
  bool is_cut_off(const JobHosts& hosts) const;
  bool has_ways_for_flows(const JobHosts& hosts) const;
  bool has_its_tree(const Registration& registration) const;

  Config config_;
  ControlWorld& world_;
  std::vector<Job> jobs_;
  std::vector<Switch> switches_;   // by SwitchIndex
  std::size_t registrations_ = 0;  // number of registrations of all jobs
  std::multimap<Time, Due> plan_;
  std::set<HostId> cut_off_;  // hosts whose link or switch is dead

  /// The complete state as long as no node is down and no fault is planned.
  BOOST_DESCRIBE_CLASS(ControlPlane, (), (), (), (jobs_, registrations_))
};

/// Sets the fields of a registration that follow from its id, its hosts and the root of its tree:
/// paths, tree and by_flow.
void lay_out(Registration& registration, const ControlPlane::Config& config, SwitchIndex root);

}  // namespace ina::cluster
