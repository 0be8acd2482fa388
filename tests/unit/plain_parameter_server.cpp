// SPDX-License-Identifier: BSD-3-Clause
// Worker and server of the plain parameter server, each tested separately.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "hw/protocol/server/ps_server.hpp"
#include "hw/protocol/transport/ps_worker.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina {
namespace {

using testing::Integers;
using testing::integers;
using Psns = std::vector<Psn>;
using Hosts = std::vector<HostId>;

constexpr JobId kJob = 4;
constexpr HostId kServer = 99;
constexpr Time kTimeout = std::chrono::milliseconds(1);

Time us(int count) { return std::chrono::microseconds(count); }

template <class Endpoint, class... Now>
std::vector<Frame> drain(Endpoint& endpoint, Now... now) {
  std::vector<Frame> frames;
  for (Frame out; endpoint.next(out, now...); out = Frame{}) frames.push_back(out);
  return frames;
}

Psns psns(const std::vector<Frame>& frames) {
  Psns all;
  for (const Frame& frame : frames) all.push_back(frame.psn);
  return all;
}

Hosts destinations(const std::vector<Frame>& frames) {
  Hosts all;
  for (const Frame& frame : frames) all.push_back(frame.destination);
  return all;
}

// ---- the worker

class PsWorkerTest : public ::testing::Test {
 protected:
  void submit(Psn first, std::uint32_t fragments, Psn low_watermark = 0) {
    worker_.submit({first, fragments, 0, low_watermark, &source_}, Time{});
  }
  static Frame of_server(FrameKind kind, Psn psn, std::uint8_t flags = 0) {
    Frame frame;
    frame.kind = kind;
    frame.job = kJob;
    frame.psn = psn;
    frame.source = kServer;
    frame.flags = flags;
    return frame;
  }
  void result(Psn psn, Time now, std::uint8_t flags = 0) {
    worker_.receive(of_server(FrameKind::result, psn, flags), now);
  }
  std::vector<Frame> ask(Psn psn, std::uint32_t bitmap, Time now) {
    Frame request = of_server(FrameKind::fragment_request, psn);
    request.aggregator().bitmap0 = bitmap;
    worker_.receive(request, now);
    return drain(worker_, now);
  }

  ValuePool pool_{2};
  testing::CountingSource source_{2};
  testing::RecordingSink sink_;
  PsWorker worker_{{kJob, 2, 4, 11, kServer}, {{4, 0, false}, kTimeout}, pool_, sink_};
};

TEST_F(PsWorkerTest, SendsItsFragmentsToTheServerAWindowAtATime) {
  submit(0, 6);
  const auto frames = drain(worker_, us(0));
  EXPECT_EQ(psns(frames), (Psns{0, 1, 2, 3}));
  EXPECT_EQ(frames[1].kind, FrameKind::gradient);
  EXPECT_EQ(frames[1].job, kJob);
  EXPECT_EQ(frames[1].worker, 2);
  EXPECT_EQ(frames[1].aggregator().bitmap0, 0b0100U);
  EXPECT_EQ(frames[1].destination, kServer);
  EXPECT_EQ(frames[1].bytes, 306);
  EXPECT_EQ(integers(frames[1].values), (Integers{1020, 1021}));
  result(1, us(10));
  EXPECT_EQ(psns(drain(worker_, us(10))), (Psns{4}));
  result(0, us(11));
  EXPECT_EQ(psns(drain(worker_, us(11))), (Psns{5}));
}

TEST_F(PsWorkerTest, TellsOfATensorWithAllResultsOnce) {
  submit(0, 2);
  drain(worker_, us(0));
  result(1, us(10));
  result(1, us(11));
  EXPECT_EQ(worker_.statistics().duplicate_results, 1U);
  EXPECT_TRUE(sink_.tensors.empty());
  result(0, us(12));
  EXPECT_EQ(sink_.fragments, (Psns{1, 0}));
  EXPECT_EQ(sink_.tensors, (Psns{0}));
  EXPECT_EQ(worker_.deadline(), kNever);
}

TEST_F(PsWorkerTest, SendsAgainAfterThreeResultsOutOfOrder) {
  submit(0, 4);
  drain(worker_, us(0));
  result(1, us(10));
  result(2, us(11));
  EXPECT_TRUE(drain(worker_, us(11)).empty());
  result(3, us(12));
  const auto again = drain(worker_, us(12));
  ASSERT_EQ(psns(again), (Psns{0}));
  EXPECT_TRUE(again[0].has(flag::resend));
  EXPECT_FALSE(again[0].has(flag::answer));
}

TEST_F(PsWorkerTest, SendsAgainAfterATimeoutThatDoubles) {
  submit(0, 1);
  drain(worker_, us(0));
  EXPECT_EQ(worker_.deadline(), kTimeout);
  worker_.expire(kTimeout);
  const auto again = drain(worker_, kTimeout);
  ASSERT_EQ(psns(again), (Psns{0}));
  EXPECT_TRUE(again[0].has(flag::resend));
  EXPECT_EQ(worker_.deadline(), 3 * kTimeout);
  result(0, us(1500));
  EXPECT_EQ(sink_.resent_fragments, (Psns{0}));
  EXPECT_EQ(worker_.statistics().retransmissions, 1U);
}

/// The window is at most 64 packets. One of four workers of a server begins with a quarter of 256,
/// and all of its packets are in flight.
class PsWindowTest : public PsWorkerTest {
 protected:
  PsWindowTest() {
    worker_.submit({0, 1000, 0, 0, &source_}, Time{});
    drain(worker_, us(0));
  }
  /// Delivers the next results, each with `flags`, and sends what the window permits.
  void results(std::uint32_t count, std::uint8_t flags = 0) {
    for (; count > 0; --count) {
      worker_.receive(of_server(FrameKind::result, next_++, flags), us(10));
      drain(worker_, us(10));
    }
  }

  PsWorker worker_{{kJob, 2, 4, 11, kServer}, {{256, 64, true}, kTimeout}, pool_, sink_};
  Psn next_ = 0;
};

TEST_F(PsWindowTest, IsCutByTheShareOfMarksOnceAWindow) {
  results(64);  // alpha falls from 1 to 15/16, since none of 64 is marked
  results(1, flag::ecn);
  EXPECT_EQ(worker_.window(), 34U);  // 64 (1 - 15/32)
  results(20, flag::ecn);
  EXPECT_EQ(worker_.window(), 34U);
}

TEST_F(PsWindowTest, IsHalvedByALossAndNotByATimeout) {
  worker_.expire(us(0) + kTimeout);
  EXPECT_EQ(worker_.window(), 64U);
  drain(worker_, us(0) + kTimeout);
  next_ = 1;
  results(3);
  EXPECT_EQ(worker_.window(), 32U);
}

TEST_F(PsWindowTest, BeginsWithThisWorkersPartOfItsServers) {
  const auto begins_with = [this](std::uint16_t workers, const wire::JobServers& servers) {
    return PsWorker({kJob, 0, workers, 11, servers}, {{200, 0, true}, kTimeout}, pool_, sink_)
        .window();
  };
  EXPECT_EQ(begins_with(8, kServer), 25U);
  EXPECT_EQ(begins_with(1000, kServer), 1U);
  EXPECT_EQ(begins_with(8, wire::JobServers(Hosts{1, 2, 3, 4})), 100U);
  EXPECT_EQ(begins_with(2, wire::JobServers(Hosts{1, 2, 3, 4})), 200U);
}

TEST_F(PsWorkerTest, FillsPacketsUpToAnMtu) {
  PsWorker worker({kJob, 2, 4, 11, kServer}, {{4, 0, false}, kTimeout, wire::kMtuPsValues}, pool_,
                  sink_);
  worker.submit({0, 1, 0, 0, &source_}, Time{});
  EXPECT_EQ(drain(worker, us(0)).front().bytes, 14 + 1500);
}

TEST_F(PsWorkerTest, DropsWhatIsNotOfItsServer) {
  submit(0, 2);
  drain(worker_, us(0));
  Frame other = of_server(FrameKind::result, 0);
  other.source = 12;
  worker_.receive(other, us(10));
  other = of_server(FrameKind::result, 0);
  other.job = kJob + 1;
  worker_.receive(other, us(10));
  other = of_server(FrameKind::fragment_request, 0);
  other.source = 12;
  worker_.receive(other, us(10));
  for (const FrameKind kind :
       {FrameKind::gradient, FrameKind::reminder, FrameKind::notification, FrameKind::release}) {
    worker_.receive(of_server(kind, 0), us(10));
  }
  EXPECT_EQ(worker_.statistics().rejected_frames, 7U);
  EXPECT_TRUE(sink_.fragments.empty());
  EXPECT_TRUE(drain(worker_, us(10)).empty());
}

TEST_F(PsWorkerTest, AnswersARequestThatLacksItsFragment) {
  submit(0, 2);
  drain(worker_, us(0));
  EXPECT_TRUE(ask(1, 0b0100, us(10)).empty());  // the server already has it
  const auto answer = ask(1, 0b1011, us(10));
  ASSERT_EQ(psns(answer), (Psns{1}));
  EXPECT_TRUE(answer[0].has(flag::resend));
  EXPECT_TRUE(answer[0].has(flag::answer));
  EXPECT_EQ(integers(answer[0].values), (Integers{1020, 1021}));
}

TEST_F(PsWorkerTest, ReleasesWhatNobodyNeeds) {
  submit(0, 1);
  drain(worker_, us(0));
  result(0, us(10));
  submit(1, 1, 1);  // all workers have everything before PSN 1
  drain(worker_, us(10));
  result(1, us(20));
  submit(2, 1, 2);
  drain(worker_, us(20));
  const auto release = ask(0, 0, us(30));
  ASSERT_EQ(release.size(), 1U);
  EXPECT_EQ(release[0].kind, FrameKind::release);
  EXPECT_EQ(release[0].psn, 0U);
  EXPECT_EQ(release[0].destination, kServer);
}

// ---- the server

class PsServerTest : public ::testing::Test {
 protected:
  /// Worker w is host 10 + w and contributes 10^w.
  Frame gradient(std::uint16_t rank, Psn psn, std::uint8_t flags = 0) {
    constexpr std::int32_t kValues[] = {1, 10, 100, 1000};
    Frame frame = testing::gradient(kJob, rank, psn, testing::values_of(pool_, {kValues[rank]}));
    frame.destination = kServer;
    frame.flags = flags;
    return frame;
  }
  void receive(std::uint16_t rank, Psn psn, Time now = {}, std::uint8_t flags = 0) {
    server_.receive(gradient(rank, psn, flags), now);
  }
  std::vector<Frame> complete(Psn psn) {
    for (std::uint16_t rank = 0; rank < 4; ++rank) receive(rank, psn);
    return drain(server_);
  }

  ValuePool pool_{1};
  PsServer server_{{kJob, 4, kServer, 100, {10, 11, 12, 13}}, {16, kTimeout}, 364};
};

TEST_F(PsServerTest, SendsTheSumToEachOfItsWorkers) {
  receive(2, 5);
  receive(0, 5);
  receive(3, 5);
  EXPECT_TRUE(drain(server_).empty());
  receive(1, 5);
  const auto results = drain(server_);
  EXPECT_EQ(destinations(results), (Hosts{10, 11, 12, 13}));
  for (const Frame& result : results) {
    EXPECT_EQ(result.kind, FrameKind::result);
    EXPECT_EQ(result.psn, 5U);
    EXPECT_EQ(result.job, kJob);
    EXPECT_EQ(result.source, kServer);
    EXPECT_EQ(result.bytes, 14 + 1500);
    EXPECT_EQ(result.flags, 0);
    EXPECT_EQ(integers(result.values), (Integers{1111}));
  }
  EXPECT_EQ(server_.open_entries(), 0U);
  server_.expire(2 * kTimeout);
  EXPECT_TRUE(drain(server_).empty());
  EXPECT_EQ(server_.deadline(), kNever);
}

TEST_F(PsServerTest, TellsEachWorkerOfTheMarkOfItsOwnPacket) {
  receive(0, 5);
  receive(1, 5, {}, flag::ecn);
  receive(2, 5);
  receive(3, 5, {}, flag::ecn);
  Hosts marked;
  for (const Frame& result : drain(server_)) {
    if (result.has(flag::ecn)) marked.push_back(result.destination);
  }
  EXPECT_EQ(marked, (Hosts{11, 13}));

  receive(1, 5, {}, flag::resend);
  EXPECT_FALSE(drain(server_).front().has(flag::ecn));
  receive(1, 5, {}, flag::resend | flag::ecn);
  EXPECT_TRUE(drain(server_).front().has(flag::ecn));
}

TEST_F(PsServerTest, CountsEachWorkerOnce) {
  receive(0, 5);
  receive(0, 5);
  receive(1, 5);
  receive(1, 5, {}, flag::resend);
  EXPECT_EQ(server_.statistics().duplicates, 2U);
  receive(2, 5);
  receive(3, 5);
  const auto results = drain(server_);
  EXPECT_EQ(integers(results.at(0).values), (Integers{1111}));
  EXPECT_TRUE(results.at(0).has(flag::resend));  // its round trip is not measured
}

TEST_F(PsServerTest, SendsAKeptResultToWhoAsksAgainAlone) {
  complete(5);
  receive(2, 5, us(50), flag::resend);
  const auto again = drain(server_);
  ASSERT_EQ(destinations(again), (Hosts{12}));
  EXPECT_EQ(integers(again[0].values), (Integers{1111}));
  EXPECT_EQ(server_.open_entries(), 0U);
}

TEST_F(PsServerTest, DropsLateCopiesAndLateAnswers) {
  complete(5);
  receive(2, 5);
  receive(2, 5, us(50), flag::resend | flag::answer);
  EXPECT_TRUE(drain(server_).empty());
  EXPECT_EQ(server_.open_entries(), 0U);
  EXPECT_EQ(server_.statistics().duplicates, 2U);
}

TEST_F(PsServerTest, CollectsAgainWhatItKeepsNoMore) {
  complete(5);
  complete(5 + 16);  // overwrites the result of 5
  receive(2, 5, us(50), flag::resend);
  EXPECT_EQ(server_.open_entries(), 1U);
  server_.expire(us(50) + kTimeout);
  EXPECT_EQ(destinations(drain(server_)), (Hosts{10, 11, 13}));
  for (const std::uint16_t rank : std::vector<std::uint16_t>{0, 1, 3}) {
    receive(rank, 5, us(1100), flag::resend | flag::answer);
  }
  const auto results = drain(server_);
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(integers(results[2].values), (Integers{1111}));
}

TEST_F(PsServerTest, AsksWhoIsMissingAfterATimeoutThatDoubles) {
  receive(0, 5, us(100));
  receive(2, 5, us(200));
  EXPECT_EQ(server_.deadline(), us(100) + kTimeout);
  server_.expire(us(100) + kTimeout);
  const auto requests = drain(server_);
  EXPECT_EQ(destinations(requests), (Hosts{11, 13}));
  for (const Frame& request : requests) {
    EXPECT_EQ(request.kind, FrameKind::fragment_request);
    EXPECT_EQ(request.psn, 5U);
    EXPECT_EQ(request.aggregator().bitmap0, 0b0101U);
    EXPECT_EQ(request.bytes, 58);
  }
  EXPECT_EQ(server_.statistics().requests, 2U);
  EXPECT_EQ(server_.deadline(), us(100) + 3 * kTimeout);
}

TEST_F(PsServerTest, ClosesWhatNobodyNeeds) {
  receive(0, 5);
  Frame release = gradient(1, 5);
  release.kind = FrameKind::release;
  release.values.reset();
  server_.receive(release, us(10));
  EXPECT_EQ(server_.open_entries(), 0U);
  server_.expire(2 * kTimeout);
  EXPECT_TRUE(drain(server_).empty());
  EXPECT_EQ(server_.deadline(), kNever);
}

TEST_F(PsServerTest, DropsWhatIsNotOfItsWorkers) {
  Frame other = gradient(1, 5);
  other.source = 12;  // claims to be worker 1
  server_.receive(other, us(0));
  other = gradient(1, 5);
  other.aggregator().bitmap0 = 0b0011;
  server_.receive(other, us(0));
  other = gradient(1, 5);
  other.job = kJob + 1;
  server_.receive(other, us(0));
  other = gradient(1, 5);
  other.kind = FrameKind::notification;
  server_.receive(other, us(0));
  EXPECT_EQ(server_.statistics().rejected_frames, 4U);
  EXPECT_EQ(server_.open_entries(), 0U);
}

}  // namespace
}  // namespace ina
