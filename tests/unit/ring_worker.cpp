// SPDX-License-Identifier: BSD-3-Clause
// The workers of a ring all-reduce, over a network that the test owns.
#include "hw/protocol/transport/ring_worker.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "tests/unit/support/frames.hpp"

namespace ina {
namespace {

using testing::CountingSource;
using testing::Integers;
using testing::integers;

constexpr JobId kJob = 4;
constexpr std::size_t kValues = 3;
constexpr HostId kFirstHost = 100;

Time us(int count) { return std::chrono::microseconds(count); }

// ---- the schedule

TEST(RingSchedule, EveryFragmentBeginsAtOneWorkerAndIsCompletedByTheOneBefore) {
  for (const std::uint16_t workers : std::initializer_list<std::uint16_t>{2, 3, 8, 11}) {
    for (const std::uint32_t fragments : {1U, 7U, 8U, 100U}) {
      std::uint32_t begun = 0;
      for (std::uint16_t rank = 0; rank < workers; ++rank) {
        const RingSchedule schedule(rank, workers);
        const RingSchedule after(schedule.next(), workers);
        EXPECT_EQ(after.previous(), rank);
        const auto own = schedule.own_chunk(fragments);
        EXPECT_EQ(own.begin, begun);
        begun = own.end;
        for (std::uint32_t fragment = 0; fragment < fragments; ++fragment) {
          const std::uint32_t added = schedule.added_before(fragment, fragments);
          EXPECT_EQ(added == 0, fragment >= own.begin && fragment < own.end);
          EXPECT_EQ(schedule.ends(added), after.completes(after.added_before(fragment, fragments)));
          EXPECT_EQ(after.added_before(fragment, fragments), (added + 1) % workers);
        }
      }
      EXPECT_EQ(begun, fragments);
    }
  }
}

// ---- the workers

/// Verifies each result, which is of all workers.
class VerifyingSink final : public ResultSink {
 public:
  explicit VerifyingSink(std::uint16_t workers) : workers_(workers) {}

  void fragment_complete(const Frame& result, bool, Time) override {
    EXPECT_TRUE(fragments.insert(result.psn).second) << "twice: " << result.psn;
    const int ranks = workers_ * (workers_ - 1) / 2;
    Integers sum(kValues);
    for (std::size_t i = 0; i < kValues; ++i) {
      sum[i] = static_cast<std::int32_t>(workers_ * (1000 * result.psn + i)) + 10 * ranks;
    }
    EXPECT_EQ(integers(result.values), sum) << result.psn;
  }
  void tensor_complete(Psn first_psn, Time) override { tensors.push_back(first_psn); }

  std::set<Psn> fragments;
  std::vector<Psn> tensors;

 private:
  std::uint16_t workers_;
};

struct Faults {
  double loss = 0;
  double duplication = 0;
  double reordering = 0;
};

WorkerIdentity identity_of(std::uint16_t rank, const std::vector<HostId>& members) {
  WorkerIdentity identity;
  identity.job = kJob;
  identity.rank = rank;
  identity.workers = static_cast<std::uint16_t>(members.size());
  identity.host = members[rank];
  identity.members = members;
  return identity;
}

/// Workers whose frames take a microsecond, unless something happens to them.
class Ring {
 public:
  Ring(std::uint16_t workers, const RingWorker::Config& config, const Faults& faults = {},
       unsigned seed = 1)
      : faults_(faults), random_(seed) {
    std::vector<HostId> hosts(workers);
    std::iota(hosts.begin(), hosts.end(), kFirstHost);
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      sources_.push_back(std::make_unique<CountingSource>(rank));
      sinks_.push_back(std::make_unique<VerifyingSink>(workers));
      workers_.push_back(
          std::make_unique<RingWorker>(identity_of(rank, hosts), config, pool_, *sinks_.back()));
    }
  }
  ~Ring() {
    under_way_.clear();
    workers_.clear();
    EXPECT_EQ(pool_.taken(), 0U);
  }

  void submit(std::uint16_t rank, Psn first_psn, std::uint32_t fragments) {
    Tensor tensor;
    tensor.first_psn = first_psn;
    tensor.fragments = fragments;
    tensor.source = sources_[rank].get();
    workers_[rank]->submit(tensor, now_);
    send(rank);
  }
  void submit_everywhere(Psn first_psn, std::uint32_t fragments) {
    for (std::uint16_t rank = 0; rank < workers_.size(); ++rank) {
      submit(rank, first_psn, fragments);
    }
  }

  /// Until nothing is under way and nobody waits for a time-out.
  void run() {
    while (step()) {
    }
  }
  void run_until(Time end) {
    while (next_event() <= end && step()) {
    }
  }

  const VerifyingSink& sink(std::size_t rank) const { return *sinks_[rank]; }
  RingWorker& worker(std::size_t rank) { return *workers_[rank]; }
  std::uint64_t data_frames(std::size_t rank) const {
    return workers_[rank]->statistics().packets_sent;
  }
  std::uint64_t retransmissions() const {
    std::uint64_t sum = 0;
    for (const auto& worker : workers_) sum += worker->statistics().retransmissions;
    return sum;
  }
  Time now() const { return now_; }
  std::size_t values_in_use() const { return pool_.taken(); }

 private:
  Time next_event() const {
    Time next = under_way_.empty() ? kNever : under_way_.begin()->first;
    for (const auto& worker : workers_) next = std::min(next, worker->deadline());
    return next;
  }
  bool step() {
    const Time next = next_event();
    if (next == kNever) return false;
    now_ = std::max(now_, next);
    if (!under_way_.empty() && under_way_.begin()->first <= now_) {
      const Frame frame = under_way_.begin()->second;
      under_way_.erase(under_way_.begin());
      const auto rank = static_cast<std::uint16_t>(frame.destination - kFirstHost);
      workers_[rank]->receive(frame, now_);
      send(rank);
    }
    for (std::uint16_t rank = 0; rank < workers_.size(); ++rank) {
      if (workers_[rank]->deadline() > now_) continue;
      workers_[rank]->expire(now_);
      send(rank);
    }
    return true;
  }
  void send(std::uint16_t rank) {
    for (Frame frame; workers_[rank]->next(frame, now_);) {
      EXPECT_EQ(frame.source, kFirstHost + rank);
      if (happens(faults_.loss)) continue;
      put(frame);
      if (happens(faults_.duplication)) put(frame);
    }
  }
  void put(const Frame& frame) {
    const Time late = happens(faults_.reordering) ? us(static_cast<int>(random_() % 20U)) : Time{};
    under_way_.emplace(now_ + us(1) + late, frame);
  }
  bool happens(double probability) {
    return std::uniform_real_distribution<>(0, 1)(random_) < probability;
  }

  Faults faults_;
  std::mt19937 random_;
  Time now_{};
  ValuePool pool_{kValues};
  std::vector<std::unique_ptr<CountingSource>> sources_;
  std::vector<std::unique_ptr<VerifyingSink>> sinks_;
  std::vector<std::unique_ptr<RingWorker>> workers_;
  std::multimap<Time, Frame> under_way_;
};

RingWorker::Config small() {
  return {.window = {.initial_packets = 8, .max_packets = 16}, .receive_buffer = 64};
}

TEST(RingWorker, SumsAndSendsWhatARingHasToAndNoMore) {
  for (const std::uint16_t workers : std::initializer_list<std::uint16_t>{2, 3, 8}) {
    Ring ring(workers, small());
    const std::uint32_t fragments = 10U * workers;
    ring.submit_everywhere(0, fragments);
    ring.run();
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      EXPECT_EQ(ring.sink(rank).fragments.size(), fragments);
      EXPECT_EQ(ring.sink(rank).tensors, std::vector<Psn>{0});
      EXPECT_EQ(ring.data_frames(rank), 2 * (workers - 1) * 10U);
    }
    EXPECT_EQ(ring.retransmissions(), 0U);
  }
}

TEST(RingWorker, HandsAFragmentOnAsSoonAsItIsAdded) {
  Ring ring(4, small());
  ring.submit_everywhere(0, 4 * 8);
  ring.run_until(us(1));
  // The window's frames came, the last of which waits for no other one of its chunk.
  EXPECT_EQ(ring.data_frames(0), 8U);
  ring.run_until(us(2));
  EXPECT_EQ(ring.data_frames(0), 16U);
}

TEST(RingWorker, TensorsOfAnySizeComeInAnyOrder) {
  Ring ring(3, small());
  ring.submit(0, 0, 5);
  ring.submit(0, 5, 1);
  ring.run_until(us(10));
  ring.submit(1, 5, 1);
  ring.submit(2, 5, 1);
  ring.run_until(us(20));
  EXPECT_EQ(ring.sink(0).tensors, std::vector<Psn>{5});
  ring.submit(2, 0, 5);
  ring.submit(1, 0, 5);
  ring.run();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(ring.sink(rank).tensors, (std::vector<Psn>{5, 0}));
  }
}

TEST(RingWorker, WhatALateWorkerKeepsIsBounded) {
  Ring ring(2, small());
  ring.submit(0, 0, 1000);
  ring.run_until(us(100'000));
  // Its own 500 fragments are what worker 0 would send.
  EXPECT_EQ(ring.values_in_use(), 64U + 1);
  EXPECT_EQ(ring.worker(0).in_flight(), 1U);
  ring.submit(1, 0, 1000);
  ring.run();
  EXPECT_EQ(ring.sink(0).fragments.size(), 1000U);
  EXPECT_EQ(ring.sink(1).fragments.size(), 1000U);
}

TEST(RingWorker, AMarkedFrameIsToldToItsSenderOnly) {
  ValuePool pool(0);
  testing::RecordingSink sink;
  RingWorker worker(identity_of(1, {kFirstHost, kFirstHost + 1}), small(), pool, sink);
  Tensor tensor;
  tensor.fragments = 2;
  const CountingSource source(1);
  tensor.source = &source;
  worker.submit(tensor, us(0));
  Frame frame;
  ASSERT_TRUE(worker.next(frame, us(0)));  // its own chunk
  Frame gradient;
  gradient.job = kJob;
  gradient.source = kFirstHost;
  gradient.flags = flag::ecn | flag::resend;
  worker.receive(gradient, us(1));
  ASSERT_TRUE(worker.next(frame, us(1)));
  EXPECT_EQ(frame.kind, FrameKind::acknowledgement);
  EXPECT_TRUE(frame.has(flag::ecn_echo));
  ASSERT_TRUE(worker.next(frame, us(1)));
  EXPECT_EQ(frame.kind, FrameKind::result);
  EXPECT_EQ(frame.flags, flag::resend);  // who waited for it waited for that
}

TEST(RingWorker, DropsWhatIsNotOfItsNeighbours) {
  Ring ring(4, small());
  ring.submit_everywhere(0, 4);
  RingWorker& worker = ring.worker(1);
  Frame frame;
  frame.job = kJob;
  frame.kind = FrameKind::gradient;
  frame.source = kFirstHost + 2;
  worker.receive(frame, us(0));
  frame.kind = FrameKind::acknowledgement;
  frame.source = kFirstHost;
  worker.receive(frame, us(0));
  frame.kind = FrameKind::reminder;
  worker.receive(frame, us(0));
  frame.kind = FrameKind::gradient;
  frame.job = kJob + 1;
  worker.receive(frame, us(0));
  EXPECT_EQ(worker.statistics().rejected_frames, 4U);
  ring.run();
  EXPECT_EQ(ring.sink(3).fragments.size(), 4U);
}

class RingUnderFaults : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RingUnderFaults, ::testing::Range(1U, 41U));

TEST_P(RingUnderFaults, EverySumIsExactAndComesOnce) {
  std::mt19937 generator(GetParam());
  const auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  const auto workers = static_cast<std::uint16_t>(2 + random() % 7);
  const auto probability = [&] { return static_cast<double>(random() % 20) / 100; };
  Ring ring(workers, small(), {probability(), probability(), probability()}, GetParam());
  std::vector<Psn> first_psns;
  std::vector<std::uint32_t> sizes;
  Psn psns = 0;
  for (int tensor = 0; tensor < 6; ++tensor) {
    first_psns.push_back(psns);
    sizes.push_back(1 + random() % 100);
    psns += sizes.back();
  }
  for (std::size_t tensor = 0; tensor < sizes.size(); ++tensor) {
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      ring.submit(rank, first_psns[tensor], sizes[tensor]);
      ring.run_until(ring.now() + us(static_cast<int>(random() % 50)));
    }
  }
  ring.run();
  for (std::uint16_t rank = 0; rank < workers; ++rank) {
    EXPECT_EQ(ring.sink(rank).fragments.size(), psns);
    EXPECT_EQ(ring.sink(rank).tensors.size(), sizes.size());
    EXPECT_EQ(ring.worker(rank).in_flight(), 0U);
  }
}

}  // namespace
}  // namespace ina
