// SPDX-License-Identifier: BSD-3-Clause
// No sum that leaves a switch is wrong, whatever other packets come between the passes of a packet,
// and whichever of them are lost between passes.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <utility>

#include "switch-models/programs/declarations.hpp"
#include "switch-models/programs/make_program.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina::testing {
namespace {

using rmt::CheckedSeparate;
using rmt::Verdict;

constexpr std::uint64_t kSeed = 7;
constexpr std::size_t kWidth = 5;
constexpr Time kExpiry = std::chrono::milliseconds(2);

/// A value that only one worker's packet of one fragment has.
std::int32_t value_of(JobId job, Psn psn, std::uint16_t worker, std::size_t i) {
  const std::uint32_t of_task = (std::uint32_t{job} * 64 + psn % 64) * 8 + static_cast<Psn>(i);
  return static_cast<std::int32_t>(of_task * 2'654'435'761U % 100'000) << worker;
}

Values values_of_worker(ValuePool& pool, JobId job, Psn psn, std::uint16_t worker) {
  Values values = pool.take();
  for (std::size_t i = 0; i < kWidth; ++i) values.data()[i] = value_of(job, psn, worker, i);
  return values;
}

Integers sum_of(JobId job, Psn psn, std::uint32_t bitmap) {
  Integers sum(kWidth);
  for (std::uint16_t worker = 0; worker < 32; ++worker) {
    if ((bitmap >> worker & 1U) == 0) continue;
    for (std::size_t i = 0; i < kWidth; ++i) sum[i] += value_of(job, psn, worker, i);
  }
  return sum;
}

/// A switch whose frames wait for their next pass on two paths. Each path keeps its order.
class Pipeline {
 public:
  using Leaves = std::function<void(Frame&, Verdict::Exit)>;

  Pipeline(programs::SwitchProgram& program, Random& random, std::uint32_t lost_percent,
           Leaves leaves)
      : program_(program),
        random_(random),
        lost_percent_(lost_percent),
        leaves_(std::move(leaves)) {}

  void arrive(Frame frame, Time now) { run(frame, {}, now); }
  /// Whether a frame should arrive next. There are 1 to 12 frames between their passes.
  bool draw_arrival() {
    const std::size_t waiting = waiting_[0].size() + waiting_[1].size();
    return waiting == 0 || (waiting < kMostWaiting && random_.percent(50));
  }
  /// Runs, or loses, the first frame of a path.
  void advance(Time now) {
    std::size_t path = random_.between(0, 1);
    if (waiting_[path].empty()) path = 1 - path;
    auto [frame, carry] = std::move(waiting_[path].front());
    waiting_[path].pop_front();
    if (random_.percent(lost_percent_)) return;
    ++further_passes_;
    run(frame, carry, now);
  }
  std::uint64_t further_passes() const { return further_passes_; }

 private:
  static constexpr std::size_t kMostWaiting = 12;

  void run(Frame& frame, rmt::Carry carry, Time now) {
    const Verdict verdict = program_.pass(frame, carry, now);
    ASSERT_LE(verdict.resubmits + verdict.recirculations, 1);
    if (verdict.continues()) {
      waiting_[verdict.recirculations].emplace_back(std::move(frame), carry);
    } else if (verdict.exit != Verdict::Exit::drop) {
      leaves_(frame, verdict.exit);
    }
  }

  programs::SwitchProgram& program_;
  Random& random_;
  std::uint32_t lost_percent_;
  Leaves leaves_;
  std::array<std::deque<std::pair<Frame, rmt::Carry>>, 2> waiting_;
  std::uint64_t further_passes_ = 0;
};

// ---- ATP and DSA

constexpr std::uint16_t kWorkers = 4;
constexpr JobId kJobs = 2;
constexpr std::uint32_t kAggregators = 2;

Frame draw_frame_of_worker(Random& random, ValuePool& pool, wire::Format format) {
  Frame frame;
  frame.fields = wire::fields_of(format);
  frame.job = static_cast<JobId>(random.between(0, kJobs - 1));
  frame.psn = random.between(0, 3);
  frame.worker = static_cast<std::uint16_t>(random.between(0, kWorkers - 1));
  frame.source = static_cast<HostId>(10 + frame.worker);
  frame.destination = static_cast<HostId>(50 + frame.job);
  frame.bytes = frame_bytes(format, wire::kFragmentValues);
  frame.aggregator() = {.index = (frame.psn + frame.job) % kAggregators,
                        .bitmap0 = 1U << frame.worker};
  frame.aggregator().fan_in_degree0 = kWorkers;
  frame.aggregator().priority = static_cast<std::uint16_t>(random.between(0, 20));
  frame.values = values_of_worker(pool, frame.job, frame.psn, frame.worker);
  if (random.percent(5)) frame.set(flag::resend);
  return frame;
}

/// A result of a server, which frees the aggregator, or its request for a partial sum.
void make_control(Frame& frame, Random& random, wire::Format format) {
  frame.clear(flag::resend);
  frame.aggregator().bitmap0 = 0;
  if (format == wire::Format::dsa && random.percent(60)) {
    frame.kind = FrameKind::reminder;
    frame.source = frame.destination;
  } else {
    frame.kind = FrameKind::result;
    frame.destination = kAllWorkers;
  }
}

struct Totals {
  std::uint64_t complete = 0;
  std::uint64_t partial = 0;
};

/// Checks the sum in a frame that leaves: it has exactly the contributions that its bitmap states.
void check_sum(const Frame& frame, wire::Format format, Totals& totals) {
  if (frame.kind == FrameKind::reminder) return;  // without a sum
  const std::uint32_t bitmap = frame.aggregator().bitmap0;
  if (bitmap == 0) return;  // a server's result
  ASSERT_EQ(integers(frame.values), sum_of(frame.job, frame.psn, bitmap))
      << "job " << frame.job << ", PSN " << frame.psn << ", bitmap " << bitmap;
  const bool complete = bitmap == (1U << kWorkers) - 1;
  totals.complete += complete ? 1 : 0;
  totals.partial += !complete && frame.has(flag::partial) ? 1 : 0;
  if (format == wire::Format::dsa && frame.kind == FrameKind::result) {
    ASSERT_TRUE(complete);
  }
}

Totals expect_right_sums(programs::SwitchProgram& program, wire::Format format,
                         std::uint32_t lost_percent, int steps) {
  ::testing::Test::RecordProperty("seed", static_cast<int>(kSeed));
  for (JobId job = 0; job < kJobs; ++job) {
    program.install_job(job, {kWorkers, static_cast<HostId>(50 + job), 0, 0});
  }
  ValuePool pool(kWidth);
  Random random(kSeed);
  Totals totals;
  Pipeline pipeline(program, random, lost_percent,
                    [&](Frame& frame, Verdict::Exit) { check_sum(frame, format, totals); });
  Time now{};
  for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) {
    now += random.percent(1) ? kExpiry / 2 : std::chrono::nanoseconds(100);
    if (pipeline.draw_arrival()) {
      Frame frame = draw_frame_of_worker(random, pool, format);
      if (random.percent(8)) make_control(frame, random, format);
      pipeline.arrive(std::move(frame), now);
    } else {
      pipeline.advance(now);
    }
    EXPECT_EQ(program.occupied(), program.cells_in_use());
  }
  EXPECT_GT(pipeline.further_passes(), static_cast<std::uint64_t>(steps) / 10);
  return totals;
}

constexpr int kSteps = 1'000'000;

class SeparatePasses : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(SeparatePasses, OfAtpGiveNoWrongSum) {
  const auto program = programs::make_atp<CheckedSeparate>({kAggregators, kWidth, kExpiry});
  const Totals totals = expect_right_sums(*program, wire::Format::atp, GetParam(), kSteps);
  EXPECT_GT(totals.complete, 1000U);
  EXPECT_GT(totals.partial, 1000U);
}

/// A cluster of SwitchML's workers, each of which repeats a slot's fragment until it has the
/// result.
class SlotWorkers {
 public:
  static constexpr std::uint32_t kSlots = 2;

  SlotWorkers(Random& random, ValuePool& pool, std::uint32_t values)
      : random_(random),
        pool_(pool),
        bytes_(
            static_cast<std::uint16_t>(wire::kBytesToValues<wire::SwitchmlHeader> + 4 * values)) {
    for (auto& of_worker : psn_) {
      for (std::uint32_t slot = 0; slot < kSlots; ++slot) of_worker[slot] = slot;
    }
  }

  Frame draw() {
    const auto worker = static_cast<std::uint16_t>(random_.between(0, kWorkers - 1));
    const std::uint32_t slot = random_.between(0, kSlots - 1);
    Frame frame;
    frame.fields = SwitchmlFields{};
    frame.worker = worker;
    frame.source = static_cast<HostId>(10 + worker);
    frame.destination = frame.source;
    frame.psn = psn_[worker][slot];
    frame.bytes = bytes_;
    frame.switchml() = {.slot = slot, .version = frame.psn / kSlots % 2 == 1};
    frame.values = values_of_worker(pool_, 0, frame.psn, worker);
    return frame;
  }

  void receive(const Frame& result, Verdict::Exit exit) {
    ASSERT_EQ(result.kind, FrameKind::result);
    for (std::uint16_t worker = 0; worker < kWorkers; ++worker) {
      const bool is_for_it = exit == Verdict::Exit::multicast || result.destination == 10U + worker;
      if (is_for_it && !random_.percent(10)) take(result, worker);
    }
  }
  std::uint64_t results() const { return results_; }

 private:
  void take(const Frame& result, std::uint16_t worker) {
    Psn& expected = psn_[worker][result.switchml().slot];
    if (result.psn != expected) return;  // late
    ASSERT_EQ(integers(result.values), sum_of(0, result.psn, (1U << kWorkers) - 1))
        << "PSN " << result.psn;
    expected += kSlots;
    ++results_;
  }

  Random& random_;
  ValuePool& pool_;
  std::uint16_t bytes_;
  std::array<std::array<Psn, kSlots>, kWorkers> psn_{};
  std::uint64_t results_ = 0;
};

void expect_right_results(std::uint32_t values, std::uint32_t lost_percent) {
  const auto program = programs::make_switchml<CheckedSeparate>(SlotWorkers::kSlots, kWidth);
  program->install_job(0, {kWorkers, {}, 0, SlotWorkers::kSlots});
  ValuePool pool(kWidth);
  Random random(kSeed);
  SlotWorkers workers(random, pool, values);
  Pipeline pipeline(*program, random, lost_percent,
                    [&](Frame& frame, Verdict::Exit exit) { workers.receive(frame, exit); });
  for (int i = 0; i < kSteps && !::testing::Test::HasFatalFailure(); ++i) {
    if (pipeline.draw_arrival()) {
      pipeline.arrive(workers.draw(), {});
    } else {
      pipeline.advance({});
    }
  }
  EXPECT_GT(workers.results(), 5000U);
}

TEST_P(SeparatePasses, OfSwitchmlWith32ValuesGiveNoWrongResult) {
  expect_right_results(32, GetParam());
}
TEST_P(SeparatePasses, OfSwitchmlWith64ValuesGiveNoWrongResult) {
  expect_right_results(64, GetParam());
}
TEST_P(SeparatePasses, OfSwitchmlWith256ValuesGiveNoWrongResult) {
  expect_right_results(256, GetParam());
}

INSTANTIATE_TEST_SUITE_P(LostPercent, SeparatePasses, ::testing::Values(0, 10));

class SeparatePassesOfDsa : public ::testing::TestWithParam<policies::CollisionPolicy> {};

TEST_P(SeparatePassesOfDsa, GiveNoWrongSum) {
  for (const std::uint32_t lost_percent : {0U, 10U}) {
    const auto program =
        programs::make_dsa<CheckedSeparate>({kAggregators, kWidth, GetParam(), kSeed, kExpiry});
    const Totals totals = expect_right_sums(*program, wire::Format::dsa, lost_percent, kSteps / 2);
    EXPECT_GT(totals.complete, 1000U);
    EXPECT_GT(totals.partial, 1000U);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SeparatePassesOfDsa, every_policy(), policy_name);

}  // namespace
}  // namespace ina::testing
