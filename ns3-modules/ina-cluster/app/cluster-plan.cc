/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-plan.h"

#include "build-info.h"
#include "experiment-results.h"
#include "finished-runs.h"
#include "point-results.h"

#include "hw/cluster/partition_plan.hpp"
#include "hw/cluster/random_stream.hpp"
#include "hw/fields/object_reader.hpp"
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

/// What protocols do not have stands at the default of one that has it; SwitchML's window begins as
/// ATP's does.
Json
WorkersOf(const Scenario& scenario)
{
    const auto windowed = [](const auto& worker)
    {
        return Json{{"initial_window_packets", worker.window.initial_packets},
                    {"max_window_packets", worker.window.max_packets},
                    {"congestion_control", worker.window.enabled},
                    {"timeout_ps", worker.min_rto.count()},
                    {"adaptive_timeout", true}};
    };
    Json workers = windowed(scenario.of<ina::systems::Atp>().worker);
    if (scenario.system == System::dsa)
    {
        workers = windowed(scenario.of<ina::systems::Dsa>().worker);
    }
    if (scenario.system == System::switchml)
    {
        const auto& switchml = scenario.of<ina::systems::Switchml>();
        workers["max_window_packets"] = 0;
        workers["congestion_control"] = switchml.congestion_control;
        workers["timeout_ps"] = switchml.least_timeout().count();
        workers["adaptive_timeout"] = !switchml.rto;
    }
    workers["remaining_time"] =
        ina::kRemainingTimeNames[static_cast<std::size_t>(scenario.hosts().remaining_time())];
    return workers;
}

Json
ServersOf(const Scenario& scenario)
{
    const bool isAtp = scenario.system == System::atp;
    const auto& atp = scenario.of<ina::systems::Atp>().server;
    const auto& dsa = scenario.of<ina::systems::Dsa>().server;
    return {{"kept_results", atp.kept_results},
            {"timeout_ps", (isAtp ? atp.request_timeout : dsa.reminder_min_timeout).count()}};
}

/// Of a protocol that has it.
Json
AddressingOf(const Scenario& scenario)
{
    const bool isAtp = scenario.system == System::atp;
    const auto& addressing = isAtp ? scenario.of<ina::systems::Atp>().worker.addressing
                                   : scenario.of<ina::systems::Dsa>().worker.addressing;
    return {{"scheme", ina::wire::name_of(addressing.scheme)},
            {"hash", ina::wire::name_of(scenario.switch_.hash)},
            {"rehash", addressing.rehash},
            {"table_entries", addressing.table_entries}};
}

Json
PolicyOf(const ina::policies::CollisionPolicy& policy)
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
    const auto& dsa = scenario.of<ina::systems::Dsa>().program;
    return {
        {"aggregators", scenario.switches().aggregators(jobs)},
        {"policy", PolicyOf(dsa.policy)},
        {"policy_seed", scenario.seed},
        {"join_priority",
         ina::programs::kJoinPriorityNames[static_cast<std::size_t>(dsa.join_priority)]},
        {"aggregator_expiry_ps",
         (isAtp ? scenario.of<ina::systems::Atp>().program.aggregator_expiry
                : dsa.aggregator_expiry)
             .count()},
        {"buffer_bytes", scenario.switch_.buffer_bytes},
        {"ecn_threshold_bytes", scenario.switch_.ecn_threshold_bytes},
    };
}

/// Each with a switch; the parameter servers are in the last one.
Json
RacksOf(const Scenario& scenario)
{
    return {{"count", scenario.topology.racks}, {"levels", scenario.hosts().levels() == ina::wire::Levels::one ? 1 : 2}};
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
    const std::uint32_t slots = scenario.switches().job_entry(0, 0, 0).slots;
    Json json;
    json["profile"] = job.profile.name;
    json["workers"] = worker_hosts(scenario, index);
    json["racks"] = RacksOfWorkers(scenario, index);
    json["server"] = server_host(scenario, index);
    json["first_slot"] = static_cast<std::uint32_t>(index) * slots;
    json["slots"] = slots;
    json["seed"] = gradient_seed(scenario, index);
    json["overflow"] = scenario.hosts().overflow();
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
    json["format"] = 1;
    json["protocol"] = ina::wire::name_of(scenario.system);
    json["values_per_packet"] = scenario.hosts().values_per_packet();
    json["quantisation"] = ina::cluster::kQuantisationNames[static_cast<std::size_t>(
        scenario.of<ina::systems::Switchml>().quantisation)];
    json["line_rate_bps"] = scenario.topology.link.rate_bps;
    json["workers"] = WorkersOf(scenario);
    json["servers"] = ServersOf(scenario);
    json["addressing"] = AddressingOf(scenario);
    json["switch"] = SwitchOf(scenario);
    json["racks"] = RacksOf(scenario);
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

Json
PlanOf(const Experiment& experiment)
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
        run["cluster"] = ClusterOf(point.with_seed());
        plan["runs"].push_back(run);
    }
    return plan;
}

} // namespace ns3
