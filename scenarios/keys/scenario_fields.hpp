// SPDX-License-Identifier: BSD-3-Clause
// The keys of a scenario, their allowed values and their meaning. One list serves reading
// (ObjectReader), writing (ObjectWriter) and description (SchemaWriter, whose schema also yields
// the tables of docs/reference/scenario). scenario.hpp has the defaults.
#pragma once

#include <fmt/format.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "hw/fields/bounds.hpp"
#include "hw/fields/quantity.hpp"
#include "hw/protocol/wire/hash.hpp"
#include "hw/protocol/wire/job_servers.hpp"
#include "hw/protocol/wire/limits.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/keys/traffic_fields.hpp"
#include "switch-models/rmt/chip.hpp"

namespace ina::scenarios {

inline constexpr std::uint32_t kMaxHosts = 8192;  ///< 256 jobs of 32 workers
inline constexpr std::uint32_t kMaxRacks = 256;
inline constexpr std::uint32_t kMaxSpines = 256;
inline constexpr std::uint32_t kMaxFatTree = 32;  ///< k; 32 gives 8192 hosts
inline constexpr std::uint32_t kMaxRails = 64;
inline constexpr std::size_t kMaxSwitches = 1024;  ///< in a topology of type graph
inline constexpr std::size_t kMaxTrunks = 16'384;
inline constexpr std::size_t kMaxOwnLinks = 1000;
inline constexpr std::uint32_t kMaxJobs = wire::kMaxJobs;
inline constexpr std::uint32_t kMaxWorkers = wire::kMaxWorkers;  ///< per job
inline constexpr std::size_t kMaxLinkFaults = 1000;
inline constexpr std::size_t kMaxNodeFaults = 1000;

inline constexpr Bounds<std::int64_t> kPositiveTime{1, kMaxTimePs};
/// Each row costs memory and time, even if nothing happened.
inline constexpr Bounds<std::int64_t> kRowInterval{1'000'000, kMaxTimePs};
inline constexpr Bounds<std::uint64_t> kPositiveBytes{1, kMaxBytes};
/// At the minimum of 1 Mbps, 100 GB take less than ten days, so any serialisation time fits into
/// 64 bits of picoseconds.
inline constexpr Bounds<std::uint64_t> kAnyRate{1'000'000, kMaxRateBps};
inline constexpr Bounds<std::uint32_t> kFramingBytes{0, 256};

inline constexpr auto kTopologyNames = names_in_order<TopologyType>(kTopologyTypeNames);
inline constexpr ChoiceNames<Placement, 2> kPlacementNames{
    {{"packed", Placement::packed}, {"spread", Placement::spread}}};
inline constexpr ChoiceNames<std::optional<cluster::RootChoice>, 4> kRootNames{
    {{"auto", std::nullopt},
     {cluster::kRootChoiceNames[0], cluster::RootChoice::server_leaf},
     {cluster::kRootChoiceNames[1], cluster::RootChoice::spine},
     {cluster::kRootChoiceNames[2], cluster::RootChoice::least_loaded}}};
/// Indexed like cluster::kHostPresets.
inline constexpr auto kHostPresetNames = [] {
  ChoiceNames<std::size_t, std::size(cluster::kHostPresets)> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {cluster::kHostPresets[i].name, i};
  return names;
}();
inline constexpr auto kSystemNames = names_in_order<System>(cluster::kSystemNames);
inline constexpr auto kJitterNames = names_in_order<JitterPer>(cluster::kJitterPerNames);
inline constexpr auto kHashNames = names_in_order<wire::Hash>(wire::kHashNames);
inline constexpr ChoiceNames<Passes, 3> kPassesNames{
    {{"free", Passes::free}, {"charged", Passes::charged}, {"separate", Passes::separate}}};
inline constexpr ChoiceNames<ChipLimit, 3> kChipNames{{{"none", ChipLimit::none},
                                                       {rmt::kTofino1.name, ChipLimit::tofino1},
                                                       {rmt::kTofino2.name, ChipLimit::tofino2}}};
inline constexpr ChoiceNames<Payload, 3> kPayloadNames{
    {{"values", Payload::values}, {"digest", Payload::digest}, {"none", Payload::none}}};
inline constexpr ChoiceNames<FaultDirection, 3> kFaultDirectionNames{
    {{"both", FaultDirection::both},
     {"to_switch", FaultDirection::to_switch},
     {"from_switch", FaultDirection::from_switch}}};
inline constexpr ChoiceNames<Engine, 2> kEngineNames{
    {{"fast", Engine::fast}, {"reference", Engine::reference}}};

template <typename Visitor, typename Link>
void visit_link(Visitor& visitor, Link& link) {
  visitor.rate("rate", link.rate_bps, kAnyRate, "Rate of each such link, in each direction");
  visitor.time("delay", link.delay_ps, kLatency, "Propagation delay of each such link, one way");
  visitor.time("delay_spread", link.delay_spread_ps, kLatency,
               "Largest difference of a link's delay from delay, and never more than delay: the "
               "seed draws the delay of each link once, uniformly within delay +- delay_spread, "
               "for both directions");
  visitor.integer(
      "framing_bytes", link.framing_bytes, kFramingBytes,
      "Bytes of preamble, FCS and gap that each frame takes on the wire, 24 on Ethernet");
}

template <typename Visitor, typename OwnLink>
void visit_own_link(Visitor& visitor, OwnLink& link) {
  visitor.require("link");
  visitor.text("link", link.link,
               "Links that have these settings: all, hosts, parameter_servers, racks (between "
               "switches), or one, such as host3, ps0, rack1, leaf0-spine1; host3 has all ports of "
               "a host on several rails");
  visitor.rate("rate", link.rate_bps, kAnyRate,
               "Rate of each such link, in each direction; by default, as the two below, that "
               "of others of its kind");
  visitor.time("delay", link.delay_ps, kLatency,
               "Propagation delay of each such link, one way, without a spread");
  visitor.integer("framing_bytes", link.framing_bytes, kFramingBytes,
                  "Bytes of preamble, FCS and gap that each frame takes on the wire");
}

template <typename Visitor, typename Host>
void visit_host(Visitor& visitor, Host& host) {
  visitor.choice("preset", host.preset, kHostPresetNames,
                 "Hosts whose times the keys below have by default; no paper prints them. none: "
                 "packets take no time. atp-e1-wire and atp-e1-payload: derived from ATP's numbers "
                 "(NSDI 2021, 5.4 and E.1), as rates of packets or of their values. switchml: an "
                 "assumption, 40 Gbps of 180 B on four cores");
  if constexpr (!std::is_const_v<Host>) host.stage = cluster::kHostPresets[host.preset].config;
  cluster::HostStage::Config::visit(visitor, host.stage);
}

template <typename Visitor, typename Topology>
void visit_graph(Visitor& visitor, Topology& topology) {
  visitor.list(
      "switches", topology.switches, Bounds<std::size_t>{0, kMaxSwitches},
      [](auto& inner, auto& place) {
        inner.require("name");
        inner.text(
            "name", place.name,
            "Name of the switch, up to 32 of A-Z a-z 0-9 _, which does not begin with host or ps");
        inner.integer("hosts", place.hosts, Bounds<std::uint32_t>{0, kMaxHosts},
                      "Hosts for workers at the switch");
      },
      "The switches; hosts are numbered in their order");
  visitor.list(
      "trunks", topology.trunks, Bounds<std::size_t>{0, kMaxTrunks},
      [](auto& inner, auto& trunk) {
        inner.require("from");
        inner.text("from", trunk.from, "A switch");
        inner.require("to");
        inner.text("to", trunk.to, "Another switch; the link from a to b is called a-b");
      },
      "The links between switches, at most one between two");
  visitor.derived_text("servers_at", topology.servers_at,
                       "The switch of all parameter servers; by default the last one with hosts");
}

template <typename Visitor, typename Topology>
void visit_topology(Visitor& visitor, Topology& topology) {
  using Count = Bounds<std::uint32_t>;
  const auto visit_sizes = [&](auto& inner) {
    const TopologyType type = topology.type;
    if (type == TopologyType::star || type == TopologyType::rail) {
      inner.integer("hosts", topology.hosts, Count{1, kMaxHosts},
                    "Hosts for workers, at least as many as workers, unless jobs name theirs; with "
                    "rail, one worker per port");
    }
    if (type == TopologyType::rail) {
      inner.integer("rails", topology.rails, Count{1, kMaxRails},
                    "Ports of each host, one on each rail, and switches of rails");
    }
    if (type == TopologyType::star || type == TopologyType::leaf_spine) {
      inner.integer("racks", topology.racks, Count{1, kMaxRacks},
                    "Racks with a switch each. A star has at most as many as hosts, which are "
                    "divided among them in order; the switches of the others hang on that of the "
                    "last rack");
    }
    if (type == TopologyType::leaf_spine) {
      inner.integer("hosts_per_rack", topology.hosts_per_rack, Count{1, kMaxHosts},
                    "Hosts for workers in each rack");
    }
    if (type == TopologyType::leaf_spine || type == TopologyType::rail) {
      inner.integer("spines", topology.spines, Count{1, kMaxSpines},
                    "Spine switches; every switch of a rack or a rail has one link to each");
    }
    if (type == TopologyType::fat_tree) {
      inner.integer("k", topology.k, Count{2, kMaxFatTree},
                    "Ports of a switch, an even number: k pods of k/2 racks of k/2 hosts");
    }
    if (type == TopologyType::graph) visit_graph(inner, topology);
    if (type == TopologyType::fat_tree || type == TopologyType::graph) {
      inner.object(
          "core", [&](auto& of_core) { visit_link(of_core, topology.core); },
          "All links between switches that are not those of racks");
    }
  };
  visitor.type("type", topology.type, kTopologyNames, visit_sizes,
               "Shape of the network: one switch, or racks that hang on the last one; leaves under "
               "spines; a fat tree; hosts with a port on each of several rails under spines; or "
               "the given switches and trunks");
  visitor.integer("parameter_servers", topology.parameter_servers, Count{0, kMaxJobs},
                  "Hosts for parameter servers; atp, dsa and ps need one per job, unless jobs name "
                  "theirs; they are in the last rack, or on the last rail");
  visitor.choice("placement", topology.placement, kPlacementNames,
                 "Hosts that workers take if their job names none, job by job: rack by rack (with "
                 "rail: rail by rail), or one of each in turn");
  visitor.choice(
      "root", topology.root, kRootNames,
      "The switch where the sums of a job meet, and that all its workers' and servers' packets "
      "pass. server_leaf: that of its (first) server's rack. spine: the best one that joins its "
      "racks; the job's number and the seed pick one of several. least_loaded: one of these that "
      "the packets of the fewest workers and servers of other jobs pass. auto: least_loaded under "
      "switchml and dsa if a job is in several racks, otherwise server_leaf");
  visitor.object(
      "link", [&](auto& inner) { visit_link(inner, topology.link); },
      "All links of hosts and parameter servers");
  visitor.object(
      "uplink", [&](auto& inner) { visit_link(inner, topology.uplink); },
      "All links from a rack's switch to another one");
  visitor.list(
      "links", topology.links, Bounds<std::size_t>{0, kMaxOwnLinks},
      [](auto& inner, auto& link) { visit_own_link(inner, link); },
      "Settings of single links, or of several alike; for the same link, later entries override "
      "earlier ones");
  visitor.object(
      "host", [&](auto& inner) { visit_host(inner, topology.host); },
      "Time that packets cost each host for workers, also for servers on such hosts");
  visitor.object(
      "server", [&](auto& inner) { visit_host(inner, topology.server); },
      "Time that packets cost each host for parameter servers");
}

template <typename Visitor, typename Switch>
void visit_switch(Visitor& visitor, Switch& sw) {
  visitor.bytes("memory_bytes", sw.memory_bytes, kPositiveBytes,
                "Memory for the values of aggregators: 248 B each; under switchml 8 B times "
                "values_per_packet for a slot");
  visitor.choice("hash", sw.hash, kHashNames,
                 "Hash that gives a fragment its aggregator under atp and dsa; crc16 for at most "
                 "65536 aggregators");
  visitor.bytes("buffer_bytes", sw.buffer_bytes, kPositiveBytes,
                "Packet buffer that all egress queues share, at least one frame");
  visitor.bytes("ecn_threshold_bytes", sw.ecn_threshold_bytes, kPositiveBytes,
                "Length of an egress queue from which frames are marked");
  visitor.time("pipeline_latency", sw.pipeline_latency_ps, kLatency,
               "Time of a frame from ingress to its egress queue");
  visitor.time(
      "pass_latency", sw.pass_latency_ps, kLatency,
      "Time of each further pass through the pipeline (resubmit, recirculate); by default, "
      "as the bandwidths below, Tofino 1's with every chip");
  visitor.rate("resubmit_bandwidth", sw.resubmit_bandwidth_bps, kAnyRate,
               "Bandwidth of the path that resubmitted frames wait for");
  visitor.choice(
      "passes", sw.passes, kPassesNames,
      "Cost of the further passes of a packet: free (except where DSA swaps), charged (time and "
      "bandwidth), or separate (in addition, other packets come between the passes)");
  visitor.rate("recirculate_bandwidth", sw.recirculate_bandwidth_bps, kAnyRate,
               "Bandwidth of all ports that are looped back, unless passes are free");
  visitor.choice("chip", sw.chip, kChipNames,
                 "Chip that the data-plane program, with its memory and policy, has to fit");
}

template <typename Visitor, typename LinkFaults>
void visit_link_faults(Visitor& visitor, LinkFaults& faults) {
  visitor.text("link", faults.link,
               "Links that have these faults: all, hosts, parameter_servers, racks (between "
               "switches), or one, such as host3, ps0, rack1, leaf0-spine1");
  visitor.choice("direction", faults.direction, kFaultDirectionNames,
                 "Direction of the frames; to_switch is towards the parameter servers' switch on "
                 "rack1, and towards the spine on leaf0-spine1");
  faults::LinkFaults::Config::visit(visitor, faults);
}

template <typename Visitor, typename NodeFault>
void visit_node_fault(Visitor& visitor, NodeFault& fault) {
  const auto visit_network = [&](auto& inner) {
    if (fault.fault == faults::NodeFault::link_fails) {
      inner.require("link");
      inner.text("link", fault.link, "One link, such as host3, ps0, rack1, leaf0-spine1");
    }
    if (fault.fault == faults::NodeFault::switch_fails) inner.require("switch");
    if (!faults::strikes_job(fault.fault) && fault.fault != faults::NodeFault::link_fails) {
      inner.text("switch", fault.switch_,
                 "A switch, such as switch, rack1, leaf0, spine1; with switch_reboots by default "
                 "that of the parameter servers");
    }
  };
  faults::TimedNodeFault::visit(visitor, fault, faults::NodeFaultLimits(), visit_network);
}

template <typename Visitor, typename Faults>
void visit_faults(Visitor& visitor, Faults& faults) {
  visitor.list(
      "links", faults.links, Bounds<std::size_t>{0, kMaxLinkFaults},
      [](auto& inner, auto& link) { visit_link_faults(inner, link); },
      "Faults of one link, or of several alike; a frame meets them in their order");
  visitor.list(
      "nodes", faults.nodes, Bounds<std::size_t>{0, kMaxNodeFaults},
      [](auto& inner, auto& fault) { visit_node_fault(inner, fault); },
      "Faults of workers, parameter servers, jobs, switches, and links that fail for good");
}

/// The key "exposed" of a profile, whether complete or scaled from another one.
template <typename Visitor, typename Profile>
void visit_exposed(Visitor& visitor, Profile& profile) {
  visitor.probability(
      "exposed", profile.exposed,
      "Share of the gradient's bytes that is submitted only after the backward "
      "pass: the last ones in the order of sending, rounded up to whole partitions. "
      "With 0 each layer's are submitted when it is ready, with 1 no communication "
      "overlaps with the backward pass");
}

/// All keys of a model profile except "send_order".
template <typename Visitor, typename Profile>
void visit_profile(Visitor& visitor, Profile& profile) {
  visitor.derived_text("name", profile.name,
                       "Name of the model; by default inline, or the name of its file");
  visitor.text("source", profile.source, "Source of the numbers");
  visitor.bytes("partition_bytes", profile.partition_bytes, Bounds<std::uint64_t>{4, kMaxBytes},
                "Size of the partitions that a layer's gradient (4 bytes a parameter) is cut in, a "
                "multiple of 4 bytes");
  visit_exposed(visitor, profile);
  visitor.require("layers");
  visitor.list(
      "layers", profile.layers, Bounds<std::size_t>{1, 10'000},
      [](auto& inner, auto& layer) {
        inner.derived_text("name", layer.name,
                           "Name of the layer; by default layer1, layer2 and so on");
        inner.require("parameters");
        inner.integer("parameters", layer.parameters, Bounds<std::uint64_t>{0, 1'000'000'000'000},
                      "Number of parameters, four bytes each; not 0 in every layer");
        inner.time("forward", layer.forward_ps, kAnyTime, "Compute time of the forward pass");
        inner.time("backward", layer.backward_ps, kAnyTime, "Compute time of the backward pass");
      },
      "The layers from front to back, of at most 10^5 partitions, 2^30 packets and ten days an "
      "iteration");
}

/// Number of jobs that one object describes.
template <typename Visitor, typename Count>
void visit_count(Visitor& visitor, Count& count) {
  visitor.integer("count", count, Bounds<std::uint32_t>{1, kMaxJobs}, "Number of such jobs");
}

/// Job keys that are the same for one job and for a group: all except "count", "profile" and
/// "compute_time_factors".
template <typename Visitor, typename Job>
void visit_job(Visitor& visitor, Job& job) {
  visitor.integer("workers", job.workers, Bounds<std::uint32_t>{1, kMaxWorkers},
                  "Workers of each job; under one switch at most as many as a bitmap has bits. "
                  "Equal to the number of hosts, if those are named");
  visitor.integers("hosts", job.hosts, Bounds<std::uint32_t>{0, kMaxHosts - 1},
                   Bounds<std::size_t>{1, kMaxWorkers},
                   "Host of each worker, by rank, from 0; several workers may have the same one. "
                   "By default each has its own, among those that no job names");
  visitor.texts("server", job.servers, Bounds<std::size_t>{1, wire::kMaxServers},
                "Host of the parameter server: one for parameter servers, such as ps1, or one for "
                "workers, such as host3; several servers may be on one host. By default job 1 has "
                "ps1, and so on. If a job has several, each has a share of its packets");
  visitor.integer("iterations", job.iterations, Bounds<std::uint32_t>{1, 1'000'000'000},
                  "Iterations of each job; a worker sends fewer than 2^32 packets in all of them");
  visitor.range("start", job.start, "Start of a job; drawn once per job if it is random");
  visitor.range(
      "jitter", job.jitter.range,
      [&](auto& inner) {
        inner.rare_choice("per", job.jitter.per, JitterScenario().per, kJitterNames,
                          "Scope of each draw of a worker");
      },
      "Time that is added to a worker's computation");
}

/// Top-level keys that do not depend on the file: all except name, jobs, seeds and sweep.
template <typename Visitor, typename AnyScenario>
void visit_scenario(Visitor& visitor, AnyScenario& scenario) {
  visitor.text("description", scenario.description, "Text that says what the experiment shows");
  visitor.choice("system", scenario.system, kSystemNames, "System that aggregates the gradients");
  visitor.object(
      "topology", [&](auto& inner) { visit_topology(inner, scenario.topology); }, "The network");
  visitor.object(
      "switch", [&](auto& inner) { visit_switch(inner, scenario.switch_); }, "Every switch");
  systems::for_each_system([&](System system) {
    visitor.object(
        cluster::name_of(system),
        [&](auto& inner) {
          scenario.systems.with(system, [&](auto& settings) { settings.visit(inner, settings); });
        },
        fmt::format("Settings that are read if the system is {}", cluster::name_of(system)));
  });
  visitor.choice("payload", scenario.payload, kPayloadNames,
                 "Payload of packets: every value, added and checked; 64 bits of check per "
                 "fragment; or nothing");
  visitor.choice("engine", scenario.engine, kEngineNames,
                 "The simulator: the project's own, or ns-3's own as the reference, with the same "
                 "results");
  visitor.time(
      "time_limit", scenario.time_limit_ps, kPositiveTime,
      "Simulated time after which a run has failed, more than any job computes; by default "
      "far more than the jobs can need");
  visitor.object(
      "faults", [&](auto& inner) { visit_faults(inner, scenario.faults); },
      "Faults of links and nodes");
  visitor.object(
      "traffic", [&](auto& inner) { visit_traffic(inner, scenario.traffic); },
      "Other traffic, which shares the links with the jobs");
  visitor.object(
      "outputs",
      [&outputs = scenario.outputs](auto& inner) {
        inner.time("switch_interval", outputs.switch_interval_ps, kRowInterval,
                   "Time between the instants at which switch.csv may have rows");
        inner.boolean("pcap", outputs.pcap,
                      "Whether each host's frames are written to pcap files, which is slow");
        inner.time(
            "link_interval", outputs.link_interval_ps, kRowInterval,
            "Length of the intervals of link_series.csv, which is only written with this key");
        inner.boolean("occupation", outputs.occupation,
                      "Whether occupation.csv is written: how long tasks hold aggregators");
      },
      "Settings of the files that a run writes");
}

}  // namespace ina::scenarios
