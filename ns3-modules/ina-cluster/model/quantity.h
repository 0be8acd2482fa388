/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * Quantities with their units, as scenario files write them ("2.5us", "100Gbps", "5MiB"), in exact
 * integer arithmetic. A quantity is a decimal number without sign, exponent or blank, and a unit
 * right behind it.
 */
#ifndef INA_QUANTITY_H
#define INA_QUANTITY_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ns3
{

/// Ten days in picoseconds: the sum of ten times still fits 64 bits.
inline constexpr std::int64_t MAX_TIME_PS = 864'000'000'000'000'000;
/// 100 Tbps.
inline constexpr std::uint64_t MAX_RATE_BPS = 100'000'000'000'000;
/// 100 GB.
inline constexpr std::uint64_t MAX_BYTES = 100'000'000'000;

/// The units that each kind of quantity may have, as error messages list them.
inline constexpr std::string_view TIME_UNITS = "ps, ns, us, ms, s";
inline constexpr std::string_view RATE_UNITS = "bps, kbps, Mbps, Gbps, Tbps";
inline constexpr std::string_view BYTE_UNITS = "B, kB, KB, MB, GB, KiB, MiB, GiB";

/// Why a text is no quantity; what() is a short phrase such as "no unit".
class QuantityError : public std::invalid_argument
{
  public:
    using std::invalid_argument::invalid_argument;
};

/// Picoseconds of a text such as "2.5us"; at most MAX_TIME_PS. Throws QuantityError.
std::int64_t ParseTime(std::string_view text);
/// Bits per second of a text such as "100Gbps"; at most MAX_RATE_BPS. Throws QuantityError.
std::uint64_t ParseRate(std::string_view text);
/// Bytes of a text such as "5MB" (decimal) or "5MiB" (binary); at most MAX_BYTES. Throws
/// QuantityError.
std::uint64_t ParseBytes(std::string_view text);

/// The shortest exact text in the largest unit that does not exceed the value; Parse...() gives the
/// value back.
std::string FormatTime(std::int64_t ps);
std::string FormatRate(std::uint64_t bps);
std::string FormatBytes(std::uint64_t bytes);

} // namespace ns3

#endif // INA_QUANTITY_H
