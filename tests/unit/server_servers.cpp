// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/server/dsa_server.hpp"
#include "hw/protocol/wire/addressing.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina {
namespace {

using testing::Integers;
using testing::integers;

constexpr JobId kJob = 4;
constexpr HostId kSelf = 99;
const ServerIdentity kIdentity{kJob, 4, kSelf, 100};
constexpr std::uint32_t kAggregators = 1000;
constexpr wire::AddressingConfig kRehashed{.aggregators = kAggregators, .rehash = true};

Time us(int count) { return std::chrono::microseconds(count); }

class Server : public ::testing::Test {
 protected:
  /// Worker w contributes 10^w.
  Frame gradient(Psn psn, std::uint32_t bitmap, std::uint8_t flags = 0) {
    Frame frame;
    frame.job = kJob;
    frame.psn = psn;
    frame.aggregator().bitmap0 = bitmap;
    frame.aggregator().index = 17;
    frame.source = 10;
    frame.destination = kSelf;
    frame.flags = flags;
    std::int32_t sum = 0;
    for (std::int32_t w = 0, value = 1; w < 4; ++w, value *= 10) {
      if ((bitmap >> w & 1U) != 0) sum += value;
    }
    frame.values = testing::values_of(pool_, {sum});
    return frame;
  }
  Frame control(FrameKind kind, Psn psn) {
    Frame frame;
    frame.kind = kind;
    frame.job = kJob;
    frame.psn = psn;
    frame.aggregator().index = 17;
    frame.aggregator().bitmap0 = 1;
    return frame;
  }
  void receive(Frame frame, Time now = Time{}) { server_->receive(std::move(frame), now); }
  std::vector<Frame> drain() {
    std::vector<Frame> frames;
    for (Frame out; server_->next(out); out = Frame{}) frames.push_back(out);
    return frames;
  }
  std::vector<FrameKind> drain_kinds() {
    std::vector<FrameKind> kinds;
    for (const Frame& frame : drain()) kinds.push_back(frame.kind);
    return kinds;
  }
  std::vector<Frame> complete(Psn psn, Time begin = Time{}, Time end = Time{}) {
    receive(gradient(psn, 0b0011), begin);
    receive(gradient(psn, 0b1100), end);
    return drain();
  }

  ValuePool pool_{1};
  std::unique_ptr<ParameterServer> server_;
};

using Kinds = std::vector<FrameKind>;

class AtpServerTest : public Server {
 protected:
  AtpServerTest() { make(8192); }
  void make(std::uint32_t kept) {
    server_ = std::make_unique<AtpServer>(kIdentity, AtpServer::Config{kRehashed, kept});
  }
};

class DsaServerTest : public Server {
 protected:
  DsaServerTest() { make(8192); }
  void make(std::uint32_t kept) {
    server_ = std::make_unique<DsaServer>(kIdentity, DsaServer::Config{us(1000), kept}, pool_);
  }
  Frame notification(Psn psn, std::uint32_t bitmap) {
    Frame frame = control(FrameKind::notification, psn);
    frame.aggregator().bitmap0 = bitmap;
    frame.source = 10;
    return frame;
  }
  void expire_until(Time end) {
    while (server_->deadline() <= end) server_->expire(server_->deadline());
  }
};

template <class System>
class Merge : public System {};
using BothSystems = ::testing::Types<AtpServerTest, DsaServerTest>;
TYPED_TEST_SUITE(Merge, BothSystems);

TYPED_TEST(Merge, DisjointSumsMakeAResultToEveryone) {
  this->receive(this->gradient(5, 0b0101));
  this->receive(this->gradient(5, 0b1000, flag::ecn));
  EXPECT_TRUE(this->drain().empty());
  this->receive(this->gradient(5, 0b0010));
  const auto results = this->drain();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].kind, FrameKind::result);
  EXPECT_EQ(results[0].psn, 5U);
  EXPECT_EQ(results[0].destination, kAllWorkers);
  EXPECT_EQ(results[0].source, kSelf);
  EXPECT_EQ(results[0].aggregator().index, 17U);
  EXPECT_EQ(results[0].bytes, 306);
  EXPECT_TRUE(results[0].has(flag::ecn));
  EXPECT_FALSE(results[0].has(flag::collision));
  EXPECT_EQ(integers(results[0].values), (Integers{1111}));
  EXPECT_EQ(this->server_->open_entries(), 0U);
}

TYPED_TEST(Merge, DuplicatesAreDropped) {
  this->receive(this->gradient(5, 0b0111));
  this->receive(this->gradient(5, 0b0010));
  this->receive(this->gradient(5, 0b0111));
  EXPECT_EQ(this->server_->statistics().duplicates, 2U);
  this->receive(this->gradient(5, 0b1000));
  EXPECT_EQ(integers(this->drain().at(0).values), (Integers{1111}));
}

TYPED_TEST(Merge, ASupersetReplacesWhatTheEntryHeld) {
  this->receive(this->gradient(5, 0b0001));
  this->receive(this->gradient(5, 0b0111));
  EXPECT_TRUE(this->drain().empty());
  EXPECT_EQ(this->server_->statistics().overlaps, 0U);
  this->receive(this->gradient(5, 0b1000));
  EXPECT_EQ(integers(this->drain().at(0).values), (Integers{1111}));
}

TYPED_TEST(Merge, OverlapsKeepTheLargerSumAndNeverCountAWorkerTwice) {
  this->receive(this->gradient(5, 0b0011));
  this->receive(this->gradient(5, 0b0110));  // not larger, so it is dropped together with worker 2
  EXPECT_EQ(this->server_->statistics().overlaps, 1U);
  this->receive(this->gradient(5, 0b1000));
  EXPECT_EQ(this->server_->open_entries(), 1U);
  this->drain();
  this->receive(this->gradient(5, 0b0100));
  EXPECT_EQ(integers(this->drain().at(0).values), (Integers{1111}));
  this->receive(this->gradient(6, 0b0001));
  this->receive(this->gradient(6, 0b0010));
  this->receive(this->gradient(6, 0b1110));  // larger, so worker 0 is missing now
  EXPECT_EQ(this->server_->open_entries(), 1U);
  this->drain();
  this->receive(this->gradient(6, 0b0001));
  EXPECT_EQ(integers(this->drain().at(0).values), (Integers{1111}));
}

TYPED_TEST(Merge, SharedValuesAreNotWrittenTo) {
  const Frame first = this->gradient(5, 0b0011);
  this->receive(first);
  this->receive(this->gradient(5, 0b1100));
  EXPECT_EQ(integers(first.values), (Integers{11}));
}

TYPED_TEST(Merge, AnOrdinaryLateGradientIsDropped) {
  this->complete(5);
  this->receive(this->gradient(5, 0b0001));
  EXPECT_TRUE(this->drain().empty());
  EXPECT_EQ(this->server_->open_entries(), 0U);
  EXPECT_EQ(this->server_->statistics().duplicates, 1U);
}

// A worker may answer a request until a tensor of the next iteration is complete. Meanwhile other
// workers' packets may complete tasks of that iteration.
TYPED_TEST(Merge, AnAnswerOfTheIterationBeforeIsDropped) {
  const Psn last = 2 * kIdentity.psns_per_iteration - 1;
  this->complete(0);
  this->complete(last);
  this->receive(this->gradient(0, 0b0001, flag::resend | flag::answer));
  EXPECT_EQ(this->server_->open_entries(), 0U);
  EXPECT_EQ(this->server_->statistics().duplicates, 1U);
}

TYPED_TEST(Merge, OnlyCollisionsMakeACollision) {
  this->receive(this->gradient(5, 0b0111, flag::collision));
  this->receive(this->gradient(5, 0b1000));
  EXPECT_TRUE(this->drain().at(0).has(flag::collision));
  this->receive(this->gradient(6, 0b0111, flag::partial));  // evicted
  this->receive(this->gradient(6, 0b1000));
  EXPECT_TRUE(this->drain().at(0).has(flag::collision));
  this->receive(this->gradient(7, 0b0111, flag::partial | flag::resend));  // requested
  this->drain();
  this->receive(this->gradient(7, 0b1000));
  const auto result = this->drain().at(0);
  EXPECT_FALSE(result.has(flag::collision));
  EXPECT_FALSE(result.has(flag::new_index));
}

TYPED_TEST(Merge, RejectedFramesAreCounted) {
  Frame frame = this->gradient(5, 1);
  frame.job = kJob + 1;
  this->receive(frame);
  this->receive(this->control(FrameKind::fragment_request, 5));
  this->receive(this->gradient(5, 0));
  this->receive(this->gradient(5, 1U << 20 | 1));  // there is no worker 20 in this job
  EXPECT_EQ(this->server_->statistics().rejected_frames, 4U);
  EXPECT_EQ(this->server_->open_entries(), 0U);
}

TEST_F(AtpServerTest, AnswersAResendUnderItsOwnIndex) {
  receive(gradient(5, 0b0011, flag::collision));
  receive(gradient(5, 0b1100));
  EXPECT_TRUE(drain().at(0).has(flag::new_index));
  Frame resend = gradient(5, 0b0001, flag::resend);
  receive(resend);
  Frame answer = drain().at(0);
  EXPECT_EQ(answer.aggregator().index, 17U);
  EXPECT_TRUE(answer.has(flag::new_index));
  resend.aggregator().index = 18;
  receive(resend);
  answer = drain().at(0);
  EXPECT_EQ(answer.aggregator().index, 18U);
  EXPECT_FALSE(answer.has(flag::new_index));
  EXPECT_EQ(answer.aggregator().bitmap0, 0U);
}

/// Workers 0 and 1 are in one rack, 2 and 3 in another: two branches.
const std::vector<wire::AggregationPath> kTwoRacks =
    wire::aggregation_paths(std::vector<std::uint16_t>{0, 0, 1, 1}, 2, wire::Levels::two);

class AtpServerOfRacks : public AtpServerTest {
 protected:
  AtpServerOfRacks() {
    ServerIdentity identity = kIdentity;
    identity.members = {10, 11, 12, 13};
    identity.paths = kTwoRacks;
    server_ = std::make_unique<AtpServer>(identity, AtpServer::Config{kRehashed});
  }
  /// Adds the branches' bitmap to `frame`, whose bitmap0 has one bit per rank.
  Frame of_branches(std::uint32_t bitmap1, Frame frame) {
    frame.worker = static_cast<std::uint16_t>(std::countr_zero(frame.aggregator().bitmap0));
    frame.source = static_cast<HostId>(10 + frame.worker);
    if (bitmap1 != 0b01) frame.aggregator().bitmap0 >>= 2;
    frame.aggregator().bitmap1 = bitmap1;
    frame.set(flag::second_level);
    return frame;
  }
};

TEST_F(AtpServerOfRacks, ASumOfEveryBranchIsEveryones) {
  Frame sum = of_branches(0b11, gradient(5, 0b1100));
  *sum.values.data() = 1111;
  receive(sum);
  const auto results = drain();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(integers(results[0].values), (Integers{1111}));
}

TEST_F(AtpServerOfRacks, ASumOfEveryBranchReplacesWhatCameOfSome) {
  receive(of_branches(0b01, gradient(5, 0b0001)));
  Frame sum = of_branches(0b11, gradient(5, 0b1100));
  *sum.values.data() = 1111;
  receive(sum);
  EXPECT_EQ(integers(drain().at(0).values), (Integers{1111}));
  EXPECT_EQ(server_->statistics().overlaps, 0U);
}

TEST_F(AtpServerOfRacks, ASumOfOneBranchIsOfTheWorkersInItAndTheOthersAreAskedFor) {
  receive(of_branches(0b01, gradient(5, 0b0001, flag::resend | flag::partial)));
  receive(of_branches(0b10, gradient(5, 0b1100)));
  EXPECT_TRUE(drain().empty());
  server_->expire(us(1000));
  const auto requests = drain();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].kind, FrameKind::fragment_request);
  EXPECT_EQ(requests[0].destination, 11);
  EXPECT_EQ(requests[0].aggregator().bitmap0, 0b01U);
  EXPECT_EQ(requests[0].aggregator().bitmap1, 0b01U);
  receive(of_branches(0b01, gradient(5, 0b0010, flag::resend | flag::answer)));
  EXPECT_EQ(integers(drain().at(0).values), (Integers{1111}));
}

TEST_F(AtpServerOfRacks, ASumOfUnknownBranchesIsRejected) {
  for (const std::uint32_t bitmap1 : {0b101U, 0b111U, ~0U}) {
    receive(of_branches(bitmap1, gradient(5, 0b1100)));
  }
  EXPECT_EQ(server_->statistics().rejected_frames, 3U);
  EXPECT_EQ(server_->open_entries(), 0U);
}

const ServerIdentity kWithMembers{kJob, 4, kSelf, 100, {10, 11, 12, 13}};

class AtpServerOfMembers : public AtpServerTest {
 protected:
  AtpServerOfMembers() {
    server_ = std::make_unique<AtpServer>(kWithMembers, AtpServer::Config{kRehashed});
  }
};

class DsaServerOfMembers : public DsaServerTest {
 protected:
  DsaServerOfMembers() {
    server_ = std::make_unique<DsaServer>(kWithMembers, DsaServer::Config{us(1000)}, pool_);
  }
};

template <class System>
class Members : public System {
 protected:
  /// A frame of worker 1. A gradient carries its values.
  Frame from_worker(FrameKind kind) {
    Frame frame = this->gradient(5, 0b0010);
    frame.kind = kind;
    frame.worker = 1;
    frame.source = 11;
    return frame;
  }
  void expect_rejected(const Frame& frame, const char* what) {
    const std::uint64_t before = this->server_->statistics().rejected_frames;
    this->receive(frame);
    EXPECT_EQ(this->server_->statistics().rejected_frames, before + 1) << what;
  }
};
using BothOfMembers = ::testing::Types<AtpServerOfMembers, DsaServerOfMembers>;
TYPED_TEST_SUITE(Members, BothOfMembers);

TYPED_TEST(Members, GradientsOfOthersThanTheWorkerThatTheyNameAreRejected) {
  Frame forged = this->from_worker(FrameKind::gradient);
  forged.source = 12;
  this->expect_rejected(forged, "another worker's host");
  forged.source = 77;
  this->expect_rejected(forged, "a host of another job");
  forged = this->from_worker(FrameKind::gradient);
  forged.aggregator().bitmap0 = 0b0100;
  this->expect_rejected(forged, "another's bit");
  forged.aggregator().bitmap0 = 0b0110;
  this->expect_rejected(forged, "another's bit beside its own");
  forged.worker = 4;
  this->expect_rejected(forged, "no worker of the job");
  EXPECT_EQ(this->server_->open_entries(), 0U);
  this->receive(this->from_worker(FrameKind::gradient));
  EXPECT_EQ(this->server_->open_entries(), 1U);
}

TYPED_TEST(Members, AReleaseOfAnotherHostClosesNothing) {
  this->receive(this->from_worker(FrameKind::gradient));
  Frame forged = this->from_worker(FrameKind::release);
  forged.source = 77;
  this->expect_rejected(forged, "a host of another job");
  forged.source = 12;
  this->expect_rejected(forged, "another worker");
  EXPECT_EQ(this->server_->open_entries(), 1U);
  this->receive(this->from_worker(FrameKind::release));
  EXPECT_EQ(this->server_->open_entries(), 0U);
}

TYPED_TEST(Members, WhatASwitchEvictedMayHaveComeWithThePacketOfAnyJob) {
  Frame evicted = this->gradient(5, 0b0111, flag::partial);
  evicted.source = 77;
  evicted.worker = 3;
  this->receive(evicted);
  this->receive(this->from_worker(FrameKind::gradient));
  EXPECT_EQ(this->server_->statistics().rejected_frames, 0U);
  EXPECT_EQ(this->server_->statistics().gradients, 2U);
}

TEST_F(AtpServerOfMembers, ACompleteAggregateComesInItsLastPacket) {
  Frame complete = gradient(5, 0b1111, flag::second_level);
  complete.worker = 2;
  complete.source = 12;
  receive(complete);
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::result}));
  complete.psn = 6;
  complete.source = 13;
  receive(complete);
  EXPECT_TRUE(drain().empty());
}

TEST_F(AtpServerOfMembers, FloatsAreOfTheWorkerThatTheyNameAndNeverEvicted) {
  Frame sum = gradient(5, 0b1111, flag::second_level);
  sum.worker = 2;
  sum.source = 12;
  *sum.values.data() = INT32_MAX;
  receive(sum);
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::fragment_request}));
  Frame forged = gradient(5, 0b0010, flag::resend | flag::floats | flag::partial);
  forged.worker = 1;
  forged.source = 77;
  receive(forged);
  EXPECT_EQ(server_->statistics().rejected_frames, 1U);
  for (std::uint16_t rank = 0; rank < 4; ++rank) {
    Frame floats = gradient(5, 1U << rank, flag::resend | flag::floats);
    floats.worker = rank;
    floats.source = static_cast<HostId>(10 + rank);
    receive(floats);
  }
  EXPECT_EQ(server_->statistics().rejected_frames, 1U);
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::result}));
}

TEST(AtpServer, ASumOfBranchesComesFromAWorkerInIt) {
  ServerIdentity identity = kWithMembers;
  identity.paths = kTwoRacks;
  AtpServer server(identity, AtpServer::Config{kRehashed});
  Frame sum;
  sum.job = kJob;
  sum.aggregator().bitmap0 = 0b11;
  sum.aggregator().bitmap1 = 0b10;
  sum.flags = flag::second_level;
  sum.worker = 1;
  sum.source = 11;
  server.receive(sum, us(0));
  EXPECT_EQ(server.statistics().rejected_frames, 1U) << "a worker of the other branch";
  sum.worker = 2;
  sum.source = 12;
  server.receive(sum, us(0));
  EXPECT_EQ(server.statistics().rejected_frames, 1U);
  sum.aggregator().bitmap1 = 0b11;
  server.receive(sum, us(0));
  EXPECT_EQ(server.statistics().completed, 1U);
}

TEST_F(DsaServerOfMembers, OnlyItsWorkersAndItsOwnRemindersMakeItAct) {
  Frame forged = control(FrameKind::notification, 5);
  forged.worker = 1;
  forged.aggregator().bitmap0 = 0b0010;
  forged.source = 77;
  receive(forged);
  forged.kind = FrameKind::reminder;
  receive(forged);
  EXPECT_EQ(server_->statistics().rejected_frames, 2U);
  EXPECT_TRUE(drain().empty());
  forged.kind = FrameKind::notification;
  forged.source = 11;
  receive(forged);
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::reminder}));
}

TEST_F(AtpServerTest, CollisionRehashesTheIndex) {
  receive(gradient(5, 0b0111, flag::collision | flag::resend | flag::second_level));
  receive(gradient(5, 0b1000));
  const Frame result = drain().at(0);
  EXPECT_TRUE(result.has(flag::new_index));
  EXPECT_EQ(result.aggregator().index, 17U);
  EXPECT_EQ(result.aggregator().next_index, wire::AggregatorHash(kJob, kAggregators).rehash(17));
}

TEST_F(AtpServerTest, AResendAfterCompletionGetsTheKeptResultAlone) {
  complete(5);
  complete(6);
  Frame late = gradient(5, 0b0010, flag::resend | flag::second_level);
  late.source = 12;
  receive(late);
  const auto frames = drain();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].kind, FrameKind::result);
  EXPECT_EQ(frames[0].destination, 12);
  EXPECT_EQ(frames[0].psn, 5U);
  EXPECT_EQ(integers(frames[0].values), (Integers{1111}));
  // A packet that collided on its first transmission does not ask for the result, nor does an
  // answer.
  receive(gradient(5, 0b0001, flag::collision | flag::resend | flag::second_level));
  receive(gradient(5, 0b0001, flag::resend | flag::answer));
  EXPECT_TRUE(drain().empty());
}

/// The server requests missing contributions at growing intervals until the entry is complete.
class AtpServerAsks : public AtpServerTest {
 protected:
  void expect_requests(std::uint32_t bitmap) {
    Time now{};
    for (const int doubled : {1, 2, 4}) {
      now += us(1000 * doubled);
      EXPECT_EQ(server_->deadline(), now);
      server_->expire(now);
      const auto requests = drain();
      ASSERT_EQ(requests.size(), 1U);
      EXPECT_EQ(requests[0].kind, FrameKind::fragment_request);
      EXPECT_EQ(requests[0].aggregator().bitmap0, bitmap);
    }
  }
  void expect_completion_by(std::uint32_t bitmap) {
    receive(gradient(5, bitmap, flag::resend | flag::answer), us(7001));
    EXPECT_EQ(integers(drain().at(0).values), (Integers{1111}));
    server_->expire(us(20000));
    EXPECT_TRUE(drain().empty());
    EXPECT_EQ(server_->deadline(), kNever);
  }
};

TEST_F(AtpServerAsks, WhenTheResultIsForgotten) {
  make(1);
  complete(5);
  complete(6);
  receive(gradient(5, 0b0001, flag::resend));
  expect_requests(0b0001);
  expect_completion_by(0b1110);
}

TEST_F(AtpServerAsks, WhenItRestartedAndKnowsNothing) {
  receive(gradient(5, 0b0001, flag::resend | flag::second_level));
  expect_requests(0b0001);
  expect_completion_by(0b1110);
}

// The packet may be a late copy for a task that was complete and is forgotten.
TEST_F(AtpServerAsks, WhenAPacketCollided) {
  receive(gradient(5, 0b0010, flag::collision | flag::resend | flag::second_level));
  expect_requests(0b0010);
  expect_completion_by(0b1101);
}

TEST_F(AtpServerAsks, SoonAgainWhenSomethingNewCame) {
  receive(gradient(5, 0b0001, flag::resend));
  expect_requests(0b0001);
  receive(gradient(5, 0b0001, flag::resend), us(7100));  // nothing new arrives
  EXPECT_EQ(server_->deadline(), us(15000));
  receive(gradient(5, 0b0010, flag::resend | flag::answer), us(7100));
  EXPECT_EQ(server_->deadline(), us(8100));
}

TEST_F(AtpServerTest, AsksAtOnceForWhatAnOverlapDropped) {
  receive(gradient(5, 0b0011));
  receive(gradient(5, 0b0110, flag::resend | flag::partial));
  const auto frames = drain();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].kind, FrameKind::fragment_request);
  EXPECT_EQ(frames[0].aggregator().bitmap0, 0b0011U);
}

/// Worker w contributes 10^w, and the sum of all is marked as overflowed.
class AtpServerOverflow : public AtpServerTest {
 protected:
  Frame saturated(Psn psn, std::uint32_t bitmap, std::int32_t limit = kMax) {
    Frame frame = gradient(psn, bitmap);
    *frame.values.data() = limit;
    return frame;
  }
  Frame as_float(Psn psn, std::uint32_t rank, float value) {
    Frame frame = gradient(psn, 1U << rank, flag::resend | flag::floats | flag::answer);
    *frame.values.data() = std::bit_cast<std::int32_t>(value);
    frame.worker = static_cast<std::uint16_t>(rank);
    return frame;
  }
  void overflow(Psn psn, Time now = Time{}) {
    receive(saturated(psn, 0b1111), now);
    const auto frames = drain();
    ASSERT_EQ(frames.size(), 1U);
    expect_request(frames[0], psn, 0);
  }
  static void expect_request(const Frame& frame, Psn psn, std::uint32_t bitmap) {
    EXPECT_EQ(frame.kind, FrameKind::fragment_request);
    EXPECT_EQ(frame.flags, flag::floats);
    EXPECT_EQ(frame.psn, psn);
    EXPECT_EQ(frame.aggregator().bitmap0, bitmap);
    EXPECT_EQ(frame.destination, kAllWorkers);
    EXPECT_EQ(frame.bytes, 58);
  }
  void expect_result(float sum) {
    const auto frames = drain();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames[0].kind, FrameKind::result);
    EXPECT_TRUE(frames[0].has(flag::floats));
    EXPECT_TRUE(frames[0].has(flag::resend));  // its round trip is not measured
    EXPECT_EQ(frames[0].aggregator().index, 17U);
    EXPECT_EQ(frames[0].destination, kAllWorkers);
    EXPECT_EQ(std::bit_cast<float>(*frames[0].values.data()), sum);
    EXPECT_EQ(server_->open_entries(), 0U);
  }
  void complete_as_floats(Psn psn) {
    for (const std::uint32_t rank : {2U, 0U, 3U, 1U}) {
      receive(as_float(psn, rank, std::ldexp(1.F, 40 + static_cast<int>(rank))));
    }
  }
  static constexpr float kSum = 15 * 0x1p40F;
  static constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
};

TEST_F(AtpServerOverflow, AsksForFloatsAndTheirSumIsTheResult) {
  overflow(5);
  complete_as_floats(5);
  expect_result(kSum);
  EXPECT_EQ(server_->statistics().overflows, 1U);
  EXPECT_EQ(server_->deadline(), us(1000));
  server_->expire(us(1000));
  EXPECT_EQ(server_->deadline(), kNever);
}

TEST_F(AtpServerOverflow, IsSeenAtEitherLimitAndWhereverTheSumWasSaturated) {
  receive(saturated(5, 0b1111, kMin));
  expect_request(drain().at(0), 5, 0);
  receive(saturated(6, 0b0011));  // overflowed in a switch or in a worker
  receive(gradient(6, 0b1100));
  expect_request(drain().at(0), 6, 0);
  receive(gradient(7, 0b0001));
  receive(saturated(7, 0b0110, kMin));
  receive(gradient(7, 0b1000));
  expect_request(drain().at(0), 7, 0);
  receive(saturated(8, 0b0011, kMax - 1));  // overflows in this server
  receive(gradient(8, 0b1100));
  expect_request(drain().at(0), 8, 0);
  receive(saturated(9, 0b0011, kMax));  // twice, with opposite signs
  receive(saturated(9, 0b1100, kMin));
  expect_request(drain().at(0), 9, 0);
}

TEST_F(AtpServerOverflow, ASumNextToALimitIsAResult) {
  receive(saturated(5, 0b1111, kMax - 1));
  receive(saturated(6, 0b1111, kMin + 1));
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::result, FrameKind::result}));
  EXPECT_EQ(server_->statistics().overflows, 0U);
}

TEST_F(AtpServerOverflow, AnOverflowThatIsNotCarriedIsNone) {
  Frame frame = gradient(5, 0b1111);
  frame.values.reset();
  receive(frame);
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::result}));
}

TEST_F(AtpServerOverflow, AsksEverLessOftenUntilAllFloatsAreHere) {
  overflow(5);
  receive(as_float(5, 1, 1.F));
  Time now{};
  for (const int doubled : {1, 2, 4}) {
    now += us(1000 * doubled);
    EXPECT_EQ(server_->deadline(), now);
    server_->expire(now);
    const auto frames = drain();
    ASSERT_EQ(frames.size(), 1U);
    expect_request(frames[0], 5, 0b0010);
  }
  receive(as_float(5, 1, 1.F), now + us(1));  // nothing new arrives
  EXPECT_EQ(server_->deadline(), us(15000));
  receive(as_float(5, 2, 1.F), now + us(1));
  EXPECT_EQ(server_->deadline(), now + us(1001));
}

TEST_F(AtpServerOverflow, IntegersThatAreLateJoinNoFloats) {
  overflow(5);
  receive(as_float(5, 0, 0x1p40F));
  receive(gradient(5, 0b0010, flag::resend | flag::second_level));
  receive(gradient(5, 0b0100, flag::resend | flag::answer));
  receive(gradient(5, 0b1111, flag::resend | flag::partial));
  receive(saturated(5, 0b1111));
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(server_->statistics().duplicates, 4U);
  complete_as_floats(5);
  expect_result(kSum);
}

TEST_F(AtpServerOverflow, FloatsThatNobodyAskedForAreDropped) {
  receive(as_float(5, 0, 1.F));  // sent to a server that has restarted
  EXPECT_EQ(server_->open_entries(), 0U);
  receive(gradient(5, 0b0001));
  receive(as_float(5, 1, 1.F));  // the server collects integers again
  receive(gradient(5, 0b1110));
  const Frame result = drain().at(0);
  EXPECT_FALSE(result.has(flag::floats));
  EXPECT_EQ(integers(result.values), (Integers{1111}));
  overflow(6);
  Frame several = as_float(6, 0, 1.F);
  several.aggregator().bitmap0 = 0b0011;
  receive(several);
  complete_as_floats(6);
  expect_result(kSum);
  receive(as_float(6, 0, 1.F));  // late
  EXPECT_TRUE(drain().empty());
}

TEST_F(AtpServerOverflow, AFloatResultIsKeptAsAnyIs) {
  overflow(5);
  complete_as_floats(5);
  drain();
  Frame late = gradient(5, 0b0010, flag::resend | flag::second_level);
  late.source = 12;
  receive(late);
  const auto frames = drain();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].destination, 12);
  EXPECT_TRUE(frames[0].has(flag::floats));
  EXPECT_EQ(std::bit_cast<float>(*frames[0].values.data()), kSum);
}

TEST_F(AtpServerOverflow, AForgottenFloatResultIsCollectedAnewFromIntegers) {
  make(1);
  overflow(5);
  complete_as_floats(5);
  complete(6);
  drain();
  receive(gradient(5, 0b0001, flag::resend));
  receive(saturated(5, 0b1110));
  expect_request(drain().at(0), 5, 0);
  complete_as_floats(5);
  expect_result(kSum);
}

TEST_F(AtpServerOverflow, AReleaseClosesTheCollection) {
  overflow(5);
  receive(as_float(5, 0, 1.F));
  receive(control(FrameKind::release, 5));
  EXPECT_EQ(server_->open_entries(), 0U);
  EXPECT_EQ(pool_.taken(), 0U);
  receive(as_float(5, 1, 1.F));
  server_->expire(us(1000));
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(server_->deadline(), kNever);
}

// Floats are added in order of ranks: (2^60 + 1) - 2^60 loses the 1 in double, but another order
// would not.
TEST_F(AtpServerOverflow, TheSumDoesNotDependOnTheOrderOfComing) {
  const std::array<float, 4> values{0x1p60F, 1.F, -0x1p60F, 0x1p-20F};
  std::array<std::uint32_t, 4> order{0, 1, 2, 3};
  Psn psn = 0;
  do {
    overflow(psn);
    for (const std::uint32_t rank : order) receive(as_float(psn, rank, values[rank]));
    expect_result(0x1p-20F);
    ++psn;
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(psn, 24U);
}

// The papers require nothing else. DSA's switch has already sent this sum to the workers.
TEST_F(DsaServerTest, DeliversASaturatedSumAsItIs) {
  Frame frame = gradient(5, 0b1111);
  *frame.values.data() = std::numeric_limits<std::int32_t>::max();
  receive(frame);
  const Frame result = drain().at(0);
  EXPECT_EQ(result.kind, FrameKind::result);
  EXPECT_EQ(integers(result.values), (Integers{std::numeric_limits<std::int32_t>::max()}));
}

TEST_F(AtpServerTest, AReleaseClosesWhatNobodyNeeds) {
  make(1);
  complete(5);
  complete(6);
  receive(gradient(5, 0b0010, flag::resend));
  receive(control(FrameKind::release, 5));
  EXPECT_EQ(server_->open_entries(), 0U);
}

TEST_F(DsaServerTest, RemindsAnEntryThatIsNotCompleteInTime) {
  receive(gradient(5, 0b0001), us(100));
  drain();
  EXPECT_EQ(server_->deadline(), us(1100));
  server_->expire(us(1099));
  EXPECT_TRUE(drain().empty());
  server_->expire(us(1100));
  const auto frames = drain();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].kind, FrameKind::reminder);
  EXPECT_EQ(frames[0].destination, kSelf);  // the switch sends it back
  EXPECT_EQ(frames[0].aggregator().index, 17U);
  EXPECT_EQ(frames[0].bytes, 306);
  EXPECT_EQ(integers(frames[0].values), (Integers{0}));
  EXPECT_EQ(server_->deadline(), us(3100));  // then again, at growing intervals
  for (int i = 0; i < 10; ++i) {
    server_->expire(server_->deadline());
    EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::reminder}));
  }
  EXPECT_EQ(server_->deadline(), us(100 + 1000 * (1 + 2 + 4 + 8 + 16 + 32 + 6 * 64)));
  // The interval shrinks again when a contribution arrives.
  const Time now = server_->deadline() - us(100);
  receive(gradient(5, 0b0001), now);
  EXPECT_EQ(server_->deadline(), now + us(100));
  receive(gradient(5, 0b0010), now);
  server_->expire(now + us(100));
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(server_->deadline(), now + us(1000));
}

TEST_F(DsaServerTest, AFetchedPartialCompletesOrTheWorkersAreAsked) {
  receive(gradient(5, 0b0001), us(0));
  server_->expire(us(1000));
  drain();
  receive(gradient(5, 0b0110, flag::partial | flag::resend), us(1005));
  auto frames = drain();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].kind, FrameKind::fragment_request);
  EXPECT_EQ(frames[0].destination, kAllWorkers);
  EXPECT_EQ(frames[0].aggregator().bitmap0, 0b0111U);
  receive(gradient(5, 0b1000, flag::resend | flag::answer), us(1010));
  frames = drain();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].kind, FrameKind::result);
  EXPECT_EQ(integers(frames[0].values), (Integers{1111}));
}

TEST_F(DsaServerTest, AResultSaysWhetherAReminderCompletedIt) {
  const auto last = [this](Psn psn, std::uint8_t flags) {
    receive(gradient(psn, 0b0111, flag::collision), us(0));
    server_->expire(us(1000));
    drain();
    receive(gradient(psn, 0b1000, flags), us(1005));
    return drain().at(0);
  };
  EXPECT_EQ(last(5, flag::partial | flag::resend).flags, flag::collision | flag::resend);
  EXPECT_EQ(last(6, flag::resend | flag::answer).flags, flag::collision | flag::resend);
  EXPECT_EQ(last(7, flag::collision).flags, flag::collision);  // it arrived on its own
}

TEST_F(DsaServerTest, AnEmptyReminderAsksTheWorkersAndAnEvictedPartialDoesNot) {
  receive(gradient(5, 0b0001, flag::partial), us(0));
  EXPECT_TRUE(drain().empty());
  server_->expire(us(1000));
  receive(drain().at(0), us(1005));
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::fragment_request}));
}

TEST_F(DsaServerTest, ANotificationRemindsAtOnceEvenOfAResultThatIsForgotten) {
  make(1);
  receive(control(FrameKind::notification, 5), us(0));
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::reminder}));
  EXPECT_EQ(server_->open_entries(), 1U);
  complete(6, us(1), us(2));
  complete(7, us(1), us(2));
  receive(control(FrameKind::notification, 6), us(3));
  const auto frames = drain();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].kind, FrameKind::reminder);
  receive(frames[0], us(4));
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::fragment_request}));
  receive(gradient(6, 0b1111, flag::resend), us(5));
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::result}));
}

TEST_F(DsaServerTest, WhoLacksAKeptResultGetsItAlone) {
  complete(5);
  receive(gradient(5, 0b0010, flag::resend));
  receive(notification(5, 0b0010));
  const auto results = drain();
  ASSERT_EQ(results.size(), 2U);
  for (const Frame& result : results) {
    EXPECT_EQ(result.kind, FrameKind::result);
    EXPECT_EQ(result.destination, 10);
    EXPECT_EQ(integers(result.values), (Integers{1111}));
  }
  receive(gradient(5, 0b0010));  // a late packet, not a retransmission
  receive(gradient(5, 0b0010, flag::resend | flag::answer));
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(server_->statistics().duplicates, 2U);
  EXPECT_EQ(server_->open_entries(), 0U);
}

TEST_F(DsaServerTest, RetransmissionsAloneAreForgottenUnlessOneComesAgain) {
  const DsaServer::Config config{.reminder_min_timeout = us(1000), .workers_rto = us(1000)};
  server_ = std::make_unique<DsaServer>(kIdentity, config, pool_);
  receive(gradient(5, 0b0001, flag::resend), us(0));
  receive(gradient(6, 0b0001, flag::resend), us(0));
  server_->expire(us(1000));
  receive(gradient(6, 0b0010, flag::resend), us(1100));  // another worker's
  EXPECT_TRUE(drain().empty());
  receive(gradient(6, 0b0001, flag::resend), us(1200));
  expire_until(us(200'000));
  const auto reminders = drain();
  EXPECT_GT(reminders.size(), 1U);
  for (const Frame& reminder : reminders) {
    EXPECT_EQ(reminder.kind, FrameKind::reminder);
    EXPECT_EQ(reminder.psn, 6U);
  }
  EXPECT_EQ(server_->open_entries(), 1U);
  receive(gradient(5, 0b1110, flag::partial), us(200'001));  // forgotten, not completed
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(server_->open_entries(), 2U);
}

// A worker whose time-outs have doubled may retransmit 64 initial time-outs later.
TEST_F(DsaServerTest, RetransmissionsAloneOutliveTheLongestTimeoutOfAWorker) {
  const DsaServer::Config config{.reminder_min_timeout = us(100), .workers_rto = us(1000)};
  server_ = std::make_unique<DsaServer>(kIdentity, config, pool_);
  receive(gradient(5, 0b0001, flag::resend), us(0));
  receive(gradient(6, 0b0001, flag::resend), us(0));
  receive(gradient(6, 0b0010, flag::resend), us(40'000));
  expire_until(us(64'000));
  EXPECT_EQ(server_->open_entries(), 2U);
  expire_until(us(104'000));
  EXPECT_EQ(server_->open_entries(), 1U);
  receive(gradient(6, 0b0010, flag::resend), us(104'000));
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::reminder}));
}

TEST_F(DsaServerTest, RetransmissionsAloneAreForgottenInTheEnd) {
  const DsaServer::Config config{.reminder_min_timeout = us(100), .workers_rto = us(1000)};
  server_ = std::make_unique<DsaServer>(kIdentity, config, pool_);
  receive(gradient(5, 0b0001, flag::resend), us(0));
  expire_until(us(64'000 + 100 + 64 * 100));
  EXPECT_EQ(server_->open_entries(), 0U);
  EXPECT_EQ(server_->deadline(), kNever);
  EXPECT_TRUE(drain().empty());
}

TEST_F(DsaServerTest, ARecoveryUnderWayIsNotBegunAgain) {
  receive(notification(5, 0b0001), us(0));
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::reminder}));
  receive(notification(5, 0b0001), us(1));
  receive(notification(5, 0b0010), us(1));
  receive(gradient(5, 0b0100, flag::resend), us(1));
  receive(gradient(5, 0b0100, flag::resend), us(1));
  EXPECT_TRUE(drain().empty());
}

TEST_F(DsaServerTest, AServerThatWaitsLongHearsOfAPartThatItLacks) {
  receive(gradient(5, 0b0001, flag::collision), us(0));
  server_->expire(us(1000));
  server_->expire(us(3000));
  EXPECT_EQ(server_->deadline(), us(7000));
  drain();
  receive(notification(5, 0b0001), us(3100));
  EXPECT_TRUE(drain().empty());
  receive(notification(5, 0b0010), us(3100));
  receive(notification(5, 0b0100), us(3100));
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::reminder}));
  EXPECT_EQ(server_->deadline(), us(4100));
}

TEST_F(DsaServerTest, AReleaseForgetsWhatNobodyNeeds) {
  receive(gradient(5, 0b0001), us(0));
  server_->expire(us(1000));
  const auto frames = drain();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].kind, FrameKind::reminder);  // the switch's content is fetched first
  receive(frames[0], us(1005));
  EXPECT_EQ(drain_kinds(), (Kinds{FrameKind::fragment_request}));
  receive(control(FrameKind::release, 5), us(1010));
  receive(control(FrameKind::release, 5), us(1011));
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(server_->open_entries(), 0U);
  receive(gradient(5, 0b0001, flag::partial | flag::resend), us(1012));
  receive(frames[0], us(1013));
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(server_->open_entries(), 0U);
  server_->expire(us(100000));
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(server_->deadline(), kNever);
}

TEST_F(DsaServerTest, TimeoutFollowsTheTimeToCompletionAboveItsFloor) {
  complete(5, us(0), us(2000));  // mean 2000, deviation 1000
  receive(gradient(6, 0b0001), us(10000));
  server_->expire(us(9999));
  EXPECT_EQ(server_->deadline(), us(16000));
}

TEST_F(DsaServerTest, TimeoutDoesNotFollowItself) {
  Time now{};
  for (Psn psn = 0; psn < 50; ++psn) {
    receive(gradient(psn, 0b0011), now);
    while (server_->deadline() <= now) server_->expire(now);
    const Time deadline = server_->deadline();
    EXPECT_EQ(deadline - now, us(1000)) << psn;
    server_->expire(deadline);
    now = deadline + us(10);
    receive(gradient(psn, 0b1100, flag::partial | flag::resend), now);
    server_->expire(now + us(1000));  // the completed entry is forgotten
    now += us(2000);
    server_->expire(now);
    drain();
  }
}

// The parts of a split task meet after a time-out, or by chance after a collision. If their times
// were measured, time-outs of servers and workers would grow, and later split tasks would wait for
// the longer time-outs.
TEST_F(DsaServerTest, ATaskThatWasSplitIsNoMeasureForTimeouts) {
  for (Psn psn = 0; psn < 50; ++psn) {
    const Time now = us(100000) * psn;
    server_->expire(now);  // forgets the completed entry
    receive(gradient(psn, 0b0011, flag::collision), now);
    EXPECT_EQ(server_->deadline(), now + us(1000)) << psn;
    receive(gradient(psn, 0b1100, flag::partial), now + us(900));
    EXPECT_TRUE(drain().at(0).has(flag::resend)) << psn;
  }
}

// The sum was evicted with all contributions so far, and late workers' packets completed it.
TEST_F(DsaServerTest, ATaskThatWasOnlyEvictedIsAMeasure) {
  receive(gradient(5, 0b0011, flag::partial), us(0));
  receive(gradient(5, 0b1100, flag::collision), us(900));
  EXPECT_FALSE(drain().at(0).has(flag::resend));
  receive(gradient(6, 0b0001), us(10000));
  server_->expire(us(10900));
  EXPECT_EQ(server_->deadline(), us(10000 + 900 + 4 * 450));
}

TEST_F(DsaServerTest, ADeadlineThatIsOverForgetsTheEntriesThatAreGone) {
  for (Psn psn = 0; psn < 200; ++psn) complete(psn, us(0), us(1));
  server_->expire(us(1000));
  EXPECT_EQ(server_->deadline(), kNever);
  EXPECT_EQ(server_->statistics().reminders, 0U);
}

}  // namespace
}  // namespace ina
