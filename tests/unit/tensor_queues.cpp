// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/tensor_queues.hpp"

#include <gtest/gtest.h>

namespace ina {
namespace {

TEST(TensorQueues, GiveTheFirstAndTheLastTensorsItemsEachInTheirOrder) {
  TensorQueues<int> queues;
  EXPECT_TRUE(queues.empty());
  queues.push(20, 1);
  queues.push(10, 2);
  queues.push(30, 3);
  queues.push(20, 4);
  queues.push(30, 5);
  EXPECT_EQ(queues.first(), 10U);
  EXPECT_EQ(queues.last(), 30U);
  EXPECT_EQ(queues.pop_last(), 3);
  EXPECT_EQ(queues.pop_first(), 2);
  EXPECT_EQ(queues.first(), 20U);
  EXPECT_EQ(queues.pop_last(), 5);
  EXPECT_EQ(queues.last(), 20U);
  EXPECT_EQ(queues.pop_last(), 1);
  queues.push(10, 6);  // reuses the memory of another tensor
  EXPECT_EQ(queues.pop_first(), 6);
  EXPECT_EQ(queues.pop_first(), 4);
  EXPECT_TRUE(queues.empty());
}

TEST(TensorQueues, KnowTheOrderOfTensorsWherePsnsBeginAgainAt0) {
  TensorQueues<int> queues;
  queues.push(5, 1);
  queues.push(0xffff'fff0, 2);
  EXPECT_EQ(queues.pop_first(), 2);
  EXPECT_EQ(queues.pop_first(), 1);
}

}  // namespace
}  // namespace ina
