// SPDX-License-Identifier: BSD-3-Clause
#include "ns3-modules/ina-cluster/model/quantity.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ina::test {
namespace {

using ns3::FormatBytes;
using ns3::FormatRate;
using ns3::FormatTime;
using ns3::ParseBytes;
using ns3::ParseRate;
using ns3::ParseTime;

/// What is wrong with the text as a time; empty if nothing is.
std::string fault(const std::string& text) {
  try {
    ParseTime(text);
  } catch (const ns3::QuantityError& error) {
    return error.what();
  }
  return "";
}

TEST(Quantity, UnitsOfTime) {
  EXPECT_EQ(ParseTime("1ps"), 1);
  EXPECT_EQ(ParseTime("1ns"), 1'000);
  EXPECT_EQ(ParseTime("2.5us"), 2'500'000);
  EXPECT_EQ(ParseTime("0.32ms"), 320'000'000);
  EXPECT_EQ(ParseTime("60s"), 60'000'000'000'000);
  EXPECT_EQ(ParseTime("0s"), 0);
  EXPECT_EQ(ParseTime("0.000000000001s"), 1);
}

TEST(Quantity, UnitsOfRate) {
  EXPECT_EQ(ParseRate("7bps"), 7U);
  EXPECT_EQ(ParseRate("7kbps"), 7'000U);
  EXPECT_EQ(ParseRate("0.5Mbps"), 500'000U);
  EXPECT_EQ(ParseRate("100Gbps"), 100'000'000'000U);
  EXPECT_EQ(ParseRate("12.8Tbps"), 12'800'000'000'000U);
}

TEST(Quantity, UnitsOfSizeAreDecimalAndBinary) {
  EXPECT_EQ(ParseBytes("5B"), 5U);
  EXPECT_EQ(ParseBytes("5kB"), 5'000U);
  EXPECT_EQ(ParseBytes("5KB"), 5'000U);
  EXPECT_EQ(ParseBytes("5MB"), 5'000'000U);
  EXPECT_EQ(ParseBytes("5GB"), 5'000'000'000U);
  EXPECT_EQ(ParseBytes("5KiB"), 5'120U);
  EXPECT_EQ(ParseBytes("5MiB"), 5'242'880U);
  EXPECT_EQ(ParseBytes("0.5GiB"), 536'870'912U);
  EXPECT_EQ(ParseBytes("0.0009765625KiB"), 1U);
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
  EXPECT_EQ(ParseTime("864000s"), ns3::MAX_TIME_PS);
  EXPECT_EQ(fault("864000.000000000001s"), "too large");
  EXPECT_EQ(fault(std::string(60, '9') + "s"), "too large");
  // 2^64 + 1 picoseconds would be one picosecond in 64 bits.
  EXPECT_EQ(fault("18446744073709551617ps"), "too large");
  EXPECT_EQ(ParseRate("100Tbps"), ns3::MAX_RATE_BPS);
  EXPECT_THROW(ParseRate("100.000000000001Tbps"), ns3::QuantityError);
  EXPECT_EQ(ParseBytes("100GB"), ns3::MAX_BYTES);
  EXPECT_THROW(ParseBytes("100.000000001GB"), ns3::QuantityError);
}

TEST(Quantity, FormatsInTheLargestUnit) {
  EXPECT_EQ(FormatTime(0), "0s");
  EXPECT_EQ(FormatTime(999), "999ps");
  EXPECT_EQ(FormatTime(2'500'000), "2.5us");
  EXPECT_EQ(FormatTime(1'000'000'000'001), "1.000000000001s");
  EXPECT_EQ(FormatRate(100'000'000'000), "100Gbps");
  EXPECT_EQ(FormatBytes(5'000'000), "5MB");
  EXPECT_EQ(FormatBytes(5'242'880), "5.24288MB");
}

/// Values of all magnitudes up to max, and its neighbourhood.
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
  for_many(ns3::MAX_TIME_PS, [](std::uint64_t ps) {
    const auto time = static_cast<std::int64_t>(ps);
    EXPECT_EQ(ParseTime(FormatTime(time)), time);
  });
  for_many(ns3::MAX_RATE_BPS,
           [](std::uint64_t bps) { EXPECT_EQ(ParseRate(FormatRate(bps)), bps); });
  for_many(ns3::MAX_BYTES,
           [](std::uint64_t size) { EXPECT_EQ(ParseBytes(FormatBytes(size)), size); });
}

TEST(Quantity, UnitsAgreeWithEachOther) {
  for_many(800'000, [](std::uint64_t n) {
    const auto number = std::to_string(n);
    EXPECT_EQ(ParseTime(number + "s"), ParseTime(number + "000ms"));
    EXPECT_EQ(ParseTime(number + "ms"), ParseTime(number + "000us"));
    EXPECT_EQ(ParseTime(number + ".0us"), ParseTime(number + "000.00ns"));
    EXPECT_EQ(ParseTime("0" + number + "ns"), ParseTime(number + "000ps"));
    EXPECT_EQ(ParseRate(number + "Mbps"), ParseRate(number + "000kbps"));
    EXPECT_EQ(ParseBytes(number + "KiB"), 1024 * ParseBytes(number + "B"));
  });
}

}  // namespace
}  // namespace ina::test
