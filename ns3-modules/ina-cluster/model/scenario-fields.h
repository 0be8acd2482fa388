/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * The keys of a scenario and what their values may be, once for reading (ObjectReader) and writing
 * (ObjectWriter); the defaults stand in scenario.h. scenarios/scenario.schema.json and
 * scenarios/README.md say the same, and tests/scenarios/test_schema.py compares the schema with
 * this file.
 */
#ifndef INA_SCENARIO_FIELDS_H
#define INA_SCENARIO_FIELDS_H

#include "object-reader.h"
#include "quantity.h"
#include "scenario.h"

#include "hw/protocol/wire/hash.hpp"
#include "hw/protocol/wire/limits.hpp"
#include "switch-models/rmt/chip.hpp"

#include <array>
#include <cstdint>

namespace ns3
{

inline constexpr std::uint32_t MAX_HOSTS = 8192; ///< 256 jobs of 32 workers
inline constexpr std::uint32_t MAX_RACKS = 256;
inline constexpr std::uint32_t MAX_JOBS = ina::wire::kMaxJobs;
inline constexpr std::uint32_t MAX_WORKERS = ina::wire::kMaxWorkersPerSwitch; ///< of a job
inline constexpr std::uint32_t MAX_SLOTS = ina::wire::kMaxSlots;              ///< of a SwitchML job
inline constexpr std::uint32_t MAX_WINDOW = 1'000'000;
inline constexpr std::uint32_t MAX_KEPT_RESULTS = 1'000'000;
inline constexpr std::size_t MAX_LINK_FAULTS = 1000;
inline constexpr std::size_t MAX_NODE_FAULTS = 1000;
inline constexpr std::size_t MAX_LOST_FRAMES = 1000; ///< of a link's faults

inline constexpr Bounds<std::int64_t> POSITIVE_TIME{1, MAX_TIME_PS};
/// From 1 us: what is sent again every nanosecond fills any memory with copies.
inline constexpr Bounds<std::int64_t> TIMEOUT{1'000'000, MAX_TIME_PS};
/// Of a frame on its way, up to 1 s: further than to the moon is no cluster, and all that time
/// time-outs send again.
inline constexpr Bounds<std::int64_t> LATENCY{0, 1'000'000'000'000};
/// Up to an hour, for the same reason.
inline constexpr Bounds<std::int64_t> FAULT_DURATION{0, 3600'000'000'000'000};
/// Each row costs memory and time, whether something happened or not.
inline constexpr Bounds<std::int64_t> SWITCH_INTERVAL{1'000'000, MAX_TIME_PS};
inline constexpr Bounds<std::uint64_t> POSITIVE_BYTES{1, MAX_BYTES};
inline constexpr Bounds<std::uint64_t> LOST_FRAME{0, 1'000'000'000'000};
/// From 1 Mbps: 100 GB take less than ten days, so that 64 bits of picoseconds hold any
/// serialisation time.
inline constexpr Bounds<std::uint64_t> ANY_RATE{1'000'000, MAX_RATE_BPS};

inline constexpr Names<System, 4> SYSTEM_NAMES{{{"switchml", System::switchml},
                                                {"switchml-starved", System::switchml_starved},
                                                {"atp", System::atp},
                                                {"dsa", System::dsa}}};
inline constexpr auto HASH_NAMES = NamesInOrder<ina::wire::Hash>(ina::wire::kHashNames);
inline constexpr Names<ChipLimit, 3> CHIP_NAMES{{{"none", ChipLimit::none},
                                                 {ina::rmt::kTofino1.name, ChipLimit::tofino1},
                                                 {ina::rmt::kTofino2.name, ChipLimit::tofino2}}};
inline constexpr auto QUANTISATION_NAMES =
    NamesInOrder<Quantisation>(ina::endpoints::kQuantisationNames);
inline constexpr Names<Payload, 3> PAYLOAD_NAMES{
    {{"values", Payload::values}, {"digest", Payload::digest}, {"none", Payload::none}}};
inline constexpr Names<FaultDirection, 3> FAULT_DIRECTION_NAMES{
    {{"both", FaultDirection::both},
     {"to_switch", FaultDirection::to_switch},
     {"from_switch", FaultDirection::from_switch}}};
inline constexpr auto ADDRESSING_NAMES =
    NamesInOrder<AddressingScheme>(ina::wire::kAddressingNames);
inline constexpr auto NODE_FAULT_NAMES =
    NamesInOrder<ina::faults::NodeFault>(ina::faults::kNodeFaultNames);
inline constexpr auto REMAINING_TIME_NAMES =
    NamesInOrder<ina::RemainingTime>(ina::kRemainingTimeNames);
inline constexpr auto JOIN_PRIORITY_NAMES =
    NamesInOrder<ina::programs::JoinPriority>(ina::programs::kJoinPriorityNames);
inline constexpr Names<Engine, 2> ENGINE_NAMES{
    {{"fast", Engine::fast}, {"default", Engine::oracle}}};

template <typename Visitor, typename Link>
void
VisitLink(Visitor& visitor, Link& link)
{
    visitor.Rate("rate", link.rate_bps, ANY_RATE);
    visitor.Time("delay", link.delay_ps, LATENCY);
    visitor.Integer("framing_bytes", link.framing_bytes, Bounds<std::uint32_t>{0, 256});
}

template <typename Visitor, typename Topology>
void
VisitTopology(Visitor& visitor, Topology& topology)
{
    using Count = Bounds<std::uint32_t>;
    visitor.Constant("type", "star");
    visitor.Integer("hosts", topology.hosts, Count{1, MAX_HOSTS});
    visitor.Integer("parameter_servers", topology.parameter_servers, Count{0, MAX_JOBS});
    visitor.Integer("racks", topology.racks, Count{1, MAX_RACKS});
    visitor.Object("link", [&](auto& inner) { VisitLink(inner, topology.link); });
    visitor.Object("uplink", [&](auto& inner) { VisitLink(inner, topology.uplink); });
}

template <typename Visitor, typename Switch>
void
VisitSwitch(Visitor& visitor, Switch& sw)
{
    visitor.Bytes("memory_bytes", sw.memory_bytes, POSITIVE_BYTES);
    visitor.Choice("hash", sw.hash, HASH_NAMES);
    visitor.Bytes("buffer_bytes", sw.buffer_bytes, POSITIVE_BYTES);
    visitor.Bytes("ecn_threshold_bytes", sw.ecn_threshold_bytes, POSITIVE_BYTES);
    visitor.Time("pipeline_latency", sw.pipeline_latency_ps, LATENCY);
    visitor.Time("pass_latency", sw.pass_latency_ps, LATENCY);
    visitor.Rate("resubmit_bandwidth", sw.resubmit_bandwidth_bps, ANY_RATE);
    visitor.Boolean("charge_passes", sw.charge_passes);
    visitor.Rate("recirculate_bandwidth", sw.recirculate_bandwidth_bps, ANY_RATE);
    visitor.Choice("chip", sw.chip, CHIP_NAMES);
}

template <typename Visitor, typename Switchml>
void
VisitSwitchml(Visitor& visitor, Switchml& switchml)
{
    visitor.OneOf("values_per_packet",
                  switchml.values_per_packet,
                  std::array<std::uint32_t, 3>{32, 64, 256});
    visitor.Integer("slots", switchml.slots, Bounds<std::uint32_t>{1, MAX_SLOTS});
    visitor.TimeOr("adaptive", "rto", switchml.rto_ps, TIMEOUT);
    visitor.Time("min_rto", switchml.min_rto_ps, TIMEOUT);
    visitor.Boolean("congestion_control", switchml.congestion_control);
    visitor.Choice("quantisation", switchml.quantisation, QUANTISATION_NAMES);
}

/// The keys that ATP and DSA share.
template <typename Visitor, typename Transport>
void
VisitWindow(Visitor& visitor, Transport& transport)
{
    using Count = Bounds<std::uint32_t>;
    visitor.Integer("initial_window_packets",
                    transport.initial_window_packets,
                    Count{1, MAX_WINDOW});
    visitor.Integer("max_window_packets", transport.max_window_packets, Count{0, MAX_WINDOW});
    visitor.Time("min_rto", transport.min_rto_ps, TIMEOUT);
    visitor.Boolean("congestion_control", transport.congestion_control);
    visitor.Choice("addressing", transport.addressing, ADDRESSING_NAMES);
    visitor.Integer("table_entries", transport.table_entries, Count{1, MAX_WINDOW});
}

template <typename Visitor, typename Atp>
void
VisitAtp(Visitor& visitor, Atp& atp)
{
    VisitWindow(visitor, atp);
    visitor.Boolean("rehash", atp.rehash);
    visitor.Integer("kept_results", atp.kept_results, Bounds<std::uint32_t>{1, MAX_KEPT_RESULTS});
    visitor.Time("request_timeout", atp.request_timeout_ps, TIMEOUT);
    visitor.Time("aggregator_expiry", atp.aggregator_expiry_ps, TIMEOUT);
    visitor.Probability("overflow", atp.overflow);
    visitor.OneOf("levels", atp.levels, std::array<std::uint32_t, 2>{1, 2});
}

template <typename Visitor, typename Dsa>
void
VisitDsa(Visitor& visitor, Dsa& dsa)
{
    visitor.Choice("policy", dsa.policy, ina::policies::policy_names());
    VisitWindow(visitor, dsa);
    visitor.Choice("remaining_time", dsa.remaining_time, REMAINING_TIME_NAMES);
    visitor.Choice("join_priority", dsa.join_priority, JOIN_PRIORITY_NAMES);
    visitor.Time("reminder_min_timeout", dsa.reminder_min_timeout_ps, TIMEOUT);
    visitor.Time("aggregator_expiry", dsa.aggregator_expiry_ps, TIMEOUT);
}

template <typename Visitor, typename LinkFaults>
void
VisitLinkFaults(Visitor& visitor, LinkFaults& faults)
{
    visitor.Text("link", faults.link);
    visitor.Choice("direction", faults.direction, FAULT_DIRECTION_NAMES);
    visitor.Set("frames", faults.frames, ina::faults::kFrameClassNames);
    visitor.Time("from", faults.from_ps, ANY_TIME);
    visitor.Time("until", faults.until_ps, ANY_TIME);
    visitor.Numbers("lost_frames", faults.lost_frames, LOST_FRAME, MAX_LOST_FRAMES);
    visitor.Probability("loss", faults.loss);
    visitor.Object("burst",
                   [&burst = faults.burst](auto& inner)
                   {
                       inner.Probability("start", burst.start);
                       inner.Probability("end", burst.end);
                       inner.Probability("loss", burst.loss);
                   });
    visitor.Probability("corruption", faults.corruption);
    visitor.Probability("duplication", faults.duplication);
    visitor.Probability("reordering", faults.reordering);
    visitor.Time("reordering_delay", faults.reordering_delay_ps, LATENCY);
}

/// The kind of fault decides on the other keys, none of which has a default.
template <typename Visitor, typename NodeFault>
void
VisitNodeFault(Visitor& visitor, NodeFault& fault)
{
    visitor.Require("fault");
    visitor.Choice("fault", fault.fault, NODE_FAULT_NAMES);
    visitor.Require("at");
    visitor.Time("at", fault.at_ps, ANY_TIME);
    if (ina::faults::lasts(fault.fault))
    {
        visitor.Require("duration");
        visitor.Time("duration", fault.duration_ps, FAULT_DURATION);
    }
    if (ina::faults::strikes_job(fault.fault))
    {
        visitor.Require("job");
        visitor.Integer("job", fault.job, Bounds<std::uint32_t>{0, MAX_JOBS - 1});
    }
    if (ina::faults::strikes_worker(fault.fault))
    {
        visitor.Require("worker");
        visitor.Integer("worker", fault.worker, Bounds<std::uint32_t>{0, MAX_WORKERS - 1});
    }
}

template <typename Visitor, typename Faults>
void
VisitFaults(Visitor& visitor, Faults& faults)
{
    visitor.List("links",
                 faults.links,
                 Bounds<std::size_t>{0, MAX_LINK_FAULTS},
                 [](auto& inner, auto& link) { VisitLinkFaults(inner, link); });
    visitor.List("nodes",
                 faults.nodes,
                 Bounds<std::size_t>{0, MAX_NODE_FAULTS},
                 [](auto& inner, auto& fault) { VisitNodeFault(inner, fault); });
}

/// All keys of a model profile but "send_order".
template <typename Visitor, typename Profile>
void
VisitProfile(Visitor& visitor, Profile& profile)
{
    visitor.Text("name", profile.name);
    visitor.Text("source", profile.source);
    visitor.Bytes("partition_bytes", profile.partition_bytes, Bounds<std::uint64_t>{4, MAX_BYTES});
    visitor.Require("layers");
    visitor.List("layers",
                 profile.layers,
                 Bounds<std::size_t>{1, 10'000},
                 [](auto& inner, auto& layer)
                 {
                     inner.Text("name", layer.name);
                     inner.Require("parameters");
                     inner.Integer("parameters",
                                   layer.parameters,
                                   Bounds<std::uint64_t>{0, 1'000'000'000'000});
                     inner.Time("forward", layer.forward_ps, ANY_TIME);
                     inner.Time("backward", layer.backward_ps, ANY_TIME);
                 });
}

/// The keys of a job that hold for one as for many; not "count", "profile" and "speeds".
template <typename Visitor, typename Job>
void
VisitJob(Visitor& visitor, Job& job)
{
    visitor.Integer("workers", job.workers, Bounds<std::uint32_t>{1, MAX_WORKERS});
    visitor.Integer("iterations", job.iterations, Bounds<std::uint32_t>{1, 1'000'000'000});
    visitor.Range("start", job.start);
    visitor.Jitter("jitter", job.jitter);
}

/// The keys at the top of a scenario that are independent of the file: not its name, jobs, seeds
/// and sweep.
template <typename Visitor, typename AnyScenario>
void
VisitScenario(Visitor& visitor, AnyScenario& scenario)
{
    visitor.Choice("system", scenario.system, SYSTEM_NAMES);
    visitor.Object("topology", [&](auto& inner) { VisitTopology(inner, scenario.topology); });
    visitor.Object("switch", [&](auto& inner) { VisitSwitch(inner, scenario.switch_); });
    visitor.Object("switchml", [&](auto& inner) { VisitSwitchml(inner, scenario.switchml); });
    visitor.Object("atp", [&](auto& inner) { VisitAtp(inner, scenario.atp); });
    visitor.Object("dsa", [&](auto& inner) { VisitDsa(inner, scenario.dsa); });
    visitor.Choice("payload", scenario.payload, PAYLOAD_NAMES);
    visitor.Choice("engine", scenario.engine, ENGINE_NAMES);
    visitor.Time("time_limit", scenario.time_limit_ps, POSITIVE_TIME);
    visitor.Object("faults", [&](auto& inner) { VisitFaults(inner, scenario.faults); });
    visitor.Object("outputs",
                   [&outputs = scenario.outputs](auto& inner)
                   {
                       inner.Time("switch_interval", outputs.switch_interval_ps, SWITCH_INTERVAL);
                       inner.Boolean("pcap", outputs.pcap);
                   });
}

} // namespace ns3

#endif // INA_SCENARIO_FIELDS_H
