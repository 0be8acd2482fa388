// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

namespace ina {

/// An instant (since the start of the run) or a duration, in picoseconds, up to 106 days. At 100
/// Gbps, a 306-byte frame takes 24.48 ns, so nanoseconds would not be precise enough.
using Time = std::chrono::duration<std::int64_t, std::pico>;

/// Deadline of a state machine that has no deadline.
inline constexpr Time kNever = Time::max();

/// Time to transmit `bytes` at `rate_bps`, rounded up to a whole picosecond.
constexpr Time serialisation_time(std::uint64_t bytes, std::uint64_t rate_bps) {
  constexpr std::uint64_t kBitPicoseconds = 8'000'000'000'000;
  __extension__ using Wide = unsigned __int128;
  return Time(static_cast<std::int64_t>(
      (static_cast<Wide>(bytes) * kBitPicoseconds + rate_bps - 1) / rate_bps));
}

}  // namespace ina
