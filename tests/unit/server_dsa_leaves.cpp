// SPDX-License-Identifier: BSD-3-Clause
// DSA's server of a job in racks: workers 0 and 1 at one leaf, 2 at another, 3 at its own switch.
#include <gtest/gtest.h>

#include <vector>

#include "hw/protocol/server/dsa_server.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina {
namespace {

constexpr JobId kJob = 4;
constexpr HostId kSelf = 99;
constexpr Psn kPsn = 5;
using Hosts = std::vector<HostId>;

ServerIdentity identity() {
  ServerIdentity identity{kJob, 4, kSelf, 100};
  identity.members = {10, 11, 12, 13};
  identity.leaves = {0b0011, 0b0100};
  return identity;
}

class DsaServerOfLeaves : public ::testing::Test {
 protected:
  void receive_gradient(std::uint16_t worker, std::uint32_t bitmap, std::uint8_t flags) {
    Frame frame;
    frame.job = kJob;
    frame.psn = kPsn;
    frame.worker = worker;
    frame.source = static_cast<HostId>(10 + worker);
    frame.bitmap0 = bitmap;
    frame.flags = flags;
    frame.values = testing::values_of(pool_, {1});
    server_.receive(std::move(frame), now_);
  }
  /// A switch holds nothing, and answers as the host.
  void receive_reminder_of(HostId source) {
    Frame frame;
    frame.kind = FrameKind::reminder;
    frame.job = kJob;
    frame.psn = kPsn;
    frame.source = source;
    server_.receive(std::move(frame), now_);
  }
  void time_out() {
    now_ = server_.deadline();
    server_.expire(now_);
  }
  /// To which reminders went out since the last call; nothing else did.
  Hosts reminded() {
    Hosts hosts;
    for (Frame out; server_.next(out); out = Frame{}) {
      EXPECT_EQ(out.kind, FrameKind::reminder);
      EXPECT_EQ(out.source, kSelf);
      hosts.push_back(out.destination);
    }
    return hosts;
  }
  void expect_request_of_all_but(std::uint32_t bitmap) {
    Frame out;
    ASSERT_TRUE(server_.next(out));
    EXPECT_EQ(out.kind, FrameKind::fragment_request);
    EXPECT_EQ(out.bitmap0, bitmap);
    EXPECT_FALSE(server_.next(out));
  }

  ValuePool pool_{1};
  DsaServer server_{identity(), DsaServer::Config{}, pool_};
  Time now_{};
};

TEST_F(DsaServerOfLeaves, AsksTheLeavesThenItsSwitchThenTheWorkers) {
  receive_gradient(3, 0b1000, flag::collision);
  EXPECT_EQ(reminded(), Hosts{});
  time_out();
  EXPECT_EQ(reminded(), (Hosts{10, 12}));
  receive_reminder_of(12);
  EXPECT_EQ(reminded(), Hosts{});
  receive_gradient(0, 0b0010, flag::partial | flag::resend);
  EXPECT_EQ(reminded(), Hosts{kSelf});
  receive_reminder_of(kSelf);
  expect_request_of_all_but(0b1010);
}

TEST_F(DsaServerOfLeaves, ALeafWhoseWorkersItHasIsNotAsked) {
  receive_gradient(1, 0b0011, flag::second_level | flag::collision);
  time_out();
  EXPECT_EQ(reminded(), Hosts{12});
  receive_gradient(2, 0b0100, flag::second_level | flag::collision);
  time_out();
  EXPECT_EQ(reminded(), Hosts{kSelf});
}

TEST_F(DsaServerOfLeaves, OnlyAnswersThatAreDueMakeItAskOn) {
  receive_gradient(3, 0b1000, flag::collision);
  receive_reminder_of(10);  // of nobody's reminder
  EXPECT_EQ(reminded(), Hosts{});
  time_out();
  reminded();
  receive_reminder_of(10);
  receive_reminder_of(10);  // twice
  EXPECT_EQ(reminded(), Hosts{});
  receive_reminder_of(11);  // as which no leaf answers
  EXPECT_EQ(server_.statistics().rejected_frames, 1U);
  receive_reminder_of(12);
  EXPECT_EQ(reminded(), Hosts{kSelf});
  receive_reminder_of(12);
  EXPECT_EQ(reminded(), Hosts{});
}

TEST_F(DsaServerOfLeaves, ALostAnswerIsAskedForAgain) {
  receive_gradient(3, 0b1000, flag::collision);
  time_out();
  reminded();
  receive_reminder_of(10);
  time_out();
  EXPECT_EQ(reminded(), (Hosts{10, 12}));
}

}  // namespace
}  // namespace ina
