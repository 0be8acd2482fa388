// SPDX-License-Identifier: BSD-3-Clause
#include "tests/campaigns/network_world.hpp"
#include "hw/cluster/spec/spec.hpp"
#include "hw/cluster/systems/all.hpp"
#include "hw/cluster/topologies/star.hpp"
#include "switch-models/systems/job_place.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <utility>

namespace ina::campaigns {

using cluster::ControlPlane;
using cluster::JobEvent;
using cluster::JobHost;
using cluster::JobStatus;
using cluster::Registration;
using faults::NodeFault;
using programs::AggregatorEvent;
using testing::JobInTraining;
using testing::ServerHost;
using testing::TrainingHost;

namespace {

constexpr Time kMostControlDelay = std::chrono::microseconds(200);

/// Ids are assigned in order, because control mistakes rely on it and hostile hosts guess ids.
cluster::ControlPlane::Config control_of(const testing::ClusterShape& shape) {
  cluster::ControlPlane::Config config =
      cluster::control_of(shape.settings().hosts(shape.system),
                          cluster::topology_of(cluster::Star{.racks = shape.leaves + 1U}),
                          cluster::RootChoice::server_leaf, 0, 1);
  config.ids = cluster::JobIds();
  return config;
}

}  // namespace

NetworkWorld::NetworkWorld(const testing::ClusterShape& shape,
                           const testing::StarNetwork::Config& network, const Setting& setting,
                           ValuePool& pool, testing::Random& random, Counts& counts)
    : shape_(shape),
      setting_(setting),
      pool_(pool),
      random_(random),
      counts_(counts),
      network_(network, make_program(), pool_, random_),
      switches_(1U + shape.leaves, testing::StarNetwork::kMiddle),
      mistaken_(setting.make_control_mistake ? setting.make_control_mistake(*this) : nullptr),
      control_(control_of(shape), mistaken_ ? *mistaken_ : *this) {}

void NetworkWorld::add_job(const testing::JobPlan& plan) {
  Job job;
  const std::size_t number = jobs_.size();
  job.plan = plan;
  for (std::uint16_t index = 0; index < shape_.servers; ++index) {
    job.servers.push_back(network_.add(silent_, fmt::format("server {}.{}", number, index)));
  }
  for (std::uint16_t rank = 0; rank < plan.workers; ++rank) {
    job.workers.push_back(network_.add(silent_, fmt::format("worker {}.{}", number, rank)));
    job.racks.push_back(draw_rack(job.racks));
  }
  jobs_.push_back(std::move(job));
}

/// Draws the rack of a job's next worker, among racks with a free position. At the root, each
/// worker and each leaf takes a branch.
std::uint16_t NetworkWorld::draw_rack(const std::vector<std::uint16_t>& taken) {
  if (shape_.leaves == 0) return 0;
  auto rack = static_cast<std::uint16_t>(random_.between(0, shape_.leaves));
  const auto room = [&](std::uint16_t at) {
    return at == shape_.leaves ? wire::kMaxBranches - shape_.leaves : wire::kMaxWorkersPerSwitch;
  };
  while (std::cmp_greater_equal(std::ranges::count(taken, rack), room(rack))) {
    rack = static_cast<std::uint16_t>((rack + 1U) % (shape_.leaves + 1U));
  }
  return rack;
}

void NetworkWorld::add_leaves() {
  for (std::uint16_t leaf = 0; leaf < shape_.leaves; ++leaf) {
    std::vector<HostId> hosts;
    for (const Job& job : jobs_) {
      for (std::size_t rank = 0; rank < job.workers.size(); ++rank) {
        if (job.racks[rank] == leaf) hosts.push_back(job.workers[rank]);
      }
    }
    switches_[leaf] = network_.add_leaf(make_program(), fmt::format("leaf {}", leaf), hosts);
  }
}

void NetworkWorld::add_hostile_host(const HostilePlan& plan) {
  hostile_ = std::make_unique<HostileHost>(shape_, plan.attack, plan.seed, pool_);
  if (!plan.job) {
    hostile_address_ = network_.add(silent_, "the hostile host");
    network_.move_under(hostile_address_, switches_[plan.at % switches_.size()]);
  } else {
    Job& job = jobs_[*plan.job];
    hostile_job_ = plan.job;
    job.hostile = true;
    hostile_address_ = plan.rank ? job.workers[*plan.rank] : job.servers.front();
    network_.call_at(plan.attack.end() + plan.afterwards, [this] { end_hostile_job(); });
  }
  hostile_->settle(hostile_address_, plan.hosts);
  network_.set_tap([this](const Frame& frame) { hostile_->hear(frame); });
  network_.replace(hostile_address_, *hostile_);
}

void NetworkWorld::start() {
  for (const Job& job : jobs_) {
    const bool has_server = cluster::traits_of(shape_.system).has_servers;
    const wire::JobServers servers =
        has_server ? wire::JobServers(job.servers) : wire::JobServers();
    control_.add_job({job.workers, job.racks, servers,
                      std::vector<std::uint16_t>(servers.count(), shape_.leaves)},
                     job.plan.iterations, network_.now());
  }
}

void NetworkWorld::strike(const NodeStrike& fault) {
  network_.note("fault " + in_words(fault));
  const Time now = network_.now();
  control_.plan({{.fault = fault.kind,
                  .at = now,
                  .duration = fault.length,
                  .job = fault.job,
                  .worker = fault.rank,
                  .server = static_cast<std::uint16_t>(fault.rank % shape_.servers)},
                 static_cast<std::uint16_t>(fault.rank % switches_.size())});
  control_.expire(now);
  if (faults::lasts(fault.kind)) {
    network_.call_at(now + fault.length, [this] { control_.expire(network_.now()); });
  }
}

// ---- switches

std::unique_ptr<programs::SwitchProgram> NetworkWorld::make_program() {
  auto program = setting_.make_program(shape_);
  program->set_observer(this);
  return program;
}

void NetworkWorld::install_job(std::size_t rack, const Registration& registration) {
  const systems::JobPlace place =
      systems::place_of(registration, static_cast<cluster::SwitchIndex>(rack));
  network_.install_job(registration.id,
                       place.complete(job_entry(shape_, place.contributions, place.members.servers,
                                                registration.job)),
                       place.members, switches_[rack]);
}

void NetworkWorld::remove_job(std::size_t rack, const Registration& registration) {
  const std::uint64_t held = network_.node(switches_[rack]).remove_job(registration.id);
  const bool finished = control_.status(registration.job) == JobStatus::finished;
  if (finished && !jobs_[registration.job].hostile) counts_.swept_late_copies += held;
}

void NetworkWorld::take_switch_down(std::size_t rack) {
  ++counts_.switch_reboots;
  network_.node(switches_[rack]).go_down(make_program());
}

void NetworkWorld::bring_switch_back(std::size_t rack) {
  network_.node(switches_[rack]).come_back();
  network_.note("the switch is back");
}

// ---- hosts

HostId NetworkWorld::address_of(const JobHost& host) const {
  const Job& job = jobs_[host.job];
  return host.rank ? job.workers[*host.rank] : job.servers[host.server];
}

void NetworkWorld::put(HostId address, testing::Host& host) {
  if (address >= occupants_.size()) occupants_.resize(address + std::size_t{1});
  ++occupants_[address];
  if (hostile_ == nullptr || address != hostile_address_) return network_.replace(address, host);
  hostile_->become(host);
  network_.replace(address, *hostile_);
}

void NetworkWorld::put_soon(HostId address, testing::Host& host, std::function<void()> begin) {
  if (address >= occupants_.size()) occupants_.resize(address + std::size_t{1});
  const std::uint32_t occupant = ++occupants_[address];
  network_.call_at(network_.now() + random_.between(Time::zero(), kMostControlDelay),
                   [this, address, &host, occupant, begin = std::move(begin)] {
                     if (occupants_[address] != occupant) return;
                     begin();
                     put(address, host);
                   });
}

void NetworkWorld::start_workers(const Registration& registration, Time) {
  Job& job = jobs_[registration.job];
  ++counts_.registrations;
  network_.note(fmt::format("job {} is registered as {} from iteration {}", registration.job,
                            registration.id, registration.first_iteration));
  if (job.hostile) tell_hostile_host(registration);
  job.registrations.emplace_back();
  Hosts& hosts = job.registrations.back();
  hosts.serving.resize(job.servers.size());
  // Each registration has different gradients, so that a contribution of an earlier registration
  // makes a sum wrong.
  hosts.training =
      std::make_unique<JobInTraining>(job.plan, registration.id, random_.bits(), shape_.width);
  make_workers(registration, hosts);
  for (std::size_t rank = 0; rank < job.workers.size(); ++rank) {
    TrainingHost& worker = *hosts.workers[rank];
    put_soon(job.workers[rank], worker, [this, &worker, first = registration.first_iteration] {
      worker.begin(first, network_.now());
    });
  }
}

void NetworkWorld::make_workers(const Registration& registration, Hosts& hosts) {
  const std::uint32_t number = registration.job;
  const std::size_t index = jobs_[number].registrations.size() - 1;
  for (std::uint16_t rank = 0; rank < registration.hosts.workers.size(); ++rank) {
    auto worker =
        std::make_unique<TrainingHost>(*hosts.training, rank, random_, [&](ResultSink& sink) {
          return setting_.make_worker(shape_, registration.worker(rank), pool_, sink);
        });
    worker->when_iteration_ends(
        [this, number, index, rank](Time) { iteration_ended(number, index, rank); });
    hosts.workers.push_back(std::move(worker));
  }
}

/// Workers of an earlier registration may continue for a while. Their iterations do not count.
void NetworkWorld::iteration_ended(std::uint32_t job, std::size_t registration,
                                   std::uint16_t rank) {
  if (registration + 1 != jobs_[job].registrations.size() || control_.is_removed(job)) return;
  control_.iteration_ended(job, rank, network_.now());
  const bool finished = control_.status(job) == JobStatus::finished;
  if (finished && removes_at_once_) control_.remove(job, network_.now());
}

void NetworkWorld::start_server(const Registration& registration, std::uint16_t index, Time) {
  Job& job = jobs_[registration.job];
  Hosts& hosts = job.registrations.back();
  const std::uint32_t psns = hosts.training->training.partitions.fragments_per_iteration();
  hosts.servers.push_back(
      std::make_unique<ServerHost>(make_server(shape_, registration.server(index, psns), pool_)));
  hosts.serving[index] = hosts.servers.back().get();
  put_soon(job.servers[index], *hosts.servers.back());
}

/// Stops a host. A host that dies is gone at once. A host whose job has ended is notified later.
void NetworkWorld::stop(const JobHost& host, Time) {
  if (!host.rank) jobs_[host.job].registrations.back().serving[host.server] = nullptr;
  if (control_.is_removed(host.job)) {
    put_soon(address_of(host), silent_);
  } else {
    put(address_of(host), silent_);
  }
}

void NetworkWorld::pause(const JobHost& host, Time, Time) {
  ++(host.rank ? counts_.worker_pauses : counts_.server_pauses);
  network_.pause(address_of(host));
}

void NetworkWorld::resume(const JobHost& host, Time) { network_.resume(address_of(host)); }

void NetworkWorld::tell_hostile_host(const Registration& registration) {
  const Job& job = jobs_[registration.job];
  HostileHost::Standing standing{
      registration.id, job.plan.workers, registration.hosts.servers, std::nullopt, {}};
  const auto rank = std::ranges::find(job.workers, hostile_address_);
  if (rank != job.workers.end()) {
    standing.rank = static_cast<std::uint16_t>(rank - job.workers.begin());
    standing.path = registration.paths[*standing.rank];
  }
  hostile_->stand(standing);
}

/// Servers and workers of the job may wait forever for something that the hostile host began.
void NetworkWorld::end_hostile_job() {
  const Time now = network_.now();
  control_.plan({{.fault = NodeFault::job_is_killed, .at = now, .job = *hostile_job_}});
  control_.expire(now);
  control_.remove(*hostile_job_, now);
}

// ---- outcomes

void NetworkWorld::job_event(JobEvent event, const JobHost& host) {
  switch (event) {
    case JobEvent::registered_again:
    case JobEvent::worker_died:
      break;
    case JobEvent::worker_returned:
      ++counts_.workers_returned;
      break;
    case JobEvent::server_restarted:
      ++counts_.server_restarts;
      break;
    case JobEvent::killed:
      ++counts_.jobs_killed;
      break;
    case JobEvent::failed:
      ++counts_.jobs_failed;
      if (control_.status(host.job) == JobStatus::worker_lost) ++counts_.workers_lost;
      network_.note(fmt::format("job {} has failed", host.job));
      break;
    case JobEvent::finished:
      ++counts_.jobs_finished;
      network_.note(fmt::format("job {} has finished", host.job));
      break;
  }
}

std::string NetworkWorld::complaint() const {
  if (!hostile_deed_.empty()) return hostile_deed_;
  for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
    if (std::string complaint = complaint_of(job); !complaint.empty()) return complaint;
  }
  return {};
}

std::string NetworkWorld::complaint_of(std::uint32_t number) const {
  const Job& job = jobs_[number];
  if (job.hostile) return {};
  for (const Hosts& hosts : job.registrations) {
    for (const auto& worker : hosts.workers) {
      if (!worker->complaint().empty()) return worker->complaint();
    }
  }
  const JobStatus status = control_.status(number);
  if (status == JobStatus::running) return fmt::format("job {} did not end", number);
  if (status != JobStatus::finished) return {};
  const Hosts& hosts = job.registrations.back();
  using AtTheEnd = testing::TrainingHost::AtTheEnd;
  const AtTheEnd at_the_end = cluster::traits_of(shape_.system).sends_among_workers()
                                  ? AtTheEnd::acknowledgements_may_be_missing
                                  : AtTheEnd::nothing_waits;
  for (const auto& worker : hosts.workers) {
    std::string complaint = worker->verdict(at_the_end);
    if (!complaint.empty()) return complaint;
  }
  for (const testing::ServerHost* server : hosts.serving) {
    const std::size_t open = server == nullptr ? 0 : server->server().open_entries();
    if (open != 0) return fmt::format("a server of job {} still has {} open entries", number, open);
  }
  return {};
}

std::string NetworkWorld::verdict() {
  if (std::string wrong = complaint(); !wrong.empty()) return wrong;
  for (std::uint32_t job = 0; job < jobs_.size(); ++job) control_.remove_from_switches(job);
  for (const HostId at : switches_) {
    const programs::SwitchProgram& program = *network_.node(at).program();
    if (program.occupied() == 0 && program.cells_in_use() == 0) continue;
    return fmt::format("{} aggregators are in use by no job, {} by the events",
                       program.cells_in_use(), program.occupied());
  }
  return {};
}

void NetworkWorld::count_hosts() {
  if (hostile_ != nullptr) counts_.forged = hostile_->forged();
  for (const Job& job : jobs_) {
    for (const Hosts& hosts : job.registrations) {
      for (const auto& worker : hosts.workers) {
        counts_.retransmissions += worker->statistics().retransmissions;
        counts_.rejected_results += worker->statistics().rejected_frames;
      }
      for (const auto& server : hosts.servers) {
        counts_.overflows += server->server().statistics().overflows;
        counts_.reminders += server->server().statistics().reminders;
      }
    }
  }
}

void NetworkWorld::forget_hosts() {
  jobs_.clear();
  hostile_.reset();
}

void NetworkWorld::aggregator_event(AggregatorEvent event, JobId job, Psn psn,
                                    std::uint32_t aggregator_index) {
  if (event == AggregatorEvent::collided) ++counts_.collisions;
  if (event == AggregatorEvent::preempted) ++counts_.preemptions;
  if (hostile_ != nullptr) watch_hostile_host(event, job, aggregator_index);
  if (!network_.is_traced()) return;
  network_.note(fmt::format("aggregator {}: {}, job {}, PSN {}", aggregator_index,
                            programs::kAggregatorEventNames[static_cast<std::size_t>(event)], job,
                            psn));
}

/// A packet of the hostile host's own job may evict the sum of another job, like the packet of any
/// job. The sum then goes to the server of its job. The aggregator may also have expired.
void NetworkWorld::watch_hostile_host(AggregatorEvent event, JobId job,
                                      std::uint32_t aggregator_index) {
  const auto arrival = network_.arrival();
  if (!arrival) return;  // freed by the control plane
  Time& touched = touched_[{arrival->at, aggregator_index}];
  const bool evicted = event == AggregatorEvent::freed && just_evicted_ == aggregator_index;
  just_evicted_.reset();
  if (event == AggregatorEvent::evicted) just_evicted_ = aggregator_index;
  if (event == AggregatorEvent::allocated || event == AggregatorEvent::added ||
      event == AggregatorEvent::duplicate) {
    touched = network_.now();
  }
  const bool its_frame =
      arrival->ingress == hostile_address_ || arrival->source == hostile_address_;
  if (event != AggregatorEvent::freed || evicted || !its_frame) return;
  const bool expired = network_.now() - touched > shape_.aggregator_expiry;
  if (is_hostile(job) || expired || !hostile_deed_.empty()) return;
  hostile_deed_ = fmt::format("the hostile host freed aggregator {} of job {} at {}",
                              aggregator_index, job, testing::in_words(network_.now()));
}

bool NetworkWorld::is_hostile(JobId id) const {
  return hostile_job_ &&
         std::ranges::any_of(jobs_[*hostile_job_].registrations,
                             [id](const Hosts& hosts) { return hosts.training->id == id; });
}

void NetworkWorld::tell_jobs(std::ostream& out) const {
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    const testing::JobPlan& plan = jobs_[job].plan;
    out << fmt::format("job {}: {} workers, {} iterations, tensors of {} fragments\n", job,
                       plan.workers, plan.iterations, fmt::join(plan.tensors, " + "));
  }
}

}  // namespace ina::campaigns
