// SPDX-License-Identifier: BSD-3-Clause
// Workers of an all-reduce, over a network that the test controls.
#include "hw/protocol/transport/peer_worker.hpp"
#include "hw/protocol/transport/schedules/all.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
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

using MakeSchedule = PeerSchedule (*)(std::uint16_t rank, std::uint16_t workers);

struct Kind {
  const char* name;
  MakeSchedule make;
};
const Kind kKinds[] = {{"Ring", schedules::Ring::make},
                       {"HalvingDoubling", schedules::HalvingDoubling::make},
                       {"DoubleTree", schedules::DoubleTree::make},
                       {"Sharded", schedules::Sharded::make}};

// ---- the workers

/// Verifies that each result is the sum of all workers.
class VerifyingSink final : public ResultSink {
 public:
  explicit VerifyingSink(std::uint16_t workers) : workers_(workers) {}

  void fragment_complete(const Frame& result, const Delivery&, Time) override {
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

/// Workers whose frames take a microsecond, unless a test drops or delays them.
class Group {
 public:
  Group(MakeSchedule make, std::uint16_t workers, const PeerWorker::Config& config,
        const Faults& faults = {}, unsigned seed = 1)
      : faults_(faults), random_(seed) {
    std::vector<HostId> hosts(workers);
    std::iota(hosts.begin(), hosts.end(), kFirstHost);
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      sources_.push_back(std::make_unique<CountingSource>(rank));
      sinks_.push_back(std::make_unique<VerifyingSink>(workers));
      workers_.push_back(std::make_unique<PeerWorker>(identity_of(rank, hosts), make(rank, workers),
                                                      config, pool_, *sinks_.back()));
    }
  }
  ~Group() {
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

  /// Runs until no frame is in flight and no worker waits for a time-out.
  void run() {
    while (step()) {
    }
  }
  void run_until(Time end) {
    while (next_event() <= end && step()) {
    }
  }

  const VerifyingSink& sink(std::size_t rank) const { return *sinks_[rank]; }
  PeerWorker& worker(std::size_t rank) { return *workers_[rank]; }
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
  std::vector<std::unique_ptr<PeerWorker>> workers_;
  std::multimap<Time, Frame> under_way_;
};

PeerWorker::Config small() {
  return {.window = {.initial_packets = 8, .max_packets = 16}, .receive_buffer = 64};
}

class EveryKind : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EveryKind, SumsUpForAnyNumberOfWorkersAndFragments) {
  for (const std::uint16_t workers : std::initializer_list<std::uint16_t>{2, 3, 4, 5, 8, 11, 16}) {
    for (const std::uint32_t fragments : {1U, 7U, 100U}) {
      Group group(GetParam().make, workers, small());
      group.submit_everywhere(0, fragments);
      group.run();
      for (std::uint16_t rank = 0; rank < workers; ++rank) {
        EXPECT_EQ(group.sink(rank).fragments.size(), fragments);
        EXPECT_EQ(group.sink(rank).tensors, std::vector<Psn>{0});
        EXPECT_EQ(group.worker(rank).in_flight(), 0U);
      }
      EXPECT_EQ(group.retransmissions(), 0U);
    }
  }
}

TEST(PeerWorker, SendsWhatARingHasToAndNoMore) {
  for (const MakeSchedule make :
       {schedules::Ring::make, schedules::HalvingDoubling::make, schedules::Sharded::make}) {
    for (const std::uint16_t workers : std::initializer_list<std::uint16_t>{2, 4, 8}) {
      Group group(make, workers, small());
      group.submit_everywhere(0, 10U * workers);
      group.run();
      for (std::uint16_t rank = 0; rank < workers; ++rank) {
        EXPECT_EQ(group.data_frames(rank), 2 * (workers - 1) * 10U);
      }
    }
  }
}

// Tensors of three fragments, with one chunk for each of eight workers.
TEST(PeerWorker, ChunksOfTensorsOfFewFragmentsAreEquallyLarge) {
  constexpr std::uint16_t kWorkers = 8;
  for (const MakeSchedule make :
       {schedules::Ring::make, schedules::HalvingDoubling::make, schedules::Sharded::make}) {
    Group group(make, kWorkers, small());
    for (Psn psn = 0; psn < 3 * kWorkers; psn += 3) group.submit_everywhere(psn, 3);
    group.run();
    for (std::uint16_t rank = 0; rank < kWorkers; ++rank) {
      EXPECT_EQ(group.data_frames(rank), 2 * (kWorkers - 1) * 3U);
    }
  }
}

TEST(PeerWorker, SendsAsMuchAsATreeHasEdgesTwice) {
  constexpr std::uint16_t kWorkers = 8;
  constexpr std::uint32_t kFragments = 100;
  Group group(schedules::DoubleTree::make, kWorkers, small());
  group.submit_everywhere(0, kFragments);
  group.run();
  std::uint64_t frames = 0;
  for (std::uint16_t rank = 0; rank < kWorkers; ++rank) {
    EXPECT_LE(group.data_frames(rank), 2 * kFragments);
    frames += group.data_frames(rank);
  }
  EXPECT_EQ(frames, 2 * (kWorkers - 1) * kFragments);
}

TEST(PeerWorker, KeepsQuietForAQuarterOfATimeoutAtMost) {
  ValuePool pool(0);
  testing::RecordingSink sink;
  PeerWorker worker(identity_of(0, {kFirstHost, kFirstHost + 1, kFirstHost + 2}),
                    schedules::Ring::make(0, 3), small(), pool, sink);
  Tensor tensor;
  tensor.fragments = 300;
  const CountingSource source(1);
  tensor.source = &source;
  worker.submit(tensor, us(0));
  Frame gradient;
  gradient.fields = FlowFields();
  gradient.job = kJob;
  gradient.worker = 2;
  gradient.source = kFirstHost + 2;
  gradient.psn = 2;  // its chunk begins at worker 2
  worker.receive(gradient, us(7));
  Frame frame;
  ASSERT_TRUE(worker.next(frame, us(7)));
  EXPECT_EQ(frame.kind, FrameKind::gradient);  // to the other neighbour
  EXPECT_EQ(worker.deadline(), us(7 + 250));
  worker.expire(us(7 + 250));
  ASSERT_TRUE(worker.next(frame, us(7 + 250)));
  EXPECT_EQ(frame.kind, FrameKind::acknowledgement);
  EXPECT_EQ(frame.flow().acknowledged_before, 1U);
}

TEST(PeerWorker, HandsAFragmentOnAsSoonAsItIsAdded) {
  Group ring(schedules::Ring::make, 4, small());
  ring.submit_everywhere(0, 4 * 8);
  ring.run_until(us(1));
  // The window's frames have arrived. The last of them waits for no other frame of its chunk.
  EXPECT_EQ(ring.data_frames(0), 8U);
  ring.run_until(us(2));
  EXPECT_EQ(ring.data_frames(0), 16U);
}

/// Two tensors are submitted to a worker of a ring. Returns the tensor of each of its first frames.
std::vector<int> first_tensors(std::uint32_t receive_buffer, std::size_t frames) {
  ValuePool pool(0);
  testing::RecordingSink sink;
  PeerWorker::Config config = small();
  config.window.initial_packets = config.window.max_packets = 100;
  config.receive_buffer = receive_buffer;
  PeerWorker worker(identity_of(0, {kFirstHost, kFirstHost + 1}), schedules::Ring::make(0, 2),
                    config, pool, sink);
  const CountingSource source(0);
  for (const Psn first_psn : {0U, 1000U}) {
    Tensor tensor;
    tensor.first_psn = first_psn;
    tensor.fragments = 1000;
    tensor.source = &source;
    worker.submit(tensor, us(0));
  }
  std::vector<int> tensors;
  for (Frame frame; tensors.size() < frames && worker.next(frame, us(0));) {
    tensors.push_back(frame.psn < 1000 ? 1 : 2);
  }
  return tensors;
}

TEST(PeerWorker, EveryEighthFrameIsOfTheLastTensor) {
  const std::vector<int> seven(7, 1);
  std::vector<int> expected;
  for (int turn = 0; turn < 5; ++turn) {
    expected.insert(expected.end(), seven.begin(), seven.end());
    expected.push_back(2);
  }
  EXPECT_EQ(first_tensors(1024, 40), expected);
}

TEST(PeerWorker, HalfOfTheReceiversRoomIsForTheFirstTensor) {
  std::vector<int> expected(40, 1);
  expected[7] = expected[15] = 2;
  EXPECT_EQ(first_tensors(40, 40), expected);
}

TEST(PeerWorker, TensorsOfAnySizeComeInAnyOrder) {
  Group ring(schedules::Ring::make, 3, small());
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

/// PSNs have 32 bits and wrap around. PSN a precedes b if the distance from a to b is the shorter.
TEST_P(EveryKind, SumsUpWherePsnsBeginAgainAt0) {
  constexpr Psn kFirst = 0U - 5;
  constexpr Psn kNext = kFirst + 7;
  Group group(GetParam().make, 3, small());
  group.submit(0, kFirst, 7);
  group.submit(0, kNext, 4);
  group.run_until(us(10));
  for (const std::uint16_t late : {std::uint16_t{1}, std::uint16_t{2}}) {
    group.submit(late, kNext, 4);
    group.submit(late, kFirst, 7);
  }
  group.run();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(group.sink(rank).fragments.size(), 11U);
    EXPECT_THAT(group.sink(rank).tensors, ::testing::UnorderedElementsAre(kFirst, kNext));
    EXPECT_EQ(group.worker(rank).in_flight(), 0U);
  }
  EXPECT_EQ(group.retransmissions(), 0U);
}

TEST(PeerWorker, WhatALateWorkerKeepsIsBounded) {
  Group ring(schedules::Ring::make, 2, small());
  ring.submit(0, 0, 1000);
  ring.run_until(us(100'000));
  // Without a bound, worker 0 would send all 500 fragments of its chunk.
  EXPECT_EQ(ring.values_in_use(), 64U + 1);
  EXPECT_EQ(ring.worker(0).in_flight(), 1U);
  ring.submit(1, 0, 1000);
  ring.run();
  EXPECT_EQ(ring.sink(0).fragments.size(), 1000U);
  EXPECT_EQ(ring.sink(1).fragments.size(), 1000U);
}

TEST(PeerWorker, AMarkedFrameIsToldToItsSenderOnly) {
  ValuePool pool(0);
  testing::RecordingSink sink;
  PeerWorker worker(identity_of(1, {kFirstHost, kFirstHost + 1}), schedules::Ring::make(1, 2),
                    small(), pool, sink);
  Tensor tensor;
  tensor.fragments = 2;
  const CountingSource source(1);
  tensor.source = &source;
  worker.submit(tensor, us(0));
  Frame frame;
  ASSERT_TRUE(worker.next(frame, us(0)));  // its own chunk
  Frame gradient;
  gradient.fields = FlowFields();
  gradient.job = kJob;
  gradient.source = kFirstHost;
  gradient.flags = flag::ecn | flag::resend;
  worker.receive(gradient, us(1));
  ASSERT_TRUE(worker.next(frame, us(1)));
  EXPECT_EQ(frame.kind, FrameKind::result);
  // The receiver waited for a retransmission, so its round trip is not measured. The mark is
  // reported once.
  EXPECT_EQ(frame.flags, flag::resend);
  EXPECT_TRUE(frame.flow().ecn_echo);
  EXPECT_EQ(frame.flow().acknowledged_before, 1U);
  EXPECT_FALSE(worker.next(frame, us(1)));
}

TEST(PeerWorker, DropsWhatIsNotOfItsNeighbours) {
  Group ring(schedules::Ring::make, 4, small());
  ring.submit_everywhere(0, 4);
  PeerWorker& worker = ring.worker(1);
  Frame frame;
  frame.fields = FlowFields();
  frame.job = kJob;
  frame.kind = FrameKind::gradient;
  frame.worker = 3;
  frame.source = kFirstHost + 3;  // not a neighbour
  worker.receive(frame, us(0));
  frame.kind = FrameKind::acknowledgement;
  frame.worker = 0;
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

TEST(PeerWorker, SurvivesAMemberThatCompletesWhatHasNotBegun) {
  ValuePool pool(0);
  testing::RecordingSink sink;
  PeerWorker worker(identity_of(0, {kFirstHost, kFirstHost + 1, kFirstHost + 2}),
                    schedules::Sharded::make(0, 3), small(), pool, sink);
  Tensor tensor;
  tensor.fragments = 3;
  const CountingSource source(1);
  tensor.source = &source;
  worker.submit(tensor, us(0));
  std::uint32_t sequence = 0;
  const auto send = [&](std::uint16_t rank, FrameKind kind, Psn psn) {
    Frame frame;
    frame.fields = FlowFields();
    frame.job = kJob;
    frame.worker = rank;
    frame.source = static_cast<HostId>(kFirstHost + rank);
    frame.kind = kind;
    frame.psn = psn;
    frame.flow().sequence = sequence++;
    worker.receive(frame, us(1));
  };
  send(1, FrameKind::gradient, 0);
  send(1, FrameKind::gradient, 0);  // claims to be worker 2's part
  send(1, FrameKind::result, 1);
  sequence = 0;
  send(2, FrameKind::result, 2);
  EXPECT_EQ(worker.statistics().results, 3U);
  for (Frame frame; worker.next(frame, us(2));) {
    EXPECT_NE(frame.kind, FrameKind::gradient);  // the tensor is gone
  }
}

class UnderFaults : public ::testing::TestWithParam<std::tuple<Kind, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(Seeds, UnderFaults,
                         ::testing::Combine(::testing::ValuesIn(kKinds), ::testing::Range(1U, 41U)),
                         [](const auto& info) {
                           return std::get<Kind>(info.param).name +
                                  std::to_string(std::get<unsigned>(info.param));
                         });

TEST_P(UnderFaults, EverySumIsExactAndComesOnce) {
  const auto [kind, seed] = GetParam();
  std::mt19937 generator(seed);
  const auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  const auto workers = static_cast<std::uint16_t>(2 + random() % 7);
  const auto probability = [&] { return static_cast<double>(random() % 20) / 100; };
  Group group(kind.make, workers, small(), {probability(), probability(), probability()}, seed);
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
      group.submit(rank, first_psns[tensor], sizes[tensor]);
      group.run_until(group.now() + us(static_cast<int>(random() % 50)));
    }
  }
  group.run();
  for (std::uint16_t rank = 0; rank < workers; ++rank) {
    EXPECT_EQ(group.sink(rank).fragments.size(), psns);
    EXPECT_EQ(group.sink(rank).tensors.size(), sizes.size());
    EXPECT_EQ(group.worker(rank).in_flight(), 0U);
  }
}

}  // namespace
}  // namespace ina
