// SPDX-License-Identifier: BSD-3-Clause
#include "hw/fields/quantity.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ina::test {
namespace {

using ina::fields::format_bytes;
using ina::fields::format_rate;
using ina::fields::format_time;
using ina::fields::kMaxBytes;
using ina::fields::parse_bytes;
using ina::fields::parse_rate;
using ina::fields::parse_size;
using ina::fields::parse_time;

/// Error of the text as a time. Empty if it is valid.
std::string fault(const std::string& text) {
  try {
    parse_time(text);
  } catch (const ina::fields::QuantityError& error) {
    return error.what();
  }
  return "";
}

TEST(Quantity, UnitsOfTime) {
  EXPECT_EQ(parse_time("1ps"), 1);
  EXPECT_EQ(parse_time("1ns"), 1'000);
  EXPECT_EQ(parse_time("2.5us"), 2'500'000);
  EXPECT_EQ(parse_time("0.32ms"), 320'000'000);
  EXPECT_EQ(parse_time("60s"), 60'000'000'000'000);
  EXPECT_EQ(parse_time("0s"), 0);
  EXPECT_EQ(parse_time("0.000000000001s"), 1);
}

TEST(Quantity, UnitsOfRate) {
  EXPECT_EQ(parse_rate("7bps"), 7U);
  EXPECT_EQ(parse_rate("7kbps"), 7'000U);
  EXPECT_EQ(parse_rate("0.5Mbps"), 500'000U);
  EXPECT_EQ(parse_rate("100Gbps"), 100'000'000'000U);
  EXPECT_EQ(parse_rate("12.8Tbps"), 12'800'000'000'000U);
}

TEST(Quantity, UnitsOfSizeAreDecimalAndBinary) {
  EXPECT_EQ(parse_bytes("5B"), 5U);
  EXPECT_EQ(parse_bytes("5kB"), 5'000U);
  EXPECT_EQ(parse_bytes("5KB"), 5'000U);
  EXPECT_EQ(parse_bytes("5MB"), 5'000'000U);
  EXPECT_EQ(parse_bytes("5GB"), 5'000'000'000U);
  EXPECT_EQ(parse_bytes("5KiB"), 5'120U);
  EXPECT_EQ(parse_bytes("5MiB"), 5'242'880U);
  EXPECT_EQ(parse_bytes("0.5GiB"), 536'870'912U);
  EXPECT_EQ(parse_bytes("0.0009765625KiB"), 1U);
}

TEST(Quantity, SizesOfArgumentsAreNumbersOfBytesOrHaveAUnit) {
  EXPECT_EQ(parse_size("4063232", kMaxBytes), 4'063'232U);
  EXPECT_EQ(parse_size("0", kMaxBytes), 0U);
  EXPECT_EQ(parse_size("4.5MB", kMaxBytes), 4'500'000U);
  EXPECT_EQ(parse_size("4MiB", kMaxBytes), 4'194'304U);
  EXPECT_EQ(parse_size("100", 100), 100U);
  for (const auto* text : {"101", "101B", "4.5", "-1", "4 MB", "4mb", "", "B"}) {
    EXPECT_THROW(parse_size(text, 100), ina::fields::QuantityError) << text;
  }
}

TEST(Quantity, FaultsAreTold) {
  EXPECT_EQ(fault("0"), "no unit");
  EXPECT_EQ(fault("5.25"), "no unit");
  for (const auto* text :
       {"5m", "5 ms", "5ms ", "5US", "1e3s", "1,5s", "5Gbps", "1.2.3s", "5ms\n"}) {
    EXPECT_EQ(fault(text), "unknown unit") << text;
  }
  for (const auto* text :
       {"", "ms", "-1ms", "+1ms", ".5ms", "5.ms", " 5ms", "nan", "inf", "0x1s "}) {
    EXPECT_NE(fault(text), "") << text;
  }
  EXPECT_EQ(fault("0.5ps"), "not a whole number of picoseconds");
  EXPECT_EQ(fault("1.0000000000001s"), "not a whole number of picoseconds");
  EXPECT_EQ(fault(std::string(65, '1')), "longer than 64 characters");
}

TEST(Quantity, BoundsAreExact) {
  EXPECT_EQ(parse_time("864000s"), ina::fields::kMaxTimePs);
  EXPECT_EQ(fault("864000.000000000001s"), "too large");
  EXPECT_EQ(fault(std::string(60, '9') + "s"), "too large");
  // 2^64 + 1 picoseconds would overflow to one picosecond in 64 bits.
  EXPECT_EQ(fault("18446744073709551617ps"), "too large");
  EXPECT_EQ(parse_rate("100Tbps"), ina::fields::kMaxRateBps);
  EXPECT_THROW(parse_rate("100.000000000001Tbps"), ina::fields::QuantityError);
  EXPECT_EQ(parse_bytes("100GB"), ina::fields::kMaxBytes);
  EXPECT_THROW(parse_bytes("100.000000001GB"), ina::fields::QuantityError);
}

TEST(Quantity, FormatsInTheLargestUnit) {
  EXPECT_EQ(format_time(0), "0s");
  EXPECT_EQ(format_time(999), "999ps");
  EXPECT_EQ(format_time(2'500'000), "2.5us");
  EXPECT_EQ(format_time(1'000'000'000'001), "1.000000000001s");
  EXPECT_EQ(format_rate(100'000'000'000), "100Gbps");
  EXPECT_EQ(format_bytes(5'000'000), "5MB");
  EXPECT_EQ(format_bytes(5'242'880), "5.24288MB");
}

/// Values of all magnitudes up to `max`, and the neighbourhood of `max`.
template <typename Check>
void for_many(std::uint64_t max, Check check) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    check((random() >> (random() % 64)) % (max + 1));
  }
  for (std::uint64_t i = 0; i < 100; ++i) {
    check(i);
    check(max - i);
  }
}

TEST(Quantity, WhatIsFormattedParsesToTheSame) {
  for_many(ina::fields::kMaxTimePs, [](std::uint64_t ps) {
    const auto time = static_cast<std::int64_t>(ps);
    EXPECT_EQ(parse_time(format_time(time)), time);
  });
  for_many(ina::fields::kMaxRateBps,
           [](std::uint64_t bps) { EXPECT_EQ(parse_rate(format_rate(bps)), bps); });
  for_many(ina::fields::kMaxBytes,
           [](std::uint64_t size) { EXPECT_EQ(parse_bytes(format_bytes(size)), size); });
}

TEST(Quantity, UnitsAgreeWithEachOther) {
  for_many(800'000, [](std::uint64_t n) {
    const auto number = std::to_string(n);
    EXPECT_EQ(parse_time(number + "s"), parse_time(number + "000ms"));
    EXPECT_EQ(parse_time(number + "ms"), parse_time(number + "000us"));
    EXPECT_EQ(parse_time(number + ".0us"), parse_time(number + "000.00ns"));
    EXPECT_EQ(parse_time("0" + number + "ns"), parse_time(number + "000ps"));
    EXPECT_EQ(parse_rate(number + "Mbps"), parse_rate(number + "000kbps"));
    EXPECT_EQ(parse_bytes(number + "KiB"), 1024 * parse_bytes(number + "B"));
  });
}

}  // namespace
}  // namespace ina::test
