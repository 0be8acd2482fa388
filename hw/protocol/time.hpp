// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

namespace ina {

/// An instant (since the start of the run) or a duration, in picoseconds. A 306-byte frame at 100
/// Gbps lasts 24.48 ns, so nanoseconds are not precise enough. The range is 106 days.
using Time = std::chrono::duration<std::int64_t, std::pico>;

/// Deadline of a state machine that waits for no time.
inline constexpr Time kNever = Time::max();

/// Time that `bytes` occupy a line of `rate_bps`, rounded up to a whole picosecond.
constexpr Time serialisation_time(std::uint64_t bytes, std::uint64_t rate_bps) {
  constexpr std::uint64_t kBitPicoseconds = 8'000'000'000'000;
  __extension__ using Wide = unsigned __int128;
  return Time(static_cast<std::int64_t>(
      (static_cast<Wide>(bytes) * kBitPicoseconds + rate_bps - 1) / rate_bps));
}

}  // namespace ina
