// SPDX-License-Identifier: BSD-3-Clause
// Quantities with units, as in scenario files ("2.5us", "100Gbps", "5MiB"), in exact integer
// arithmetic. A quantity is a decimal number without sign, exponent or blank, followed directly by
// its unit.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ina::fields {

/// Maximum time: ten days in picoseconds. The sum of ten such times still fits 64 bits.
inline constexpr std::int64_t kMaxTimePs = 864'000'000'000'000'000;
/// Maximum rate: 100 Tbps.
inline constexpr std::uint64_t kMaxRateBps = 100'000'000'000'000;
/// Maximum size: 100 GB.
inline constexpr std::uint64_t kMaxBytes = 100'000'000'000;

/// Allowed units of each kind of quantity, as error messages list them.
inline constexpr std::string_view kTimeUnits = "ps, ns, us, ms, s";
inline constexpr std::string_view kRateUnits = "bps, kbps, Mbps, Gbps, Tbps";
inline constexpr std::string_view kByteUnits = "B, kB, KB, MB, GB, KiB, MiB, GiB";

/// Thrown if a text is not a quantity. what() is the reason, such as "no unit" or "too large".
class QuantityError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Parses a time such as "2.5us", at most kMaxTimePs. Returns picoseconds. Throws QuantityError.
std::int64_t parse_time(std::string_view text);
/// Parses a rate such as "100Gbps", at most kMaxRateBps. Returns bps. Throws QuantityError.
std::uint64_t parse_rate(std::string_view text);
/// Parses a size such as "5MB" (decimal) or "5MiB" (binary), at most kMaxBytes. Returns bytes.
/// Throws QuantityError.
std::uint64_t parse_bytes(std::string_view text);
/// Parses a size in a command-line argument: a plain number of bytes such as "4063232", or a text
/// as in parse_bytes(); at most `max`. Returns bytes. Throws QuantityError.
std::uint64_t parse_size(std::string_view text, std::uint64_t max);

/// Formats a quantity exactly, in the largest decimal unit that does not exceed it. parse_...() of
/// the text returns the quantity.
std::string format_time(std::int64_t ps);
std::string format_rate(std::uint64_t bps);
std::string format_bytes(std::uint64_t bytes);

}  // namespace ina::fields
