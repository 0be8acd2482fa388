// SPDX-License-Identifier: BSD-3-Clause
// The stream of all-reduces of libina's workers, on an in-memory cluster that loses frames.
#include "hw/libina/all_reducer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "hw/cluster/systems/all.hpp"
#include "hw/libina/recycled_memory.hpp"
#include "tests/support/cluster_parts.hpp"

namespace ina::library {
namespace {

using namespace ina::testing;

constexpr std::size_t kWidth = 16;
constexpr std::uint32_t kSpan = 12;  // fewer than the fragments of most arrays below
constexpr Time kTimeLimit = std::chrono::seconds(600);

/// A system, and whether the exponents of floats precede the values or are sent with them.
struct Kind {
  SystemId system;
  FloatBlocks blocks = FloatBlocks::arrays;
};

std::string name_of(const Kind& kind) {
  return std::string(cluster::name_of(kind.system)) +
         (kind.blocks == FloatBlocks::fragments ? "_in_blocks" : "");
}

void PrintTo(const Kind& kind, std::ostream* out) { *out << name_of(kind); }

/// A worker that submits arrays in turn, and overwrites them with the sums.
class Worker final : public Host {
 public:
  Worker(const ClusterShape& shape, FloatBlocks blocks, const WorkerIdentity& identity,
         ValuePool& pool, std::uint64_t psns)
      : wraps_around_(cluster::traits_of(shape.system).wraps_around),
        copies_(copies_of(cluster::traits_of(shape.system), memory_)),
        config_({kWidth, shape.aggregators, kSpan, identity.rank, identity.workers, psns}),
        shape_(shape),
        pool_(pool),
        reducer_(std::make_unique<AllReducer>(config_)),
        blocks_(blocks),
        rank_{identity.rank, identity.workers},
        transport_(make_worker(shape, identity, pool, *reducer_)) {}

  bool is_used_up() const { return reducer_->is_used_up(); }
  /// Continues with the queued requests in another session.
  void begin_session(const WorkerIdentity& identity) {
    auto left = reducer_->take_queued();
    reducer_ = std::make_unique<AllReducer>(config_);
    transport_ = make_worker(shape_, identity, pool_, *reducer_);
    for (Request& request : left) reducer_->submit(std::move(request));
  }

  void submit(const std::vector<std::int32_t>& in, bool checked = true) {
    auto& array = integers_.emplace_back(in);
    const bool fits = !wraps_around_ || !checked || sums_fit(array, rank_.workers);
    reducer_->submit(
        {agreement(Offer::of(std::span<const std::int32_t>(array), fits)),
         std::make_shared<Int32Exchange>(array, array.data(), wraps_around_, done(), copies_)});
  }
  void submit(const std::vector<float>& in) {
    auto& array = floats_.emplace_back(in);
    const auto agreed = agreement(Offer::of(std::span<const float>(array), blocks_));
    reducer_->submit({agreed, std::make_shared<Float32Exchange>(array, array.data(), blocks_, rank_,
                                                                agreed, done(), copies_)});
  }
  void leave() { reducer_->submit({agreement(Offer::to_leave()), nullptr}); }

  /// Submits an array of 9 equal values after each received frame, for each value in [from, to).
  void submit_later(std::int32_t from, std::int32_t to) {
    for (std::int32_t value = from; value < to; ++value) later_.push_back(value);
  }

  void receive(Frame&& frame, Time now) override {
    transport_->receive(frame, now);
    if (!later_.empty()) {
      submit(std::vector<std::int32_t>(9, later_.front()));
      later_.pop_front();
    }
    reducer_->advance(*transport_, now);
  }
  bool next(Frame& out, Time now) override { return transport_->next(out, now); }
  Time deadline() const override { return transport_->deadline(); }
  void expire(Time now) override { transport_->expire(now); }
  void wake(Time now) override { reducer_->advance(*transport_, now); }

  const std::vector<ina_status>& ends() const { return ends_; }
  /// Reason for the failure of the latest all-reduce.
  const std::string& why() const { return why_; }
  const std::deque<std::vector<std::int32_t>>& integers() const { return integers_; }
  const std::deque<std::vector<float>>& floats() const { return floats_; }

 private:
  std::shared_ptr<Agreement> agreement(const Offer& own) {
    return std::make_shared<Agreement>(own, done());
  }
  Done done() {
    return [this](const Outcome& outcome) {
      ends_.push_back(outcome.status);
      if (outcome.status != INA_OK) why_ = outcome.why;
    };
  }

  bool wraps_around_;
  RecycledMemory memory_;
  Copies copies_;
  AllReducer::Config config_;
  ClusterShape shape_;
  ValuePool& pool_;
  std::unique_ptr<AllReducer> reducer_;
  FloatBlocks blocks_;
  Rank rank_;
  std::unique_ptr<WorkerTransport> transport_;
  std::vector<ina_status> ends_;
  std::string why_;
  std::deque<std::int32_t> later_;
  std::deque<std::vector<std::int32_t>> integers_;
  std::deque<std::vector<float>> floats_;
};

class Cluster {
 public:
  static constexpr std::uint32_t kAggregators = 6;

  Cluster(const Kind& kind, std::uint16_t workers, std::uint64_t seed,
          std::uint64_t psns = std::numeric_limits<Psn>::max())
      : random_(seed),
        shape_(shape_of(kind.system)),
        pool_(kWidth),
        network_({.format = cluster::traits_of(kind.system).format}, make_program(shape_), pool_,
                 random_) {
    network_.add(silent_, "server");
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      workers_.push_back(
          std::make_unique<Worker>(shape_, kind.blocks, identity(rank, workers), pool_, psns));
      ids_.push_back(network_.add(*workers_.back(), "worker"));
    }
    install();
  }

  void lose(double share) {
    faults::LinkFaults::Config config;
    config.loss = share;
    for (HostId host = 0; host <= workers_.size(); ++host) {
      for (const Direction direction : {Direction::up, Direction::down}) {
        network_.add_faults(host, direction, config, random_.bits());
      }
    }
  }
  /// Runs until all arrays are done, in as many sessions as needed. Returns what went wrong, or "".
  std::string run() {
    for (;; ++sessions_) {
      const std::string wrong = run_session();
      const auto is_used_up = [](const auto& worker) { return worker->is_used_up(); };
      const auto used_up = std::ranges::count_if(workers_, is_used_up);
      if (!wrong.empty() || used_up == 0) return wrong;
      if (used_up != std::ssize(workers_)) return "not all workers have used up their PSNs";
      begin_session();
    }
  }
  int sessions() const { return sessions_; }
  Worker& worker(std::size_t rank) { return *workers_[rank]; }
  Random& random() { return random_; }

 private:
  WorkerIdentity identity(std::uint16_t rank, std::uint16_t workers) const {
    return {id_, rank, workers, static_cast<HostId>(1 + rank), 0};
  }
  void install() {
    const auto workers = static_cast<std::uint16_t>(workers_.size());
    ServerIdentity identity{id_, workers, 0, kSpan};
    for (HostId host = 1; host <= workers; ++host) identity.members.push_back(host);
    if (auto server = make_server(shape_, identity, pool_)) {
      server_ = std::make_unique<ServerHost>(std::move(server));
      network_.replace(0, *server_);
    }
    network_.install_job(id_, job_entry(shape_, workers, 0, 0), members_in_star(shape_, ids_, 0));
  }
  void begin_session() {
    network_.node().remove_job(id_);
    ++id_;
    install();
    const auto workers = static_cast<std::uint16_t>(workers_.size());
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      workers_[rank]->begin_session(identity(rank, workers));
    }
  }
  /// Runs one session. Returns what went wrong, or "".
  std::string run_session() {
    for (HostId host = 1; host <= workers_.size(); ++host) {
      const Time delay = random_.between(Time::zero(), std::chrono::milliseconds(3));
      network_.wake_at(host, network_.now() + delay);
    }
    return network_.run(network_.now() + kTimeLimit);
  }
  static ClusterShape shape_of(SystemId system) {
    ClusterShape shape;
    shape.system = system;
    shape.aggregators = kAggregators;
    shape.width = kWidth;
    shape.kept_results = 2 * kSpan;
    return shape;
  }

  Random random_;
  ClusterShape shape_;
  ValuePool pool_;
  SilentHost silent_;
  StarNetwork network_;
  std::unique_ptr<ServerHost> server_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<HostId> ids_;
  JobId id_ = 0;
  int sessions_ = 1;
};

class AllReducerOf : public ::testing::TestWithParam<Kind> {};

std::vector<std::int32_t> draw_integers(Random& random, std::size_t count) {
  std::vector<std::int32_t> values(count);
  for (auto& value : values) value = static_cast<std::int32_t>(random.between(0, 1U << 28)) - 99;
  return values;
}

/// Random magnitudes from denormals to 2^100, depending on the array.
std::vector<float> draw_floats(Random& random, std::size_t count, int exponent) {
  std::vector<float> values(count);
  for (auto& value : values) {
    value = std::ldexp(static_cast<float>(random.between(0, 2000)) - 1000.F,
                       exponent - static_cast<int>(random.between(0, 20)));
  }
  return values;
}

TEST_P(AllReducerOf, SumsIntegersExactlyAndFloatsWithinTheStatedBound) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto workers = static_cast<std::uint16_t>(1 + seed % 5);
    Cluster cluster(GetParam(), workers, seed);
    if (seed % 2 == 0) cluster.lose(0.05);
    Random& random = cluster.random();
    std::vector<std::vector<double>> exact_integers;
    std::vector<std::vector<double>> exact_floats;
    std::vector<double> largest;
    for (int i = 0; i < 8; ++i) {
      const std::size_t count = random.between(1, 400);
      const int exponent = static_cast<int>(random.between(0, 230)) - 140;
      auto& integer_sums = exact_integers.emplace_back(count);
      auto& float_sums = exact_floats.emplace_back(count);
      largest.push_back(0);
      for (std::uint16_t rank = 0; rank < workers; ++rank) {
        const auto integers = draw_integers(random, count);
        const auto floats = draw_floats(random, count, exponent);
        cluster.worker(rank).submit(integers);
        cluster.worker(rank).submit(floats);
        for (std::size_t k = 0; k < count; ++k) {
          integer_sums[k] += integers[k];
          float_sums[k] += double{floats[k]};
          largest.back() = std::max(largest.back(), std::abs(double{floats[k]}));
        }
      }
    }
    ASSERT_EQ(cluster.run(), "");
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      const Worker& worker = cluster.worker(rank);
      ASSERT_EQ(worker.ends(), std::vector<ina_status>(16, INA_OK));
      EXPECT_EQ(worker.floats(), cluster.worker(0).floats());
      for (std::size_t i = 0; i < exact_integers.size(); ++i) {
        const double off = static_cast<double>(workers * workers) * largest[i] * 0x1p-30;
        for (std::size_t k = 0; k < exact_integers[i].size(); ++k) {
          ASSERT_EQ(worker.integers()[i][k], exact_integers[i][k]);
          const double sum = exact_floats[i][k];
          const double rounding = std::abs(sum) * 0x1p-24 + 0x1p-150;
          ASSERT_NEAR(worker.floats()[i][k], sum, off * (1 + 0x1p-24) + rounding);
        }
      }
    }
  }
}

TEST_P(AllReducerOf, TellsEveryWorkerThatOneHasAValueThatIsNotFinite) {
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    Cluster cluster(GetParam(), 3, 1);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      std::vector<float> values(100, 1.F);
      cluster.worker(rank).submit(values);
      if (rank == 1) values[77] = value;
      cluster.worker(rank).submit(values);
      cluster.worker(rank).submit(std::vector<float>(100, 2.F));
    }
    ASSERT_EQ(cluster.run(), "");
    for (std::size_t rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(cluster.worker(rank).ends(),
                (std::vector<ina_status>{INA_OK, INA_NOT_FINITE, INA_OK}));
      EXPECT_EQ(cluster.worker(rank).floats().back(), std::vector<float>(100, 6.F));
    }
  }
}

TEST_P(AllReducerOf, ReportsASumOfFloatsBeyondTheLargestToEveryWorkerAndGoesOn) {
  constexpr float kMost = std::numeric_limits<float>::max();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Cluster cluster(GetParam(), 3, 1);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    Worker& worker = cluster.worker(rank);
    std::vector<float> values(100, 1.F);
    values[77] = kMost / 2;
    worker.submit(values);
    values[77] = -kMost / 2;
    worker.submit(values);
    values[77] = rank == 0 ? kMost : 0.F;  // fits
    worker.submit(values);
    values[77] = rank == 1 ? kInfinity : kMost;  // even if other values overflow
    values[3] = kMost;
    worker.submit(values);
  }
  ASSERT_EQ(cluster.run(), "");
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const Worker& worker = cluster.worker(rank);
    EXPECT_EQ(worker.ends(),
              (std::vector<ina_status>{INA_OVERFLOW, INA_OVERFLOW, INA_OK, INA_NOT_FINITE}));
    EXPECT_NEAR(worker.floats()[2][77], kMost, kMost * 1e-6F);
  }
}

/// Submits one of these arrays, or leaves (monostate).
using Mistake = std::variant<std::vector<std::int32_t>, std::vector<float>, std::monostate>;

void submit(Worker& worker, const Mistake& mistake) {
  std::visit(
      [&](const auto& array) {
        if constexpr (std::is_same_v<std::decay_t<decltype(array)>, std::monostate>) {
          worker.leave();
        } else {
          worker.submit(array);
        }
      },
      mistake);
}

struct Mismatch {
  const char* name;
  Mistake of_two;  // ranks 0 and 2
  Mistake of_rank_1;
  const char* why;
};

const Mismatch kMismatches[] = {
    {"integers, fewer", std::vector<std::int32_t>(500, 1), std::vector<std::int32_t>(100, 1),
     "rank 1: 100 int32; ranks 0, 2: 500 int32"},
    {"integers, one more in the same fragments", std::vector<std::int32_t>(9, 1),
     std::vector<std::int32_t>(10, 1), "rank 1: 10 int32; ranks 0, 2: 9 int32"},
    {"integers, none", std::vector<std::int32_t>(9, 1), std::vector<std::int32_t>(),
     "rank 1: 0 int32; ranks 0, 2: 9 int32"},
    {"floats, more", std::vector<float>(100, 1.F), std::vector<float>(500, 1.F),
     "rank 1: 500 float32; ranks 0, 2: 100 float32"},
    {"another kind", std::vector<float>(64, 1.F), std::vector<std::int32_t>(64, 1),
     "rank 1: 64 int32; ranks 0, 2: 64 float32"},
    {"NaN beside another count", std::vector<float>(64, 1.F),
     std::vector<float>(63, std::numeric_limits<float>::quiet_NaN()),
     "rank 1: 63 float32; ranks 0, 2: 64 float32"},
    {"one leaves", std::vector<float>(64, 1.F), std::monostate(),
     "rank 1: leaves the job; ranks 0, 2: 64 float32"},
};

TEST_P(AllReducerOf, TellsEveryWorkerWhoDiffersAndGoesOnInStep) {
  for (const Mismatch& mismatch : kMismatches) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(std::string(mismatch.name) + ", seed " + std::to_string(seed));
      Cluster cluster(GetParam(), 3, seed);
      if (seed % 2 == 0) cluster.lose(0.05);
      for (std::size_t rank = 0; rank < 3; ++rank) {
        Worker& worker = cluster.worker(rank);
        worker.submit(std::vector<std::int32_t>(200, 1));
        for (int i = 0; i < 2; ++i) {
          submit(worker, rank == 1 ? mismatch.of_rank_1 : mismatch.of_two);
        }
        worker.submit(std::vector<std::int32_t>(300, 2));
        worker.submit(std::vector<float>(300, 2.F));
      }
      ASSERT_EQ(cluster.run(), "");
      for (std::size_t rank = 0; rank < 3; ++rank) {
        const Worker& worker = cluster.worker(rank);
        EXPECT_EQ(worker.ends(),
                  (std::vector<ina_status>{INA_OK, INA_MISMATCH, INA_MISMATCH, INA_OK, INA_OK}));
        EXPECT_EQ(worker.why(), "found different arrays: " + std::string(mismatch.why) +
                                    "; allowed: the same kind and count at all workers");
        EXPECT_EQ(worker.integers().front(), std::vector<std::int32_t>(200, 3));
        EXPECT_EQ(worker.integers().back(), std::vector<std::int32_t>(300, 6));
        EXPECT_EQ(worker.floats().back(), std::vector<float>(300, 6.F));
      }
    }
  }
}

TEST_P(AllReducerOf, SumsWhatWorkersSubmitAtDifferentTimes) {
  constexpr std::int32_t kArrays = 40;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Cluster cluster(GetParam(), 2, seed);
    if (seed % 2 == 0) cluster.lose(0.05);
    for (std::int32_t value = 0; value < kArrays; ++value) {
      cluster.worker(0).submit(std::vector<std::int32_t>(9, value));
    }
    cluster.worker(1).submit(std::vector<std::int32_t>(9, 0));
    cluster.worker(1).submit_later(1, kArrays);
    ASSERT_EQ(cluster.run(), "");
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const Worker& worker = cluster.worker(rank);
      ASSERT_EQ(worker.ends(), std::vector<ina_status>(kArrays, INA_OK));
      for (std::int32_t value = 0; value < kArrays; ++value) {
        EXPECT_EQ(worker.integers()[static_cast<std::size_t>(value)],
                  std::vector<std::int32_t>(9, 2 * value));
      }
    }
  }
}

/// Tries many numbers of PSNs. Every run contains a mismatch.
TEST_P(AllReducerOf, GoesOnInOtherSessionsWhenThePsnsAreUsedUp) {
  constexpr std::size_t kArrays = 6;
  int most_sessions = 0;
  for (std::uint64_t psns = 20; psns <= 80; ++psns) {
    SCOPED_TRACE(std::to_string(psns) + " PSNs");
    Cluster cluster(GetParam(), 3, psns, psns);
    if (psns % 2 == 0) cluster.lose(0.05);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      Worker& worker = cluster.worker(rank);
      worker.submit(std::vector<std::int32_t>(rank == 1 ? 500 : 9, 1));
      worker.submit(
          std::vector<float>(9, rank == 0 ? std::numeric_limits<float>::infinity() : 1.F));
      for (std::size_t i = 0; i < kArrays; ++i) {
        worker.submit(std::vector<std::int32_t>(6 * kWidth, 2));
      }
      worker.leave();
    }
    ASSERT_EQ(cluster.run(), "");
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const auto& ends = cluster.worker(rank).ends();
      ASSERT_EQ(ends.size(), 2 + kArrays + 1);
      EXPECT_EQ(ends[0], INA_MISMATCH);
      EXPECT_EQ(ends[1], INA_NOT_FINITE);
      EXPECT_EQ(std::count(ends.begin() + 2, ends.end(), INA_OK), kArrays + 1);
      for (std::size_t i = 1; i <= kArrays; ++i) {
        EXPECT_EQ(cluster.worker(rank).integers()[i], std::vector<std::int32_t>(6 * kWidth, 6));
      }
    }
    most_sessions = std::max(most_sessions, cluster.sessions());
  }
  EXPECT_GT(most_sessions, 2);
}

TEST_P(AllReducerOf, SumsTheLongestArrayThatIsAllowed) {
  constexpr std::uint64_t kPsns = 40;
  const Kind kind = GetParam();
  for (const bool of_floats : {false, true}) {
    const bool has_exponents = of_floats && kind.blocks == FloatBlocks::fragments;
    const std::size_t longest =
        AllReducer::longest({kWidth, Cluster::kAggregators, kSpan, 0, 3, kPsns}, has_exponents);
    EXPECT_GT(longest, kPsns * kWidth / 2);
    Cluster cluster(kind, 3, 1, kPsns);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      Worker& worker = cluster.worker(rank);
      of_floats ? worker.submit(std::vector<float>(longest, 1.F))
                : worker.submit(std::vector<std::int32_t>(longest, 1));
      worker.submit(std::vector<std::int32_t>(1, 1));
    }
    ASSERT_EQ(cluster.run(), "");
    EXPECT_EQ(cluster.sessions(), 2);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(cluster.worker(rank).ends(), (std::vector<ina_status>{INA_OK, INA_OK}));
    }
  }
}

TEST_P(AllReducerOf, SumsZerosToZeros) {
  Cluster cluster(GetParam(), 2, 1);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    cluster.worker(rank).submit(std::vector<float>(9, rank == 0 ? 0.F : -0.F));
  }
  ASSERT_EQ(cluster.run(), "");
  EXPECT_EQ(cluster.worker(0).floats()[0], std::vector<float>(9, 0.F));
}

/// Magnitudes vary between fragments, from denormals to 2^100 in one array, including zeros.
std::vector<float> draw_blocks(Random& random, std::size_t count) {
  std::vector<float> values(count);
  int exponent = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (k % kWidth == 0) exponent = static_cast<int>(random.between(0, 250)) - 150;
    values[k] = random.percent(10)
                    ? 0.F
                    : std::ldexp(static_cast<float>(random.between(0, 2000)) - 1000.F, exponent);
  }
  return values;
}

/// Largest magnitude among all workers' values in the fragment of value k.
double largest_beside(const std::vector<std::vector<float>>& of_workers, std::size_t k) {
  double largest = 0;
  const std::size_t first = k / kWidth * kWidth;
  for (const auto& values : of_workers) {
    for (std::size_t i = first; i < std::min(first + kWidth, values.size()); ++i) {
      largest = std::max(largest, std::abs(double{values[i]}));
    }
  }
  return largest;
}

// The bound is n^2 M 2^-30, where M is the fragment's own maximum. Other fragments do not affect
// it.
TEST(AllReducerInBlocks, SumsEachFragmentWithinTheBoundOfItsOwnMagnitude) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto workers = static_cast<std::uint16_t>(1 + seed % 5);
    Cluster cluster(Kind{system_called("switchml"), FloatBlocks::fragments}, workers, seed);
    if (seed % 2 == 0) cluster.lose(0.1);
    const std::size_t count = cluster.random().between(1, 400);
    std::vector<std::vector<float>> of_workers;
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      of_workers.push_back(draw_blocks(cluster.random(), count));
      cluster.worker(rank).submit(of_workers.back());
    }
    ASSERT_EQ(cluster.run(), "");
    for (std::uint16_t rank = 0; rank < workers; ++rank) {
      ASSERT_EQ(cluster.worker(rank).ends(), std::vector<ina_status>{INA_OK});
      ASSERT_EQ(cluster.worker(rank).floats(), cluster.worker(0).floats());
    }
    for (std::size_t k = 0; k < count; ++k) {
      double sum = 0;
      for (const auto& values : of_workers) sum += double{values[k]};
      const double off =
          static_cast<double>(workers * workers) * largest_beside(of_workers, k) * 0x1p-30;
      const double rounding = std::abs(sum) * 0x1p-24 + 0x1p-150;
      ASSERT_NEAR(cluster.worker(0).floats()[0][k], sum, off * (1 + 0x1p-24) + rounding) << k;
    }
  }
}

TEST(AllReducerInBlocks, NamesAWorkerWhoseValuesAreNotFinite) {
  Cluster cluster(Kind{system_called("switchml"), FloatBlocks::fragments}, 3, 1);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    std::vector<float> values(300, 1.F);
    if (rank == 1) values[211] = std::numeric_limits<float>::quiet_NaN();
    cluster.worker(rank).submit(values);
  }
  ASSERT_EQ(cluster.run(), "");
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(cluster.worker(rank).ends(), std::vector<ina_status>{INA_NOT_FINITE});
    EXPECT_EQ(cluster.worker(rank).why(),
              "found a NaN or an infinity of rank 1; allowed: finite values");
  }
}

constexpr std::int32_t kGreatest = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();

TEST_P(AllReducerOf, ReportsAnOverflowToEveryWorkerAndGoesOn) {
  const std::array<std::array<std::int32_t, 3>, 5> beyond = {{
      {1'000'000'000, 1'000'000'000, 1'000'000'000},
      {-1'000'000'000, -1'000'000'000, -1'000'000'000},
      {kGreatest, 1, 1},
      {0, 0, kGreatest},  // exactly at a limit
      {0, kLeast, 0},
  }};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Cluster cluster(GetParam(), 3, seed);
    if (seed % 2 == 0) cluster.lose(0.05);
    for (const auto& values_of_ranks : beyond) {
      for (std::size_t rank = 0; rank < 3; ++rank) {
        std::vector<std::int32_t> values(50, 1);
        values[20] = values_of_ranks[rank];
        cluster.worker(rank).submit(values);
        cluster.worker(rank).submit(std::vector<std::int32_t>(50, 2));
      }
    }
    ASSERT_EQ(cluster.run(), "");
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const auto& ends = cluster.worker(rank).ends();
      ASSERT_EQ(ends.size(), 2 * beyond.size());
      for (std::size_t i = 0; i < ends.size(); i += 2) {
        EXPECT_EQ(ends[i], INA_OVERFLOW) << i;
        EXPECT_EQ(ends[i + 1], INA_OK) << i;
      }
      EXPECT_EQ(cluster.worker(rank).integers().back(), std::vector<std::int32_t>(50, 6));
    }
  }
}

TEST_P(AllReducerOf, SumsTheLargestIntegersThatFit) {
  for (const std::uint16_t workers : std::array<std::uint16_t, 4>{1, 2, 3, 5}) {
    const std::int32_t largest = (kGreatest - 1) / workers;
    Cluster cluster(GetParam(), workers, 1);
    for (std::size_t rank = 0; rank < workers; ++rank) {
      cluster.worker(rank).submit(std::vector<std::int32_t>{largest, -largest, 0, 1});
    }
    ASSERT_EQ(cluster.run(), "");
    for (std::size_t rank = 0; rank < workers; ++rank) {
      EXPECT_EQ(cluster.worker(rank).ends(), std::vector<ina_status>{INA_OK});
      EXPECT_EQ(cluster.worker(rank).integers()[0],
                (std::vector<std::int32_t>{workers * largest, workers * -largest, 0, workers}));
    }
  }
}

/// The check may reject arrays whose sums fit. Without it, sums that do not fit wrap around.
TEST(AllReducerUnderSwitchml, ChecksBeforeSendingUnlessToldNotTo) {
  Cluster cluster(Kind{system_called("switchml")}, 3, 1);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const std::vector<std::int32_t> cancels(40, rank == 1 ? -kGreatest + 9 : kGreatest / 2);
    const std::vector<std::int32_t> overflows(40, kGreatest);
    cluster.worker(rank).submit(cancels);
    cluster.worker(rank).submit(cancels, false);
    cluster.worker(rank).submit(overflows, false);
  }
  ASSERT_EQ(cluster.run(), "");
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const Worker& worker = cluster.worker(rank);
    EXPECT_EQ(worker.ends(), (std::vector<ina_status>{INA_OVERFLOW, INA_OK, INA_OK}));
    EXPECT_EQ(worker.why(),
              "found values of ranks 0, 1, 2 that may put sums out of range; allowed: magnitudes "
              "up to 715827882 ((2^31 - 2) / 3 workers)");
    EXPECT_EQ(worker.integers()[1], std::vector<std::int32_t>(40, 8));
    EXPECT_EQ(worker.integers()[2], std::vector<std::int32_t>(40, kGreatest - 2));  // mod 2^32
  }
}

INSTANTIATE_TEST_SUITE_P(System, AllReducerOf,
                         ::testing::Values(Kind{system_called("switchml")},
                                           Kind{system_called("switchml"), FloatBlocks::fragments},
                                           Kind{system_called("atp")}, Kind{system_called("dsa")}),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace ina::library
