// SPDX-License-Identifier: BSD-3-Clause
// The C API without a network: it rejects wrong calls and states the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "hw/libina/ina.h"

namespace {

using ::testing::HasSubstr;

TEST(Libina, RefusesNullPointersByName) {
  std::array<std::int32_t, 1> values{};
  ina_request request = 0;
  EXPECT_EQ(ina_init(nullptr, 0, "net_memif0"), INA_WRONG_INPUT);
  EXPECT_THAT(ina_error(), HasSubstr("cluster_file: found NULL"));
  EXPECT_EQ(ina_init("cluster.json", 0, nullptr), INA_WRONG_INPUT);
  EXPECT_THAT(ina_error(), HasSubstr("device: found NULL"));
  EXPECT_EQ(ina_submit_i32(nullptr, values.data(), 1, &request), INA_WRONG_INPUT);
  EXPECT_THAT(ina_error(), HasSubstr("in: found NULL"));
  EXPECT_EQ(ina_submit_i32(values.data(), nullptr, 1, &request), INA_WRONG_INPUT);
  EXPECT_THAT(ina_error(), HasSubstr("out: found NULL"));
  EXPECT_EQ(ina_submit_i32(values.data(), values.data(), 1, nullptr), INA_WRONG_INPUT);
  EXPECT_THAT(ina_error(), HasSubstr("request: found NULL"));
}

TEST(Libina, RefusesEverythingButInitBeforeInit) {
  std::array<float, 1> values{};
  EXPECT_EQ(ina_allreduce_f32(values.data(), values.data(), 1), INA_WRONG_INPUT);
  EXPECT_THAT(ina_error(), HasSubstr("allowed: between ina_init and ina_finalize"));
  EXPECT_EQ(ina_wait(1, 0), INA_WRONG_INPUT);
  EXPECT_EQ(ina_finalize(0), INA_WRONG_INPUT);
  EXPECT_EQ(ina_rank(), 0U);
  EXPECT_EQ(ina_workers(), 0U);
}

TEST(Libina, NamesAClusterFileThatIsNotThere) {
  EXPECT_EQ(ina_init("/nowhere/cluster.json", 0, "net_memif0"), INA_WRONG_INPUT);
  EXPECT_THAT(ina_error(), HasSubstr("/nowhere/cluster.json"));
}

TEST(Libina, NamesAClusterFileThatIsAFolder) {
  EXPECT_EQ(ina_init("/", 0, "net_memif0"), INA_WRONG_INPUT);
  EXPECT_STREQ(ina_error(),
               "/: found a folder; allowed: a cluster file, as `ina-sim plan` prints it");
}

TEST(Libina, SaysWhyThereIsNoRankWithoutAJob) {
  EXPECT_EQ(ina_rank(), 0U);
  EXPECT_STREQ(ina_error(), "called without a job; allowed: between ina_init and ina_finalize");
}

TEST(Libina, KeepsTheReasonOfEachThread) {
  EXPECT_EQ(ina_wait(1, 0), INA_WRONG_INPUT);
  std::thread([] { EXPECT_STREQ(ina_error(), ""); }).join();
  EXPECT_STRNE(ina_error(), "");
}

}  // namespace
