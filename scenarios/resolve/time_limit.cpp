// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/time_limit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "hw/protocol/units.hpp"
#include "scenarios/resolve/link_names.hpp"
#include "scenarios/resolve/network.hpp"
#include "scenarios/resolve/placement.hpp"
#include "scenarios/resolve/sizes.hpp"

namespace ina::scenarios {

namespace {

// docs/reference/scenario/index.md documents these constants.
constexpr double kLeastLimitPs = 60e12;
constexpr double kFactor = 10;
constexpr double kTimeouts = 1000;  ///< per run, and again per node fault
constexpr double kWays = 4;  ///< over a host's link: to the switch, the parameter server, and back
constexpr double kWaysOfTrunk = 2;    ///< over each trunk, in addition
constexpr double kLongestBurst = 10;  ///< in mean lengths; a share of e^-10 is longer
constexpr double kChargedPasses = 12;

/// Computation per iteration at the speed of the profile.
double compute_ps(const ModelProfile& profile) {
  double sum = 0;
  for (const LayerProfile& layer : profile.layers) {
    sum += static_cast<double>(layer.forward_ps + layer.backward_ps);
  }
  return sum;
}

/// Sum of one worker's factors over all iterations.
double sum_of_factors(const std::vector<double>& row, std::uint32_t iterations) {
  const auto rest = static_cast<std::ptrdiff_t>(iterations % row.size());
  const std::size_t rounds = iterations / row.size();
  return static_cast<double>(rounds) * std::accumulate(row.begin(), row.end(), 0.0) +
         std::accumulate(row.begin(), row.begin() + rest, 0.0);
}

double slowest_workers_factors(const JobScenario& job) {
  double slowest = job.compute_time_factors.empty() ? job.iterations : 0;
  for (std::size_t row = 0;
       row < std::min<std::size_t>(job.workers, job.compute_time_factors.size()); ++row) {
    slowest = std::max(slowest, sum_of_factors(job.compute_time_factors[row], job.iterations));
  }
  return slowest;
}

/// Time by which a fault of the scenario ends the job; infinity if no fault ends it.
double given_up_at(const Scenario& scenario, std::size_t job) {
  using faults::NodeFault;
  double at = std::numeric_limits<double>::infinity();
  for (const NodeFaultScenario& fault : scenario.faults.nodes) {
    const bool ends =
        fault.fault == NodeFault::job_is_killed || fault.fault == NodeFault::worker_is_lost;
    if (ends && fault.job == job) {
      at = std::min(at, static_cast<double>(fault.end().count()));
    }
  }
  return at;
}

double passes(const Scenario& scenario) {
  return scenario.switch_.passes == Passes::free ? 1 : kChargedPasses;
}

/// Cost of the path from the farthest rack to the root, plus that of the path from there to a
/// server in another rack.
double way_to_servers(const Scenario& scenario, const Network& network, const Network::Cost& cost) {
  const double way = network.costliest_path(cost);
  return has_distant_server(scenario, network) ? 2 * way : way;
}

/// Round trip of a frame to the parameter server, without queueing.
double round_trip_ps(const Scenario& scenario, const Network& network) {
  const SwitchScenario& config = scenario.switch_;
  const auto of = [&](const NetworkLink& link) {
    const double in_switch = static_cast<double>(config.pipeline_latency_ps) +
                             passes(scenario) * static_cast<double>(config.pass_latency_ps);
    const std::uint32_t frame = scenario.hosts().frame_bytes();
    return kWays * (static_cast<double>(link.longest_delay_ps) + link.line_ps(frame) +
                    link.longest_host_ps(frame) + in_switch);
  };
  double sum = network.costliest_host(of) + way_to_servers(scenario, network, of);
  for (const LinkFaultsScenario& faults : scenario.faults.links) {
    sum += faults.reordering > 0 ? kWays * static_cast<double>(faults.reordering_delay.count()) : 0;
  }
  return sum;
}

double timeout_ps(const Scenario& scenario) {
  return static_cast<double>(scenario.hosts().first_timeout().count());
}

/// Mean number of frames per burst on a host's link that is never idle. Infinity if bursts never
/// end.
double frames_of_burst(const faults::LinkFaults::Burst& burst, const Scenario& scenario) {
  if (burst.mean_duration == Time::zero()) return 1 / burst.end;
  const NetworkLink link{.line = scenario.topology.link};
  const double frame_ps = link.line_ps(scenario.hosts().frame_bytes());
  return std::max(1.0, static_cast<double>(burst.mean_duration.count()) / frame_ps);
}

/// Share of frames that survive one element of the link faults.
double survival(const LinkFaultsScenario& faults, const Scenario& scenario) {
  const faults::LinkFaults::Burst& burst = faults.burst;
  const double end = 1 / frames_of_burst(burst, scenario);
  const double in_burst = burst.start > 0 ? burst.start / (burst.start + end) : 0;
  const double lost = in_burst * burst.loss + (1 - in_burst) * faults.loss;
  return (1 - lost) * (1 - faults.corruption);
}

/// Share of frames that survive all faults of the matching links in a direction, as if they were
/// all active at the same time.
double survival_on(std::string_view link, FaultDirection direction, const Scenario& scenario) {
  double together = 1;
  for (const LinkFaultsScenario& faults : scenario.faults.links) {
    const bool strikes = faults.direction == FaultDirection::both || faults.direction == direction;
    together *= strikes && link_matches(faults.link, link) ? survival(faults, scenario) : 1;
  }
  return together;
}

/// Maximum number of consecutive frames lost to bursts.
double frames_of_bursts(const Scenario& scenario) {
  double frames = 0;
  for (const LinkFaultsScenario& faults : scenario.faults.links) {
    const faults::LinkFaults::Burst& burst = faults.burst;
    const double of_one = frames_of_burst(burst, scenario);
    const bool ends = burst.start > 0 && std::isfinite(of_one);
    frames += ends ? kLongestBurst * burst.loss * of_one : 0;
  }
  return frames;
}

/// Expected number of attempts until all frames of a round trip arrive.
double tries(const Scenario& scenario, const Network& network) {
  const double trunks = way_to_servers(scenario, network, [](const NetworkLink&) { return 1; });
  const double ways = kWays + kWaysOfTrunk * trunks;
  return 1 / std::pow(1 - worst_loss(scenario), ways);
}

/// Times of one job, including the work that it repeats after faults.
class JobTime {
 public:
  JobTime(const Scenario& scenario, const Network& network, const JobScenario& job)
      : scenario_(scenario),
        network_(network),
        job_(job),
        iterations_(static_cast<double>(job.iterations + scenario.faults.nodes.size())),
        frames_(iterations_ * static_cast<double>(fragments_of(scenario, job.profile))) {}

  /// Time of the job alone in the network. All its workers share the parameter server's link.
  double alone() const {
    return static_cast<double>(job_.start.high_ps) +
           iterations_ *
               (slowest_iteration(job_) + static_cast<double>(job_.jitter.range.high_ps)) +
           all_frames() * network_.costliest_host(frame_ps()) +
           (frames_ / scenario_.hosts().initial_window() + ways_among_workers()) *
               round_trip_ps(scenario_, network_);
  }

  /// Time on resources that all jobs share: trunks and the switches' resubmit and recirculate
  /// ports.
  double shared() const {
    const SwitchScenario& config = scenario_.switch_;
    const double slowest = static_cast<double>(
        std::min(config.resubmit_bandwidth_bps, config.recirculate_bandwidth_bps));
    const double pass =
        static_cast<double>(scenario_.hosts().frame_bytes()) * kBitsPerByte * kPsPerS / slowest;
    return all_frames() * (passes(scenario_) * pass + network_.costliest_trunk(frame_ps()));
  }

  /// Number of timeouts that losses cause.
  double losses() const {
    double losses =
        kWays * all_frames() * (tries(scenario_, network_) - 1) + frames_of_bursts(scenario_);
    for (const LinkFaultsScenario& faults : scenario_.faults.links) {
      losses += kWays * static_cast<double>(job_.workers * faults.lost_frames.size());
    }
    return losses;
  }

  double frames_of_worker() const { return frames_; }
  double all_frames() const { return frames_ * job_.workers; }
  /// Number of sequential steps if workers send to each other.
  double ways_among_workers() const {
    const std::uint32_t steps = scenario_.hosts().steps(static_cast<std::uint16_t>(job_.workers));
    return iterations_ * static_cast<double>(partition_count(job_.profile)) * steps;
  }
  Network::Cost frame_ps() const {
    return [bytes = scenario_.hosts().frame_bytes()](const NetworkLink& link) {
      return link.longest_frame_ps(bytes);
    };
  }

 private:
  const Scenario& scenario_;
  const Network& network_;
  const JobScenario& job_;
  double iterations_;
  double frames_;  ///< per worker
};

/// Time that a machine with several workers or servers needs for all their frames. Maximum over
/// these machines.
double on_shared_machine_ps(const Scenario& scenario, const Network& network) {
  const Placements places = placements_of(scenario, network);
  if (!places.are_shared(network)) return 0;
  std::vector<double> frames(places.machine_of.size());  // by machine
  std::vector<std::uint32_t> sharers(frames.size());
  const auto add = [&](HostId address, double of_one) {
    frames[places.machine_of[address]] += of_one;
    ++sharers[places.machine_of[address]];
  };
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const JobTime time(scenario, network, scenario.jobs[j]);
    for (const HostId worker : places.workers[j]) add(worker, time.frames_of_worker());
    if (places.servers.empty()) continue;
    const auto servers = static_cast<double>(places.servers[j].size());
    for (const HostId server : places.servers[j]) add(server, time.all_frames() / servers);
  }
  double most = 0;
  for (std::size_t machine = 0; machine < frames.size(); ++machine) {
    if (sharers[machine] < 2) continue;
    const double frame_ps = network.hosts[machine].longest_frame_ps(scenario.hosts().frame_bytes());
    most = std::max(most, frames[machine] * frame_ps);
  }
  return most;
}

/// Total duration of node faults, with the timeouts that each may cause.
double node_faults_ps(const Scenario& scenario) {
  double sum = 0;
  for (const NodeFaultScenario& fault : scenario.faults.nodes) {
    sum += static_cast<double>(fault.duration.count()) + kTimeouts * timeout_ps(scenario);
  }
  return sum;
}

double derived_limit_ps(const Scenario& scenario, const Network& network) {
  double alone = 0;
  double shared = 0;
  double losses = 0;
  for (const JobScenario& job : scenario.jobs) {
    const JobTime time(scenario, network, job);
    alone = std::max(alone, time.alone());
    shared += time.shared();
    losses = std::max(losses, time.losses());
  }
  shared += on_shared_machine_ps(scenario, network);
  return kLeastLimitPs + kFactor * (alone + shared) +
         (kTimeouts * tries(scenario, network) + kFactor * losses) * timeout_ps(scenario) +
         node_faults_ps(scenario) + static_cast<double>(scenario.traffic.until_ps.value_or(0));
}

}  // namespace

std::int64_t time_limit(const Scenario& scenario, const Network& network) {
  if (scenario.time_limit_ps) {
    return *scenario.time_limit_ps;
  }
  const double seconds = std::ceil(derived_limit_ps(scenario, network) / kPsPerS);
  return static_cast<std::int64_t>(std::min(seconds * kPsPerS, static_cast<double>(kMaxTimePs)));
}

double worst_loss(const Scenario& scenario) {
  double least = 1;
  for (const LinkFaultsScenario& faults : scenario.faults.links) {
    for (const auto direction : {FaultDirection::to_switch, FaultDirection::from_switch}) {
      least = std::min(least, survival_on(faults.link, direction, scenario));
    }
  }
  return 1 - least;
}

double slowest_iteration(const JobScenario& job) {
  double factor = job.compute_time_factors.empty() ? 1 : 0;
  for (const auto& row : job.compute_time_factors) {
    factor = std::max(factor, *std::ranges::max_element(row));
  }
  return factor * compute_ps(job.profile);
}

double least_work(const JobScenario& job) {
  const double computation = compute_ps(job.profile) * slowest_workers_factors(job);
  const double jitter = static_cast<double>(job.jitter.range.low_ps) * job.iterations;
  return std::max(computation, jitter);
}

double least_time(const Scenario& scenario, std::size_t job) {
  const JobScenario& of = scenario.jobs[job];
  return std::min(static_cast<double>(of.start.high_ps) + least_work(of),
                  given_up_at(scenario, job));
}

}  // namespace ina::scenarios
