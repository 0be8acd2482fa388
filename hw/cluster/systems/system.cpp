// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/systems/system.hpp"

#include <algorithm>
#include <cstdint>

#include "hw/fields/bounds.hpp"
#include "hw/protocol/units.hpp"

namespace ina::cluster {

double Environment::packets_within(Time time, std::uint64_t rate_bps,
                                   std::uint16_t frame_bytes) const {
  const auto bits = static_cast<double>(frame_bytes + framing_bytes) * kBitsPerByte;
  return static_cast<double>(rate_bps) * static_cast<double>(time.count()) / kPsPerS / bits;
}

Time Environment::round_trips(std::int64_t count, std::uint16_t frame_bytes) const {
  constexpr std::int64_t kLines = 4;  // transmissions at two hosts, in both directions
  const Time on_line = serialisation_time(frame_bytes + framing_bytes, line_rate_bps);
  const Time one = std::max(to_switch_and_back, to_server_and_back) + kLines * on_line;
  return count * std::clamp(one, Time(fields::kTimeout.low), Time(fields::kTimeout.high / count));
}

}  // namespace ina::cluster
