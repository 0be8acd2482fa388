// SPDX-License-Identifier: BSD-3-Clause
// The keys of a cluster file, listed once for ObjectReader and ObjectWriter. A key whose range
// depends on another key comes after that key.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hw/cluster/spec/environment_fields.hpp"
#include "hw/cluster/spec/spec.hpp"
#include "hw/fields/bounds.hpp"

namespace ina::cluster {

using fields::Bounds;
using fields::kAnyNumber;
using fields::kAnyPs;
using fields::kAnySize;
using fields::kOneOrMore;

/// Range of a duration, the same as in a scenario. The sum of several durations still fits a Time.
inline constexpr Bounds<std::int64_t> kDaysPs{0, Time(std::chrono::days(10)).count()};
inline constexpr std::size_t kMostSwitches = 2048;  // the largest fat tree of a scenario has 1280
inline constexpr HostId kLastHost = kAllWorkers - 1;

template <class Visitor, class Job>
void visit_jitter(Visitor& visitor, Job& job) {
  auto& training = job.training;
  visitor.picoseconds("low_ps", training.jitter_low, kDaysPs, "Minimum delay");
  visitor.picoseconds("high_ps", training.jitter_high,
                      Bounds<std::int64_t>{training.jitter_low.count(), kDaysPs.high},
                      "Maximum delay");
  visitor.choice(
      "per", training.jitter_per, fields::names_in_order<JitterPer>(kJitterPerNames),
      "Scope of a random delay: a worker draws it once, in each iteration, or for each partition");
  visitor.integer("first_stream", job.first_stream, kAnyNumber,
                  "Number of the random stream of rank 0. The streams of the other ranks follow");
}

/// Longest nominal compute time of an iteration with which the slowest worker's time fits a Time.
inline std::int64_t longest_computation_ps(const TrainingPlan& plan) {
  double slowest = 1;
  for (const std::vector<double>& worker : plan.compute_time_factors) {
    slowest = std::max(slowest, *std::ranges::max_element(worker));
  }
  return static_cast<std::int64_t>(static_cast<double>(kDaysPs.high) / slowest);
}

template <class Visitor, class Plan>
void visit_layers(Visitor& visitor, Plan& plan) {
  std::int64_t left_ps = longest_computation_ps(plan);
  const auto visit = [&](auto& of_layer, auto& layer) {
    of_layer.integer("parameters", layer.parameters, kAnyNumber,
                     "Number of parameters of the layer");
    of_layer.picoseconds("forward_ps", layer.forward_ps, Bounds<std::int64_t>{0, left_ps},
                         "Compute time of the layer's forward pass");
    left_ps -= layer.forward_ps;
    of_layer.picoseconds("backward_ps", layer.backward_ps, Bounds<std::int64_t>{0, left_ps},
                         "Compute time of the layer's backward pass");
    left_ps -= layer.backward_ps;
  };
  visitor.list("layers", plan.layers, kOneOrMore, visit, "Layers, from front to back");
}

/// A partition as the cluster file lists it.
struct PartitionFields {
  std::uint32_t layer = 0;
  std::uint32_t fragments = 0;  ///< number of fragments with values
};

inline std::vector<PartitionFields> partitions_of(const PartitionPlan& plan) {
  std::vector<PartitionFields> partitions;
  for (const PlannedPartition& partition : plan.partitions()) {
    partitions.push_back({partition.layer, partition.fragments - partition.exponent_lead});
  }
  return partitions;
}

/// `exponent_slots`: System::exponent_slots().
template <class Visitor, class Plan>
void visit_partitions(Visitor& visitor, Plan& plan, std::uint32_t exponent_slots) {
  const auto last_layer = static_cast<std::uint32_t>(plan.layers.size() - 1);
  // PSNs that are left in the iteration. With exponents, a fragment of values takes up to two PSNs.
  std::uint32_t left = std::numeric_limits<std::int32_t>::max() / (exponent_slots == 0 ? 1 : 2);
  const auto visit = [&](auto& of_partition, auto& partition) {
    of_partition.integer("layer", partition.layer, Bounds<std::uint32_t>{0, last_layer},
                         "Index of the layer, from 0 at the front");
    of_partition.integer("fragments", partition.fragments, Bounds<std::uint32_t>{1, left},
                         "Number of fragments that contain values");
    left -= partition.fragments;
  };
  auto partitions = partitions_of(plan.partitions);
  visitor.list("partitions", partitions, kOneOrMore, visit,
               "Partitions, in the order in which they are sent");
  if constexpr (!std::is_const_v<Plan>) {
    for (const auto& [layer, fragments] : partitions) {
      plan.partitions.add(layer, fragments, exponent_slots);
    }
  }
}

template <class Visitor, class Self>
void visit_topology(Visitor& visitor, Self& spec) {
  auto& topology = spec.topology;
  const auto visit_switch = [](auto& inner, auto& one) {
    inner.text("name", one.name, "Name of the switch in options and tables");
    inner.integer("height", one.height,
                  Bounds<std::uint8_t>{0, std::numeric_limits<std::uint8_t>::max()},
                  "Level of the switch. Switches of racks have level 0 and come first");
  };
  visitor.list("switches", topology.switches, Bounds<std::size_t>{1, kMostSwitches}, visit_switch,
               "Switches, in the order of their numbers");
  const auto last_switch = static_cast<SwitchIndex>(topology.switches.size() - 1);
  const auto visit_trunk = [&](auto& inner, auto& trunk) {
    inner.integer("lower", trunk.lower, Bounds<SwitchIndex>{0, last_switch}, "Number of a switch");
    inner.integer("upper", trunk.upper, Bounds<SwitchIndex>{0, last_switch},
                  "Number of a switch, higher than lower");
  };
  visitor.list("trunks", topology.trunks, kAnySize, visit_trunk, "Links between switches");
  visitor.integers("hosts", topology.switch_of, Bounds<SwitchIndex>{0, last_switch},
                   Bounds<std::size_t>{1, kLastHost + std::size_t{1}}, "Switch of each host");
  visitor.integer(
      "parameter_servers", spec.parameter_servers,
      Bounds<std::uint32_t>{0, static_cast<std::uint32_t>(topology.switch_of.size())},
      "Number of hosts for parameter servers. These are the last hosts and have the names ps0, ps1 "
      "and so on. All other hosts have the names host0, host1 and so on");
  visitor.choice("root", spec.root, fields::names_in_order<RootChoice>(kRootChoiceNames),
                 "Choice of the roots of the jobs' trees. With several best switches, the id of a "
                 "job selects one");
}

template <class Visitor, class Job>
void visit_job(Visitor& visitor, Job& job, const Spec& spec) {
  visitor.text("profile", job.profile, "Name of the model");
  const auto last_host = static_cast<HostId>(spec.topology.switch_of.size() - 1);
  visitor.integers("workers", job.workers, Bounds<HostId>{0, last_host},
                   Bounds<std::size_t>{1, wire::kMaxWorkers}, "Hosts of the workers, by rank");
  if (spec.has_servers()) {
    visitor.integers("servers", job.servers, Bounds<HostId>{0, last_host},
                     Bounds<std::size_t>{1, wire::kMaxServers},
                     "Hosts of the parameter servers, by index");
  }
  visitor.integer("seed", job.gradient_seed, kAnyNumber, "Seed of the gradients");
  auto& training = job.training;
  visitor.integer("iterations", training.iterations,
                  Bounds<std::uint32_t>{1, std::numeric_limits<std::uint32_t>::max()},
                  "Number of iterations of the job");
  visitor.picoseconds("start_ps", job.start, kDaysPs,
                      "Time at which the job starts, from the start of the run");
  visitor.object(
      "jitter", [&](auto& of_jitter) { visit_jitter(of_jitter, job); },
      "Random delays with which partitions are submitted");
  visitor.factors("compute_time_factors", training.compute_time_factors,
                  "Compute-time factors: a list for each worker, with a factor for each iteration. "
                  "Lists repeat from the front");
  visit_layers(visitor, training);
  visit_partitions(visitor, training, spec.system->exponent_slots());
  visitor.integer(
      "exposed_partitions", training.exposed_partitions,
      Bounds<std::uint32_t>{0, static_cast<std::uint32_t>(training.partitions.partitions().size())},
      "Number of partitions that are submitted only after the backward pass. These are the last "
      "ones in the order of sending");
}

template <class Visitor, class Self>
void visit_link_faults(Visitor& visitor, Self& self) {
  visitor.integer("host", self.host, Bounds<HostId>{0, kLastHost},
                  "Number of the host whose link has the faults");
  visitor.integer("trunk", self.trunk,
                  Bounds<TrunkIndex>{0, std::numeric_limits<TrunkIndex>::max()},
                  "Index of the link between switches that has the faults");
  visitor.choice("direction", self.direction,
                 fields::names_in_order<faults::LinkDirection>(faults::kLinkDirectionNames),
                 "Direction of the frames");
  visitor.integer("seed", self.seed, kAnyNumber, "Seed of the random draws");
  faults::LinkFaults::Config::visit(visitor, self.faults);
}

/// Limits of the numbers in a fault of a spec.
struct SpecNodeFaultLimits {
  const Spec& spec;
  std::uint32_t jobs = static_cast<std::uint32_t>(spec.jobs.size());

  std::uint16_t workers(std::uint32_t job) const {
    return static_cast<std::uint16_t>(spec.jobs[job].workers.size());
  }
  std::uint16_t servers(std::uint32_t job) const {
    return static_cast<std::uint16_t>(std::max<std::size_t>(spec.jobs[job].servers.size(), 1));
  }
};

template <class Visitor, class Self>
void visit_node_fault(Visitor& visitor, Self& self, const Spec& spec) {
  faults::TimedNodeFault::visit(visitor, self, SpecNodeFaultLimits{spec}, [](auto&) {});
}

/// `visit_system(visitor, spec)` visits the system's name and its settings, whatever their class.
template <class Visitor, class Self, class VisitSystem>
void visit_spec(Visitor& visitor, Self& spec, VisitSystem visit_system) {
  int format = kClusterFileFormat;
  visitor.integer("format", format, Bounds<int>{kClusterFileFormat, kClusterFileFormat},
                  "Version of the file's format");
  visitor.object(
      "environment", [&](auto& inner) { visit_environment(inner, spec.environment); },
      "Properties of the cluster from which a system's sizes follow");
  visit_system(visitor, spec);
  visitor.implied("loses_jobs_with_switch", spec.system->traits().loses_jobs_with_switch,
                  "Whether jobs must be registered again after a switch has rebooted");
  const auto visit_switch = [&](auto& inner) {
    inner.integer("buffer_bytes", spec.buffer_bytes, Bounds<std::uint64_t>{1, kAnyNumber.high},
                  "Buffer that all queues of the switch share");
  };
  visitor.object("switch", visit_switch, "Settings of every switch");
  visitor.object(
      "topology", [&](auto& inner) { visit_topology(inner, spec); }, "The switches and hosts");
  visitor.list(
      "jobs", spec.jobs, Bounds<std::size_t>{1, wire::kMaxJobs},
      [&](auto& inner, auto& job) { visit_job(inner, job, spec); },
      "Jobs, in the order of their numbers");
  visitor.list(
      "faults", spec.link_faults, kAnySize,
      [](auto& inner, auto& faults) { visit_link_faults(inner, faults); },
      "Faults of links, an entry for each direction");
  visitor.list(
      "node_faults", spec.node_faults, kAnySize,
      [&](auto& inner, auto& fault) { visit_node_fault(inner, fault, spec); },
      "Faults of nodes, in the order of the scenario");
}

}  // namespace ina::cluster
