// SPDX-License-Identifier: BSD-3-Clause
// Other traffic than the jobs', as a scenario has it; what the fields mean and may be says
// traffic_fields.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hw/cluster/traffic/flow_schedule.hpp"

namespace ina::scenarios {

using cluster::traffic::PatternKind;

enum class TcpControl : std::uint8_t { cubic, new_reno, dctcp };
/// In the order of TcpControl.
inline constexpr std::array<std::string_view, 3> kTcpControlNames = {"cubic", "new_reno", "dctcp"};

/// Flows of one kind; what does not belong to it stays at its default. Hosts by the names of their
/// links.
struct FlowsScenario {
  PatternKind kind{PatternKind::bulk};
  std::vector<std::string> from;
  std::string to;
  std::vector<std::string> hosts;  ///< none: all hosts for workers
  std::uint64_t bytes{0};          ///< of a flow; 0: without an end
  double load{0};                  ///< of each host's link
  std::string sizes;               ///< the name of a file with the next
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
  TcpControl congestion_control{TcpControl::cubic};
  bool ecn{false};
  std::int64_t min_rto_ps{1'000'000'000};
  std::uint64_t socket_buffer_bytes{4'000'000};

  bool operator==(const TrafficScenario&) const = default;
};

}  // namespace ina::scenarios
