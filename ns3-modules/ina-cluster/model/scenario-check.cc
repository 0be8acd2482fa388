/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-check.h"

#include "counted.h"
#include "link-names.h"
#include "memory-estimate.h"
#include "quantity.h"
#include "scenario-fields.h"
#include "scenario-sizes.h"
#include "time-limit.h"

#include "switch-models/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

namespace
{

void
CheckHosts(const Scenario& scenario,
           const std::vector<std::string>& places,
           const ScenarioDocument& document)
{
    std::uint64_t workers = 0;
    std::string too_many;
    for (std::size_t j = 0; j < scenario.jobs.size(); ++j)
    {
        workers += scenario.jobs[j].workers;
        too_many = workers > scenario.topology.hosts && too_many.empty() ? places[j] : too_many;
    }
    if (!too_many.empty())
    {
        document.Fail(PointerTo(too_many, "workers"),
                      fmt::format("{} in {}, but the topology has {}",
                                  Counted(workers, "worker"),
                                  Counted(scenario.jobs.size(), "job"),
                                  Counted(scenario.topology.hosts, "host")));
    }
}

void
CheckParameterServers(const Scenario& scenario, const ScenarioDocument& document)
{
    if (!IsSwitchml(scenario) && scenario.jobs.size() > scenario.topology.parameter_servers)
    {
        document.Fail(
            "/jobs",
            fmt::format("{}, but the topology has {}; allowed: one job each",
                        Counted(scenario.jobs.size(), "job"),
                        Counted(scenario.topology.parameter_servers, "parameter server")));
    }
}

void
CheckRacks(const Scenario& scenario, const ScenarioDocument& document)
{
    const TopologyScenario& topology = scenario.topology;
    if (topology.racks > 1 && scenario.system != System::atp)
    {
        document.Fail("/topology/racks",
                      fmt::format("{}, but the system is not atp; allowed: 1",
                                  Counted(topology.racks, "rack")));
    }
    if (topology.racks > topology.hosts)
    {
        document.Fail("/topology/racks",
                      fmt::format("{}, but the topology has {}; allowed: at least one in each",
                                  Counted(topology.racks, "rack"),
                                  Counted(topology.hosts, "host")));
    }
}

void
CheckMemory(const Scenario& scenario, const ScenarioDocument& document)
{
    const std::uint64_t jobs = scenario.jobs.size();
    const auto slots = IsSwitchml(scenario) ? jobs * SlotsPerJob(scenario) : 1;
    const auto needed = slots * AggregatorBytes(scenario);
    if (scenario.switch_.memory_bytes < needed)
    {
        const auto what = IsSwitchml(scenario) ? fmt::format("{} of {}",
                                                             Counted(SlotsPerJob(scenario), "slot"),
                                                             Counted(jobs, "job"))
                                               : "one aggregator";
        document.Fail("/switch/memory_bytes",
                      fmt::format("{}; allowed: at least {}, which hold {}",
                                  FormatBytes(scenario.switch_.memory_bytes),
                                  FormatBytes(needed),
                                  what));
    }
}

/// Where a hash has fewer values, there are aggregators that no fragment gets.
void
CheckHash(const Scenario& scenario, const ScenarioDocument& document)
{
    const std::uint64_t values = ina::wire::values_of(scenario.switch_.hash);
    if (!IsSwitchml(scenario) && Aggregators(scenario) > values)
    {
        document.Fail("/switch/hash",
                      fmt::format("{} values, but the switch has {}; allowed: a longer hash, or at "
                                  "most {} of memory",
                                  values,
                                  Counted(Aggregators(scenario), "aggregator"),
                                  FormatBytes(values * AggregatorBytes(scenario))));
    }
}

ina::report::System
DataPlaneOf(const Scenario& scenario)
{
    switch (scenario.system)
    {
    case System::atp:
        return ina::report::atp();
    case System::dsa:
        return ina::report::dsa(scenario.dsa.policy, scenario.dsa.join_priority);
    default:
        return ina::report::switchml(ValuesPerPacket(scenario),
                                     scenario.switchml.congestion_control);
    }
}

void
CheckChip(const Scenario& scenario, const ScenarioDocument& document)
{
    if (scenario.switch_.chip == ChipLimit::none)
    {
        return;
    }
    const ina::rmt::Chip& chip =
        scenario.switch_.chip == ChipLimit::tofino1 ? ina::rmt::kTofino1 : ina::rmt::kTofino2;
    const auto aggregators = IsSwitchml(scenario) ? scenario.jobs.size() * SlotsPerJob(scenario)
                                                  : std::uint64_t{Aggregators(scenario)};
    try
    {
        ina::report::place(DataPlaneOf(scenario), aggregators, chip);
    }
    catch (const ina::rmt::DoesNotFit& why)
    {
        document.Fail("/switch/chip", why.what());
    }
}

void
CheckBuffer(const Scenario& scenario, const ScenarioDocument& document)
{
    if (scenario.switch_.buffer_bytes < FrameBytes(scenario))
    {
        document.Fail("/switch/buffer_bytes",
                      fmt::format("{}; allowed: at least {}, which hold one frame",
                                  FormatBytes(scenario.switch_.buffer_bytes),
                                  FormatBytes(FrameBytes(scenario))));
    }
}

void
CheckLinkFaults(const Scenario& scenario, const ScenarioDocument& document)
{
    const TopologyScenario& topology = scenario.topology;
    for (std::size_t i = 0; i < scenario.faults.links.size(); ++i)
    {
        const LinkFaultsScenario& faults = scenario.faults.links[i];
        const auto place = PointerTo("/faults/links", i);
        if (!AnyLinkMatches(faults.link, topology))
        {
            document.Fail(
                PointerTo(place, "link"),
                fmt::format("\"{}\" names none of its links; allowed: \"all\", \"hosts\", "
                            "\"parameter_servers\", \"racks\", or one of {}, {} and {}, "
                            "as \"{}\", \"{}\", \"{}\"",
                            Shorten(faults.link),
                            Counted(topology.hosts, "host"),
                            Counted(topology.parameter_servers, "parameter server"),
                            Counted(topology.racks - 1, "further rack"),
                            HostLinkName(0),
                            ServerLinkName(0),
                            RackLinkName(0)));
        }
        if (faults.until_ps < faults.from_ps)
        {
            document.Fail(PointerTo(place, "until"),
                          fmt::format("{}, but the faults begin at {}",
                                      FormatTime(faults.until_ps),
                                      FormatTime(faults.from_ps)));
        }
    }
}

void
CheckNodeFaults(const Scenario& scenario, const ScenarioDocument& document)
{
    for (std::size_t i = 0; i < scenario.faults.nodes.size(); ++i)
    {
        const NodeFaultScenario& fault = scenario.faults.nodes[i];
        const auto place = PointerTo("/faults/nodes", i);
        if (!ina::faults::can_strike(fault.fault, ProtocolOf(scenario)))
        {
            document.Fail(PointerTo(place, "fault"),
                          fmt::format("\"{}\", but SwitchML has no parameter servers",
                                      ina::faults::name_of(fault.fault)));
        }
        if (fault.job >= scenario.jobs.size())
        {
            document.Fail(PointerTo(place, "job"),
                          fmt::format("job {} of {}; allowed: 0 to {}",
                                      fault.job,
                                      Counted(scenario.jobs.size(), "job"),
                                      scenario.jobs.size() - 1));
        }
        const std::uint32_t workers = scenario.jobs[fault.job].workers;
        if (fault.worker >= workers)
        {
            document.Fail(PointerTo(place, "worker"),
                          fmt::format("worker {}, but job {} has {}; allowed: 0 to {}",
                                      fault.worker,
                                      fault.job,
                                      Counted(workers, "worker"),
                                      workers - 1));
        }
    }
}

/// A job that is registered again gets another id, and none is used twice.
void
CheckJobIds(const Scenario& scenario, const ScenarioDocument& document)
{
    using ina::faults::NodeFault;
    const std::uint64_t limit =
        IsSwitchml(scenario) ? ina::wire::kMaxJobs : std::numeric_limits<std::uint16_t>::max();
    std::uint64_t ids = scenario.jobs.size();
    for (const NodeFaultScenario& fault : scenario.faults.nodes)
    {
        ids += fault.fault == NodeFault::worker_returns ? 1 : 0;
        ids += fault.fault == NodeFault::switch_reboots && IsSwitchml(scenario)
                   ? scenario.jobs.size()
                   : 0;
    }
    if (ids > limit)
    {
        document.Fail("/faults/nodes",
                      fmt::format("jobs are registered up to {} times in all; allowed: up to {}, "
                                  "as many as there are job ids in a packet",
                                  ids,
                                  limit));
    }
}

template <typename Transport>
void
CheckWindow(const Transport& transport,
            const std::string& pointer,
            const ScenarioDocument& document)
{
    const auto most = transport.max_window_packets.value_or(0);
    if (most != 0 && transport.initial_window_packets > most)
    {
        document.Fail(PointerTo(pointer, "initial_window_packets"),
                      fmt::format("{}, but max_window_packets is {}",
                                  Counted(transport.initial_window_packets, "packet"),
                                  most));
    }
}

/// A PSN has 32 bits and never restarts in a job's life.
void
CheckSequenceNumbers(const Scenario& scenario,
                     const JobScenario& job,
                     const std::string& place,
                     const ScenarioDocument& document)
{
    constexpr auto LIMIT = std::uint64_t{1} << 32;
    constexpr auto PER_ITERATION = std::uint64_t{1} << 30;
    // The profile's limits keep the fragments below 2^50: divide, as the product may not fit.
    const auto fragments = FragmentsOf(scenario, job.profile);
    if (fragments > PER_ITERATION)
    {
        document.Fail(PointerTo(place, "profile"),
                      fmt::format("{} of a worker in an iteration; allowed: at most {}",
                                  Counted(fragments, "packet"),
                                  PER_ITERATION));
    }
    if (fragments > (LIMIT - 1) / job.iterations)
    {
        document.Fail(PointerTo(place, "iterations"),
                      fmt::format("{} of {}; allowed: fewer than {} packets of a worker in all",
                                  Counted(job.iterations, "iteration"),
                                  Counted(fragments, "packet"),
                                  LIMIT));
    }
}

/// Who overflows must carry a value that shows it.
void
CheckOverflow(const Scenario& scenario, const ScenarioDocument& document)
{
    if (scenario.atp.overflow > 0 && scenario.payload == Payload::none)
    {
        document.Fail("/atp/overflow",
                      fmt::format("found {}, but no values are carried; allowed: 0 if payload is "
                                  "none",
                                  scenario.atp.overflow));
    }
}

/// A slow worker's computation must fit the 64 bits of a time.
void
CheckSpeeds(const JobScenario& job, const std::string& place, const ScenarioDocument& document)
{
    if (!job.speeds.empty() && SlowestIteration(job) > static_cast<double>(MAX_TIME_PS))
    {
        document.Fail(
            PointerTo(place, "speeds"),
            fmt::format("the slowest iteration computes for more than {0}; allowed: at most {0}",
                        FormatTime(MAX_TIME_PS)));
    }
}

/// Doubles are not exact to the picosecond.
std::int64_t
RoundedTime(double ps)
{
    constexpr std::int64_t PS_PER_NS = 1000;
    return std::llround(ps / PS_PER_NS) * PS_PER_NS;
}

/// How long jobs take then is up to chance more than to anything that a formula knows.
void
CheckLoss(const Scenario& scenario, const ScenarioDocument& document)
{
    const double loss = WorstLoss(scenario);
    if (loss > MOST_LOSS && !scenario.time_limit_ps)
    {
        document.Fail("/time_limit",
                      fmt::format("missing, and a link loses {:.4g} % of its frames; allowed: a "
                                  "time (none is derived where more than half is lost)",
                                  100 * loss));
    }
}

/// Fails at what takes most of a job that cannot end within the longest time.
[[noreturn]] void
FailForTenDays(const JobScenario& job, const std::string& place, const ScenarioDocument& document)
{
    const auto longest = FormatTime(MAX_TIME_PS);
    const double work = LeastWork(job);
    if (static_cast<double>(job.start.high_ps) > work)
    {
        document.Fail(PointerTo(place, "start"),
                      fmt::format("{}, and the job then computes for {}; allowed: an end before "
                                  "{}, the longest /time_limit",
                                  FormatTime(job.start.high_ps),
                                  FormatTime(RoundedTime(work)),
                                  longest));
    }
    document.Fail(PointerTo(place, "iterations"),
                  fmt::format("{}, which compute for more than {}; allowed: at most that, the "
                              "longest /time_limit",
                              Counted(job.iterations, "iteration"),
                              longest));
}

/// Before hours are spent on what no network can make true.
void
CheckTimeLimit(const Scenario& scenario,
               const std::vector<std::string>& places,
               const ScenarioDocument& document)
{
    const std::int64_t limit = TimeLimit(scenario);
    for (std::size_t j = 0; j < scenario.jobs.size(); ++j)
    {
        const double least = LeastTime(scenario, j);
        const bool atTheEnd = scenario.jobs[j].start.high_ps == MAX_TIME_PS;
        if (least > static_cast<double>(MAX_TIME_PS) ||
            (atTheEnd && least == static_cast<double>(MAX_TIME_PS)))
        {
            FailForTenDays(scenario.jobs[j], places[j], document);
        }
        if (least > static_cast<double>(limit))
        {
            document.Fail("/time_limit",
                          fmt::format("{}, but job {} computes for {}; allowed: more than that, "
                                      "or no \"time_limit\", then it follows from the scenario",
                                      FormatTime(limit),
                                      j,
                                      FormatTime(RoundedTime(least))));
        }
    }
}

void
CheckRunMemory(const Scenario& scenario, const ScenarioDocument& document)
{
    const MemoryEstimate estimate = EstimateMemory(scenario);
    if (estimate.bytes > MAX_RUN_BYTES)
    {
        document.Fail(estimate.pointer,
                      fmt::format("{}; allowed: {} a run",
                                  DescribeMemory(estimate),
                                  FormatBytes(MAX_RUN_BYTES)));
    }
}

} // namespace

void
CheckScenario(const Scenario& scenario,
              const std::vector<std::string>& places,
              const ScenarioDocument& document)
{
    CheckHosts(scenario, places, document);
    CheckParameterServers(scenario, document);
    CheckRacks(scenario, document);
    CheckMemory(scenario, document);
    CheckHash(scenario, document);
    CheckChip(scenario, document);
    CheckBuffer(scenario, document);
    CheckLinkFaults(scenario, document);
    CheckNodeFaults(scenario, document);
    CheckJobIds(scenario, document);
    CheckWindow(scenario.atp, "/atp", document);
    CheckWindow(scenario.dsa, "/dsa", document);
    CheckOverflow(scenario, document);
    for (std::size_t j = 0; j < scenario.jobs.size(); ++j)
    {
        CheckSequenceNumbers(scenario, scenario.jobs[j], places[j], document);
        CheckSpeeds(scenario.jobs[j], places[j], document);
    }
    CheckLoss(scenario, document);
    CheckTimeLimit(scenario, places, document);
    CheckRunMemory(scenario, document);
}

} // namespace ns3
