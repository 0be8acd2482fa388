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
inline constexpr auto kTcpControlChoices = [] {
  std::array<std::string_view, kTcpControls.size()> names;
  std::ranges::transform(kTcpControls, names.begin(), &TcpControlNames::name);
  return names_in_order<TcpControl>(names);
}();

template <typename Visitor, typename Flows>
void visit_senders(Visitor& visitor, Flows& flows) {
  visitor.require("from");
  visitor.texts("from", flows.from, Bounds<std::size_t>{1, kMaxFlowHosts},
                "Sender, such as host3 or ps0; each of several sends a flow");
  visitor.require("to");
  visitor.text("to", flows.to, "Receiver");
}

template <typename Visitor, typename Flows>
void visit_on_off(Visitor& visitor, Flows& flows) {
  visitor.require("rate");
  visitor.rate("rate", flows.rate_bps, Bounds<std::uint64_t>{1'000'000, kMaxRateBps},
               "Rate of the payload while a sender of UDP sends, at most that of its link");
  visitor.time("on", flows.on_ps, Bounds<std::int64_t>{kLeastSpacingPs, kMaxTimePs},
               "Duration for which it sends");
  visitor.time("off", flows.off_ps, kAnyTime, "Duration for which it then pauses");
  visitor.integer("packet_bytes", flows.packet_bytes, kDatagramBytes, "Payload of its packets");
}

template <typename Visitor, typename Flows>
void visit_arrivals(Visitor& visitor, Flows& flows) {
  visitor.texts("hosts", flows.hosts, Bounds<std::size_t>{2, kMaxFlowHosts},
                "Hosts between which flows go, each from one of them to another one; by default "
                "all hosts for workers");
  visitor.require("load");
  visitor.probability("load", flows.load,
                      "Share of the rate of each of their links that the payload of the flows "
                      "that it sends takes on average, at random times (Poisson); 0: there are "
                      "none");
  visitor.require("sizes");
  visitor.table_or_name("sizes", flows.size_points, flows.sizes,
                        "Sizes of the flows: web-search, data-mining or another file of "
                        "traces/flow-sizes, the path of a CSV file, or its rows, each [bytes, "
                        "share of flows that are at most so large]");
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
                  "Size of each flow, with incast at least 1B; 0B: it has no end");
    }
    if (kind == PatternKind::incast) {
      inner.time("interval", flows.interval_ps, kAnyTime,
                 "Time until all send again, at least 1us; 0s: they send once");
    }
  };
  visitor.kind("kind", flows.kind, kPatternKindChoices, visit_others,
               "Kind of flows: bulk by TCP; on_off by UDP at a rate, with pauses; arrivals of TCP "
               "flows of random sizes; incast, TCP flows to one host at one time");
  visitor.time("start", flows.start_ps, kAnyTime, "Earliest start of the first flow");
}

template <typename Visitor, typename Traffic>
void visit_traffic(Visitor& visitor, Traffic& traffic) {
  visitor.list(
      "flows", traffic.flows, Bounds<std::size_t>{0, kMaxFlowPatterns},
      [](auto& inner, auto& flows) { visit_flows(inner, flows); },
      "Flows of other traffic, until the last job has ended");
  visitor.time(
      "until", traffic.until_ps, Bounds<std::int64_t>{1, kMaxTimePs},
      "Simulated time until which flows go on, and with them the run, if the last job ends "
      "earlier; required without jobs");
  visitor.choice("congestion_control", traffic.congestion_control, kTcpControlChoices,
                 "Congestion control of TCP; dctcp with ECN in any case");
  visitor.boolean("ecn", traffic.ecn,
                  "Whether TCP uses ECN: switches mark its packets as frames, by "
                  "switch/ecn_threshold_bytes");
  visitor.time("min_rto", traffic.min_rto_ps, Bounds<std::int64_t>{1'000'000, kMaxTimePs},
               "Shortest retransmission time-out of TCP");
  visitor.bytes("socket_buffer_bytes", traffic.socket_buffer_bytes,
                Bounds<std::uint64_t>{10'000, 1'000'000'000},
                "Buffer of each TCP socket to send, and to receive");
}

}  // namespace ina::scenarios
