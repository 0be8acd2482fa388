// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/traffic/traffic_host.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <random>

namespace ina::cluster::traffic {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr Time kDelay = microseconds(5);
constexpr Time kPerFrame = std::chrono::nanoseconds(120);  // 1500 bytes at 100 Gbps
constexpr std::uint64_t kSegment = 1460;

class Received : public FlowObserver {
 public:
  void received(std::uint64_t flow, std::uint64_t bytes, Time now) override {
    bytes_of[flow] += bytes;
    last = now;
  }
  std::map<std::uint64_t, std::uint64_t> bytes_of;
  Time last{};
};

/// Two hosts and a link, which loses frames with a given probability.
class TrafficHostTest : public ::testing::Test {
 protected:
  struct Flying {
    Time at;
    Frame frame;
  };

  /// Runs until nothing is due before `until`.
  void run(Time until, double loss = 0) {
    for (;;) {
      send_from(0, loss);
      send_from(1, loss);
      Time next = std::min(hosts_[0].deadline(), hosts_[1].deadline());
      for (const auto& flying : flying_) {
        if (!flying.empty()) next = std::min(next, flying.front().at);
      }
      if (next >= until) return;
      now_ = std::max(now_, next);
      for (std::size_t to = 0; to < 2; ++to) {
        auto& flying = flying_[to];
        for (; !flying.empty() && flying.front().at <= now_; flying.pop_front()) {
          hosts_[to].receive(flying.front().frame, now_);
        }
        hosts_[to].expire(now_);
      }
    }
  }

  void send_from(std::size_t host, double loss) {
    for (Frame frame; hosts_[host].next(frame, now_);) {
      ++sent_;
      largest_ = std::max(largest_, frame.bytes);
      idle_[host] = std::max(idle_[host], now_) + kPerFrame;
      if (std::bernoulli_distribution(loss)(random_)) continue;
      if (marks_ && frame.flow().may_be_marked) frame.set(flag::ecn);
      flying_[1 - host].push_back({idle_[host] + kDelay, frame});
    }
  }

  Flow flow(std::uint64_t number, std::uint64_t bytes) const {
    return {.number = number, .from = 0, .to = 1, .bytes = bytes, .start = now_};
  }
  void start(const Flow& flow) {
    hosts_[1].expect(flow);
    hosts_[0].start(flow, now_);
  }

  Received received_;
  TrafficHost hosts_[2] = {{0, {}, received_}, {1, {}, received_}};
  std::deque<Flying> flying_[2];
  Time idle_[2]{};
  Time now_{};
  std::mt19937_64 random_{1};
  std::uint64_t sent_ = 0;
  std::uint16_t largest_ = 0;
  bool marks_ = false;
};

TEST_F(TrafficHostTest, AFlowOfOneSegmentTakesTheHandshakeAndItsWay) {
  start(flow(0, 1000));
  run(milliseconds(10));
  EXPECT_EQ(received_.bytes_of[0], 1000U);
  EXPECT_EQ(received_.last, 3 * (kDelay + kPerFrame));
  EXPECT_EQ(sent_, 4U);  // each of two frames and its acknowledgement
}

TEST_F(TrafficHostTest, SegmentsFillAnEthernetFrame) {
  start(flow(0, 10 * kSegment));
  run(milliseconds(10));
  EXPECT_EQ(largest_, 1514U);
}

TEST_F(TrafficHostTest, EachSecondSegmentIsAcknowledgedAndTheOneInTheMiddleOfAWindow) {
  start(flow(0, 10 * kSegment));
  run(milliseconds(10));
  EXPECT_EQ(sent_, 2 + 10 + 5 + 1U);
}

TEST_F(TrafficHostTest, AllBytesArriveOnceWhateverIsLost) {
  for (const double loss : {0.01, 0.1, 0.3}) {
    for (std::uint64_t number = 0; number < 20; ++number) start(flow(number, 1 + number * 7777));
    run(milliseconds(100000), loss);
    for (std::uint64_t number = 0; number < 20; ++number) {
      EXPECT_EQ(received_.bytes_of[number], 1 + number * 7777) << "loss " << loss;
    }
    received_.bytes_of.clear();
    EXPECT_EQ(hosts_[0].deadline(), kNever);
  }
}

TEST_F(TrafficHostTest, AnEndlessFlowFillsTheLine) {
  start(flow(0, 0));
  run(milliseconds(5));
  const double line = static_cast<double>(milliseconds(5) / kPerFrame) * kSegment;
  EXPECT_GT(static_cast<double>(received_.bytes_of[0]), 0.95 * line);
}

TEST_F(TrafficHostTest, MarksOfEverySegmentKeepAWindowSmall) {
  marks_ = true;
  start(flow(0, 0));
  run(milliseconds(5));
  const double line = static_cast<double>(milliseconds(5) / kPerFrame) * kSegment;
  EXPECT_LT(static_cast<double>(received_.bytes_of[0]), 0.2 * line);
  EXPECT_GT(received_.bytes_of[0], 0U);
}

TEST_F(TrafficHostTest, DatagramsComeAtTheirRateInTheirPhases) {
  const Flow one = flow(0, 0);
  hosts_[1].expect(one);
  hosts_[0].start(
      one,
      {.interval = microseconds(10), .on = milliseconds(1), .off = milliseconds(1), .bytes = 1000},
      now_);
  run(milliseconds(10));
  EXPECT_EQ(received_.bytes_of[0], 5 * 100 * 1000U);
}

TEST_F(TrafficHostTest, AStoppedHostSendsNothing) {
  start(flow(0, 0));
  run(microseconds(100));
  hosts_[0].stop();
  hosts_[1].stop();
  sent_ = 0;
  run(milliseconds(10));
  EXPECT_EQ(sent_, 0U);
}

}  // namespace

}  // namespace ina::cluster::traffic
