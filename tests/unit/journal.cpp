// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/journal.hpp"

#include <gtest/gtest.h>

#include "tests/unit/support/frames.hpp"

namespace ina::software {
namespace {

using ina::testing::same;
using ina::testing::values_of;

constexpr auto kFormat = wire::Format::dsa;

class Journal : public ::testing::Test {
 protected:
  Frame gradient() {
    Frame frame;
    frame.values = values_of(pool_, {1, -2, 3});
    frame.psn = 70000;
    frame.aggregator().index = 9;
    frame.job = 3;
    frame.worker = 2;
    frame.aggregator().bitmap0 = 4;
    frame.source = 5;
    frame.destination = 7;
    frame.aggregator().priority = 11;
    frame.aggregator().fan_in_degree0 = 3;
    frame.bytes = frame_bytes(kFormat, pool_.count());
    return frame;
  }

  std::string arrival() { return line_of(kFormat, Arrival{Time(123), 5, gradient()}); }
  std::string departure(rmt::Verdict::Exit exit = rmt::Verdict::Exit::forward) {
    return line_of(kFormat, Departure{exit, gradient()});
  }

  ValuePool pool_{3};
};

TEST_F(Journal, AnArrivalIsReadAsItWasWritten) {
  const auto entry = entry_of(arrival(), kFormat, pool_);
  ASSERT_TRUE(entry);
  const auto& read = std::get<Arrival>(*entry);
  EXPECT_EQ(read.at, Time(123));
  EXPECT_EQ(read.ingress, 5U);
  EXPECT_TRUE(same(read.frame, gradient()));
}

TEST_F(Journal, ADepartureIsReadAsItWasWritten) {
  using Exit = rmt::Verdict::Exit;
  for (const Exit exit : {Exit::forward, Exit::multicast, Exit::up}) {
    const auto entry = entry_of(departure(exit), kFormat, pool_);
    ASSERT_TRUE(entry);
    const auto& read = std::get<Departure>(*entry);
    EXPECT_EQ(read.exit, exit);
    EXPECT_TRUE(same(read.frame, gradient()));
  }
}

TEST_F(Journal, ADecisionIsReadAsItWasWritten) {
  const std::string line = line_of({programs::AggregatorEvent::preempted, 1, 2, 3});
  EXPECT_EQ(line, "preempted 1 2 3");
  const auto entry = entry_of(line, kFormat, pool_);
  ASSERT_TRUE(entry);
  const auto& read = std::get<Decision>(*entry);
  EXPECT_EQ(read.event, programs::AggregatorEvent::preempted);
  EXPECT_EQ(read.job, 1);
  EXPECT_EQ(read.psn, 2U);
  EXPECT_EQ(read.aggregator, 3U);
}

TEST_F(Journal, ADeadlineOfTheProgramIsReadAsItWasWritten) {
  const std::string line = line_of(Expiry{Time(123)});
  EXPECT_EQ(line, "expiry 123");
  const auto entry = entry_of(line, kFormat, pool_);
  ASSERT_TRUE(entry);
  EXPECT_EQ(std::get<Expiry>(*entry).at, Time(123));
}

TEST_F(Journal, MalformedLinesAreNone) {
  const std::string whole = arrival();
  const std::string digits = whole.substr(whole.rfind(' '));
  for (const std::string& wrong : {std::string(),
                                   whole.substr(0, whole.size() - 1),
                                   whole.substr(0, whole.size() - 2),
                                   whole + "0",
                                   whole + " 0",
                                   "arrival x 5" + digits,
                                   "arrival -1 5" + digits,
                                   "arrival 1 70000" + digits,
                                   std::string("arrival "),
                                   std::string("arrival 1 2 zz"),
                                   whole.substr(0, whole.rfind(' ')),
                                   "departure" + digits,
                                   "departure drop" + digits,
                                   "departure " + digits,
                                   "departure forward 0" + digits,
                                   std::string("preempted 1 2"),
                                   std::string("preempted 1 2 3 4"),
                                   std::string("preempted 1  3"),
                                   std::string("preempted 1 -2 3"),
                                   std::string("taken 1 2 3"),
                                   std::string("expiry"),
                                   std::string("expiry -1"),
                                   std::string("expiry x"),
                                   std::string("expiry 1 2"),
                                   " " + whole}) {
    EXPECT_FALSE(entry_of(wrong, kFormat, pool_)) << wrong;
  }
  EXPECT_FALSE(entry_of(whole, wire::Format::switchml, pool_));
}

}  // namespace
}  // namespace ina::software
