// SPDX-License-Identifier: BSD-3-Clause
// Quantities with their units, as scenario files write them ("2.5us", "100Gbps", "5MiB"), in exact
// integer arithmetic. A quantity is a decimal number without sign, exponent or blank, and a unit
// right behind it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ina::fields {

/// Ten days in picoseconds: the sum of ten times still fits 64 bits.
inline constexpr std::int64_t kMaxTimePs = 864'000'000'000'000'000;
/// 100 Tbps.
inline constexpr std::uint64_t kMaxRateBps = 100'000'000'000'000;
/// 100 GB.
inline constexpr std::uint64_t kMaxBytes = 100'000'000'000;

/// The units that each kind of quantity may have, as error messages list them.
inline constexpr std::string_view kTimeUnits = "ps, ns, us, ms, s";
inline constexpr std::string_view kRateUnits = "bps, kbps, Mbps, Gbps, Tbps";
inline constexpr std::string_view kByteUnits = "B, kB, KB, MB, GB, KiB, MiB, GiB";

/// Why a text is no quantity; what() is a short phrase such as "no unit".
class QuantityError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Picoseconds of a text such as "2.5us"; at most kMaxTimePs. Throws QuantityError.
std::int64_t parse_time(std::string_view text);
/// Bits per second of a text such as "100Gbps"; at most kMaxRateBps. Throws QuantityError.
std::uint64_t parse_rate(std::string_view text);
/// Bytes of a text such as "5MB" (decimal) or "5MiB" (binary); at most kMaxBytes. Throws
/// QuantityError.
std::uint64_t parse_bytes(std::string_view text);
/// Bytes of an argument: a number of bytes, such as "4063232", or as parse_bytes() reads it, at
/// most `max`. Throws QuantityError.
std::uint64_t parse_size(std::string_view text, std::uint64_t max);

/// The shortest exact text in the largest unit that does not exceed the value; Parse...() gives the
/// value back.
std::string format_time(std::int64_t ps);
std::string format_rate(std::uint64_t bps);
std::string format_bytes(std::uint64_t bytes);

}  // namespace ina::fields
