// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/training/partition_plan.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace ina::cluster {
namespace {

constexpr std::uint32_t kPartitionValues = 1000;

/// Ten partitions of equal size, in two layers.
ModelProfile ten_partitions(double exposed) {
  ModelProfile profile;
  profile.partition_bytes = kPartitionValues * kBytesPerParameter;
  profile.layers = {{"front", 6 * kPartitionValues, 0, 0}, {"back", 4 * kPartitionValues, 0, 0}};
  profile.exposed = exposed;
  return profile;
}

TEST(ExposedPartitions, AreNoneByDefaultAndAllWithOne) {
  EXPECT_EQ(exposed_partitions(ten_partitions(ModelProfile{}.exposed)), 0U);
  EXPECT_EQ(exposed_partitions(ten_partitions(1)), 10U);
}

TEST(ExposedPartitions, HoldTheShareExactlyWhereItIsWholePartitions) {
  for (std::uint32_t tenths = 0; tenths <= 10; ++tenths) {
    EXPECT_EQ(exposed_partitions(ten_partitions(tenths / 10.0)), tenths);
  }
}

TEST(ExposedPartitions, AreRoundedUp) {
  EXPECT_EQ(exposed_partitions(ten_partitions(0.01)), 1U);
  EXPECT_EQ(exposed_partitions(ten_partitions(0.301)), 4U);
  EXPECT_EQ(exposed_partitions(ten_partitions(0.999)), 10U);
}

TEST(ExposedPartitions, AreCountedInBytesFromTheEndOfTheOrderOfSending) {
  ModelProfile profile;
  profile.partition_bytes = kPartitionValues * kBytesPerParameter;
  // Back to front: 1000, 200, 1000, 300 values.
  profile.layers = {{"front", 1300, 0, 0}, {"none", 0, 0, 0}, {"back", 1200, 0, 0}};
  profile.exposed = 300.0 / 2500;
  EXPECT_EQ(exposed_partitions(profile), 1U);
  profile.exposed = 1300.0 / 2500;
  EXPECT_EQ(exposed_partitions(profile), 2U);
  profile.exposed = 1500.0 / 2500;
  EXPECT_EQ(exposed_partitions(profile), 3U);
  profile.send_order = {{1, 1}, {1, 2}, {3, 1}, {3, 2}};
  profile.exposed = 300.0 / 2500;
  EXPECT_EQ(exposed_partitions(profile), 2U);
}

}  // namespace
}  // namespace ina::cluster
