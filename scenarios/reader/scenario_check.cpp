// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/scenario_check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>

#include "hw/fields/counted.hpp"
#include "hw/fields/quantity.hpp"
#include "scenarios/keys/scenario_fields.hpp"
#include "scenarios/reader/place_check.hpp"
#include "scenarios/reader/topology_check.hpp"
#include "scenarios/resolve/memory_estimate.hpp"
#include "scenarios/resolve/placement.hpp"
#include "scenarios/resolve/sizes.hpp"
#include "scenarios/resolve/time_limit.hpp"
#include "switch-models/report/report.hpp"

namespace ina::scenarios {

namespace {

void check_memory(const Scenario& scenario, const ScenarioDocument& document) {
  const std::uint64_t jobs = scenario.jobs.size();
  const systems::SwitchHalf& switches = scenario.switches();
  const bool has_own_slots = scenario.hosts().traits().has_own_slots;
  const std::uint64_t least = has_own_slots ? switches.aggregators(jobs) : 1;
  const std::uint64_t needed = least * switches.aggregator_bytes();
  if (scenario.switch_.memory_bytes < needed) {
    const auto what =
        has_own_slots ? fmt::format("{} of {}", counted(least / jobs, "slot"), counted(jobs, "job"))
                      : "one aggregator";
    document.fail(
        "/switch/memory_bytes",
        fmt::format("found {}; allowed: at least {}, which hold {}",
                    format_bytes(scenario.switch_.memory_bytes), format_bytes(needed), what));
  }
}

/// Refuses a hash with fewer values than there are aggregators, because the other aggregators would
/// never be used.
void check_hash(const Scenario& scenario, const ScenarioDocument& document) {
  const std::uint64_t values = wire::values_of(scenario.switch_.hash);
  const std::uint32_t aggregators = aggregators_in_memory(scenario);
  if (!scenario.hosts().traits().has_own_slots && aggregators > values) {
    document.fail("/switch/hash",
                  fmt::format("found a hash with {} values, but the switch has {}; allowed: a "
                              "longer hash, or at most {} of memory",
                              values, counted(aggregators, "aggregator"),
                              format_bytes(values * scenario.switches().aggregator_bytes())));
  }
}

void check_chip(const Scenario& scenario, const ScenarioDocument& document) {
  if (scenario.switch_.chip == ChipLimit::none) {
    return;
  }
  const rmt::Chip& chip =
      scenario.switch_.chip == ChipLimit::tofino1 ? rmt::kTofino1 : rmt::kTofino2;
  const systems::SwitchHalf& switches = scenario.switches();
  try {
    report::placement_of(switches.data_plane(), switches.aggregators(scenario.jobs.size()), chip);
  } catch (const report::TooManyAggregators& why) {
    const std::string setting =
        scenario.hosts().traits().has_own_slots
            ? fmt::format("/switchml/slots {}", why.most / scenario.jobs.size())
            : fmt::format("/switch/memory_bytes {}",
                          format_bytes(why.most * switches.aggregator_bytes()));
    document.fail("/switch/chip", fmt::format("{}, {}", why.what(), setting));
  } catch (const rmt::DoesNotFit& why) {
    document.fail("/switch/chip", why.what());
  }
}

void check_buffer(const Scenario& scenario, const ScenarioDocument& document) {
  if (scenario.switch_.buffer_bytes < scenario.hosts().frame_bytes()) {
    document.fail("/switch/buffer_bytes",
                  fmt::format("found {}; allowed: at least {}, which hold one frame",
                              format_bytes(scenario.switch_.buffer_bytes),
                              format_bytes(scenario.hosts().frame_bytes())));
  }
}

void check_link_faults(const Scenario& scenario, const Network& network,
                       const ScenarioDocument& document) {
  if (scenario.faults.links.empty()) return;
  const std::vector<std::string> links = network.link_names();
  for (std::size_t i = 0; i < scenario.faults.links.size(); ++i) {
    const LinkFaultsScenario& faults = scenario.faults.links[i];
    const auto place = pointer_to("/faults/links", i);
    check_link(faults.link, links, scenario.topology, place, document);
    if (faults.until < faults.from) {
      document.fail(
          pointer_to(place, "until"),
          fmt::format("found {0}, but the faults begin at {1}; allowed: {1} or later",
                      format_time(faults.until.count()), format_time(faults.from.count())));
    }
    if (faults.burst.mean_duration > Time::zero() &&
        faults.burst.end != faults::LinkFaults::Burst().end) {
      document.fail(
          pointer_to(pointer_to(place, "burst"), "end"),
          fmt::format("found {}, but the burst also has a mean_duration; allowed: one of the two",
                      faults.burst.end));
    }
  }
}

/// Checks the link or switch that a node fault names.
void check_what_fails(const NodeFaultScenario& fault, const TopologyScenario& scenario,
                      const Network& network, const std::string& place,
                      const ScenarioDocument& document) {
  const bool is_named = faults::is_for_good(fault.fault) || fault.switch_ != kNone;
  if (!is_named) return;
  const cluster::Topology& topology = network.topology;
  if (fault.fault == faults::NodeFault::link_fails) {
    check_single_link(fault.link, network.link_names(), scenario, place, document);
  } else if (std::ranges::find(topology.switches, fault.switch_,
                               &cluster::Topology::Switch::name) == topology.switches.end()) {
    document.fail(pointer_to(place, "switch"),
                  fmt::format("found \"{}\", which is not one of the topology's {}; allowed: one "
                              "of them, such as \"{}\"",
                              shorten(fault.switch_),
                              topology.switches.size() == 1
                                  ? "switches"
                                  : fmt::format("{} switches", topology.switches.size()),
                              topology.switches.back().name));
  }
}

void check_node_faults(const Scenario& scenario, const Network& network,
                       const ScenarioDocument& document) {
  const cluster::SystemTraits& traits = scenario.hosts().traits();
  for (std::size_t i = 0; i < scenario.faults.nodes.size(); ++i) {
    const NodeFaultScenario& fault = scenario.faults.nodes[i];
    const auto place = pointer_to("/faults/nodes", i);
    if (faults::strikes_server(fault.fault) && !traits.has_servers) {
      document.fail(
          pointer_to(place, "fault"),
          fmt::format(
              "found \"{}\", but {} has no parameter servers; allowed: faults of other nodes",
              faults::name_of(fault.fault), traits.title));
    }
    check_what_fails(fault, scenario.topology, network, place, document);
    if (fault.job >= scenario.jobs.size()) {
      document.fail(
          pointer_to(place, "job"),
          fmt::format("found job {}, but the scenario has {}; allowed: 0 to {}", fault.job,
                      counted(scenario.jobs.size(), "job"), scenario.jobs.size() - 1));
    }
    const std::uint32_t workers = scenario.jobs[fault.job].workers;
    if (fault.worker >= workers) {
      document.fail(pointer_to(place, "worker"),
                    fmt::format("found worker {}, but job {} has {}; allowed: 0 to {}",
                                fault.worker, fault.job, counted(workers, "worker"), workers - 1));
    }
    const std::size_t servers = server_count(scenario.jobs[fault.job]);
    if (fault.server >= servers) {
      document.fail(
          pointer_to(place, "server"),
          fmt::format("found server {}, but job {} has {}; allowed: 0 to {}", fault.server,
                      fault.job, counted(servers, "parameter server"), servers - 1));
    }
  }
}

/// Checks the number of job ids. A job that is registered again gets a new id, and no id is used
/// twice.
void check_job_ids(const Scenario& scenario, const ScenarioDocument& document) {
  using faults::NodeFault;
  const cluster::SystemTraits& traits = scenario.hosts().traits();
  std::uint64_t ids = scenario.jobs.size();
  for (const NodeFaultScenario& fault : scenario.faults.nodes) {
    ids += fault.fault == NodeFault::worker_returns ? 1 : 0;
    ids += fault.fault == NodeFault::switch_reboots && traits.loses_jobs_with_switch
               ? scenario.jobs.size()
               : 0;
    ids += faults::is_for_good(fault.fault) && traits.has_aggregators ? scenario.jobs.size() : 0;
  }
  if (ids > traits.job_ids) {
    document.fail("/faults/nodes", fmt::format("found up to {} registrations of jobs; allowed: at "
                                               "most {}, the number of job ids in a packet",
                                               ids, traits.job_ids));
  }
}

/// Checks the settings of all systems, including those that are not selected.
void check_settings(const Scenario& scenario, const ScenarioDocument& document) {
  systems::for_each_system([&](System system) {
    const auto invalid = scenario.systems.hosts(system).find_invalid();
    if (invalid) {
      const auto place = pointer_to("", cluster::name_of(system));
      document.fail(pointer_to(place, invalid->key), invalid->message);
    }
  });
}

/// Checks the number of packets. A PSN has 32 bits and never restarts during a job.
void check_sequence_numbers(const Scenario& scenario, const JobScenario& job,
                            const std::string& place, const ScenarioDocument& document) {
  constexpr auto kLimit = std::uint64_t{1} << 32;
  constexpr auto kPerIteration = std::uint64_t{1} << 30;
  // The limits of profiles keep this number below 2^50. The check below divides, because the
  // product might not fit.
  const auto fragments = fragments_of(scenario, job.profile);
  if (fragments > kPerIteration) {
    document.fail(pointer_to(place, "profile"),
                  fmt::format("found {} per worker and iteration; allowed: at most {}",
                              counted(fragments, "packet"), kPerIteration));
  }
  if (fragments > (kLimit - 1) / job.iterations) {
    document.fail(
        pointer_to(place, "iterations"),
        fmt::format(
            "found {} of {}; allowed: fewer than {} packets per worker in all iterations together",
            counted(job.iterations, "iteration"), counted(fragments, "packet"), kLimit));
  }
}

/// Refuses overflow if packets carry no values, because it would have no effect.
void check_overflow(const Scenario& scenario, const ScenarioDocument& document) {
  systems::for_each_system([&](System system) {
    const double overflow = scenario.systems.hosts(system).overflow();
    if (overflow > 0 && scenario.payload == Payload::none) {
      document.fail(
          pointer_to(pointer_to("", cluster::name_of(system)), "overflow"),
          fmt::format("found {}, but packets carry no values; allowed: 0 if payload is none",
                      overflow));
    }
  });
}

/// Checks that the computation of the slowest worker fits the 64 bits of a time.
void check_compute_time_factors(const JobScenario& job, const std::string& place,
                                const ScenarioDocument& document) {
  if (!job.compute_time_factors.empty() &&
      slowest_iteration(job) > static_cast<double>(kMaxTimePs)) {
    document.fail(
        pointer_to(place, "compute_time_factors"),
        fmt::format("found an iteration that computes for more than {0}; allowed: at most {0}",
                    format_time(kMaxTimePs)));
  }
}

/// Rounds to nanoseconds, since doubles are not exact to the picosecond.
std::int64_t rounded_time(double ps) {
  constexpr std::int64_t kPsPerNs = 1000;
  return std::llround(ps / kPsPerNs) * kPsPerNs;
}

/// Requires a time limit under heavy loss, where durations depend on chance more than on any
/// formula.
void check_loss(const Scenario& scenario, const ScenarioDocument& document) {
  const double loss = worst_loss(scenario);
  if (loss > kMostLoss && !scenario.time_limit_ps) {
    document.fail("/time_limit",
                  fmt::format("the key is missing, and a link loses {:.4g} % of its frames; "
                              "allowed: a time (no default exists if more than half are lost)",
                              100 * loss));
  }
}

/// Throws InputError for a job that is longer than the longest time, at the key that contributes
/// most.
[[noreturn]] void fail_for_ten_days(const JobScenario& job, const std::string& place,
                                    const ScenarioDocument& document) {
  const auto longest = format_time(kMaxTimePs);
  const double work = least_work(job);
  if (static_cast<double>(job.start.high_ps) > work) {
    document.fail(
        pointer_to(place, "start"),
        fmt::format("found {}, and the job then computes for {}; allowed: an end before {}, the "
                    "longest /time_limit",
                    format_time(job.start.high_ps), format_time(rounded_time(work)), longest));
  }
  document.fail(
      pointer_to(place, "iterations"),
      fmt::format(
          "found {0} that compute for more than {1}; allowed: at most {1}, the longest /time_limit",
          counted(job.iterations, "iteration"), longest));
}

void check_end_of_traffic(const Scenario& scenario, const Network& network,
                          const ScenarioDocument& document) {
  const std::int64_t limit = time_limit(scenario, network);
  const std::int64_t until = scenario.traffic.until_ps.value_or(0);
  if (until < limit) return;
  document.fail("/traffic/until", fmt::format("found {}; allowed: a time before {}, the time limit",
                                              format_time(until), format_time(limit)));
}

/// Rejects limits that the computation alone exceeds, before hours of simulation are wasted.
void check_time_limit(const Scenario& scenario, const Network& network,
                      const std::vector<std::string>& places, const ScenarioDocument& document) {
  const std::int64_t limit = time_limit(scenario, network);
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const double least = least_time(scenario, j);
    const bool at_the_end = scenario.jobs[j].start.high_ps == kMaxTimePs;
    if (least > static_cast<double>(kMaxTimePs) ||
        (at_the_end && least == static_cast<double>(kMaxTimePs))) {
      fail_for_ten_days(scenario.jobs[j], places[j], document);
    }
    if (least > static_cast<double>(limit)) {
      document.fail("/time_limit",
                    fmt::format("found {0}, but the start and the computation of job {1} take {2}; "
                                "allowed: more than {2}, or no \"time_limit\", for the default",
                                format_time(limit), j, format_time(rounded_time(least))));
    }
  }
}

void check_run_memory(const Scenario& scenario, const Network& network,
                      const ScenarioDocument& document) {
  const MemoryEstimate estimate = estimate_memory(scenario, network);
  if (estimate.bytes > kMaxRunBytes) {
    document.fail(estimate.pointer,
                  fmt::format("{}; allowed: at most {} per run", describe_memory(estimate),
                              format_bytes(kMaxRunBytes)));
  }
}

}  // namespace

void check_scenario(const Scenario& scenario, const Network& network,
                    const std::vector<std::string>& places, const ScenarioDocument& document) {
  check_places(scenario, network, places, document);
  check_memory(scenario, document);
  check_hash(scenario, document);
  check_chip(scenario, document);
  check_buffer(scenario, document);
  check_link_faults(scenario, network, document);
  check_node_faults(scenario, network, document);
  check_job_ids(scenario, document);
  check_settings(scenario, document);
  check_overflow(scenario, document);
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    check_sequence_numbers(scenario, scenario.jobs[j], places[j], document);
    check_compute_time_factors(scenario.jobs[j], places[j], document);
  }
  check_loss(scenario, document);
  check_end_of_traffic(scenario, network, document);
  check_time_limit(scenario, network, places, document);
  check_run_memory(scenario, network, document);
}

}  // namespace ina::scenarios
