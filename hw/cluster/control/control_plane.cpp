// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/control/control_plane.hpp"

#include <algorithm>
#include <stdexcept>

#include "hw/cluster/network/cheapest.hpp"
#include "hw/protocol/wire/limits.hpp"

namespace ina::cluster {

using faults::NodeFault;
using faults::PlannedNodeFault;

namespace {

/// Hash level for choosing a root. Paths are hashed with the heights of switches, and no switch is
/// this high.
constexpr std::uint8_t kOfRoots = 0xff;

std::uint16_t servers_of(const JobHosts& hosts) {
  return static_cast<std::uint16_t>(hosts.servers.count());
}

/// Switches at the receiving ends of a job's flows.
const std::vector<SwitchIndex>& ends_of_flows(const JobHosts& hosts) {
  return hosts.server_racks.empty() ? hosts.racks : hosts.server_racks;
}

std::vector<SwitchIndex> some_roots(const ControlPlane::Config& config, const JobHosts& hosts) {
  std::vector<SwitchIndex> roots = config.roots_of(hosts);
  if (roots.empty()) throw std::invalid_argument("no switch can be the root of a job's tree");
  return roots;
}

/// Picks a root by the job's id.
SwitchIndex pick_one(const std::vector<SwitchIndex>& roots, const ControlPlane::Config& config,
                     const Registration& registration) {
  return roots[wire::pick(config.path_choice.of_job(registration.id), kOfRoots, roots.size())];
}

}  // namespace

std::vector<HostId> Registration::workers_below(std::size_t at) const {
  std::vector<HostId> below;
  for (const MemberBelow& worker : tree.workers_below(static_cast<SwitchIndex>(at))) {
    below.push_back(hosts.workers[worker.number]);
  }
  return below;
}

WorkerIdentity Registration::worker(std::uint16_t rank) const {
  return {id,
          rank,
          static_cast<std::uint16_t>(hosts.workers.size()),
          hosts.workers[rank],
          hosts.servers,
          paths[rank],
          is_among_workers() ? hosts.workers : std::vector<HostId>()};
}

ServerIdentity Registration::server(std::uint16_t index, std::uint32_t psns_per_iteration) const {
  return {id,
          static_cast<std::uint16_t>(hosts.workers.size()),
          hosts.servers.host(index),
          psns_per_iteration,
          hosts.workers,
          paths,
          hosts.servers};
}

std::vector<SwitchIndex> ControlPlane::Config::roots_of(const JobHosts& hosts) const {
  if (path_choice.by_flow) return {ends_of_flows(hosts).front()};
  return find_roots(topology, root, hosts.racks, hosts.server_racks);
}

SwitchIndex ControlPlane::Config::root_of(const Registration& registration) const {
  return pick_one(some_roots(*this, registration.hosts), *this, registration);
}

JobTree ControlPlane::Config::tree_of(const Registration& registration, SwitchIndex at) const {
  const JobHosts& hosts = registration.hosts;
  return {topology, at, hosts.racks,
          path_choice.by_flow ? std::vector<SwitchIndex>() : hosts.server_racks,
          path_choice.of_job(registration.id)};
}

void lay_out(Registration& registration, const ControlPlane::Config& config, SwitchIndex root) {
  registration.paths = wire::aggregation_paths(registration.hosts.racks, root, config.levels);
  registration.tree = config.tree_of(registration, root);
  registration.by_flow = config.path_choice.by_flow;
}

ControlPlane::ControlPlane(const Config& config, ControlWorld& world)
    : config_(config), world_(world), switches_(config.topology.switches.size()) {}

// ---- registrations

void ControlPlane::add_job(const JobHosts& hosts, std::uint32_t iterations, Time now) {
  Job job;
  job.registration.job = static_cast<std::uint32_t>(jobs_.size());
  job.registration.hosts = hosts;
  job.iterations = iterations;
  job.iterations_ended.resize(hosts.workers.size());
  job.installed.resize(switches_.size());
  jobs_.push_back(job);
  register_job(jobs_.back(), now);
}

SwitchIndex ControlPlane::choose_root(const Job& job) const {
  if (config_.root != RootChoice::least_loaded) return config_.root_of(job.registration);
  Cheapest<SwitchIndex, std::size_t> least_loaded;
  for (const SwitchIndex root : some_roots(config_, job.registration.hosts)) {
    least_loaded.offer(root, load_of_others(root, job));
  }
  return pick_one(least_loaded.candidates(), config_, job.registration);
}

std::size_t ControlPlane::load_of_others(SwitchIndex at, const Job& job) const {
  std::size_t load = 0;
  for (const Job& other : jobs_) {
    if (&other == &job || !other.running()) continue;
    const JobTree& tree = other.registration.tree;
    load += tree.workers_below(at).size() + (tree.servers_below(at).empty() ? 0 : 1);
  }
  return load;
}

/// All workers start at the same iteration. Workers that are ahead therefore repeat iterations.
void ControlPlane::register_job(Job& job, Time now) {
  if (registrations_ == wire::kMaxJobs) throw std::length_error("no job ids are left");
  job.registration.id = config_.ids.at(registrations_++);
  job.registration.first_iteration = std::ranges::min(job.iterations_ended);
  std::ranges::fill(job.iterations_ended, job.registration.first_iteration);
  ++job.registrations;
  lay_out(job.registration, config_, choose_root(job));
  for (std::size_t rack = 0; rack < switches_.size(); ++rack) install(job, rack);
  world_.start_workers(job.registration, now);
  for (std::uint16_t i = 0; i < servers_of(job.registration.hosts); ++i) start_server(job, i, now);
}

void ControlPlane::register_again(Job& job, Time now) {
  uninstall(job);
  register_job(job, now);
  world_.job_event(JobEvent::registered_again, job.server());
}

void ControlPlane::install(Job& job, std::size_t rack) {
  const auto at = static_cast<SwitchIndex>(rack);
  if (!config_.may_pass(job.registration, at) || switches_[rack].down) return;
  world_.install_job(rack, job.registration);
  job.installed[rack] = true;
}

void ControlPlane::start_server(Job& job, std::uint16_t index, Time now) {
  if (!job.server_down_until.contains(index)) world_.start_server(job.registration, index, now);
}

void ControlPlane::uninstall(Job& job) {
  for (std::size_t rack = 0; rack < switches_.size(); ++rack) {
    if (!job.installed[rack]) continue;
    world_.remove_job(rack, job.registration);
    job.installed[rack] = false;
  }
}

// ---- ends

void ControlPlane::iteration_ended(std::uint32_t number, std::uint16_t rank, Time now) {
  Job& job = jobs_[number];
  ++job.iterations_ended[rank];
  if (job.running() && std::ranges::min(job.iterations_ended) == job.iterations) finish(job, now);
}

void ControlPlane::finish(Job& job, Time now) {
  job.status = JobStatus::finished;
  job.ended_at = now;
  world_.job_event(JobEvent::finished, job.server());
  // A server may still request fragments that no worker needs any more, and dead workers cannot
  // answer.
  if (!job.dead_until.empty()) remove(job.registration.job, now);
}

void ControlPlane::fail(Job& job, JobStatus status, Time now) {
  job.status = status;
  job.ended_at = now;
  remove(job.registration.job, now);
  world_.job_event(JobEvent::failed, job.server());
}

void ControlPlane::remove_from_switches(std::uint32_t job) { uninstall(jobs_[job]); }

void ControlPlane::remove(std::uint32_t number, Time now) {
  Job& job = jobs_[number];
  if (job.removed) return;
  job.removed = true;
  uninstall(job);
  stop_hosts(job, now);
}

void ControlPlane::stop_hosts(const Job& job, Time now) {
  const std::size_t workers = job.registration.hosts.workers.size();
  for (std::size_t rank = 0; rank < workers; ++rank) {
    world_.stop(job.worker(static_cast<std::uint16_t>(rank)), now);
  }
  for (std::uint16_t i = 0; i < servers_of(job.registration.hosts); ++i) {
    world_.stop(job.server(i), now);
  }
}

bool ControlPlane::all_ended() const { return std::ranges::none_of(jobs_, &Job::running); }

// ---- faults, in time

void ControlPlane::plan(const PlannedNodeFault& fault) {
  plan_.emplace(fault.at, Due{fault, false});
  expect(fault, fault.at);
  if (!faults::lasts(fault.fault)) return;
  plan_.emplace(fault.end(), Due{fault, true});
  expect(fault, fault.end());
}

/// Announces the fault to all hosts that it may affect.
void ControlPlane::expect(const PlannedNodeFault& fault, Time at) {
  for (const Job& job : jobs_) {
    if (faults::strikes_job(fault.fault) && job.registration.job != fault.job) continue;
    const std::size_t workers = job.registration.hosts.workers.size();
    for (std::size_t rank = 0; rank < workers; ++rank) {
      world_.expect(job.worker(static_cast<std::uint16_t>(rank)), at);
    }
    for (std::uint16_t i = 0; i < servers_of(job.registration.hosts); ++i) {
      world_.expect(job.server(i), at);
    }
  }
}

void ControlPlane::expire(Time now) {
  while (deadline() <= now) {
    const Due due = plan_.begin()->second;
    plan_.erase(plan_.begin());
    if (due.ends) {
      end(due.fault, now);
    } else {
      strike(due.fault, now);
    }
  }
}

void ControlPlane::strike(const PlannedNodeFault& fault, Time now) {
  if (faults::is_for_good(fault.fault)) {
    if (fault.fault == NodeFault::switch_fails) take_switch_down(fault.rack, kNever);
  } else if (!faults::strikes_job(fault.fault)) {
    take_switch_down(fault.rack, fault.end());
  } else if (jobs_[fault.job].running()) {
    strike_job(jobs_[fault.job], fault, now);
  }
}

void ControlPlane::strike_job(Job& job, const PlannedNodeFault& fault, Time now) {
  switch (fault.fault) {
    case NodeFault::worker_pauses:
      pause(job, job.worker(fault.worker), fault.end(), now);
      break;
    case NodeFault::server_pauses:
      pause(job, job.server(fault.server), fault.end(), now);
      break;
    case NodeFault::server_restarts:
      take_server_down(job, fault.server, fault.end(), now);
      break;
    case NodeFault::worker_returns:
    case NodeFault::worker_is_lost:
      kill(job, fault.worker, fault.end(), now);
      break;
    case NodeFault::job_is_killed:
      world_.job_event(JobEvent::killed, job.server());
      fail(job, JobStatus::killed, now);
      break;
    case NodeFault::switch_reboots:
    case NodeFault::link_fails:
    case NodeFault::switch_fails:
      break;  // does not strike a job
  }
}

void ControlPlane::end(const PlannedNodeFault& fault, Time now) {
  if (fault.fault == NodeFault::link_fails) {
    lose_link(fault.link, now);
  } else if (fault.fault == NodeFault::switch_fails) {
    lose_switch(fault.rack, now);
  } else if (!faults::strikes_job(fault.fault)) {
    bring_switch_back(fault.rack, now);
  } else {
    end_of_job(jobs_[fault.job], fault, now);
  }
}

/// Ends a fault of a job. A pause ends even if the job has ended before.
void ControlPlane::end_of_job(Job& job, const PlannedNodeFault& fault, Time now) {
  if (fault.fault == NodeFault::worker_pauses) return resume(job, job.worker(fault.worker), now);
  if (fault.fault == NodeFault::server_pauses) return resume(job, job.server(fault.server), now);
  if (!job.running()) return;
  if (fault.fault == NodeFault::server_restarts) return restart_server(job, fault.server, now);
  if (fault.fault == NodeFault::worker_returns) return bring_back(job, fault.worker, now);
  fail(job, JobStatus::worker_lost, now);
}

// ---- faults, by kind; if several overlap, the longest one counts

void ControlPlane::pause(Job& job, const JobHost& host, Time until, Time now) {
  Time& paused_until = job.paused_until[host];
  paused_until = std::max(paused_until, until);
  world_.pause(host, paused_until, now);
}

void ControlPlane::resume(Job& job, const JobHost& host, Time now) {
  const auto paused = job.paused_until.find(host);
  if (paused == job.paused_until.end() || now < paused->second) return;
  job.paused_until.erase(paused);
  world_.resume(host, now);
}

void ControlPlane::take_server_down(Job& job, std::uint16_t index, Time until, Time now) {
  Time& down_until = job.server_down_until[index];
  down_until = std::max(down_until, until);
  world_.stop(job.server(index), now);
}

void ControlPlane::restart_server(Job& job, std::uint16_t index, Time now) {
  const auto down = job.server_down_until.find(index);
  if (down == job.server_down_until.end() || now < down->second) return;
  job.server_down_until.erase(down);
  start_server(job, index, now);
  world_.job_event(JobEvent::server_restarted, job.server(index));
}

void ControlPlane::kill(Job& job, std::uint16_t rank, Time until, Time now) {
  Time& dead_until = job.dead_until[rank];
  dead_until = std::max(dead_until, until);
  world_.stop(job.worker(rank), now);
  world_.job_event(JobEvent::worker_died, job.worker(rank));
}

/// The job waits until all its dead workers have returned.
void ControlPlane::bring_back(Job& job, std::uint16_t rank, Time now) {
  const auto dead = job.dead_until.find(rank);
  if (dead == job.dead_until.end() || now < dead->second) return;
  job.dead_until.erase(dead);
  world_.job_event(JobEvent::worker_returned, job.worker(rank));
  if (job.dead_until.empty()) register_again(job, now);
}

void ControlPlane::take_switch_down(std::size_t rack, Time until) {
  Switch& at = switches_[rack];
  at.down_until = std::max(at.down_until, until);
  if (all_ended() || at.down) return;
  at.down = true;
  world_.take_switch_down(rack);
  for (Job& job : jobs_) job.installed[rack] = false;
}

void ControlPlane::bring_switch_back(std::size_t rack, Time now) {
  Switch& at = switches_[rack];
  if (!at.down || now < at.down_until) return;
  at.down = false;
  world_.bring_switch_back(rack);
  for (Job& job : jobs_) {
    if (job.removed || !config_.may_pass(job.registration, static_cast<SwitchIndex>(rack)))
      continue;
    if (config_.jobs_survive_reboots) {
      install(job, rack);
    } else if (job.running() && job.dead_until.empty()) {
      register_again(job, now);
    }
  }
}

// ---- permanent failures

void ControlPlane::lose_link(std::size_t link, Time now) {
  std::vector<Topology::Trunk>& trunks = config_.topology.trunks;
  if (link < trunks.size()) {
    trunks[link].dead = true;
  } else {
    cut_off(link - trunks.size());
  }
  find_ways_anew(now);
}

void ControlPlane::cut_off(std::size_t machine) {
  cut_off_.insert(static_cast<HostId>(machine));
  const std::vector<std::uint32_t>& machine_of = config_.topology.machine_of;
  for (std::size_t host = 0; host < machine_of.size(); ++host) {
    if (machine_of[host] == machine) cut_off_.insert(static_cast<HostId>(host));
  }
}

void ControlPlane::lose_switch(SwitchIndex at, Time now) {
  Topology& topology = config_.topology;
  for (Topology::Trunk& trunk : topology.trunks) {
    trunk.dead = trunk.dead || trunk.ends_at(at);
  }
  for (std::size_t host = 0; host < topology.switch_of.size(); ++host) {
    if (topology.switch_of[host] == at) cut_off_.insert(static_cast<HostId>(host));
  }
  find_ways_anew(now);
}

void ControlPlane::find_ways_anew(Time now) {
  if (all_ended()) return;
  world_.set_routes(config_.topology);
  for (Job& job : jobs_) {
    if (job.running()) go_on_without(job, now);
  }
}

/// Registers a job again if its tree has lost a trunk. A job with a dead worker waits until the
/// worker is back. If flows are routed independently, hosts retransmit lost packets instead.
void ControlPlane::go_on_without(Job& job, Time now) {
  if (is_cut_off(job.registration.hosts)) return fail(job, JobStatus::cut_off, now);
  if (config_.path_choice.by_flow || !job.dead_until.empty()) return;
  if (!has_its_tree(job.registration)) register_again(job, now);
}

bool ControlPlane::is_cut_off(const JobHosts& hosts) const {
  const auto is_cut_off = [this](HostId host) { return cut_off_.contains(host); };
  if (std::ranges::any_of(hosts.workers, is_cut_off) ||
      std::ranges::any_of(hosts.servers.hosts(), is_cut_off)) {
    return true;
  }
  return config_.path_choice.by_flow ? !has_ways_for_flows(hosts) : config_.roots_of(hosts).empty();
}

/// Whether there are paths from each worker to each server, or between all workers.
bool ControlPlane::has_ways_for_flows(const JobHosts& hosts) const {
  const LiveTrunks trunks(config_.topology);
  const std::vector<SwitchIndex>& ends = ends_of_flows(hosts);
  return std::ranges::all_of(std::set(ends.begin(), ends.end()), [&](SwitchIndex end) {
    const ShortestPaths paths(config_.topology, trunks, end);
    return std::ranges::all_of(hosts.racks,
                               [&](SwitchIndex at) { return paths.trunks(at).has_value(); });
  });
}

/// Whether the job can keep its tree. A new choice could find another root.
bool ControlPlane::has_its_tree(const Registration& registration) const {
  const Topology& topology = config_.topology;
  for (std::size_t at = 0; at < topology.switches.size(); ++at) {
    const auto up = registration.tree.up(static_cast<SwitchIndex>(at));
    if (up && topology.trunks[*up].dead) return false;
  }
  return true;
}

}  // namespace ina::cluster
