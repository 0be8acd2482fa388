// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/endpoints/cluster.hpp"

#include <algorithm>
#include <boost/mp11.hpp>
#include <limits>
#include <set>
#include <tuple>

#include "hw/cluster/environment_fields.hpp"
#include "hw/cluster/systems/all.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

namespace ina::endpoints {

namespace {

constexpr HostId kLastHost = kEveryWorker - 1;
/// As in a scenario: several of them fit the 64 bits of a time.
constexpr Time kLongestTime = std::chrono::days(10);

std::vector<HostId> read_workers(const Fields& job) {
  const nlohmann::json& array = job.array_at("workers");
  const auto is_host = [](const nlohmann::json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= kLastHost;
  };
  if (array.empty() || array.size() > wire::kMaxWorkersPerSwitch ||
      !std::ranges::all_of(array, is_host)) {
    job.refuse("workers", "1 to 32 hosts, from 0 to 65534");
  }
  return array.get<std::vector<HostId>>();
}

std::vector<std::vector<double>> read_compute_time_factors(const Fields& job) {
  const nlohmann::json& array = job.array_at("compute_time_factors");
  const auto is_factor = [](const nlohmann::json& value) {
    return value.is_number() && value.get<double>() >= 0;
  };
  const auto is_worker = [&](const nlohmann::json& value) {
    return value.is_array() && !value.empty() && std::ranges::all_of(value, is_factor);
  };
  if (!std::ranges::all_of(array, is_worker))
    job.refuse("compute_time_factors", "arrays of factors of 0 or more");
  return array.get<std::vector<std::vector<double>>>();
}

/// Of an iteration, so that the slowest worker's is not too long.
Time longest_computation(const cluster::TrainingPlan& plan) {
  double slowest = 1;
  for (const std::vector<double>& worker : plan.compute_time_factors) {
    slowest = std::max(slowest, *std::ranges::max_element(worker));
  }
  const double longest = static_cast<double>(kLongestTime.count()) / slowest;
  return Time(static_cast<std::int64_t>(longest));
}

void read_layers(const Fields& job, cluster::TrainingPlan& plan) {
  const Time longest = longest_computation(plan);
  Time computation{};
  const auto take_time = [&](const Fields& layer, std::string_view key) {
    const Time time = layer.time(key, Time::zero(), longest - computation);
    computation += time;
    return time.count();
  };
  job.each("layers", [&](const Fields& layer) {
    cluster::LayerProfile profile;
    profile.forward_ps = take_time(layer, "forward_ps");
    profile.backward_ps = take_time(layer, "backward_ps");
    profile.parameters = layer.integer<std::uint64_t>("parameters");
    plan.layers.push_back(std::move(profile));
  });
  if (plan.layers.empty()) job.refuse("layers", "one layer or more");
}

/// `exponent_slots`: as of exponent_lead_of; 0 if no exponents go ahead.
void read_partitions(const Fields& job, std::uint32_t exponent_slots, cluster::TrainingPlan& plan) {
  job.each("partitions", [&](const Fields& partition) {
    const auto last = static_cast<std::uint32_t>(plan.layers.size() - 1);
    const auto layer = partition.integer<std::uint32_t>("layer", 0, last);
    constexpr std::uint32_t kMostPsns = std::numeric_limits<std::int32_t>::max();
    const std::uint32_t psn = plan.partitions.fragments_per_iteration();
    const std::uint32_t most = exponent_slots == 0 ? kMostPsns - psn : (kMostPsns - psn) / 2;
    const auto with_values = partition.integer<std::uint32_t>("fragments", 1, most);
    plan.partitions.add(layer, with_values, exponent_slots);
  });
  if (plan.partitions.partitions().empty()) job.refuse("partitions", "one partition or more");
}

/// `plan`: with what all jobs have in common.
cluster::TrainingPlan read_training(const Fields& job, cluster::TrainingPlan plan,
                                    std::uint32_t exponent_slots) {
  plan.iterations = job.integer<std::uint32_t>("iterations", 1);
  const Fields jitter = job.object("jitter");
  plan.jitter_low = jitter.time("low_ps", Time::zero(), kLongestTime);
  plan.jitter_high = jitter.time("high_ps", plan.jitter_low, kLongestTime);
  plan.jitter_per = static_cast<cluster::JitterPer>(jitter.choice("per", cluster::kJitterPerNames));
  plan.compute_time_factors = read_compute_time_factors(job);
  read_layers(job, plan);
  read_partitions(job, exponent_slots, plan);
  return plan;
}

Job read_job(const Fields& fields, const Cluster& cluster, const cluster::TrainingPlan& common) {
  Job job;
  job.workers = read_workers(fields);
  job.racks = read_racks_of_workers(fields, job.workers.size(), cluster.racks);
  job.paths = wire::aggregation_paths(job.racks, cluster.racks.of_servers(), cluster.racks.levels);
  if (cluster.has_servers()) job.server = fields.integer<HostId>("server", 0, kLastHost);
  job.gradient_seed = fields.integer<std::uint64_t>("seed");
  job.start = fields.time("start_ps", Time::zero(), kLongestTime);
  job.first_stream = fields.object("jitter").integer<std::uint64_t>("first_stream");
  job.training = read_training(fields, common, cluster.system->exponent_slots());
  return job;
}

cluster::Environment read_environment(const Fields& file) {
  cluster::Environment environment;
  file.visit("environment", [&](fields::ObjectReader& reader) {
    cluster::visit_environment(reader, environment);
    reader.finish();
  });
  environment.jobs = static_cast<std::uint32_t>(file.array_at("jobs").size());
  if (environment.jobs == 0 || environment.jobs > wire::kMaxJobs) {
    file.refuse("jobs", "1 to 256 jobs");
  }
  return environment;
}

/// Keys of the half on switches stand beside those of hosts: who makes a switch reads all, and
/// knows which there are.
template <class System>
std::shared_ptr<const cluster::System> read_settings(const Fields& file,
                                                     const cluster::Environment& environment) {
  auto system = std::make_shared<System>();
  file.visit("settings", [&](fields::ObjectReader& reader) {
    System::visit(reader, *system);
    if (const auto invalid = system->find_invalid()) reader.fail(invalid->key, invalid->message);
  });
  system->fill_in(environment);
  return system;
}

std::shared_ptr<const cluster::System> read_system(const Fields& file,
                                                   const cluster::Environment& environment) {
  constexpr std::size_t kSystems = std::tuple_size_v<cluster::AllSystems>;
  return boost::mp11::mp_with_index<kSystems>(
      file.choice("system", wire::kProtocolNames), [&](auto index) {
        return read_settings<std::tuple_element_t<index, cluster::AllSystems>>(file, environment);
      });
}

/// Each has one seat.
void check_hosts(const Cluster& cluster) {
  std::set<HostId> hosts;
  for (std::size_t id = 0; id < cluster.jobs.size(); ++id) {
    std::vector<HostId> taken = cluster.jobs[id].workers;
    if (cluster.has_servers()) taken.push_back(cluster.jobs[id].server);
    for (const HostId host : taken) {
      if (!hosts.insert(host).second) {
        throw InputError("/jobs/" + std::to_string(id) + ": host " + std::to_string(host) +
                         " again; allowed: one seat for each host");
      }
    }
  }
}

}  // namespace

Cluster read_cluster(const Fields& file) {
  file.integer<int>("format", cluster::kClusterFileFormat, cluster::kClusterFileFormat);
  Cluster cluster;
  cluster.environment = read_environment(file);
  cluster.system = read_system(file, cluster.environment);
  cluster::TrainingPlan common;
  common.line_rate_bps = cluster.environment.line_rate_bps;
  common.remaining_time = cluster.system->remaining_time();
  cluster.racks = read_racks(file, cluster.system->levels());
  file.each("jobs", [&](const Fields& job) {
    cluster.jobs.push_back(read_job(job, cluster, common));
    cluster.jobs.back().id = static_cast<JobId>(cluster.jobs.size() - 1);
  });
  check_hosts(cluster);
  return cluster;
}

void register_again(Job& job, JobId id) {
  job.gradient_seed = job.gradient_seed - job.id + id;
  job.id = id;
}

Seat worker_seat(const Cluster& cluster, HostId host) {
  for (std::size_t job = 0; job < cluster.jobs.size(); ++job) {
    const auto& workers = cluster.jobs[job].workers;
    const auto found = std::ranges::find(workers, host);
    if (found != workers.end()) {
      return {static_cast<JobId>(job), static_cast<std::uint16_t>(found - workers.begin())};
    }
  }
  throw InputError("host " + std::to_string(host) + " is no worker of any job");
}

JobId server_seat(const Cluster& cluster, HostId host) {
  const auto found = std::ranges::find(cluster.jobs, host, &Job::server);
  if (!cluster.has_servers() || found == cluster.jobs.end()) {
    throw InputError("host " + std::to_string(host) + " is no parameter server of any job");
  }
  return static_cast<JobId>(found - cluster.jobs.begin());
}

}  // namespace ina::endpoints
