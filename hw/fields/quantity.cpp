// SPDX-License-Identifier: BSD-3-Clause
#include "hw/fields/quantity.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <span>

namespace ina::fields {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;  ///< in base units
};

// Formatting uses the last unit that fits. Decimal units therefore ascend, and the first name of a
// factor is written. Binary units are only read.
constexpr Unit kTimes[] = {
    {"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}};
constexpr Unit kRates[] = {{"bps", 1},
                           {"kbps", 1'000},
                           {"Mbps", 1'000'000},
                           {"Gbps", 1'000'000'000},
                           {"Tbps", 1'000'000'000'000}};
constexpr Unit kSizes[] = {
    {"B", 1},      {"kB", 1'000},       {"MB", 1'000'000},   {"GB", 1'000'000'000},
    {"KB", 1'000}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}};
constexpr std::span<const Unit> kWrittenBytes{kSizes, 4};

/// Longest text that is read as a quantity.
constexpr std::size_t kMaxLength = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal number split at its point, and the text after it.
struct Parts {
  std::string_view whole;
  std::string_view fraction;
  std::string_view unit;
};

Parts split(std::string_view text) {
  const auto digits = [&text] {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    const auto run = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(run.size());
    return run;
  };
  Parts parts;
  parts.whole = digits();
  bool malformed = parts.whole.empty();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = digits();
    malformed = malformed || parts.fraction.empty();
  }
  if (malformed) {
    throw QuantityError("not a decimal number with a unit");
  }
  parts.unit = text;
  return parts;
}

std::uint64_t factor(std::string_view unit, std::span<const Unit> units) {
  if (unit.empty()) {
    throw QuantityError("no unit");
  }
  const auto found = std::ranges::find(units, unit, &Unit::name);
  if (found == units.end()) {
    throw QuantityError("unknown unit");
  }
  return found->factor;
}

std::uint64_t parse(std::string_view text, std::span<const Unit> units, std::uint64_t max,
                    std::string_view base) {
  using boost::multiprecision::cpp_int;
  if (text.size() > kMaxLength) {
    throw QuantityError(fmt::format("longer than {} characters", kMaxLength));
  }
  const auto parts = split(text);
  cpp_int value = 0;
  cpp_int divisor = 1;
  for (const char digit : parts.whole) {
    value = value * 10 + (digit - '0');
  }
  for (const char digit : parts.fraction) {
    value = value * 10 + (digit - '0');
    divisor *= 10;
  }
  value *= factor(parts.unit, units);
  if (value % divisor != 0) {
    throw QuantityError(fmt::format("not a whole number of {}", base));
  }
  value /= divisor;
  if (value > max) {
    throw QuantityError("too large");
  }
  return value.convert_to<std::uint64_t>();
}

std::string format(std::uint64_t value, std::span<const Unit> units,
                   std::string_view unit_of_zero) {
  if (value == 0) {
    return fmt::format("0{}", unit_of_zero);
  }
  const auto* unit = &units.front();
  for (const auto& candidate : units) {
    unit = candidate.factor <= value ? &candidate : unit;
  }
  const auto digits = fmt::format("{}", unit->factor).size() - 1;
  auto fraction = fmt::format("{:0{}}", value % unit->factor, digits);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fmt::format("{}{}{}{}", value / unit->factor, fraction.empty() ? "" : ".", fraction,
                     unit->name);
}

}  // namespace

std::int64_t parse_time(std::string_view text) {
  return static_cast<std::int64_t>(parse(text, kTimes, kMaxTimePs, "picoseconds"));
}

std::uint64_t parse_rate(std::string_view text) {
  return parse(text, kRates, kMaxRateBps, "bits per second");
}

std::uint64_t parse_bytes(std::string_view text) { return parse(text, kSizes, kMaxBytes, "bytes"); }

std::uint64_t parse_size(std::string_view text, std::uint64_t max) {
  const bool is_number = !text.empty() && std::ranges::all_of(text, is_digit);
  return parse(is_number ? fmt::format("{}B", text) : std::string(text), kSizes, max, "bytes");
}

std::string format_time(std::int64_t ps) {
  return format(static_cast<std::uint64_t>(ps), kTimes, "s");
}

std::string format_rate(std::uint64_t bps) { return format(bps, kRates, "bps"); }

std::string format_bytes(std::uint64_t bytes) { return format(bytes, kWrittenBytes, "B"); }

}  // namespace ina::fields
