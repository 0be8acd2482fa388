/* SPDX-License-Identifier: GPL-2.0-only */
#include "time-limit.h"

#include "link-names.h"
#include "scenario-sizes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

namespace ns3
{

namespace
{

// scenarios/README.md states these.
constexpr double LEAST_LIMIT_PS = 60e12;
constexpr double FACTOR = 10;
constexpr double TIMEOUTS = 1000; ///< and as many for each fault of a node
constexpr double WAYS = 4;        ///< over a link: to the parameter server by the switch, and back
constexpr double WAYS_OF_RACKS = 2;  ///< besides, over links between switches
constexpr double LONGEST_BURST = 10; ///< in mean ones: e^-10 are longer
constexpr double CHARGED_PASSES = 12;

constexpr double PS_PER_S = 1e12;
constexpr double BITS = 8;

/// Of an iteration at its profile's speed.
double
ComputePs(const ModelProfile& profile)
{
    double sum = 0;
    for (const LayerProfile& layer : profile.layers)
    {
        sum += static_cast<double>(layer.forward_ps + layer.backward_ps);
    }
    return sum;
}

/// Of a worker whose factors the row has, over all iterations.
double
SumOfFactors(const std::vector<double>& row, std::uint32_t iterations)
{
    const auto rest = static_cast<std::ptrdiff_t>(iterations % row.size());
    const auto rounds = static_cast<double>(iterations / row.size());
    return rounds * std::accumulate(row.begin(), row.end(), 0.0) +
           std::accumulate(row.begin(), row.begin() + rest, 0.0);
}

double
SlowestWorkersFactors(const JobScenario& job)
{
    double slowest = job.speeds.empty() ? job.iterations : 0;
    for (std::size_t row = 0; row < std::min<std::size_t>(job.workers, job.speeds.size()); ++row)
    {
        slowest = std::max(slowest, SumOfFactors(job.speeds[row], job.iterations));
    }
    return slowest;
}

/// When the scenario gives the job up, in any case; infinity if it does not.
double
GivenUpAt(const Scenario& scenario, std::size_t job)
{
    using ina::faults::NodeFault;
    double at = std::numeric_limits<double>::infinity();
    for (const NodeFaultScenario& fault : scenario.faults.nodes)
    {
        const bool ends =
            fault.fault == NodeFault::job_is_killed || fault.fault == NodeFault::worker_is_lost;
        if (ends && fault.job == job)
        {
            at = std::min(at, static_cast<double>(fault.at_ps + fault.duration_ps));
        }
    }
    return at;
}

/// A frame's time on a link.
double
FramePs(const Scenario& scenario, const LinkScenario& link)
{
    return static_cast<double>(FrameBytes(scenario) + link.framing_bytes) * BITS * PS_PER_S /
           static_cast<double>(link.rate_bps);
}

double
Passes(const Scenario& scenario)
{
    return scenario.switch_.charge_passes ? CHARGED_PASSES : 1;
}

/// Of a frame that meets no other one, by the parameter server.
double
RoundTripPs(const Scenario& scenario)
{
    const SwitchScenario& config = scenario.switch_;
    const auto of = [&](const LinkScenario& link)
    {
        const double inSwitch = static_cast<double>(config.pipeline_latency_ps) +
                                Passes(scenario) * static_cast<double>(config.pass_latency_ps);
        return WAYS * (static_cast<double>(link.delay_ps) + FramePs(scenario, link) + inSwitch);
    };
    double sum = of(scenario.topology.link);
    if (scenario.topology.racks > 1)
    {
        sum += of(scenario.topology.uplink);
    }
    for (const LinkFaultsScenario& faults : scenario.faults.links)
    {
        sum += faults.reordering > 0 ? WAYS * static_cast<double>(faults.reordering_delay_ps) : 0;
    }
    return sum;
}

/// The time-out at its shortest of whoever asks for what is missing.
double
TimeoutPs(const Scenario& scenario)
{
    if (IsSwitchml(scenario))
    {
        return static_cast<double>(scenario.switchml.LeastRtoPs());
    }
    return static_cast<double>(
        scenario.system == System::atp
            ? std::max(scenario.atp.min_rto_ps, scenario.atp.request_timeout_ps)
            : std::max(scenario.dsa.min_rto_ps, scenario.dsa.reminder_min_timeout_ps));
}

/// The share of frames that come through one element of the faults on links.
double
Survival(const LinkFaultsScenario& faults)
{
    const BurstScenario& burst = faults.burst;
    const double inBurst = burst.start > 0 ? burst.start / (burst.start + burst.end) : 0;
    const double lost = inBurst * burst.loss + (1 - inBurst) * faults.loss;
    return (1 - lost) * (1 - faults.corruption);
}

/// And through all that strike the links of a pattern in a direction, if they do at one time.
double
SurvivalOn(std::string_view link, FaultDirection direction, const Scenario& scenario)
{
    double survival = 1;
    for (const LinkFaultsScenario& faults : scenario.faults.links)
    {
        const bool strikes =
            faults.direction == FaultDirection::both || faults.direction == direction;
        survival *= strikes && LinkMatches(faults.link, link) ? Survival(faults) : 1;
    }
    return survival;
}

/// Frames that go, at most, one after the other into a burst before it ends.
double
FramesOfBursts(const Scenario& scenario)
{
    double frames = 0;
    for (const LinkFaultsScenario& faults : scenario.faults.links)
    {
        const BurstScenario& burst = faults.burst;
        const bool ends = burst.start > 0 && burst.end > 0;
        frames += ends ? LONGEST_BURST * burst.loss / burst.end : 0;
    }
    return frames;
}

/// Expected ones until all frames of a round trip come through.
double
Tries(const Scenario& scenario)
{
    const double ways = WAYS + (scenario.topology.racks > 1 ? WAYS_OF_RACKS : 0);
    return 1 / std::pow(1 - WorstLoss(scenario), ways);
}

/// One job of the scenario, with what it does again after faults.
class JobTime
{
  public:
    JobTime(const Scenario& scenario, const JobScenario& job) :
        m_scenario(scenario),
        m_job(job),
        m_iterations(static_cast<double>(job.iterations + scenario.faults.nodes.size())),
        m_frames(m_iterations * static_cast<double>(FragmentsOf(scenario, job.profile)))
    {
    }

    /// With its link alone for it, but all workers' frames on that of the parameter server.
    double
    Alone() const
    {
        return static_cast<double>(m_job.start.high_ps) +
               m_iterations *
                   (SlowestIteration(m_job) + static_cast<double>(m_job.jitter.range.high_ps)) +
               AllFrames() * FramePs(m_scenario, m_scenario.topology.link) +
               m_frames / InitialWindow(m_scenario) * RoundTripPs(m_scenario);
    }

    /// On what all jobs share: links between switches, and the ways back through a pipeline.
    double
    Shared() const
    {
        const SwitchScenario& config = m_scenario.switch_;
        const double slowest = static_cast<double>(
            std::min(config.resubmit_bandwidth_bps, config.recirculate_bandwidth_bps));
        const double pass = static_cast<double>(FrameBytes(m_scenario)) * BITS * PS_PER_S / slowest;
        return AllFrames() *
               (Passes(m_scenario) * pass + (m_scenario.topology.racks > 1
                                                 ? FramePs(m_scenario, m_scenario.topology.uplink)
                                                 : 0));
    }

    /// Time-outs that losses cost.
    double
    Losses() const
    {
        double losses = WAYS * AllFrames() * (Tries(m_scenario) - 1) + FramesOfBursts(m_scenario);
        for (const LinkFaultsScenario& faults : m_scenario.faults.links)
        {
            losses += WAYS * static_cast<double>(m_job.workers * faults.lost_frames.size());
        }
        return losses;
    }

  private:
    double
    AllFrames() const
    {
        return m_frames * m_job.workers;
    }

    const Scenario& m_scenario;
    const JobScenario& m_job;
    double m_iterations;
    double m_frames; ///< of a worker
};

/// What node faults last, and what each may cost besides.
double
NodeFaultsPs(const Scenario& scenario)
{
    double sum = 0;
    for (const NodeFaultScenario& fault : scenario.faults.nodes)
    {
        sum += static_cast<double>(fault.duration_ps) + TIMEOUTS * TimeoutPs(scenario);
    }
    return sum;
}

double
DerivedLimitPs(const Scenario& scenario)
{
    double alone = 0;
    double shared = 0;
    double losses = 0;
    for (const JobScenario& job : scenario.jobs)
    {
        const JobTime time(scenario, job);
        alone = std::max(alone, time.Alone());
        shared += time.Shared();
        losses = std::max(losses, time.Losses());
    }
    return LEAST_LIMIT_PS + FACTOR * (alone + shared) +
           (TIMEOUTS * Tries(scenario) + FACTOR * losses) * TimeoutPs(scenario) +
           NodeFaultsPs(scenario);
}

} // namespace

std::int64_t
TimeLimit(const Scenario& scenario)
{
    if (scenario.time_limit_ps)
    {
        return *scenario.time_limit_ps;
    }
    const double seconds = std::ceil(DerivedLimitPs(scenario) / PS_PER_S);
    return static_cast<std::int64_t>(
        std::min(seconds * PS_PER_S, static_cast<double>(MAX_TIME_PS)));
}

double
WorstLoss(const Scenario& scenario)
{
    double least = 1;
    for (const LinkFaultsScenario& faults : scenario.faults.links)
    {
        for (const auto direction : {FaultDirection::to_switch, FaultDirection::from_switch})
        {
            least = std::min(least, SurvivalOn(faults.link, direction, scenario));
        }
    }
    return 1 - least;
}

double
SlowestIteration(const JobScenario& job)
{
    double factor = job.speeds.empty() ? 1 : 0;
    for (const auto& row : job.speeds)
    {
        factor = std::max(factor, *std::ranges::max_element(row));
    }
    return factor * ComputePs(job.profile);
}

double
LeastWork(const JobScenario& job)
{
    const double computation = ComputePs(job.profile) * SlowestWorkersFactors(job);
    const double jitter = static_cast<double>(job.jitter.range.low_ps) * job.iterations;
    return std::max(computation, jitter);
}

double
LeastTime(const Scenario& scenario, std::size_t job)
{
    const JobScenario& of = scenario.jobs[job];
    return std::min(static_cast<double>(of.start.high_ps) + LeastWork(of),
                    GivenUpAt(scenario, job));
}

} // namespace ns3
