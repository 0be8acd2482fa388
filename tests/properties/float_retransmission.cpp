// SPDX-License-Identifier: BSD-3-Clause
// ATP's sums of float gradients, with and without overflow: the real workers, server and switch, in
// every order in which the workers' packets can arrive.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "hw/protocol/numeric/fixed_point.hpp"
#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/quantised_source.hpp"
#include "switch-models/programs/atp.hpp"

namespace ina::testing {
namespace {

constexpr JobId kJob = 1;
constexpr std::size_t kWidth = 9;
using Gradients = std::vector<std::vector<float>>;  // by rank
using Order = std::vector<std::uint16_t>;

class Sink final : public ResultSink {
 public:
  void fragment_complete(const Frame& result, const Delivery&, Time) override {
    results.push_back(result);
  }
  void tensor_complete(Psn, Time) override {}
  std::vector<Frame> results;
};

/// One fragment of a job, without loss. `Order` decides which worker sends next.
class OneFragment {
 public:
  OneFragment(const Gradients& gradients, double scale)
      : workers_(static_cast<std::uint16_t>(gradients.size())),
        server_({kJob, workers_, workers_, 1}, {}),
        sinks_(workers_) {
    program_.install_job(kJob, {workers_, workers_, 0, 0});
    for (std::uint16_t rank = 0; rank < workers_; ++rank) {
      sources_.push_back(std::make_unique<QuantisedSource>(0, gradients[rank], scale, kWidth));
      transports_.push_back(
          std::make_unique<AtpWorker>(WorkerIdentity{kJob, rank, workers_, rank, workers_},
                                      AtpWorker::Config{}, pool_, sinks_[rank]));
      transports_.back()->submit({0, 1, 0, 0, sources_.back().get()}, Time{});
    }
  }

  /// The results of all workers.
  std::vector<Frame> run(const Order& order) {
    for (bool sent = true; sent;) {
      sent = false;
      for (const std::uint16_t rank : order) {
        for (Frame frame; transports_[rank]->next(frame, Time{}); frame = Frame{}) {
          at_switch(frame);
          sent = true;
        }
      }
    }
    std::vector<Frame> results;
    for (const Sink& sink : sinks_) {
      results.insert(results.end(), sink.results.begin(), sink.results.end());
    }
    return results;
  }
  std::uint64_t overflows() const { return server_.statistics().overflows; }

 private:
  void at_switch(Frame& frame) {
    const auto exit = program_.process(frame, Time{}).exit;
    if (exit == rmt::Verdict::Exit::forward) server_.receive(std::move(frame), Time{});
    for (Frame out; server_.next(out); out = Frame{}) {
      program_.process(out, Time{});
      for (const auto& transport : transports_) transport->receive(out, Time{});
    }
  }

  ValuePool pool_{kWidth};
  std::uint16_t workers_;
  programs::AtpProgram<rmt::Checked> program_{{1, kWidth}};
  AtpServer server_;
  std::vector<Sink> sinks_;
  std::vector<std::unique_ptr<QuantisedSource>> sources_;
  std::vector<std::unique_ptr<AtpWorker>> transports_;
};

/// Sum in double, in order of ranks.
double double_sum(const Gradients& gradients, std::size_t i) {
  double sum = 0;
  for (const auto& gradient : gradients) sum += double{gradient[i]};
  return sum;
}

void expect_sums(const Gradients& gradients, double scale, const Frame& result) {
  const auto workers = static_cast<std::uint32_t>(gradients.size());
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double sum = double_sum(gradients, i);
    const std::int32_t bits = result.values.data()[i];
    if (result.has(flag::floats)) {
      ASSERT_EQ(bits, std::bit_cast<std::int32_t>(static_cast<float>(sum))) << i;
    } else {
      ASSERT_LE(std::abs(bits / scale - sum), numeric::error_bound(workers, scale)) << i;
    }
  }
}

/// Every worker gets the correct sum once.
void expect_results(const Gradients& gradients, double scale, const std::vector<Frame>& results) {
  ASSERT_EQ(results.size(), gradients.size());
  for (const Frame& result : results) {
    ASSERT_EQ(result.has(flag::floats), results[0].has(flag::floats));
    ASSERT_TRUE(std::ranges::equal(result.values.span(), results[0].values.span()));
    expect_sums(gradients, scale, result);
  }
}

bool any_sum_is_beyond_integers(const Gradients& gradients, double scale) {
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double units = std::abs(double_sum(gradients, i)) * scale;
    if (units > 0x1p31 + static_cast<double>(gradients.size())) return true;
  }
  return false;
}

/// Small values, except one whose magnitude is close to the largest integer.
Gradients draw_gradients(std::size_t workers, double scale, std::mt19937_64& random) {
  std::uniform_real_distribution<double> units(-1, 1);
  const std::size_t place = random() % kWidth;
  const double magnitude = std::ldexp(1.0, 28 + static_cast<int>(random() % 6));
  Gradients gradients(workers, std::vector<float>(kWidth));
  for (auto& gradient : gradients) {
    for (float& value : gradient) value = static_cast<float>(units(random) * 0x1p20 / scale);
    gradient[place] = static_cast<float>(units(random) * magnitude / scale);
  }
  return gradients;
}

class FloatRetransmission : public ::testing::TestWithParam<double> {};

TEST_P(FloatRetransmission, GivesTheSumInEveryOrderOfComing) {
  constexpr std::uint64_t seed = 38;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const double scale = GetParam();
  int as_floats = 0;
  int as_integers = 0;
  for (int round = 0; round < 300; ++round) {
    const Gradients gradients = draw_gradients(2 + random() % 3, scale, random);
    Order order(gradients.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint16_t>(i);
    do {
      OneFragment fragment(gradients, scale);
      const auto results = fragment.run(order);
      ASSERT_NO_FATAL_FAILURE(expect_results(gradients, scale, results)) << "round " << round;
      const bool floats = results[0].has(flag::floats);
      ASSERT_EQ(fragment.overflows(), floats ? 1U : 0U);
      if (any_sum_is_beyond_integers(gradients, scale)) {
        ASSERT_TRUE(floats) << "round " << round;
      }
      ++(floats ? as_floats : as_integers);
    } while (std::ranges::next_permutation(order).found);
  }
  EXPECT_GT(as_floats, 500);
  EXPECT_GT(as_integers, 500);
}

TEST_P(FloatRetransmission, GivesTheSumOfManyWorkers) {
  constexpr std::uint64_t seed = 39;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const double scale = GetParam();
  for (int round = 0; round < 300; ++round) {
    const Gradients gradients = draw_gradients(5 + random() % 28, scale, random);
    Order order(gradients.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint16_t>(i);
    std::shuffle(order.begin(), order.end(), random);
    OneFragment fragment(gradients, scale);
    ASSERT_NO_FATAL_FAILURE(expect_results(gradients, scale, fragment.run(order)))
        << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, FloatRetransmission,
                         ::testing::Values(numeric::atp_scale, 1.0, 0x1p-60, 3.7e20));

TEST(FloatRetransmission, HandsOnWhatNoIntegerCanStandFor) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Gradients gradients(2, std::vector<float>(kWidth, 1.F));
  gradients[0][2] = -infinity;
  gradients[1][5] = std::numeric_limits<float>::quiet_NaN();
  gradients[1][8] = 1e30F;
  OneFragment fragment(gradients, numeric::atp_scale);
  const auto results = fragment.run({0, 1});
  ASSERT_EQ(results.size(), 2U);
  ASSERT_TRUE(results[1].has(flag::floats));
  const auto value = [&](std::size_t i) {
    return std::bit_cast<float>(results[1].values.data()[i]);
  };
  EXPECT_EQ(value(0), 2.F);
  EXPECT_EQ(value(2), -infinity);
  EXPECT_TRUE(std::isnan(value(5)));
  EXPECT_EQ(value(8), 1e30F);
}

}  // namespace
}  // namespace ina::testing
