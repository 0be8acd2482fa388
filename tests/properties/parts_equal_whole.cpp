// SPDX-License-Identifier: BSD-3-Clause
// A switch program in parts, each of which gets only the frames of its aggregators, behaves like a
// whole one with any frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "hw/protocol/wire/codec.hpp"
#include "hw/protocol/wire/steering.hpp"
#include "switch-models/programs/make_program.hpp"
#include "tests/properties/random_frame.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina::testing {
namespace {

using programs::OccupiedAggregator;
using programs::SwitchProgram;
using wire::Format;
using MakeProgram = std::function<std::unique_ptr<SwitchProgram>()>;

constexpr std::size_t kWidth = 3;
constexpr std::uint32_t kSlotsOfJob = 8;
constexpr std::uint32_t kAggregators = 3 * kSlotsOfJob;
constexpr std::uint64_t kSeed = 23;

Frame draw_frame(Random& random, ValuePool& pool, Format format) {
  Frame frame = draw_frame(random, pool, kWidth, kSlotsOfJob, format);
  if (format == Format::switchml) frame.kind = FrameKind::gradient;
  frame.bytes = frame_bytes(format, kWidth);
  return frame;
}

void install_jobs(SwitchProgram& program) {
  for (const JobId job : {JobId{0}, JobId{1}, JobId{2}}) {
    program.install_job(job, {4, static_cast<HostId>(50 + job), kSlotsOfJob * job, kSlotsOfJob});
  }
}

/// A program in parts, as in the software switch on several cores.
class Parts {
 public:
  Parts(const MakeProgram& make, Format format, unsigned count) : format_(format) {
    for (unsigned part = 0; part < count; ++part) {
      parts_.push_back(make());
      install_jobs(*parts_.back());
    }
  }

  rmt::Verdict process(Frame& frame, Time now, Random& random) {
    std::vector<std::byte> bytes(frame.bytes);
    wire::encode(format_, frame, bytes);
    const auto cores = static_cast<unsigned>(parts_.size());
    const auto aggregator = wire::aggregator_in(format_, bytes);
    // Packets that touch no aggregator may be processed by any core.
    const unsigned core =
        aggregator ? wire::core_of(*aggregator, cores) : random.between(0, cores - 1);
    return parts_[core]->process(frame, now);
  }

  std::uint64_t count(JobId job, std::size_t event) const {
    std::uint64_t sum = 0;
    for (const auto& part : parts_) sum += part->counters(job).count[event];
    return sum;
  }
  std::uint64_t rejected_frames() const {
    std::uint64_t sum = 0;
    for (const auto& part : parts_) sum += part->rejected_frames();
    return sum;
  }
  std::vector<OccupiedAggregator> occupied() const {
    std::vector<OccupiedAggregator> all;
    for (const auto& part : parts_) {
      part->visit_occupied([&](const OccupiedAggregator& one) { all.push_back(one); });
    }
    std::ranges::sort(all, {}, &OccupiedAggregator::index);
    return all;
  }

 private:
  Format format_;
  std::vector<std::unique_ptr<SwitchProgram>> parts_;
};

void expect_same_counters(const SwitchProgram& whole, const Parts& parts) {
  EXPECT_EQ(parts.rejected_frames(), whole.rejected_frames());
  for (const JobId job : {JobId{0}, JobId{1}, JobId{2}}) {
    for (std::size_t event = 0; event < programs::kAggregatorEvents; ++event) {
      EXPECT_EQ(parts.count(job, event), whole.counters(job).count[event])
          << programs::kAggregatorEventNames[event];
    }
  }
  std::vector<OccupiedAggregator> occupied;
  whole.visit_occupied([&](const OccupiedAggregator& one) { occupied.push_back(one); });
  EXPECT_EQ(parts.occupied(), occupied);
}

void expect_same(const MakeProgram& make, Format format, unsigned count) {
  SCOPED_TRACE(count);
  ValuePool pool(kWidth);
  Random random(kSeed);
  const auto whole = make();
  install_jobs(*whole);
  Parts parts(make, format, count);
  Time now{};
  for (int i = 0; i < 20'000; ++i) {
    now += random.between(Time::zero(), Time(std::chrono::milliseconds(1)));
    Frame one = draw_frame(random, pool, format);
    Frame two = one;
    const rmt::Verdict a = whole->process(one, now);
    const rmt::Verdict b = parts.process(two, now, random);
    ASSERT_EQ(a.exit, b.exit) << i;
    ASSERT_TRUE(same(one, two)) << i;
  }
  expect_same_counters(*whole, parts);
}

void expect_same(const MakeProgram& make, Format format) {
  for (const unsigned count : {1U, 2U, 3U, 4U, 7U}) expect_same(make, format, count);
}

TEST(PartsEqualWhole, Switchml) {
  expect_same([] { return programs::make_switchml(kAggregators, kWidth); }, Format::switchml);
}

TEST(PartsEqualWhole, Atp) {
  expect_same([] { return programs::make_atp({kSlotsOfJob, kWidth}); }, Format::atp);
}

class PartsEqualWholeOfDsa : public ::testing::TestWithParam<policies::CollisionPolicy> {};

TEST_P(PartsEqualWholeOfDsa, WithPolicy) {
  if (policies::draws(GetParam())) GTEST_SKIP() << "each part draws for itself";
  expect_same([] { return programs::make_dsa({kSlotsOfJob, kWidth, GetParam()}); }, Format::dsa);
}

INSTANTIATE_TEST_SUITE_P(Every, PartsEqualWholeOfDsa, every_policy(), policy_name);

}  // namespace
}  // namespace ina::testing
