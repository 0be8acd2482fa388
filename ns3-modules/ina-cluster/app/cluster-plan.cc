/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-plan.h"

#include "build-info.h"
#include "experiment-results.h"
#include "finished-runs.h"
#include "point-results.h"

#include "hw/cluster/partition_plan.hpp"
#include "hw/cluster/random_stream.hpp"
#include "scenarios/reader/link_names.hpp"
#include "scenarios/reader/object_reader.hpp"
#include "scenarios/reader/placement.hpp"
#include "scenarios/reader/scenario_fields.hpp"
#include "scenarios/reader/scenario_sizes.hpp"
#include "scenarios/reader/time_limit.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

template <typename E, std::size_t N>
std::string_view
NameOf(E value, const ChoiceNames<E, N>& names)
{
    return std::ranges::find(names, value, &std::pair<std::string_view, E>::second)->first;
}

/// What protocols do not have stands at the default of one that has it; SwitchML's window begins as
/// ATP's does.
Json
WorkersOf(const Scenario& scenario)
{
    const auto windowed = [&scenario](const auto& system)
    {
        return Json{{"initial_window_packets", system.initial_window_packets},
                    {"max_window_packets",
                     scenario.system == System::switchml ? 0 : max_window_packets(scenario)},
                    {"congestion_control", system.congestion_control},
                    {"timeout_ps", system.min_rto_ps},
                    {"adaptive_timeout", true}};
    };
    Json workers = scenario.system == System::atp   ? windowed(scenario.atp)
                   : scenario.system == System::dsa ? windowed(scenario.dsa)
                                                    : windowed(AtpScenario());
    if (scenario.system == System::switchml)
    {
        const SwitchmlScenario& switchml = scenario.switchml;
        workers["congestion_control"] = switchml.congestion_control;
        workers["timeout_ps"] = switchml.least_rto_ps();
        workers["adaptive_timeout"] = !switchml.rto_ps;
    }
    workers["remaining_time"] = NameOf(scenario.dsa.remaining_time, kRemainingTimeNames);
    return workers;
}

Json
ServersOf(const Scenario& scenario)
{
    const bool isAtp = scenario.system == System::atp;
    return {{"kept_results", scenario.atp.kept_results},
            {"timeout_ps",
             isAtp ? scenario.atp.request_timeout_ps : scenario.dsa.reminder_min_timeout_ps}};
}

/// Of a protocol that has it.
Json
AddressingOf(const Scenario& scenario)
{
    const bool isAtp = scenario.system == System::atp;
    const auto scheme = isAtp ? scenario.atp.addressing : scenario.dsa.addressing;
    return {{"scheme", ina::wire::name_of(scheme)},
            {"hash", ina::wire::name_of(scenario.switch_.hash)},
            {"rehash", isAtp && scenario.atp.rehash},
            {"table_entries", table_entries(scenario)}};
}

Json
PolicyOf(const CollisionPolicy& policy)
{
    Json json = {{"name", ina::policies::name_of(policy)}};
    ina::policies::for_each_parameter(policy,
                                      [&json](const auto& parameter, std::int64_t value)
                                      { json[ina::policies::key_of(parameter)] = value; });
    return json;
}

Json
SwitchOf(const Scenario& scenario)
{
    const auto jobs = static_cast<std::uint32_t>(scenario.jobs.size());
    const bool isAtp = scenario.system == System::atp;
    return {
        {"aggregators",
         scenario.system == System::switchml ? jobs * slots_per_job(scenario)
                                             : aggregators(scenario)},
        {"policy", PolicyOf(scenario.dsa.policy)},
        {"policy_seed", scenario.seed},
        {"join_priority", NameOf(scenario.dsa.join_priority, kJoinPriorityNames)},
        {"aggregator_expiry_ps",
         isAtp ? scenario.atp.aggregator_expiry_ps : scenario.dsa.aggregator_expiry_ps},
        {"buffer_bytes", scenario.switch_.buffer_bytes},
        {"ecn_threshold_bytes", scenario.switch_.ecn_threshold_bytes},
    };
}

/// Drawn here, for all workers of a job start together.
std::int64_t
DrawStart(const Scenario& scenario, std::size_t job)
{
    const TimeRange& range = scenario.jobs[job].start;
    ina::cluster::RandomStream random(first_random_stream(scenario, job), scenario.seed);
    return random.between(ina::Time(range.low_ps), ina::Time(range.high_ps)).count();
}

Json
JobOf(const Scenario& scenario, std::size_t index)
{
    const JobScenario& job = scenario.jobs[index];
    const ina::cluster::PartitionPlan plan(job.profile,
                                           values_per_packet(scenario),
                                           exponent_slots(scenario));
    const std::uint32_t slots = scenario.system == System::switchml ? slots_per_job(scenario) : 0;
    Json json;
    json["profile"] = job.profile.name;
    json["workers"] = worker_hosts(scenario, index);
    json["server"] = server_host(scenario, index);
    json["first_slot"] = static_cast<std::uint32_t>(index) * slots;
    json["slots"] = slots;
    json["seed"] = gradient_seed(scenario, index);
    json["iterations"] = job.iterations;
    json["start_ps"] = DrawStart(scenario, index);
    json["jitter"] = {{"low_ps", job.jitter.range.low_ps},
                      {"high_ps", job.jitter.range.high_ps},
                      {"per", NameOf(job.jitter.per, kJitterNames)},
                      {"first_stream", first_random_stream(scenario, index) + 1},
                      {"run", scenario.seed}};
    json["compute_time_factors"] = job.compute_time_factors;
    json["layers"] = Json::array();
    for (const LayerProfile& layer : job.profile.layers)
    {
        json["layers"].push_back({{"parameters", layer.parameters},
                                  {"forward_ps", layer.forward_ps},
                                  {"backward_ps", layer.backward_ps}});
    }
    json["partitions"] = Json::array();
    for (const ina::cluster::PlannedPartition& partition : plan.partitions())
    {
        json["partitions"].push_back(
            {{"layer", partition.layer},
             {"fragments", partition.fragments - partition.exponent_lead}});
    }
    return json;
}

Json
FaultOf(const LinkFaultsScenario& faults,
        ina::HostId host,
        const char* direction,
        std::uint64_t seed)
{
    return {{"host", host},
            {"direction", direction},
            {"seed", seed},
            {"frames", faults.frames},
            {"from_ps", faults.from_ps},
            {"until_ps", faults.until_ps},
            {"lost_frames", faults.lost_frames},
            {"loss", faults.loss},
            {"burst_start", faults.burst.start},
            {"burst_end", faults.burst.end},
            {"burst_loss", faults.burst.loss},
            {"corruption", faults.corruption},
            {"duplication", faults.duplication},
            {"reordering", faults.reordering},
            {"reordering_delay_ps", faults.reordering_delay_ps}};
}

std::string
LinkName(const Scenario& scenario, ina::HostId host)
{
    const std::uint32_t hosts = scenario.topology.hosts;
    return host < hosts ? host_link_name(host) : server_link_name(host - hosts);
}

/// One entry for each direction of each link that takes part in the run.
Json
FaultsOf(const Scenario& scenario, const std::vector<ina::HostId>& members)
{
    Json json = Json::array();
    std::uint64_t seed = gradient_seed(scenario, scenario.jobs.size());
    for (const LinkFaultsScenario& faults : scenario.faults.links)
    {
        for (const ina::HostId host : members)
        {
            if (!link_matches(faults.link, LinkName(scenario, host)))
            {
                continue;
            }
            if (faults.direction != FaultDirection::from_switch)
            {
                json.push_back(FaultOf(faults, host, "to_switch", seed++));
            }
            if (faults.direction != FaultDirection::to_switch)
            {
                json.push_back(FaultOf(faults, host, "from_switch", seed++));
            }
        }
    }
    return json;
}

Json
ClusterOf(const Scenario& scenario)
{
    Json json;
    json["format"] = 1;
    json["protocol"] = ina::wire::name_of(protocol_of(scenario));
    json["values_per_packet"] = values_per_packet(scenario);
    json["quantisation"] = NameOf(scenario.switchml.quantisation, kQuantisationNames);
    json["line_rate_bps"] = scenario.topology.link.rate_bps;
    json["workers"] = WorkersOf(scenario);
    json["servers"] = ServersOf(scenario);
    json["addressing"] = AddressingOf(scenario);
    json["switch"] = SwitchOf(scenario);
    json["jobs"] = Json::array();
    std::vector<ina::HostId> members;
    for (std::size_t job = 0; job < scenario.jobs.size(); ++job)
    {
        json["jobs"].push_back(JobOf(scenario, job));
        std::ranges::copy(worker_hosts(scenario, job), std::back_inserter(members));
        if (scenario.system != System::switchml)
        {
            members.push_back(server_host(scenario, job));
        }
    }
    json["faults"] = FaultsOf(scenario, members);
    return json;
}

} // namespace

Json
PlanOf(const Experiment& experiment)
{
    Json plan = DescriptionOf(experiment);
    plan["runs"] = Json::array();
    for (const ExperimentPoint& point : experiment.points)
    {
        Json run;
        run["point"] = point.index;
        run["system"] = SystemName(point.combination->system);
        run["seed"] = point.seed;
        run.update(RunOf(point));
        run["time_limit_ps"] = time_limit(*point.combination);
        run["cluster"] = ClusterOf(point.with_seed());
        plan["runs"].push_back(run);
    }
    return plan;
}

} // namespace ns3
