// SPDX-License-Identifier: BSD-3-Clause
// Switch programs that send frames of their own or have deadlines (tests/support), on the
// campaigns' network and in random clusters under random faults. The system is ps, whose switch
// only forwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/campaigns/campaign.hpp"
#include "tests/campaigns/two_hosts.hpp"
#include "tests/support/active_programs.hpp"
#include "tests/support/star_network.hpp"

namespace ina::campaigns {
namespace {

using testing::Direction;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RetransmittingProgram;
using testing::ThreefoldProgram;

// ---- on the network

constexpr Time kLimit = std::chrono::seconds(1);

TEST(ActiveProgramInTheNetwork, AnswersOnePacketWithThree) {
  TwoHosts<ThreefoldProgram> star;
  star.send(7);
  EXPECT_EQ(star.network.run(kLimit), "");
  EXPECT_THAT(star.received(), ElementsAre(7, 7, 7));
  EXPECT_EQ(star.network.statistics().switched, 1U);
}

TEST(ActiveProgramInTheNetwork, RetransmitsAfterATimeOutWhatALinkLost) {
  TwoHosts<RetransmittingProgram> star;
  faults::LinkFaults::Config first_lost;
  first_lost.lost_frames = {0};
  star.network.add_faults(star.to, Direction::down, first_lost, 1);
  star.send(7);
  EXPECT_EQ(star.network.run(kLimit), "");
  const Time first = 2 * star.kDelay + RetransmittingProgram::kTimeout;
  EXPECT_THAT(star.receiver.arrivals,
              ElementsAre(std::pair(Psn{7}, first),
                          std::pair(Psn{7}, first + RetransmittingProgram::kTimeout)));
  EXPECT_EQ(star.network.statistics().lost, 1U);
}

/// A result for the sender stops all retransmissions.
TEST(ActiveProgramInTheNetwork, RetransmitsNothingOnceAResultHasPassed) {
  TwoHosts<RetransmittingProgram> star;
  star.send(7);
  Frame result;
  result.psn = 7;
  result.kind = FrameKind::result;
  result.destination = star.from;
  star.network.call_at(RetransmittingProgram::kTimeout / 2, [&] {
    star.receiver.to_send.push_back(result);
    star.network.wake_at(star.to, star.network.now());
  });
  EXPECT_EQ(star.network.run(kLimit), "");
  EXPECT_THAT(star.received(), ElementsAre(7));
  EXPECT_THAT(star.sender.arrivals.size(), 1U);
}

TEST(ActiveProgramInTheNetwork, AtALeafItSendsToTheMiddle) {
  TwoHosts<ThreefoldProgram> star;
  star.network.add_leaf(std::make_unique<RetransmittingProgram>(), "leaf", {star.from});
  star.send(7);
  EXPECT_EQ(star.network.run(kLimit), "");
  // The leaf sends once immediately and twice after a time-out. The middle switch triples each of
  // these frames.
  EXPECT_EQ(star.received().size(), 9U);
}

// ---- in random clusters

constexpr std::uint64_t kSeeds = 400;

/// A program that adds the number of frames it sent to a total when it is destroyed.
template <class Program>
class Reporting final : public Program {
 public:
  explicit Reporting(std::uint64_t& total) : total_(total) {}
  ~Reporting() override { total_ += this->sent(); }

 private:
  std::uint64_t& total_;
};

template <class Program>
Setting setting_with(std::uint64_t& sent) {
  Setting setting;
  setting.make_program = [&sent](const testing::ClusterShape&) {
    return std::make_unique<Reporting<Program>>(sent);
  };
  return setting;
}

struct Total {
  Counts counts;
  std::uint64_t sent = 0;  ///< by the programs themselves
};

template <class Program>
Total run_seeds() {
  Total total;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Outcome outcome = run_campaign(testing::system_called("ps"), seed,
                                         setting_with<Program>(total.sent), nullptr);
    EXPECT_EQ(outcome.failure, "") << "seed " << seed;
    total.counts += outcome.counts;
  }
  return total;
}

/// Only the programs' own frames bring gradients to a server.
TEST(ActiveProgramInCampaigns, JobsFinishWithThreeForOneWhateverFails) {
  const Total total = run_seeds<ThreefoldProgram>();
  EXPECT_GT(total.sent, 50'000U);
  EXPECT_EQ(total.sent % ThreefoldProgram::kCopies, 0U);
  EXPECT_GT(total.counts.jobs_finished, kSeeds);
  EXPECT_GT(total.counts.lost_gradients, 500U);
  EXPECT_GT(total.counts.switch_reboots, 10U);
}

TEST(ActiveProgramInCampaigns, JobsFinishWithRetransmissionsOfTheSwitchWhateverFails) {
  const Total total = run_seeds<RetransmittingProgram>();
  EXPECT_GT(total.sent, 5'000U);
  EXPECT_GT(total.counts.jobs_finished, kSeeds);
  EXPECT_GT(total.counts.lost_gradients, 500U);
  EXPECT_GT(total.counts.switch_reboots, 10U);
}

/// Sends frames again with a wrong value.
class WrongRetransmission : public RetransmittingProgram {
 public:
  rmt::Verdict next(Frame& out, Time now) override {
    const rmt::Verdict verdict = RetransmittingProgram::next(out, now);
    if (verdict.exit != rmt::Verdict::Exit::drop) {
      out.values = std::move(out.values).into_unique();
      ++out.values.data()[0];
    }
    return verdict;
  }
};

TEST(ActiveProgramInCampaigns, AWrongRetransmissionIsFound) {
  std::uint64_t sent = 0;
  std::string failure;
  for (std::uint64_t seed = 1; failure.empty() && seed <= kSeeds; ++seed) {
    failure = run_campaign(testing::system_called("ps"), seed,
                           setting_with<WrongRetransmission>(sent), nullptr)
                  .failure;
  }
  EXPECT_THAT(failure, HasSubstr("sum"));
}

TEST(ActiveProgramInCampaigns, ARunRepeatsFromItsSeed) {
  std::uint64_t sent = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::uint64_t again = 0;
    sent = 0;
    const Setting first = setting_with<RetransmittingProgram>(sent);
    const Setting second = setting_with<RetransmittingProgram>(again);
    const Outcome one = run_campaign(testing::system_called("ps"), seed, first, nullptr);
    const Outcome two = run_campaign(testing::system_called("ps"), seed, second, nullptr);
    ASSERT_EQ(one.ended, two.ended) << "seed " << seed;
    ASSERT_EQ(one.counts.frames, two.counts.frames) << "seed " << seed;
    ASSERT_EQ(sent, again) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ina::campaigns
