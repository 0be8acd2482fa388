// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "hw/protocol/prefetchable.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/lone_worker.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "tests/unit/support/frames.hpp"

namespace ina {
namespace {

constexpr WorkerIdentity kIdentity{0, 0, 2, 1, 9};

/// Records the steps in which it was asked to prefetch.
class FetchingSink final : public ResultSink, public Prefetchable {
 public:
  void fragment_complete(const Frame&, const Delivery&, Time) override {}
  void tensor_complete(Psn, Time) override {}
  void fetch_ahead(unsigned step) const override { steps.push_back(step); }

  mutable std::vector<unsigned> steps;
};

class PrefetchableTransport : public ::testing::Test {
 protected:
  std::unique_ptr<WorkerTransport> make_atp(ResultSink& sink) {
    return std::make_unique<AtpWorker>(kIdentity, AtpWorker::Config{}, pool_, sink);
  }
  std::unique_ptr<WorkerTransport> make_switchml(ResultSink& sink) {
    return std::make_unique<SwitchmlWorker>(kIdentity, SwitchmlWorker::Config{}, pool_, sink);
  }
  static const Prefetchable* prefetchable(const std::unique_ptr<WorkerTransport>& transport) {
    return dynamic_cast<const Prefetchable*>(transport.get());
  }

  ValuePool pool_{8};
};

TEST_F(PrefetchableTransport, HandsTheStepsAfterItsOwnTwoToASinkThatFetches) {
  FetchingSink sink;
  for (const auto& transport : {make_atp(sink), make_switchml(sink)}) {
    sink.steps.clear();
    ASSERT_NE(prefetchable(transport), nullptr);
    for (unsigned step = 0; step < 4; ++step) prefetchable(transport)->fetch_ahead(step);
    EXPECT_EQ(sink.steps, (std::vector<unsigned>{0, 1}));
  }
}

TEST_F(PrefetchableTransport, TakesEveryStepAlsoIfItsSinkFetchesNothing) {
  testing::RecordingSink sink;
  const testing::CountingSource source(0);
  const auto transport = make_atp(sink);
  ASSERT_NE(prefetchable(transport), nullptr);
  transport->submit({0, 3, 0, 0, &source}, Time{});
  Frame frame;
  ASSERT_TRUE(transport->next(frame, Time{}));
  for (unsigned step = 0; step < 4; ++step) prefetchable(transport)->fetch_ahead(step);
  EXPECT_EQ(transport->in_flight(), 1U);
  EXPECT_TRUE(sink.fragments.empty());
}

TEST_F(PrefetchableTransport, IsNoneThatHasNothingToFetch) {
  testing::RecordingSink sink;
  const std::unique_ptr<WorkerTransport> transport = std::make_unique<LoneWorker>(pool_, sink);
  EXPECT_EQ(prefetchable(transport), nullptr);
}

}  // namespace
}  // namespace ina
