// SPDX-License-Identifier: BSD-3-Clause
// Workers and parameter servers of jobs with several servers, each tested separately.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/server/dsa_server.hpp"
#include "hw/protocol/server/ps_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/ps_worker.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina {
namespace {

constexpr JobId kJob = 4;
constexpr HostId kSelf = 11;
constexpr HostId kFirst = 98;
constexpr HostId kSecond = 99;
constexpr std::uint32_t kAggregators = 1000;
constexpr wire::AddressingConfig kHashed{.aggregators = kAggregators};
constexpr Time kRto = std::chrono::milliseconds(1);

Time us(int count) { return std::chrono::microseconds(count); }

wire::JobServers servers() { return wire::JobServers(std::vector<HostId>{kFirst, kSecond}); }

WorkerIdentity worker_identity() { return {kJob, 2, 4, kSelf, servers()}; }

template <class Endpoint, class... Now>
std::vector<Frame> drain(Endpoint& endpoint, Now... now) {
  std::vector<Frame> frames;
  for (Frame out; endpoint.next(out, now...); out = Frame{}) frames.push_back(out);
  return frames;
}

// ---- workers

/// Tests for all systems with servers.
template <class Transport>
class WorkerOfTwo : public ::testing::Test {
 protected:
  static typename Transport::Config config() {
    typename Transport::Config config;
    if constexpr (requires { config.addressing; }) config.addressing = kHashed;
    // A plain server's worker, one of four workers of two servers, begins with half of its window.
    config.window = {std::is_same_v<Transport, PsWorker> ? 32U : 16U, 0, true};
    config.min_rto = kRto;
    return config;
  }
  void submit(std::uint32_t fragments) { worker_.submit({0, fragments, 0, 0, &source_}, Time{}); }
  static Frame of(HostId server, FrameKind kind, Psn psn) {
    Frame frame;
    frame.kind = kind;
    frame.job = kJob;
    frame.psn = psn;
    frame.source = server;
    frame.aggregator().index = wire::aggregator_index(kJob, psn, kAggregators);
    return frame;
  }
  void result(Psn psn, Time now) {
    worker_.receive(of(servers().of(psn), FrameKind::result, psn), now);
  }
  void expect_each_at_its_server(const std::vector<Frame>& frames) const {
    for (const Frame& frame : frames) EXPECT_EQ(frame.destination, servers().of(frame.psn));
  }

  ValuePool pool_{2};
  testing::CountingSource source_{2};
  testing::RecordingSink sink_;
  Transport worker_{worker_identity(), config(), pool_, sink_};
};

using Transports = ::testing::Types<AtpWorker, DsaWorker, PsWorker>;
TYPED_TEST_SUITE(WorkerOfTwo, Transports);

TYPED_TEST(WorkerOfTwo, SendsEachFragmentToItsServerAlsoAgain) {
  this->submit(4);
  auto frames = drain(this->worker_, us(0));
  EXPECT_EQ(frames.size(), 4U);
  this->worker_.expire(us(1000));
  const auto again = drain(this->worker_, us(1000));
  EXPECT_EQ(again.size(), 4U);
  frames.insert(frames.end(), again.begin(), again.end());
  this->expect_each_at_its_server(frames);
}

TYPED_TEST(WorkerOfTwo, AnswersAndReleasesGoToTheServerThatAsked) {
  this->submit(2);
  drain(this->worker_, us(0));
  for (const Psn psn : {Psn{0}, Psn{1}}) {
    this->worker_.receive(this->of(servers().of(psn), FrameKind::fragment_request, psn), us(1));
  }
  const auto answers = drain(this->worker_, us(1));
  EXPECT_EQ(answers.size(), 2U);
  this->expect_each_at_its_server(answers);
}

TYPED_TEST(WorkerOfTwo, RejectsARequestOfTheOtherServer) {
  this->submit(2);
  drain(this->worker_, us(0));
  this->worker_.receive(this->of(kSecond, FrameKind::fragment_request, 0), us(1));
  EXPECT_TRUE(drain(this->worker_, us(1)).empty());
  EXPECT_EQ(this->worker_.statistics().rejected_frames, 1U);
}

using Followers = ::testing::Types<AtpWorker, PsWorker>;
template <class Transport>
class FollowerOfTwo : public WorkerOfTwo<Transport> {};
TYPED_TEST_SUITE(FollowerOfTwo, Followers);

TYPED_TEST(FollowerOfTwo, RejectsAResultOfTheOtherServer) {
  this->submit(2);
  drain(this->worker_, us(0));
  this->worker_.receive(this->of(kFirst, FrameKind::result, 1), us(1));
  EXPECT_EQ(this->worker_.statistics().rejected_frames, 1U);
  EXPECT_TRUE(this->sink_.fragments.empty());
}

TYPED_TEST(FollowerOfTwo, ASlowServerIsNoLoss) {
  this->submit(16);
  drain(this->worker_, us(0));
  for (const Psn psn : {1U, 3U, 5U, 7U, 9U, 11U, 13U, 15U}) this->result(psn, us(5));
  EXPECT_TRUE(drain(this->worker_, us(5)).empty());
  EXPECT_GT(this->worker_.window(), 16U) << "grown by each result, and halved by none";
  for (const Psn psn : {0U, 2U, 4U, 6U, 8U, 10U, 12U, 14U}) this->result(psn, us(9));
  EXPECT_EQ(this->worker_.statistics().retransmissions, 0U);
  EXPECT_EQ(this->sink_.fragments.size(), 16U);
}

TYPED_TEST(FollowerOfTwo, ThreeResultsOfAServerOutOfOrderTellOfALossThere) {
  this->submit(16);
  drain(this->worker_, us(0));
  for (const Psn psn : {1U, 5U, 7U}) this->result(psn, us(5));  // 3 is missing
  EXPECT_TRUE(drain(this->worker_, us(5)).empty());
  this->result(9, us(6));
  const auto again = drain(this->worker_, us(6));
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].psn, 3U);
  EXPECT_TRUE(again[0].has(flag::resend));
}

/// A retransmitted fragment moves to the end of the order of transmissions.
TYPED_TEST(FollowerOfTwo, WhatIsLostAgainIsFoundByWhatWasSentAfterIt) {
  this->submit(32);
  drain(this->worker_, us(0));  // 0 to 15
  for (const Psn psn : {3U, 5U, 7U}) this->result(psn, us(5));
  ASSERT_EQ(drain(this->worker_, us(5)).at(0).psn, 1U);
  for (const Psn psn : {9U, 11U, 13U, 15U, 0U, 2U, 4U, 6U, 8U, 10U, 12U, 14U}) {
    this->result(psn, us(6));
  }
  drain(this->worker_, us(6));  // 21 is among them
  for (const Psn psn : {17U, 19U}) this->result(psn, us(9));
  EXPECT_TRUE(std::ranges::none_of(drain(this->worker_, us(9)),
                                   [](const Frame& frame) { return frame.psn == 1; }));
  this->result(21, us(10));
  const auto again = drain(this->worker_, us(10));
  EXPECT_TRUE(std::ranges::any_of(again, [](const Frame& frame) { return frame.psn == 1; }));
}

// ---- servers

ServerIdentity server_identity(HostId host) {
  ServerIdentity identity{kJob, 2, host, 100, {10, 11}};
  identity.servers = servers();
  return identity;
}

Frame gradient(Psn psn, std::uint16_t rank, ValuePool& pool) {
  return testing::gradient(kJob, rank, psn, testing::values_of(pool, {1}));
}

std::vector<std::unique_ptr<ParameterServer>> second_servers(ValuePool& pool) {
  std::vector<std::unique_ptr<ParameterServer>> all;
  all.push_back(std::make_unique<AtpServer>(server_identity(kSecond), AtpServer::Config{kHashed}));
  all.push_back(std::make_unique<DsaServer>(server_identity(kSecond), DsaServer::Config(), pool));
  all.push_back(std::make_unique<PsServer>(server_identity(kSecond), PsServer::Config(), 1));
  return all;
}

TEST(ServerOfTwo, TakesItsOwnFragmentsAndNoOther) {
  ValuePool pool(1);
  for (const auto& server : second_servers(pool)) {
    for (std::uint16_t rank = 0; rank < 2; ++rank) {
      server->receive(gradient(6, rank, pool), us(1));
      EXPECT_EQ(server->open_entries(), 0U);
    }
    EXPECT_TRUE(drain(*server).empty());
    EXPECT_EQ(server->statistics().rejected_frames, 2U);
    for (std::uint16_t rank = 0; rank < 2; ++rank) server->receive(gradient(7, rank, pool), us(1));
    const auto results = drain(*server);
    ASSERT_FALSE(results.empty());
    EXPECT_EQ(results[0].psn, 7U);
    EXPECT_EQ(results[0].source, kSecond);
  }
}

TEST(ServerOfTwo, KnowsWhatItCompletedOfItsShareForTwoIterations) {
  ValuePool pool(1);
  for (const auto& server : second_servers(pool)) {
    for (Psn psn = 1; psn < 200; psn += 2) {
      for (std::uint16_t rank = 0; rank < 2; ++rank)
        server->receive(gradient(psn, rank, pool), us(1));
    }
    drain(*server);
    const std::uint64_t completed = server->statistics().completed;
    EXPECT_EQ(completed, 100U);
    for (Psn psn = 1; psn < 200; psn += 2) server->receive(gradient(psn, 0, pool), us(2));
    EXPECT_EQ(server->open_entries(), 0U);
    EXPECT_EQ(server->statistics().duplicates, 100U);
  }
}

}  // namespace
}  // namespace ina
