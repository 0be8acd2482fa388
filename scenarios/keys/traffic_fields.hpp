// SPDX-License-Identifier: BSD-3-Clause
// The keys of "traffic" in a scenario; scenario_fields.hpp has all other keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hw/fields/bounds.hpp"
#include "hw/fields/quantity.hpp"
#include "scenarios/keys/traffic_scenario.hpp"

namespace ina::scenarios {

using namespace fields;

inline constexpr std::size_t kMaxFlowPatterns = 1000;
inline constexpr std::size_t kMaxFlowHosts = 8192;
/// Least mean time between flows of a host, or between pauses. Each of them costs memory and time.
inline constexpr std::int64_t kLeastSpacingPs = 1'000'000;
/// UDP payload of a packet. The maximum fills an IPv4 packet of 1500 bytes, Ethernet's MTU.
inline constexpr Bounds<std::uint32_t> kDatagramBytes{16, 1472};
inline constexpr auto kPatternKindChoices =
    names_in_order<PatternKind>(cluster::traffic::kPatternKindNames);
inline constexpr auto kTrafficModelChoices = names_in_order<TrafficModel>(kTrafficModelNames);
inline constexpr auto kTcpControlChoices = [] {
  std::array<std::string_view, kTcpControls.size()> names;
  std::ranges::transform(kTcpControls, names.begin(), &TcpControlNames::name);
  return names_in_order<TcpControl>(names);
}();

template <typename Visitor, typename Flows>
void visit_senders(Visitor& visitor, Flows& flows) {
  visitor.require("from");
  visitor.texts("from", flows.from, Bounds<std::size_t>{1, kMaxFlowHosts},
                "Sender of a flow, such as host3 or ps0, or several senders of one flow each");
  visitor.require("to");
  visitor.text("to", flows.to, "Receiver of the flows");
}

template <typename Visitor, typename Flows>
void visit_on_off(Visitor& visitor, Flows& flows) {
  visitor.require("rate");
  visitor.rate(
      "rate", flows.rate_bps, Bounds<std::uint64_t>{1'000'000, kMaxRateBps},
      "Payload rate of a sender of UDP while it is on. Maximum: the rate of the sender's link");
  visitor.time("on", flows.on_ps, Bounds<std::int64_t>{kLeastSpacingPs, kMaxTimePs},
               "Duration of each phase in which a sender of UDP is on");
  visitor.time("off", flows.off_ps, kAnyTime, "Duration of each pause between these phases");
  visitor.integer("packet_bytes", flows.packet_bytes, kDatagramBytes,
                  "Number of payload bytes per packet");
}

template <typename Visitor, typename Flows>
void visit_arrivals(Visitor& visitor, Flows& flows) {
  visitor.texts("hosts", flows.hosts, Bounds<std::size_t>{2, kMaxFlowHosts},
                "Hosts that send flows to each other. Default: all hosts for workers");
  visitor.require("load");
  visitor.probability(
      "load", flows.load,
      "Mean payload rate of the flows that each host sends, as a share of the rate of the host's "
      "link. The flows start at random times (a Poisson process). 0: no flows");
  visitor.require("sizes");
  visitor.table_or_name("sizes", flows.size_points, flows.sizes,
                        "Distribution of flow sizes: web-search, data-mining or another file of "
                        "traces/flow-sizes, the path of a CSV file, or the rows of such a file. "
                        "Each row is [bytes, share of flows up to this size]");
}

template <typename Visitor, typename Flows>
void visit_flows(Visitor& visitor, Flows& flows) {
  const auto visit_others = [&](auto& inner) {
    const PatternKind kind = flows.kind;
    if (kind == PatternKind::arrivals) {
      visit_arrivals(inner, flows);
    } else {
      visit_senders(inner, flows);
    }
    if (kind == PatternKind::on_off) visit_on_off(inner, flows);
    if (kind == PatternKind::incast) inner.require("bytes");
    if (kind == PatternKind::bulk || kind == PatternKind::incast) {
      inner.bytes("bytes", flows.bytes, Bounds<std::uint64_t>{0, kMaxBytes},
                  "Size of each flow. 0B: the flow has no end, not allowed with incast");
    }
    if (kind == PatternKind::incast) {
      inner.time("interval", flows.interval_ps, kAnyTime,
                 "Time between the starts of two bursts, at least 1us. 0s: only one burst");
    }
  };
  visitor.kind("kind", flows.kind, kPatternKindChoices, visit_others,
               "Kind of flows. bulk: TCP at full speed. on_off: UDP at a given rate, with pauses. "
               "arrivals: TCP flows of random sizes at random times. incast: TCP flows of several "
               "senders to one host, all at the same time");
  visitor.time("start", flows.start_ps, kAnyTime, "Time before which no flow starts");
}

template <typename Visitor, typename Traffic>
void visit_traffic(Visitor& visitor, Traffic& traffic) {
  visitor.list(
      "flows", traffic.flows, Bounds<std::size_t>{0, kMaxFlowPatterns},
      [](auto& inner, auto& flows) { visit_flows(inner, flows); },
      "Flows in addition to those of the jobs. They end with the last job or at until, whichever "
      "is later");
  visitor.time("until", traffic.until_ps, Bounds<std::int64_t>{1, kMaxTimePs},
               "Simulated time until which the flows and the run continue, even if the last job "
               "ends earlier. Required in a scenario without jobs");
  visitor.choice("model", traffic.model, kTrafficModelChoices,
                 "How the flows are simulated. flows: as frames, with windows of our own. ns3: by "
                 "ns-3's TCP and UDP, which take many times as long");
  visitor.choice(
      "congestion_control", traffic.congestion_control, kTcpControlChoices,
      "Congestion control of TCP. dctcp uses ECN even if ecn is false. The model flows has "
      "cubic, dctcp, linux_reno and new_reno");
  visitor.boolean("ecn", traffic.ecn,
                  "Whether TCP uses ECN. Switches mark TCP's packets like frames, above "
                  "switch/ecn_threshold_bytes");
  visitor.time("min_rto", traffic.min_rto_ps, Bounds<std::int64_t>{1'000'000, kMaxTimePs},
               "Minimum retransmission time-out of TCP");
  visitor.bytes("socket_buffer_bytes", traffic.socket_buffer_bytes,
                Bounds<std::uint64_t>{10'000, 1'000'000'000},
                "Size of the send buffer, and also of the receive buffer, of each TCP socket");
}

}  // namespace ina::scenarios
