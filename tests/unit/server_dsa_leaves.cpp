// SPDX-License-Identifier: BSD-3-Clause
// DSA's server of a job in racks: workers 0 and 1 at one leaf, 2 at another, 3 at its own switch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>
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
  const std::vector<std::uint16_t> racks = {0, 0, 1, 2};
  identity.paths = wire::aggregation_paths(racks, 2, wire::Levels::tree);
  return identity;
}

class DsaServerOfLeaves : public ::testing::Test {
 protected:
  /// `bitmap0`: positions in the worker's branch that the frame contains. Default: only the
  /// worker's own.
  void receive_gradient(std::uint16_t worker, std::uint8_t flags,
                        std::optional<std::uint32_t> bitmap0 = std::nullopt) {
    const wire::AggregationPath path = identity().paths[worker];
    Frame frame;
    frame.job = kJob;
    frame.psn = kPsn;
    frame.worker = worker;
    frame.source = static_cast<HostId>(10 + worker);
    frame.aggregator().bitmap0 = bitmap0.value_or(path.bitmap0);
    frame.aggregator().bitmap1 = path.bitmap1;
    frame.flags = static_cast<std::uint8_t>(flags | path.flags);
    frame.values = testing::values_of(pool_, {1});
    server_.receive(std::move(frame), now_);
  }
  /// An empty reminder that a switch answers with this host as its source.
  void receive_reminder_of(HostId source) {
    Frame frame;
    frame.kind = FrameKind::reminder;
    frame.job = kJob;
    frame.psn = kPsn;
    frame.source = source;
    server_.receive(std::move(frame), now_);
  }
  /// Lets time-outs end until the server sends another reminder.
  void time_out() {
    const std::uint64_t before = server_.statistics().reminders;
    while (server_.statistics().reminders == before) {
      now_ = server_.deadline();
      server_.expire(now_);
    }
  }
  /// Destinations of the reminders since the last call. Fails if other frames were sent.
  Hosts reminded() {
    Hosts hosts;
    for (Frame out; server_.next(out); out = Frame{}) {
      EXPECT_EQ(out.kind, FrameKind::reminder);
      EXPECT_EQ(out.source, kSelf);
      hosts.push_back(out.destination);
    }
    return hosts;
  }
  /// Destinations of the requests since the last call. Fails if other frames were sent.
  Hosts requested() {
    Hosts hosts;
    for (Frame out; server_.next(out); out = Frame{}) {
      EXPECT_EQ(out.kind, FrameKind::fragment_request);
      hosts.push_back(out.destination);
    }
    return hosts;
  }

  ValuePool pool_{1};
  DsaServer server_{identity(), DsaServer::Config{}, pool_};
  Time now_{};
};

TEST_F(DsaServerOfLeaves, AsksTheLeavesThenItsSwitchThenTheWorkersWhoAreMissing) {
  receive_gradient(3, flag::collision);
  EXPECT_EQ(reminded(), Hosts{});
  time_out();
  EXPECT_EQ(reminded(), (Hosts{10, 12}));
  receive_reminder_of(12);
  EXPECT_EQ(reminded(), Hosts{});
  receive_gradient(0, flag::partial | flag::resend, 0b10);
  EXPECT_EQ(reminded(), Hosts{kSelf});
  receive_reminder_of(kSelf);
  EXPECT_EQ(requested(), (Hosts{10, 12}));
}

TEST_F(DsaServerOfLeaves, ARequestNamesTheWorkersOfABranchWhomItHas) {
  receive_gradient(1, flag::collision);
  time_out();
  receive_reminder_of(10);
  receive_reminder_of(12);
  receive_reminder_of(kSelf);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> bitmaps;
  for (Frame out; server_.next(out); out = Frame{}) {
    if (out.kind == FrameKind::fragment_request)
      bitmaps.emplace_back(out.aggregator().bitmap0, out.aggregator().bitmap1);
  }
  EXPECT_THAT(bitmaps, ::testing::ElementsAre(std::pair(0b10U, 0b001U), std::pair(0U, 0b010U),
                                              std::pair(0U, 0b100U)));
}

TEST_F(DsaServerOfLeaves, ALeafWhoseWorkersItHasIsNotAsked) {
  receive_gradient(1, flag::second_level | flag::collision, 0);
  time_out();
  EXPECT_EQ(reminded(), Hosts{12});
  receive_gradient(2, flag::second_level | flag::collision, 0);
  time_out();
  EXPECT_EQ(reminded(), Hosts{kSelf});
}

TEST_F(DsaServerOfLeaves, AddsUpPlacesAndBranches) {
  receive_gradient(0, flag::collision);
  receive_gradient(1, flag::resend);
  Frame rest;
  rest.job = kJob;
  rest.psn = kPsn;
  rest.flags = flag::partial | flag::second_level;
  rest.aggregator().bitmap1 = 0b110;
  rest.values = testing::values_of(pool_, {5});
  server_.receive(std::move(rest), now_);
  Frame out;
  ASSERT_TRUE(server_.next(out));
  EXPECT_EQ(out.kind, FrameKind::result);
  EXPECT_EQ(testing::integers(out.values), testing::Integers{7});
}

TEST_F(DsaServerOfLeaves, OnlyAnswersThatAreDueMakeItAskOn) {
  receive_gradient(3, flag::collision);
  receive_reminder_of(10);  // no reminder was sent to it
  EXPECT_EQ(reminded(), Hosts{});
  time_out();
  reminded();
  receive_reminder_of(10);
  receive_reminder_of(10);  // duplicate
  EXPECT_EQ(reminded(), Hosts{});
  receive_reminder_of(11);  // no leaf answers with this source
  EXPECT_EQ(server_.statistics().rejected_frames, 1U);
  receive_reminder_of(12);
  EXPECT_EQ(reminded(), Hosts{kSelf});
  receive_reminder_of(12);
  EXPECT_EQ(reminded(), Hosts{});
}

TEST_F(DsaServerOfLeaves, OnlyThoseWhoseAnswersAreDueAreAskedAgain) {
  receive_gradient(3, flag::collision);
  time_out();
  reminded();
  receive_reminder_of(10);
  time_out();
  EXPECT_EQ(reminded(), Hosts{12});
  receive_reminder_of(12);
  EXPECT_EQ(reminded(), Hosts{kSelf});
  time_out();
  EXPECT_EQ(reminded(), Hosts{kSelf});
  receive_reminder_of(kSelf);
  EXPECT_EQ(requested(), (Hosts{10, 11, 12}));
  time_out();
  EXPECT_EQ(reminded(), (Hosts{10, 12}));
}

}  // namespace
}  // namespace ina
