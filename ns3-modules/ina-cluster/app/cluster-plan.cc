/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-plan.h"

#include "build-info.h"
#include "experiment-results.h"
#include "finished-runs.h"
#include "point-results.h"

#include "hw/cluster/environment_fields.hpp"
#include "hw/cluster/partition_plan.hpp"
#include "hw/cluster/random_stream.hpp"
#include "hw/fields/object_writer.hpp"
#include "scenarios/reader/link_names.hpp"
#include "scenarios/reader/placement.hpp"
#include "scenarios/reader/scenario_fields.hpp"
#include "scenarios/reader/scenario_sizes.hpp"
#include "scenarios/reader/time_limit.hpp"

#include <algorithm>
#include <iterator>
#include <set>
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

/// The keys of the system as a scenario has them, filled in.
Json
SettingsOf(const Scenario& scenario)
{
    ObjectWriter writer;
    scenario.systems.with(scenario.system,
                          [&writer](const auto& system) { system.visit(writer, system); });
    return writer.json;
}

Json
EnvironmentOf(const Scenario& scenario)
{
    const ina::cluster::Environment environment = environment_of(scenario);
    ObjectWriter writer;
    ina::cluster::visit_environment(writer, environment);
    return writer.json;
}

/// Of a job's workers, by rank.
Json
RacksOfWorkers(const Scenario& scenario, std::size_t job)
{
    Json racks = Json::array();
    for (const ina::HostId host : worker_hosts(scenario, job))
    {
        racks.push_back(rack_of_host(scenario.topology, host));
    }
    return racks;
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
                                           scenario.hosts().values_per_packet(),
                                           scenario.hosts().exponent_slots());
    Json json;
    json["profile"] = job.profile.name;
    json["workers"] = worker_hosts(scenario, index);
    json["racks"] = RacksOfWorkers(scenario, index);
    if (scenario.hosts().traits().has_servers)
    {
        json["server"] = server_host(scenario, index);
    }
    json["seed"] = gradient_seed(scenario, index);
    json["iterations"] = job.iterations;
    json["start_ps"] = DrawStart(scenario, index);
    json["jitter"] = {{"low_ps", job.jitter.range.low_ps},
                      {"high_ps", job.jitter.range.high_ps},
                      {"per", NameOf(job.jitter.per, kJitterNames)},
                      {"first_stream", first_random_stream(scenario, index) + 1}};
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

/// A link that faults may strike.
struct FaultyLink
{
    const char* key;      //!< "host", or "rack": from its switch to that of the parameter servers
    std::uint16_t number; //!< of the host or rack
    std::string name;
};

Json
FaultOf(const LinkFaultsScenario& faults,
        const FaultyLink& link,
        const char* direction,
        std::uint64_t seed)
{
    return {{link.key, link.number},
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

/// The links that take part in the run.
std::vector<FaultyLink>
LinksOf(const Scenario& scenario, const std::vector<ina::HostId>& members)
{
    std::vector<FaultyLink> links;
    for (const ina::HostId host : members)
    {
        links.push_back({"host", host, LinkName(scenario, host)});
    }
    std::set<std::uint16_t> racks;
    for (const ina::HostId host : members)
    {
        if (host < scenario.topology.hosts)
        {
            racks.insert(rack_of_host(scenario.topology, host));
        }
    }
    for (const std::uint16_t rack : racks)
    {
        if (rack + 1U < scenario.topology.racks)
        {
            links.push_back({"rack", rack, rack_link_name(rack)});
        }
    }
    return links;
}

/// One entry for each direction of each link that takes part in the run.
Json
FaultsOf(const Scenario& scenario, const std::vector<ina::HostId>& members)
{
    const std::vector<FaultyLink> links = LinksOf(scenario, members);
    Json json = Json::array();
    std::uint64_t seed = gradient_seed(scenario, scenario.jobs.size());
    for (const LinkFaultsScenario& faults : scenario.faults.links)
    {
        for (const FaultyLink& link : links)
        {
            if (!link_matches(faults.link, link.name))
            {
                continue;
            }
            if (faults.direction != FaultDirection::from_switch)
            {
                json.push_back(FaultOf(faults, link, "to_switch", seed++));
            }
            if (faults.direction != FaultDirection::to_switch)
            {
                json.push_back(FaultOf(faults, link, "from_switch", seed++));
            }
        }
    }
    return json;
}

/// By the clock of the run.
Json
NodeFaultsOf(const Scenario& scenario)
{
    Json json = Json::array();
    for (const NodeFaultScenario& fault : scenario.faults.nodes)
    {
        json.push_back({{"fault", ina::faults::name_of(fault.fault)},
                        {"at_ps", fault.at_ps},
                        {"duration_ps", fault.duration_ps},
                        {"job", fault.job},
                        {"worker", fault.worker}});
    }
    return json;
}

Json
ClusterOf(const Scenario& scenario)
{
    Json json;
    json["format"] = ina::cluster::kClusterFileFormat;
    json["system"] = ina::wire::name_of(scenario.system);
    json["settings"] = SettingsOf(scenario);
    json["environment"] = EnvironmentOf(scenario);
    json["loses_jobs_with_switch"] = scenario.hosts().traits().loses_jobs_with_switch;
    json["switch"] = {{"buffer_bytes", scenario.switch_.buffer_bytes}};
    json["racks"] = {{"count", scenario.topology.racks}};
    json["jobs"] = Json::array();
    std::vector<ina::HostId> members;
    for (std::size_t job = 0; job < scenario.jobs.size(); ++job)
    {
        json["jobs"].push_back(JobOf(scenario, job));
        std::ranges::copy(worker_hosts(scenario, job), std::back_inserter(members));
        if (scenario.hosts().traits().has_servers)
        {
            members.push_back(server_host(scenario, job));
        }
    }
    json["faults"] = FaultsOf(scenario, members);
    json["node_faults"] = NodeFaultsOf(scenario);
    return json;
}

} // namespace

Scenario
LimitedScenario(const ExperimentPoint& point,
                const std::optional<ina::cluster::ProcessLimits>& limits)
{
    Scenario scenario = point.with_seed();
    if (limits)
    {
        ina::cluster::ProcessLimits all = *limits;
        all.workers = 0;
        for (const JobScenario& job : scenario.jobs)
        {
            all.workers += job.workers;
        }
        scenario.systems.hosts(scenario.system).limit(all);
    }
    return scenario;
}

Json
PlanOf(const Experiment& experiment, const std::optional<ina::cluster::ProcessLimits>& limits)
{
    Json plan = DescriptionOf(experiment);
    plan["runs"] = Json::array();
    for (const ExperimentPoint& point : experiment.points)
    {
        Json run;
        run["point"] = point.index;
        run["system"] = ina::wire::name_of(point.combination->system);
        run["seed"] = point.seed;
        run.update(RunOf(point));
        run["time_limit_ps"] = time_limit(*point.combination);
        run["cluster"] = ClusterOf(LimitedScenario(point, limits));
        plan["runs"].push_back(run);
    }
    return plan;
}

} // namespace ns3
