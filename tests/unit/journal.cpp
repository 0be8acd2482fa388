// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/journal.hpp"

#include <gtest/gtest.h>

#include "tests/unit/support/frames.hpp"

namespace ina::software {
namespace {

using ina::testing::same;
using ina::testing::values_of;

constexpr auto kProtocol = wire::Protocol::dsa;

class Journal : public ::testing::Test {
 protected:
  Frame gradient() {
    Frame frame;
    frame.values = values_of(pool_, {1, -2, 3});
    frame.psn = 70000;
    frame.aggregator_index = 9;
    frame.job = 3;
    frame.worker = 2;
    frame.bitmap0 = 4;
    frame.source = 5;
    frame.destination = 7;
    frame.priority = 11;
    frame.fan_in_degree0 = 3;
    frame.bytes = frame_bytes(kProtocol, pool_.count());
    return frame;
  }

  std::string line() { return line_of(kProtocol, {Time(123), 5, gradient()}); }

  ValuePool pool_{3};
};

TEST_F(Journal, AnArrivalIsReadAsItWasWritten) {
  ASSERT_TRUE(is_arrival(line()));
  const auto read = arrival_of(line(), kProtocol, pool_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at, Time(123));
  EXPECT_EQ(read->ingress, 5U);
  EXPECT_TRUE(same(read->frame, gradient()));
}

TEST_F(Journal, ADecisionIsNoArrival) {
  const std::string decision = line_of(programs::AggregatorEvent::preempted, 1, 2, 3);
  EXPECT_EQ(decision, "preempted 1 2 3");
  EXPECT_FALSE(is_arrival(decision));
}

TEST_F(Journal, MalformedArrivalsAreNone) {
  const std::string whole = line();
  for (const std::string& wrong :
       {whole.substr(0, whole.size() - 1), whole.substr(0, whole.size() - 2), whole + "0",
        whole + " 0", "arrival x" + whole.substr(9), std::string("arrival "),
        std::string("arrival 1 2 zz"), whole.substr(0, whole.rfind(' '))}) {
    EXPECT_FALSE(arrival_of(wrong, kProtocol, pool_)) << wrong;
  }
  EXPECT_FALSE(arrival_of(whole, wire::Protocol::switchml, pool_));
}

}  // namespace
}  // namespace ina::software
