// SPDX-License-Identifier: BSD-3-Clause
#include "tests/campaigns/control_plane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <utility>

namespace ina::campaigns {

using faults::NodeFault;
using programs::AggregatorEvent;
using testing::ServerHost;
using testing::System;
using testing::TrainingWorker;

ControlPlane::ControlPlane(const testing::ClusterShape& shape,
                           const testing::StarNetwork::Config& network,
                           const MakeProgram& make_program, ValuePool& pool,
                           testing::Random& random, Counts& counts)
    : shape_(shape),
      make_program_(make_program),
      pool_(pool),
      random_(random),
      counts_(counts),
      switches_(1U + shape.leaves),
      network_(network, *(switches_.front().program = make_program_(shape_)), pool_, random_) {
  switches_.front().program->set_observer(this);
  network_.set_members(&switches_.front().members);
}

void ControlPlane::add_job(const testing::JobPlan& plan) {
  auto job = std::make_unique<Job>();
  job->plan = plan;
  job->place = static_cast<std::uint32_t>(jobs_.size());
  job->server = network_.add(silent_, fmt::format("server of {}", job->place));
  for (std::uint16_t rank = 0; rank < plan.workers; ++rank) {
    job->hosts.push_back(network_.add(silent_, fmt::format("worker {}.{}", job->place, rank)));
    const bool anywhere = shape_.leaves > 0;
    job->racks.push_back(anywhere ? static_cast<std::uint16_t>(random_.between(0, shape_.leaves))
                                  : std::uint16_t{0});
  }
  job->paths = wire::aggregation_paths(job->racks, shape_.leaves, shape_.levels);
  jobs_.push_back(std::move(job));
}

void ControlPlane::add_leaves() {
  for (std::uint16_t leaf = 0; leaf < shape_.leaves; ++leaf) {
    std::vector<HostId> hosts;
    for (const auto& job : jobs_) {
      for (std::size_t rank = 0; rank < job->hosts.size(); ++rank) {
        if (job->racks[rank] == leaf) hosts.push_back(job->hosts[rank]);
      }
    }
    Switch& at = switches_[leaf + 1U];
    at.program = make_program_(shape_);
    at.program->set_observer(this);
    at.at = network_.add_leaf(*at.program, fmt::format("leaf {}", leaf), hosts);
    network_.set_members(&at.members, at.at);
  }
}

void ControlPlane::add_hostile_host(const HostilePlan& plan) {
  hostile_ = std::make_unique<HostileHost>(shape_, plan.attack, plan.seed, pool_);
  if (!plan.job) {
    hostile_address_ = network_.add(silent_, "the hostile host");
    network_.move_under(hostile_address_, switches_[plan.at % switches_.size()].at);
  } else {
    hostile_job_ = jobs_[*plan.job].get();
    hostile_job_->hostile = true;
    hostile_address_ = plan.rank ? hostile_job_->hosts[*plan.rank] : hostile_job_->server;
    network_.call_at(plan.attack.end() + plan.afterwards,
                     [this] { end_hostile_job(*hostile_job_); });
  }
  hostile_->settle(hostile_address_, plan.hosts);
  network_.set_tap([this](const Frame& frame) { hostile_->hear(frame); });
  network_.replace(hostile_address_, *hostile_);
}

void ControlPlane::start() {
  for (const auto& job : jobs_) register_job(*job);
}

// ---- registrations

void ControlPlane::register_job(Job& job) {
  ++counts_.registrations;
  job.registrations.push_back(std::make_unique<Registration>());
  Registration& registration = job.current();
  registration.plan = job.plan;
  registration.plan.job = next_id_++;
  registration.plan.iterations = job.plan.iterations - job.iterations_done;
  // Of its own: a contribution that is left of the last registration makes a wrong sum.
  registration.plan.seed = random_.bits();
  network_.note(fmt::format("job {} is registered as {} for {} iterations", job.place, job.id(),
                            registration.plan.iterations));
  network_.set_workers(job.id(), job.hosts);
  for (Switch& at : switches_) install(job, at);
  if (job.hostile) tell_hostile_host(job);
  make_workers(job, registration);
  add_server(job, registration);
  begin_at_hosts(job, registration);
}

void ControlPlane::install(const Job& job, Switch& at) {
  if (network_.switch_is_down(at.at)) return;
  at.members.install(
      job.id(), job.hosts,
      shape_.system == System::switchml ? programs::MemberTable::kNobody : job.server, job.paths);
  at.program->install_job(job.id(), job_entry(shape_, job.plan.workers, job.server, job.place));
}

void ControlPlane::make_workers(Job& job, Registration& registration) {
  registration.unfinished = job.hosts.size();
  for (std::uint16_t rank = 0; rank < job.plan.workers; ++rank) {
    const WorkerIdentity identity{job.id(),        rank,       job.plan.workers,
                                  job.hosts[rank], job.server, job.paths[rank]};
    auto worker = std::make_unique<TrainingWorker>(
        testing::synthetic_table(), registration.plan, rank, network_, random_,
        [&](ResultSink& sink) { return make_worker(shape_, identity, pool_, sink); });
    worker->when_finished([this, &job, &registration] {
      if (--registration.unfinished == 0 && job.is_current(registration)) finish(job);
    });
    registration.workers.push_back(std::move(worker));
  }
}

void ControlPlane::add_server(const Job& job, Registration& registration) {
  auto server = make_server(shape_,
                            {job.id(), job.plan.workers, job.server, job.plan.psns_per_iteration(),
                             wire::branches(job.paths), job.hosts},
                            pool_);
  if (server == nullptr) return;
  registration.servers.push_back(std::make_unique<ServerHost>(std::move(server)));
}

void ControlPlane::begin_at_hosts(Job& job, Registration& registration) {
  if (!registration.servers.empty()) {
    network_.call_at(soon(), [this, &job, &registration] {
      const bool restarted = registration.servers.size() > 1;
      if (!job.is_current(registration) || restarted) return;
      put(job.server, *registration.servers.back());
    });
  }
  for (std::uint16_t rank = 0; rank < job.plan.workers; ++rank) {
    network_.call_at(soon(), [this, &job, &registration, rank] {
      if (!job.is_current(registration) || job.dead == rank) return;
      put(job.hosts[rank], *registration.workers[rank]);
      registration.workers[rank]->start(job.hosts[rank], network_.now());
    });
  }
}

/// Begins with the iteration that not all workers have done.
void ControlPlane::register_again(Job& job) {
  const auto& workers = job.current().workers;
  const auto slowest = std::min_element(workers.begin(), workers.end(), [](auto& a, auto& b) {
    return a->iterations_done() < b->iterations_done();
  });
  job.iterations_done += (*slowest)->iterations_done();
  remove_from_switches(job);
  register_job(job);
}

void ControlPlane::put(HostId address, testing::Host& host) {
  if (hostile_ == nullptr || address != hostile_address_) return network_.replace(address, host);
  hostile_->become(host);
  network_.replace(address, *hostile_);
}

void ControlPlane::tell_hostile_host(const Job& job) {
  HostileHost::Standing standing{job.id(), job.plan.workers, job.server, std::nullopt};
  const auto rank = std::ranges::find(job.hosts, hostile_address_);
  if (rank != job.hosts.end()) {
    standing.rank = static_cast<std::uint16_t>(rank - job.hosts.begin());
  }
  hostile_->stand(standing);
}

// ---- ends

void ControlPlane::finish(Job& job) {
  job.state = State::finished;
  ++counts_.jobs_finished;
  network_.note(fmt::format("job {} has finished", job.place));
  // A dead worker answers nobody who asks for fragments, even if nobody needs them.
  if (!removes_at_once_ && !job.dead) return;
  sweep(job);
  silence_hosts(job);
}

void ControlPlane::sweep(Job& job) {
  const std::uint64_t held = remove(job);
  if (!job.hostile) counts_.swept_late_copies += held;
}

void ControlPlane::fail(Job& job) {
  if (job.state != State::running) return;
  job.state = State::failed;
  ++counts_.jobs_failed;
  const std::uint64_t held = remove(job);
  network_.note(fmt::format("job {} has failed; it held {} aggregators", job.place, held));
  silence_hosts(job);
}

std::uint64_t ControlPlane::remove(Job& job) {
  job.removed = true;
  return remove_from_switches(job);
}

std::uint64_t ControlPlane::remove_from_switches(const Job& job) {
  std::uint64_t held = 0;
  for (Switch& at : switches_) {
    at.members.remove(job.id());
    if (!network_.switch_is_down(at.at)) held += at.program->remove_job(job.id());
  }
  return held;
}

/// Its servers and workers may wait for ever for what the hostile host began.
void ControlPlane::end_hostile_job(Job& job) {
  fail(job);
  if (!job.removed) remove(job);
  silence_hosts(job);
}

void ControlPlane::silence_hosts(Job& job) {
  const auto silence = [this](HostId host) {
    network_.call_at(soon(), [this, host] { put(host, silent_); });
  };
  silence(job.server);
  for (const HostId host : job.hosts) silence(host);
}

// ---- faults

void ControlPlane::strike(const NodeStrike& fault) {
  network_.note("fault " + in_words(fault));
  Job& job = *jobs_[fault.job];
  if (fault.kind == NodeFault::switch_reboots) {
    reboot(switches_[fault.rank % switches_.size()], fault.length);
  } else if (!job.removed) {
    strike_job(job, fault);
  }
}

void ControlPlane::strike_job(Job& job, const NodeStrike& fault) {
  const bool can_die = job.state == State::running && !job.dead;
  switch (fault.kind) {
    case NodeFault::worker_pauses:
      ++counts_.worker_pauses;
      network_.pause(job.hosts[fault.rank], after(fault.length));
      break;
    case NodeFault::server_pauses:
      ++counts_.server_pauses;
      network_.pause(job.server, after(fault.length));
      break;
    case NodeFault::server_restarts:
      restart_server(job, fault.length);
      break;
    case NodeFault::job_is_killed:
      if (job.state != State::running) break;
      ++counts_.jobs_killed;
      fail(job);
      break;
    default:
      if (can_die) kill_worker(job, fault);
  }
}

void ControlPlane::kill_worker(Job& job, const NodeStrike& fault) {
  job.dead = fault.rank;
  put(job.hosts[fault.rank], silent_);
  const bool returns = fault.kind == NodeFault::worker_returns;
  ++(returns ? counts_.workers_returned : counts_.workers_lost);
  network_.call_at(after(fault.length), [this, &job, returns] {
    if (job.state != State::running) return;
    if (!returns) return fail(job);
    job.dead.reset();
    register_again(job);
  });
}

void ControlPlane::restart_server(Job& job, Time length) {
  ++counts_.server_restarts;
  put(job.server, silent_);
  Registration& registration = job.current();
  network_.call_at(after(length), [this, &job, &registration] {
    if (!job.is_current(registration)) return;
    add_server(job, registration);
    put(job.server, *registration.servers.back());
  });
}

void ControlPlane::reboot(Switch& at, Time length) {
  if (network_.switch_is_down(at.at)) return;
  ++counts_.switch_reboots;
  network_.take_switch_down(at.at);
  network_.call_at(after(length), [this, &at] { start(at); });
}

void ControlPlane::start(Switch& at) {
  at.program = make_program_(shape_);
  at.program->set_observer(this);
  at.members = {};
  network_.start_switch(*at.program, at.at);
  network_.note("the switch is back");
  for (const auto& job : jobs_) {
    if (job->removed) continue;
    if (faults::jobs_survive_reboot(testing::protocol_of(shape_.system))) {
      install(*job, at);
    } else if (job->state == State::running && !job->dead) {
      register_again(*job);
    }
  }
}

// ---- what became of it

std::string ControlPlane::complaint() const {
  if (!hostile_deed_.empty()) return hostile_deed_;
  for (const auto& job : jobs_) {
    if (std::string complaint = complaint_of(*job); !complaint.empty()) return complaint;
  }
  return {};
}

std::string ControlPlane::complaint_of(const Job& job) const {
  if (job.hostile) return {};
  for (const auto& registration : job.registrations) {
    for (const auto& worker : registration->workers) {
      if (!worker->complaint().empty()) return worker->complaint();
    }
  }
  if (job.state == State::failed) return {};
  for (const auto& worker : job.current().workers) {
    if (std::string complaint = worker->verdict(); !complaint.empty()) return complaint;
  }
  if (job.state == State::running) return fmt::format("job {} did not end", job.place);
  if (job.removed || job.current().servers.empty()) return {};
  const std::size_t open = job.current().servers.back()->server().open_entries();
  if (open == 0) return {};
  return fmt::format("the server of job {} still has {} open entries", job.id(), open);
}

std::string ControlPlane::verdict() {
  if (std::string wrong = complaint(); !wrong.empty()) return wrong;
  for (const auto& job : jobs_) {
    if (!job->removed) sweep(*job);
  }
  for (const Switch& at : switches_) {
    if (at.program->occupied() == 0 && at.program->cells_in_use() == 0) continue;
    return fmt::format("{} aggregators are in use by no job, {} by the events",
                       at.program->cells_in_use(), at.program->occupied());
  }
  return {};
}

void ControlPlane::count_hosts() {
  if (hostile_ != nullptr) counts_.forged = hostile_->forged();
  for (const auto& job : jobs_) {
    for (const auto& registration : job->registrations) {
      for (const auto& worker : registration->workers) {
        counts_.retransmissions += worker->statistics().retransmissions;
        counts_.foreign_results += worker->statistics().foreign_frames;
      }
      for (const auto& server : registration->servers) {
        counts_.overflows += server->server().statistics().overflows;
        counts_.reminders += server->server().statistics().reminders;
      }
    }
  }
}

void ControlPlane::forget_hosts() {
  jobs_.clear();
  hostile_.reset();
}

void ControlPlane::aggregator_event(AggregatorEvent event, JobId job, Psn psn,
                                    std::uint32_t aggregator_index) {
  if (event == AggregatorEvent::collided) ++counts_.collisions;
  if (event == AggregatorEvent::preempted) ++counts_.preemptions;
  if (hostile_ != nullptr) watch_hostile_host(event, job, aggregator_index);
  if (!network_.is_told()) return;
  network_.note(fmt::format("aggregator {}: {}, job {}, PSN {}", aggregator_index,
                            programs::kAggregatorEventNames[static_cast<std::size_t>(event)], job,
                            psn));
}

/// Another job's aggregator may be driven out by a packet of the hostile host's own job, as by any
/// job's: its sum goes to its server. Or it has expired.
void ControlPlane::watch_hostile_host(AggregatorEvent event, JobId job,
                                      std::uint32_t aggregator_index) {
  const auto place = network_.place();
  if (!place) return;  // the control plane's doing
  Time& touched = touched_[{place->at, aggregator_index}];
  const bool evicted = event == AggregatorEvent::freed && just_evicted_ == aggregator_index;
  just_evicted_.reset();
  if (event == AggregatorEvent::evicted) just_evicted_ = aggregator_index;
  if (event == AggregatorEvent::allocated || event == AggregatorEvent::added ||
      event == AggregatorEvent::duplicate) {
    touched = network_.now();
  }
  const bool its_frame = place->ingress == hostile_address_ || place->source == hostile_address_;
  if (event != AggregatorEvent::freed || evicted || !its_frame) return;
  const bool expired = network_.now() - touched > shape_.aggregator_expiry;
  if (is_hostile(job) || expired || !hostile_deed_.empty()) return;
  hostile_deed_ = fmt::format("the hostile host freed aggregator {} of job {} at {}",
                              aggregator_index, job, testing::in_words(network_.now()));
}

bool ControlPlane::is_hostile(JobId id) const {
  return hostile_job_ != nullptr &&
         std::ranges::any_of(hostile_job_->registrations, [id](const auto& registration) {
           return registration->plan.job == id;
         });
}

void ControlPlane::tell_jobs(std::ostream& out) const {
  for (const auto& job : jobs_) {
    out << fmt::format("job {}: {} workers, {} iterations, tensors of {} fragments\n", job->place,
                       job->plan.workers, job->plan.iterations,
                       fmt::join(job->plan.tensors, " + "));
  }
}

}  // namespace ina::campaigns
