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
  worker_lost,  ///< failed, since a worker died for good
  cut_off,      ///< failed, since no way leads from a host of its to its tree's root
};
/// In the order of JobStatus, as in jobs.csv.
inline constexpr std::array<const char*, 5> kJobStatusNames = {"running", "finished", "killed",
                                                               "worker_lost", "cut_off"};
constexpr const char* name_of(JobStatus status) {
  return kJobStatusNames[static_cast<std::size_t>(status)];
}

/// Where a job runs.
struct JobHosts {
  std::vector<HostId> workers;                   ///< by rank
  std::vector<std::uint16_t> racks;              ///< theirs
  wire::JobServers servers;                      ///< none: the system has none
  std::vector<std::uint16_t> server_racks = {};  ///< theirs
};

/// A job under one id.
struct Registration {
  std::uint32_t job = 0;  ///< which one, in the order in which they were added
  JobId id = 0;           ///< in frames; of no other registration
  std::uint32_t first_iteration = 0;
  JobHosts hosts;
  std::vector<wire::AggregationPath> paths;  ///< of the workers' gradients
  JobTree tree;                              ///< of the switches that its frames pass
  bool by_flow = false;                      ///< each flow goes its own way; no switch adds up

  /// Whether its workers send each other, for want of servers and of switches that add up.
  bool is_among_workers() const { return by_flow && hosts.servers.empty(); }

  /// The workers whose gradients come to a switch.
  std::vector<HostId> workers_below(std::size_t at) const;

  WorkerIdentity worker(std::uint16_t rank) const;
  /// `index`: which of the job's servers. `psns_per_iteration`: as ServerIdentity has it.
  ServerIdentity server(std::uint16_t index, std::uint32_t psns_per_iteration) const;
};

/// A worker of a job, or one of its servers.
struct JobHost {
  std::uint32_t job = 0;
  std::optional<std::uint16_t> rank;  ///< none: a server
  std::uint16_t server = 0;           ///< of a server: which one

  friend auto operator<=>(const JobHost&, const JobHost&) = default;  // NOLINT: the 0 in it
};

/// What happened to a job, for those who report it.
enum class JobEvent : std::uint8_t {
  registered_again,
  worker_died,
  worker_returned,
  server_restarted,
  killed,    ///< and then it has failed
  failed,    ///< JobStatus says why
  finished,  ///< all workers ended the last iteration
};

/// Carries out what the control plane decides. Switches are named by their numbers, as a rack's is.
/// `now` is the time at which the decision was made.
class ControlWorld {
 public:
  virtual ~ControlWorld() = default;

  /// From now on the switch lets the members' frames in, knows the workers below it, and adds up
  /// their gradients.
  virtual void install_job(std::size_t rack, const Registration& registration) = 0;
  /// Of a switch that has the job: it lets none of its frames in, and frees its aggregators.
  virtual void remove_job(std::size_t rack, const Registration& registration) = 0;
  /// It forgets everything, the jobs too.
  virtual void take_switch_down(std::size_t rack) = 0;
  virtual void bring_switch_back(std::size_t rack) = 0;
  /// Frames take the shortest ways in what is left of the topology. For worlds in which links and
  /// switches fail for good.
  virtual void set_routes(const Topology& /* topology */) {}

  /// Workers with new transports and with other gradients than under any id before: a contribution
  /// that is left of another registration makes a wrong sum. They begin with the registration's
  /// first iteration, from PSN 0; whatever they do under another id ends.
  virtual void start_workers(const Registration& registration, Time now) = 0;
  /// A server that knows nothing, the job's `index`.
  virtual void start_server(const Registration& registration, std::uint16_t index, Time now) = 0;
  /// It handles nothing any more, unless it is started again.
  virtual void stop(const JobHost& host, Time now) = 0;
  /// It handles nothing until resume(), which comes at `until` or later.
  virtual void pause(const JobHost& host, Time until, Time now) = 0;
  /// It finds what came meanwhile.
  virtual void resume(const JobHost& host, Time now) = 0;
  /// Something may happen to the host at `at`: for worlds whose hosts run ahead of the clock.
  virtual void expect(const JobHost& host, Time at) = 0;

  /// `host`: the worker that died or returned, the server that restarted; of other events the job's
  /// first server.
  virtual void job_event(JobEvent event, const JobHost& host) = 0;
};

/// What runs the jobs of a cluster, as decisions without I/O: registers them at the switches and at
/// their hosts; registers them again under a fresh id where they cannot go on, from the iteration
/// that not all workers have ended (ATP A.4); removes those that fail. And strikes nodes with a
/// plan of faults. A fault of a job that has ended does nothing.
class ControlPlane {
 public:
  struct Config {
    Topology topology = topology_of(Star{});    ///< by default one switch
    RootChoice root = RootChoice::server_leaf;  ///< of jobs that are added up
    wire::PathChoice path_choice = {};
    JobIds ids = {};  ///< of the registrations, one after the other
    wire::Levels levels = wire::Levels::one;
    /// A switch that rebooted gets the jobs again as they are; otherwise they are registered again.
    bool jobs_survive_reboots = true;

    /// Whether the job's frames may pass the switch: flows may pass every one, a job that is added
    /// up those of its tree.
    bool may_pass(const Registration& registration, SwitchIndex at) const {
      return path_choice.by_flow || registration.tree.passes(at);
    }
    /// Whether jobs may have their roots there, or workers.
    bool may_add_up(SwitchIndex at) const {
      const bool above_racks = root != RootChoice::server_leaf && !path_choice.by_flow;
      return topology.switches[at].height == 0 || above_racks;
    }
    /// As find_roots() has them; of flows, which go by ways of their own, that of the first server
    /// or worker, whatever `root` says.
    std::vector<SwitchIndex> roots_of(const JobHosts& hosts) const;
    /// Of these the one that the job's id picks. Throws std::invalid_argument if there are none.
    SwitchIndex root_of(const Registration& registration) const;
    /// Under each id a job may take another way. Throws as JobTree.
    JobTree tree_of(const Registration& registration, SwitchIndex at) const;
  };

  /// The world must outlive it.
  ControlPlane(const Config& config, ControlWorld& world);

  /// Registers a job; the first one is job 0. It ends with `iterations` of each worker.
  void add_job(const JobHosts& hosts, std::uint32_t iterations, Time now);
  /// A worker ended one more iteration under the job's present id.
  void iteration_ended(std::uint32_t job, std::uint16_t rank, Time now);

  /// Of jobs that were added. Strikes at fault.at; of those at the same time the first one first.
  void plan(const faults::PlannedNodeFault& fault);
  /// When expire() wants to be called; kNever: no fault strikes or ends.
  Time deadline() const { return plan_.empty() ? kNever : plan_.begin()->first; }
  /// Does what is due.
  void expire(Time now);

  /// Takes a job that has ended off the switches; its hosts go on.
  void remove_from_switches(std::uint32_t job);
  /// And stops its hosts.
  void remove(std::uint32_t job, Time now);

  std::size_t jobs() const { return jobs_.size(); }
  const Registration& registration(std::uint32_t job) const { return jobs_[job].registration; }
  /// How often it was registered.
  std::uint32_t registrations(std::uint32_t job) const { return jobs_[job].registrations; }
  bool is_installed(std::uint32_t job, std::size_t rack) const {
    return jobs_[job].installed[rack];
  }
  JobStatus status(std::uint32_t job) const { return jobs_[job].status; }
  /// When it finished or failed.
  Time ended_at(std::uint32_t job) const { return jobs_[job].ended_at; }
  /// Whether its hosts were stopped for good.
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
    std::map<std::uint16_t, Time> server_down_until;  // by its index
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
  /// Workers whose frames pass the switch; the servers of a job, to which it sends each sum once at
  /// most, count as one more.
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
  std::size_t registrations_ = 0;  // of all jobs
  std::multimap<Time, Due> plan_;
  std::set<HostId> cut_off_;  // hosts whose link or switch is dead

  /// What decides on the next steps while no node is down and nothing is planned.
  BOOST_DESCRIBE_CLASS(ControlPlane, (), (), (), (jobs_, registrations_))
};

/// Fills in what follows from a registration's id and hosts, and from the root of its tree.
void lay_out(Registration& registration, const ControlPlane::Config& config, SwitchIndex root);

}  // namespace ina::cluster
