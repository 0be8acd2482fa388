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
  visitor.rate("rate", link.rate_bps, kAnyRate, "Rate of each of these links, in each direction");
  visitor.time("delay", link.delay_ps, kLatency,
               "Propagation delay of each of these links, one way");
  visitor.time("delay_spread", link.delay_spread_ps, kLatency,
               "Maximum difference between the delay of a link and delay. The seed draws one delay "
               "per link, for both directions, uniformly within delay +- delay_spread. Values "
               "above delay act like delay");
  visitor.integer(
      "framing_bytes", link.framing_bytes, kFramingBytes,
      "Number of bytes of preamble, FCS and gap that each frame adds on the wire; 24 on Ethernet");
}

template <typename Visitor, typename OwnLink>
void visit_own_link(Visitor& visitor, OwnLink& link) {
  visitor.require("link");
  visitor.text("link", link.link,
               "Links with these settings: all, hosts, parameter_servers, racks (all links between "
               "switches), or the name of one link, such as host3, ps0, rack1 or leaf0-spine1. On "
               "a rail topology, host3 stands for all ports of the host");
  visitor.rate(
      "rate", link.rate_bps, kAnyRate,
      "Rate of each of these links, in each direction. Default: that of links of the same kind");
  visitor.time("delay", link.delay_ps, kLatency,
               "Propagation delay of each of these links, one way, without a spread. Default: "
               "delay and spread of links of the same kind");
  visitor.integer("framing_bytes", link.framing_bytes, kFramingBytes,
                  "Number of bytes of preamble, FCS and gap that each frame adds on the wire. "
                  "Default: that of links of the same kind");
}

template <typename Visitor, typename Host>
void visit_host(Visitor& visitor, Host& host) {
  visitor.choice(
      "preset", host.preset, kHostPresetNames,
      "Preset that gives the other keys of this object their defaults. The papers state no such "
      "times. none: packets take no time in hosts. atp-e1-wire, atp-e1-payload: derived from ATP's "
      "numbers (NSDI 2021, 5.4 and E.1), read as rates of whole packets or of their values. "
      "switchml: an assumption, 40 Gbps of 180 B packets on four cores");
  if constexpr (!std::is_const_v<Host>) host.stage = cluster::kHostPresets[host.preset].config;
  cluster::HostStage::Config::visit(visitor, host.stage);
}

template <typename Visitor, typename Topology>
void visit_graph(Visitor& visitor, Topology& topology) {
  visitor.list(
      "switches", topology.switches, Bounds<std::size_t>{0, kMaxSwitches},
      [](auto& inner, auto& place) {
        inner.require("name");
        inner.text("name", place.name,
                   "Name of the switch: up to 32 of A-Z a-z 0-9 _, not beginning with host or ps");
        inner.integer("hosts", place.hosts, Bounds<std::uint32_t>{0, kMaxHosts},
                      "Number of hosts for workers at the switch");
      },
      "Switches. Hosts are numbered in the order of their switches");
  visitor.list(
      "trunks", topology.trunks, Bounds<std::size_t>{0, kMaxTrunks},
      [](auto& inner, auto& trunk) {
        inner.require("from");
        inner.text("from", trunk.from, "Name of a switch");
        inner.require("to");
        inner.text("to", trunk.to, "Name of another switch. The link from a to b is called a-b");
      },
      "Links between switches, at most one between any two");
  visitor.derived_text(
      "servers_at", topology.servers_at,
      "Name of the switch of all parameter servers. Default: the last switch with hosts");
}

template <typename Visitor, typename Topology>
void visit_topology(Visitor& visitor, Topology& topology) {
  using Count = Bounds<std::uint32_t>;
  const auto visit_sizes = [&](auto& inner) {
    const TopologyType type = topology.type;
    if (type == TopologyType::star || type == TopologyType::rail) {
      inner.integer("hosts", topology.hosts, Count{1, kMaxHosts},
                    "Number of hosts for workers. Jobs that do not name hosts need one host for "
                    "each worker. On a rail topology, they need one port for each worker");
    }
    if (type == TopologyType::rail) {
      inner.integer(
          "rails", topology.rails, Count{1, kMaxRails},
          "Number of rails. Each rail has one switch, and each host has one port on each rail");
    }
    if (type == TopologyType::star || type == TopologyType::leaf_spine) {
      inner.integer("racks", topology.racks, Count{1, kMaxRacks},
                    "Number of racks, each with one switch. In a star there are at most as many "
                    "racks as hosts, the hosts are divided among the racks in order, and the other "
                    "racks' switches are linked to the last rack's switch");
    }
    if (type == TopologyType::leaf_spine) {
      inner.integer("hosts_per_rack", topology.hosts_per_rack, Count{1, kMaxHosts},
                    "Number of hosts for workers in each rack");
    }
    if (type == TopologyType::leaf_spine || type == TopologyType::rail) {
      inner.integer(
          "spines", topology.spines, Count{1, kMaxSpines},
          "Number of spine switches. Each switch of a rack or rail has one link to each spine");
    }
    if (type == TopologyType::fat_tree) {
      inner.integer("k", topology.k, Count{2, kMaxFatTree},
                    "Number of ports of each switch, an even number. The network has k pods of k/2 "
                    "racks, and each rack has k/2 hosts");
    }
    if (type == TopologyType::graph) visit_graph(inner, topology);
    if (type == TopologyType::fat_tree || type == TopologyType::graph) {
      inner.object(
          "core", [&](auto& of_core) { visit_link(of_core, topology.core); },
          "Links between switches of which neither is a rack's switch");
    }
  };
  visitor.type("type", topology.type, kTopologyNames, visit_sizes,
               "Shape of the network. star: one switch, or several racks whose switches are linked "
               "to the last rack's. leaf_spine: racks under spines. fat_tree: a fat tree of "
               "switches with k ports. rail: hosts with one port on each rail, and rails under "
               "spines. graph: the given switches and trunks");
  visitor.integer("parameter_servers", topology.parameter_servers, Count{0, kMaxJobs},
                  "Number of hosts for parameter servers, in the last rack or on the last rail. "
                  "With atp, dsa and ps, each job that does not name its server needs one of them");
  visitor.choice(
      "placement", topology.placement, kPlacementNames,
      "Order in which jobs that name no hosts take them, one job after another. packed: rack by "
      "rack, or rail by rail. spread: one host of each rack in turn, or one port of each rail");
  visitor.choice(
      "root", topology.root, kRootNames,
      "Switch that completes the sums of a job and that all packets between the job's workers and "
      "servers pass. If the whole job is in one rack, this is the rack's switch. server_leaf: the "
      "switch of the first server's rack; the parameter servers' switch if the job has no server. "
      "spine: one of the best switches above the job's racks, by the job's number and the seed. "
      "least_loaded: the one of these switches that the packets of the fewest workers and servers "
      "of other jobs pass. auto: least_loaded under switchml and dsa if any job is in several "
      "racks, otherwise server_leaf");
  visitor.object(
      "link", [&](auto& inner) { visit_link(inner, topology.link); },
      "Links of hosts and of parameter servers");
  visitor.object(
      "uplink", [&](auto& inner) { visit_link(inner, topology.uplink); },
      "Links from a rack's switch to another switch");
  visitor.list(
      "links", topology.links, Bounds<std::size_t>{0, kMaxOwnLinks},
      [](auto& inner, auto& link) { visit_own_link(inner, link); },
      "Settings of one link or of several. If several entries set a key of the same link, the last "
      "one counts");
  visitor.object(
      "host", [&](auto& inner) { visit_host(inner, topology.host); },
      "Time that packets take in each host for workers, including parameter servers on such hosts");
  visitor.object(
      "server", [&](auto& inner) { visit_host(inner, topology.server); },
      "Time that packets take in each host for parameter servers");
}

template <typename Visitor, typename Switch>
void visit_switch(Visitor& visitor, Switch& sw) {
  visitor.bytes("memory_bytes", sw.memory_bytes, kPositiveBytes,
                "Memory of each switch for the values of aggregators. An aggregator takes 248 B, a "
                "slot of switchml 8 B times values_per_packet");
  visitor.choice("hash", sw.hash, kHashNames,
                 "Hash that gives a fragment its aggregator under atp and dsa. crc16 is allowed "
                 "for at most 65536 aggregators");
  visitor.bytes(
      "buffer_bytes", sw.buffer_bytes, kPositiveBytes,
      "Size of the packet buffer that all egress queues of a switch share. Minimum: one frame");
  visitor.bytes("ecn_threshold_bytes", sw.ecn_threshold_bytes, kPositiveBytes,
                "Length of an egress queue above which frames are marked");
  visitor.time("pipeline_latency", sw.pipeline_latency_ps, kLatency,
               "Time that a frame takes from ingress to its egress queue");
  visitor.time(
      "pass_latency", sw.pass_latency_ps, kLatency,
      "Time of each further pass of a packet through the pipeline (resubmit, recirculate). The "
      "default of this key and of the two bandwidths is that of Tofino 1, whatever chip is");
  visitor.rate("resubmit_bandwidth", sw.resubmit_bandwidth_bps, kAnyRate,
               "Bandwidth of the resubmission path. Frames of DSA that preempt an aggregator wait "
               "for this path");
  visitor.choice("passes", sw.passes, kPassesNames,
                 "Cost of the further passes of a packet. free: none, except for the swap of DSA. "
                 "charged: time and bandwidth. separate: as charged, and other packets come "
                 "between the passes of a packet");
  visitor.rate("recirculate_bandwidth", sw.recirculate_bandwidth_bps, kAnyRate,
               "Total bandwidth of the ports that are looped back for recirculation. Not used if "
               "passes is free");
  visitor.choice(
      "chip", sw.chip, kChipNames,
      "Chip that the data-plane program must fit, with its memory and its policy. none: no limit");
}

template <typename Visitor, typename LinkFaults>
void visit_link_faults(Visitor& visitor, LinkFaults& faults) {
  visitor.text("link", faults.link,
               "Links with these faults: all, hosts, parameter_servers, racks (all links between "
               "switches), or the name of one link, such as host3, ps0, rack1 or leaf0-spine1");
  visitor.choice("direction", faults.direction, kFaultDirectionNames,
                 "Direction of the frames. to_switch: from a host to its switch; on a link such as "
                 "leaf0-spine1, towards the second switch; on a link such as rack1, towards the "
                 "parameter servers' switch");
  faults::LinkFaults::Config::visit(visitor, faults);
}

template <typename Visitor, typename NodeFault>
void visit_node_fault(Visitor& visitor, NodeFault& fault) {
  const auto visit_network = [&](auto& inner) {
    if (fault.fault == faults::NodeFault::link_fails) {
      inner.require("link");
      inner.text("link", fault.link, "Name of one link, such as host3, ps0, rack1 or leaf0-spine1");
    }
    if (fault.fault == faults::NodeFault::switch_fails) inner.require("switch");
    if (!faults::strikes_job(fault.fault) && fault.fault != faults::NodeFault::link_fails) {
      inner.text("switch", fault.switch_,
                 "Name of a switch, such as switch, rack1, leaf0 or spine1. Default for "
                 "switch_reboots: the parameter servers' switch");
    }
  };
  faults::TimedNodeFault::visit(visitor, fault, faults::NodeFaultLimits(), visit_network);
}

template <typename Visitor, typename Faults>
void visit_faults(Visitor& visitor, Faults& faults) {
  visitor.list(
      "links", faults.links, Bounds<std::size_t>{0, kMaxLinkFaults},
      [](auto& inner, auto& link) { visit_link_faults(inner, link); },
      "Faults of one link or of several. If several entries match a link, all of them apply to its "
      "frames");
  visitor.list(
      "nodes", faults.nodes, Bounds<std::size_t>{0, kMaxNodeFaults},
      [](auto& inner, auto& fault) { visit_node_fault(inner, fault); },
      "Faults of workers, parameter servers, jobs and switches, and permanent failures of links");
}

/// The key "exposed" of a profile, whether complete or scaled from another one.
template <typename Visitor, typename Profile>
void visit_exposed(Visitor& visitor, Profile& profile) {
  visitor.probability("exposed", profile.exposed,
                      "Share of the gradient's bytes that is submitted only after the backward "
                      "pass, rounded up to whole partitions. These are the last partitions in the "
                      "order of sending. 0: the gradient of each layer is submitted when it is "
                      "ready. 1: no communication overlaps with the backward pass");
}

/// All keys of a model profile except "send_order".
template <typename Visitor, typename Profile>
void visit_profile(Visitor& visitor, Profile& profile) {
  visitor.derived_text("name", profile.name,
                       "Name of the model. Default: inline, or the name of the profile's file");
  visitor.text("source", profile.source, "Source of the profile's numbers");
  visitor.bytes("partition_bytes", profile.partition_bytes, Bounds<std::uint64_t>{4, kMaxBytes},
                "Maximum size of a partition, a multiple of 4 bytes. The gradient of a layer, with "
                "4 bytes per parameter, is cut into partitions of this size");
  visit_exposed(visitor, profile);
  visitor.require("layers");
  visitor.list(
      "layers", profile.layers, Bounds<std::size_t>{1, 10'000},
      [](auto& inner, auto& layer) {
        inner.derived_text("name", layer.name,
                           "Name of the layer. Default: layer1, layer2 and so on");
        inner.require("parameters");
        inner.integer("parameters", layer.parameters, Bounds<std::uint64_t>{0, 1'000'000'000'000},
                      "Number of parameters of the layer, four bytes each. At least one layer must "
                      "have parameters");
        inner.time("forward", layer.forward_ps, kAnyTime,
                   "Compute time of the layer's forward pass");
        inner.time("backward", layer.backward_ps, kAnyTime,
                   "Compute time of the layer's backward pass");
      },
      "Layers from front to back. Limits of all layers together: 10^5 partitions, and per "
      "iteration 2^30 packets and ten days of computation");
}

/// Number of jobs that one object describes.
template <typename Visitor, typename Count>
void visit_count(Visitor& visitor, Count& count) {
  visitor.integer("count", count, Bounds<std::uint32_t>{1, kMaxJobs},
                  "Number of jobs that this object describes");
}

/// Job keys that are the same for one job and for a group: all except "count", "profile" and
/// "compute_time_factors".
template <typename Visitor, typename Job>
void visit_job(Visitor& visitor, Job& job) {
  visitor.integer("workers", job.workers, Bounds<std::uint32_t>{1, kMaxWorkers},
                  "Number of workers of each job, at most 32 of them under one switch. With hosts, "
                  "the number must be that of the hosts listed");
  visitor.integers(
      "hosts", job.hosts, Bounds<std::uint32_t>{0, kMaxHosts - 1},
      Bounds<std::size_t>{1, kMaxWorkers},
      "Number of the host of each worker, by rank. Hosts are counted from 0, and several workers "
      "may be on the same host. Default: each worker has a host of its own that no job names");
  visitor.texts(
      "server", job.servers, Bounds<std::size_t>{1, wire::kMaxServers},
      "Host of the parameter server: a host for parameter servers, such as ps1, or a host for "
      "workers, such as host3. Several servers may be on the same host. A job with several servers "
      "divides its packets among them. Default: ps0 for job 0, ps1 for job 1, and so on");
  visitor.integer("iterations", job.iterations, Bounds<std::uint32_t>{1, 1'000'000'000},
                  "Number of iterations of each job. A worker may send fewer than 2^32 packets in "
                  "all iterations together");
  visitor.range("start", job.start,
                "Time at which a job starts. A random time is drawn once per job");
  visitor.range(
      "jitter", job.jitter.range,
      [&](auto& inner) {
        inner.rare_choice("per", job.jitter.per, JitterScenario().per, kJitterNames,
                          "Scope of a random delay: a worker draws it once, in each iteration, or "
                          "for each partition");
      },
      "Delay with which a worker submits the partitions of its gradient");
}

/// Top-level keys that do not depend on the file: all except name, jobs, seeds and sweep.
template <typename Visitor, typename AnyScenario>
void visit_scenario(Visitor& visitor, AnyScenario& scenario) {
  visitor.text("description", scenario.description, "Description of the experiment");
  visitor.choice("system", scenario.system, kSystemNames, "Aggregation system of all jobs");
  visitor.object(
      "topology", [&](auto& inner) { visit_topology(inner, scenario.topology); },
      "Hosts, switches and links of the network");
  visitor.object(
      "switch", [&](auto& inner) { visit_switch(inner, scenario.switch_); },
      "Settings of every switch");
  systems::for_each_system([&](System system) {
    visitor.object(
        cluster::name_of(system),
        [&](auto& inner) {
          scenario.systems.with(system, [&](auto& settings) { settings.visit(inner, settings); });
        },
        fmt::format("Settings of {0}. They take effect if system is {0}",
                    cluster::name_of(system)));
  });
  visitor.choice("payload", scenario.payload, kPayloadNames,
                 "Payload of packets. values: all values, which are added and checked. digest: a "
                 "check of 64 bits per fragment. none: nothing");
  visitor.choice("engine", scenario.engine, kEngineNames,
                 "Simulator engine. fast: the project's own. reference: that of ns-3, for "
                 "comparison. Results are the same");
  visitor.time("time_limit", scenario.time_limit_ps, kPositiveTime,
               "Simulated time after which a run fails. It must exceed the computation of every "
               "job. Default: far more than the jobs can need");
  visitor.object(
      "faults", [&](auto& inner) { visit_faults(inner, scenario.faults); },
      "Faults of links and of nodes");
  visitor.object(
      "traffic", [&](auto& inner) { visit_traffic(inner, scenario.traffic); },
      "Other traffic on the links of the jobs");
  visitor.object(
      "outputs",
      [&outputs = scenario.outputs](auto& inner) {
        inner.time("switch_interval", outputs.switch_interval_ps, kRowInterval,
                   "Interval between samples in switch.csv");
        inner.boolean("pcap", outputs.pcap,
                      "Whether the frames of each host are written to a pcap file, which is slow. "
                      "Other traffic is in it only with /traffic/model `ns3`");
        inner.time("link_interval", outputs.link_interval_ps, kRowInterval,
                   "Length of the intervals in link_series.csv. The file is written only if this "
                   "key is set");
        inner.boolean(
            "occupation", outputs.occupation,
            "Whether occupation.csv is written, which counts how long tasks hold aggregators");
      },
      "Settings of result files");
}

}  // namespace ina::scenarios
