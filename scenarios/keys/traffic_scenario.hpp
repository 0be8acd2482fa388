// SPDX-License-Identifier: BSD-3-Clause
// Background traffic of a scenario, in addition to the jobs' traffic. traffic_fields.hpp states the
// meaning and the allowed values of the fields.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/cluster/traffic/flow_schedule.hpp"
#include "hw/protocol/transport/tcp_window.hpp"

namespace ina::scenarios {

using cluster::traffic::PatternKind;

/// How the flows are simulated.
enum class TrafficModel : std::uint8_t {
  flows,  ///< as frames with windows of our own
  ns3,    ///< by ns-3's TCP and UDP
};
inline constexpr std::array<std::string_view, 2> kTrafficModelNames = {"flows", "ns3"};

enum class TcpControl : std::uint8_t {
  bbr,
  bic,
  cubic,
  dctcp,
  high_speed,
  htcp,
  hybla,
  illinois,
  ledbat,
  linux_reno,
  lp,
  new_reno,
  scalable,
  vegas,
  veno,
  yeah,
};

struct TcpControlNames {
  std::string_view name;  ///< in scenarios
  std::string_view type;  ///< ns-3 type
};

/// Indexed by TcpControl.
inline constexpr auto kTcpControls = std::to_array<TcpControlNames>({
    {"bbr", "ns3::TcpBbr"},
    {"bic", "ns3::TcpBic"},
    {"cubic", "ns3::TcpCubic"},
    {"dctcp", "ns3::TcpDctcp"},
    {"high_speed", "ns3::TcpHighSpeed"},
    {"htcp", "ns3::TcpHtcp"},
    {"hybla", "ns3::TcpHybla"},
    {"illinois", "ns3::TcpIllinois"},
    {"ledbat", "ns3::TcpLedbat"},
    {"linux_reno", "ns3::TcpLinuxReno"},
    {"lp", "ns3::TcpLp"},
    {"new_reno", "ns3::TcpNewReno"},
    {"scalable", "ns3::TcpScalable"},
    {"vegas", "ns3::TcpVegas"},
    {"veno", "ns3::TcpVeno"},
    {"yeah", "ns3::TcpYeah"},
});

constexpr const TcpControlNames& names_of(TcpControl control) {
  return kTcpControls[static_cast<std::size_t>(control)];
}

/// The congestion control of the model `flows`, which has the same name; nothing if only ns-3 has
/// it.
constexpr std::optional<FlowControl> flow_control(TcpControl control) {
  const auto found = std::ranges::find(kFlowControlNames, names_of(control).name);
  if (found == kFlowControlNames.end()) return std::nullopt;
  return static_cast<FlowControl>(found - kFlowControlNames.begin());
}
static_assert(std::ranges::all_of(kFlowControlNames, [](std::string_view name) {
  return std::ranges::find(kTcpControls, name, &TcpControlNames::name) != kTcpControls.end();
}));

/// Flows of one kind. Fields that this kind does not use keep their defaults. Hosts are given by
/// the names of their links.
struct FlowsScenario {
  PatternKind kind{PatternKind::bulk};
  std::vector<std::string> from;
  std::string to;
  std::vector<std::string> hosts;  ///< empty: all hosts for workers
  std::uint64_t bytes{0};          ///< per flow; 0: unlimited
  double load{0};                  ///< share of each host's link
  std::string sizes;  ///< name of a file with size_points, until complete_traffic() reads it
  std::vector<std::vector<double>> size_points;
  std::uint64_t rate_bps{0};
  std::int64_t on_ps{1'000'000'000};
  std::int64_t off_ps{0};
  std::uint32_t packet_bytes{1400};
  std::int64_t start_ps{0};
  std::int64_t interval_ps{0};

  bool operator==(const FlowsScenario&) const = default;
};

struct TrafficScenario {
  std::vector<FlowsScenario> flows;
  std::optional<std::int64_t> until_ps;  ///< nothing: flows end with the last job
  TrafficModel model{TrafficModel::flows};
  TcpControl congestion_control{TcpControl::dctcp};
  bool ecn{false};
  std::int64_t min_rto_ps{1'000'000'000};
  std::uint64_t socket_buffer_bytes{4'000'000};

  bool operator==(const TrafficScenario&) const = default;
};

}  // namespace ina::scenarios
