// SPDX-License-Identifier: BSD-3-Clause
// The keys of a scenario and what their values may be, once for reading (ObjectReader) and writing
// (ObjectWriter); the defaults stand in scenario.hpp. scenarios/scenario.schema.json and
// scenarios/README.md say the same, and tests/scenarios/test_schema.py compares the schema with
// this file.
#pragma once

#include <array>
#include <cstdint>

#include "hw/fields/bounds.hpp"
#include "hw/fields/quantity.hpp"
#include "hw/protocol/wire/hash.hpp"
#include "hw/protocol/wire/limits.hpp"
#include "scenarios/reader/scenario.hpp"
#include "switch-models/rmt/chip.hpp"

namespace ina::scenarios {

inline constexpr std::uint32_t kMaxHosts = 8192;  ///< 256 jobs of 32 workers
inline constexpr std::uint32_t kMaxRacks = 256;
inline constexpr std::uint32_t kMaxJobs = wire::kMaxJobs;
inline constexpr std::uint32_t kMaxWorkers = wire::kMaxWorkersPerSwitch;  ///< of a job
inline constexpr std::size_t kMaxLinkFaults = 1000;
inline constexpr std::size_t kMaxNodeFaults = 1000;
inline constexpr std::size_t kMaxLostFrames = 1000;  ///< of a link's faults

inline constexpr Bounds<std::int64_t> kPositiveTime{1, kMaxTimePs};
/// Of a frame on its way, up to 1 s: further than to the moon is no cluster, and all that time
/// time-outs send again.
inline constexpr Bounds<std::int64_t> kLatency{0, 1'000'000'000'000};
/// Up to an hour, for the same reason.
inline constexpr Bounds<std::int64_t> kFaultDuration{0, 3600'000'000'000'000};
/// Each row costs memory and time, whether something happened or not.
inline constexpr Bounds<std::int64_t> kSwitchInterval{1'000'000, kMaxTimePs};
inline constexpr Bounds<std::uint64_t> kPositiveBytes{1, kMaxBytes};
inline constexpr Bounds<std::uint64_t> kLostFrame{0, 1'000'000'000'000};
/// From 1 Mbps: 100 GB take less than ten days, so that 64 bits of picoseconds hold any
/// serialisation time.
inline constexpr Bounds<std::uint64_t> kAnyRate{1'000'000, kMaxRateBps};

inline constexpr auto kSystemNames = names_in_order<System>(wire::kProtocolNames);
inline constexpr auto kJitterNames = names_in_order<JitterPer>(cluster::kJitterPerNames);
inline constexpr auto kHashNames = names_in_order<wire::Hash>(wire::kHashNames);
inline constexpr ChoiceNames<ChipLimit, 3> kChipNames{{{"none", ChipLimit::none},
                                                 {rmt::kTofino1.name, ChipLimit::tofino1},
                                                 {rmt::kTofino2.name, ChipLimit::tofino2}}};
inline constexpr ChoiceNames<Payload, 3> kPayloadNames{
    {{"values", Payload::values}, {"digest", Payload::digest}, {"none", Payload::none}}};
inline constexpr ChoiceNames<FaultDirection, 3> kFaultDirectionNames{
    {{"both", FaultDirection::both},
     {"to_switch", FaultDirection::to_switch},
     {"from_switch", FaultDirection::from_switch}}};
inline constexpr auto kNodeFaultNames = names_in_order<faults::NodeFault>(faults::kNodeFaultNames);
inline constexpr ChoiceNames<Engine, 2> kEngineNames{
    {{"fast", Engine::fast}, {"reference", Engine::reference}}};

template <typename Visitor, typename Link>
void visit_link(Visitor& visitor, Link& link) {
  visitor.rate("rate", link.rate_bps, kAnyRate);
  visitor.time("delay", link.delay_ps, kLatency);
  visitor.integer("framing_bytes", link.framing_bytes, Bounds<std::uint32_t>{0, 256});
}

template <typename Visitor, typename Topology>
void visit_topology(Visitor& visitor, Topology& topology) {
  using Count = Bounds<std::uint32_t>;
  visitor.constant("type", "star");
  visitor.integer("hosts", topology.hosts, Count{1, kMaxHosts});
  visitor.integer("parameter_servers", topology.parameter_servers, Count{0, kMaxJobs});
  visitor.integer("racks", topology.racks, Count{1, kMaxRacks});
  visitor.object("link", [&](auto& inner) { visit_link(inner, topology.link); });
  visitor.object("uplink", [&](auto& inner) { visit_link(inner, topology.uplink); });
}

template <typename Visitor, typename Switch>
void visit_switch(Visitor& visitor, Switch& sw) {
  visitor.bytes("memory_bytes", sw.memory_bytes, kPositiveBytes);
  visitor.choice("hash", sw.hash, kHashNames);
  visitor.bytes("buffer_bytes", sw.buffer_bytes, kPositiveBytes);
  visitor.bytes("ecn_threshold_bytes", sw.ecn_threshold_bytes, kPositiveBytes);
  visitor.time("pipeline_latency", sw.pipeline_latency_ps, kLatency);
  visitor.time("pass_latency", sw.pass_latency_ps, kLatency);
  visitor.rate("resubmit_bandwidth", sw.resubmit_bandwidth_bps, kAnyRate);
  visitor.boolean("charge_passes", sw.charge_passes);
  visitor.rate("recirculate_bandwidth", sw.recirculate_bandwidth_bps, kAnyRate);
  visitor.choice("chip", sw.chip, kChipNames);
}

template <typename Visitor, typename LinkFaults>
void visit_link_faults(Visitor& visitor, LinkFaults& faults) {
  visitor.text("link", faults.link);
  visitor.choice("direction", faults.direction, kFaultDirectionNames);
  visitor.set("frames", faults.frames, faults::kFrameClassNames);
  visitor.time("from", faults.from_ps, kAnyTime);
  visitor.time("until", faults.until_ps, kAnyTime);
  visitor.numbers("lost_frames", faults.lost_frames, kLostFrame, kMaxLostFrames);
  visitor.probability("loss", faults.loss);
  visitor.object("burst", [&burst = faults.burst](auto& inner) {
    inner.probability("start", burst.start);
    inner.probability("end", burst.end);
    inner.probability("loss", burst.loss);
  });
  visitor.probability("corruption", faults.corruption);
  visitor.probability("duplication", faults.duplication);
  visitor.probability("reordering", faults.reordering);
  visitor.time("reordering_delay", faults.reordering_delay_ps, kLatency);
}

/// The kind of fault decides on the other keys, none of which has a default.
template <typename Visitor, typename NodeFault>
void visit_node_fault(Visitor& visitor, NodeFault& fault) {
  visitor.require("fault");
  visitor.choice("fault", fault.fault, kNodeFaultNames);
  visitor.require("at");
  visitor.time("at", fault.at_ps, kAnyTime);
  if (faults::lasts(fault.fault)) {
    visitor.require("duration");
    visitor.time("duration", fault.duration_ps, kFaultDuration);
  }
  if (faults::strikes_job(fault.fault)) {
    visitor.require("job");
    visitor.integer("job", fault.job, Bounds<std::uint32_t>{0, kMaxJobs - 1});
  }
  if (faults::strikes_worker(fault.fault)) {
    visitor.require("worker");
    visitor.integer("worker", fault.worker, Bounds<std::uint32_t>{0, kMaxWorkers - 1});
  }
}

template <typename Visitor, typename Faults>
void visit_faults(Visitor& visitor, Faults& faults) {
  visitor.list("links", faults.links, Bounds<std::size_t>{0, kMaxLinkFaults},
               [](auto& inner, auto& link) { visit_link_faults(inner, link); });
  visitor.list("nodes", faults.nodes, Bounds<std::size_t>{0, kMaxNodeFaults},
               [](auto& inner, auto& fault) { visit_node_fault(inner, fault); });
}

/// All keys of a model profile but "send_order".
template <typename Visitor, typename Profile>
void visit_profile(Visitor& visitor, Profile& profile) {
  visitor.text("name", profile.name);
  visitor.text("source", profile.source);
  visitor.bytes("partition_bytes", profile.partition_bytes, Bounds<std::uint64_t>{4, kMaxBytes});
  visitor.require("layers");
  visitor.list(
      "layers", profile.layers, Bounds<std::size_t>{1, 10'000}, [](auto& inner, auto& layer) {
        inner.text("name", layer.name);
        inner.require("parameters");
        inner.integer("parameters", layer.parameters, Bounds<std::uint64_t>{0, 1'000'000'000'000});
        inner.time("forward", layer.forward_ps, kAnyTime);
        inner.time("backward", layer.backward_ps, kAnyTime);
      });
}

/// The keys of a job that hold for one as for many; not "count", "profile" and
/// "compute_time_factors".
template <typename Visitor, typename Job>
void visit_job(Visitor& visitor, Job& job) {
  visitor.integer("workers", job.workers, Bounds<std::uint32_t>{1, kMaxWorkers});
  visitor.integer("iterations", job.iterations, Bounds<std::uint32_t>{1, 1'000'000'000});
  visitor.range("start", job.start);
  visitor.range("jitter", job.jitter.range, [&](auto& inner) {
    inner.rare_choice("per", job.jitter.per, JitterScenario().per, kJitterNames);
  });
}

/// The keys at the top of a scenario that are independent of the file: not its name, jobs, seeds
/// and sweep.
template <typename Visitor, typename AnyScenario>
void visit_scenario(Visitor& visitor, AnyScenario& scenario) {
  visitor.choice("system", scenario.system, kSystemNames);
  visitor.object("topology", [&](auto& inner) { visit_topology(inner, scenario.topology); });
  visitor.object("switch", [&](auto& inner) { visit_switch(inner, scenario.switch_); });
  systems::for_each_system([&](System system) {
    visitor.object(wire::name_of(system), [&](auto& inner) {
      scenario.systems.with(system, [&](auto& settings) { settings.visit(inner, settings); });
    });
  });
  visitor.choice("payload", scenario.payload, kPayloadNames);
  visitor.choice("engine", scenario.engine, kEngineNames);
  visitor.time("time_limit", scenario.time_limit_ps, kPositiveTime);
  visitor.object("faults", [&](auto& inner) { visit_faults(inner, scenario.faults); });
  visitor.object("outputs", [&outputs = scenario.outputs](auto& inner) {
    inner.time("switch_interval", outputs.switch_interval_ps, kSwitchInterval);
    inner.boolean("pcap", outputs.pcap);
  });
}

}  // namespace ina::scenarios
