// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch-models/systems/all.hpp"

namespace ina {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMemory = 5'000'000;

systems::DataPlane switchml(std::uint32_t values) {
  systems::Switchml settings;
  settings.values = values;
  return settings.data_plane();
}

TEST(SwitchReport, TellsWhatDsaTakesOfTofino1) {
  const std::string text =
      report::text_of(report::make(systems::Dsa().data_plane(), kMemory, 8, rmt::kTofino1));
  EXPECT_THAT(
      text, HasSubstr("dsa, policy priority-between-jobs on tofino1: 20161 aggregators of 248 B"));
  EXPECT_THAT(text, HasSubstr("at most: 22528 aggregators, 5.59 MB"));
  EXPECT_THAT(text, HasSubstr("preempts:         3  resubmitted 1 x  recirculated 1 x, 306 B"));
  EXPECT_THAT(text, HasSubstr("values x4"));
  EXPECT_THAT(text, HasSubstr("destinations"));
  EXPECT_THAT(text, HasSubstr("at a leaf, passes of a packet that\n"
                              "  completes a sum:  2  recirculated 1 x, 306 B in all\n"
                              "  is a result:      1\n"
                              "with 8 workers below, a result for each task, and 64 ports"));
}

TEST(SwitchReport, EveryProgramOfThePapersFitsBothChips) {
  for (const rmt::Chip* chip : rmt::kChips) {
    EXPECT_NO_THROW(report::make(systems::Atp().data_plane(), kMemory, 8, *chip));
    for (const std::uint32_t values : {32, 64, 256}) {
      EXPECT_NO_THROW(report::make(switchml(values), kMemory, 8, *chip));
    }
    EXPECT_NO_THROW(report::make(systems::Dsa().data_plane(), kMemory, 8, *chip));
  }
}

TEST(SwitchReport, AnMtuOfValuesFitsNoChip) {
  for (const rmt::Chip* chip : rmt::kChips) {
    try {
      report::make(switchml(366), kMemory, 8, *chip);
      FAIL() << "366 values fit";
    } catch (const rmt::DoesNotFit& why) {
      EXPECT_THAT(why.what(), HasSubstr(std::string("does not fit ") + std::string(chip->name)));
      EXPECT_THAT(why.what(), HasSubstr("allowed: another program, for no memory makes it fit"));
    }
  }
}

TEST(SwitchReport, RefusesMoreMemoryThanThereIsAndTellsHowMuchThereIs) {
  try {
    report::make(systems::Atp().data_plane(), 6'000'000, 8, rmt::kTofino1);
    FAIL() << "6 MB fit";
  } catch (const rmt::DoesNotFit& why) {
    EXPECT_THAT(why.what(), HasSubstr("values"));
    EXPECT_THAT(why.what(), HasSubstr("allowed: at most 22528 aggregators, --memory 5586944"));
  }
}

TEST(PassLoad, EveryPacketOfAtpTakesTwoPassesAndOneInEightIsRecirculated) {
  const report::PassLoad load = report::load_of(systems::Atp().data_plane(), 8, rmt::kTofino1);
  EXPECT_DOUBLE_EQ(load.passes_per_packet, 2);
  EXPECT_DOUBLE_EQ(load.resubmitted_share, 7.0 / 8);
  EXPECT_DOUBLE_EQ(load.recirculated_share, 1.0 / 8);
  // 64 ports of 100 Gbps receive 2.61 G packets of 306 B per second.
  EXPECT_NEAR(load.pipeline_share, 2 * 2.614e9 / 4.8e9, 1e-3);
  // 8 ports recirculate an eighth of 800 Gbps, which the pipe's own port carries. 15 ports
  // recirculate 187.5 Gbps and need one more port.
  EXPECT_EQ(load.hosts_without_loopback, 8);
  EXPECT_EQ(load.looped_ports, 1);
}

TEST(PassLoad, AtALeafAResultComesForEachTaskAndTakesOnePass) {
  const report::PassLoad load = report::load_of_leaf(systems::Dsa().data_plane(), 8, rmt::kTofino1);
  EXPECT_DOUBLE_EQ(load.passes_per_packet, (8 * 2 + 1) / 9.0);
  EXPECT_DOUBLE_EQ(load.resubmitted_share, 7.0 / 9);
  EXPECT_DOUBLE_EQ(load.recirculated_share, 1.0 / 9);
}

TEST(PassLoad, ALeafStoresAResultOfLargePacketsInAsManyPassesAsItAddsOneUp) {
  const report::PassLoad load = report::load_of_leaf(switchml(256), 8, rmt::kTofino1);
  EXPECT_DOUBLE_EQ(load.passes_per_packet, (7 * 4 + 11 + 4) / 9.0);
}

TEST(PassLoad, LargePacketsOfSwitchmlCostTwoThirdsOfThePorts) {
  const report::PassLoad load = report::load_of(switchml(256), 8, rmt::kTofino1);
  EXPECT_DOUBLE_EQ(load.passes_per_packet, (7 * 4 + 11) / 8.0);
  EXPECT_NEAR(load.recirculated_share, (7 * 1692 + 5640) / (8.0 * 1076), 1e-12);
  EXPECT_EQ(load.hosts_without_loopback, 0);
  // 5 hosts recirculate 1016 Gbps, 6 would recirculate 1219 Gbps.
  EXPECT_EQ(load.looped_ports, 11);
}

}  // namespace
}  // namespace ina
