// SPDX-License-Identifier: BSD-3-Clause
// The default time limit of a scenario: above the needs of its jobs, and how it is composed.
#include "scenarios/resolve/time_limit.hpp"

#include <gtest/gtest.h>

#include "scenario_files.hpp"

namespace ina::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000'000;

class TimeLimitTest : public testing::Test {
 protected:
  ina::scenarios::Scenario scenario(const std::string& jobs, const std::string& more = "") const {
    return ina::scenarios::read_experiment(
               folder_.write("a.json", "{" + more + R"("jobs":)" + jobs + "}"))
        .points.front()
        .with_seed();
  }
  /// The default time limit, in seconds.
  double limit(const std::string& jobs, const std::string& more = "") const {
    const auto of = scenario(jobs, more);
    const ina::scenarios::Network network(of.topology, of.seed);
    return static_cast<double>(ina::scenarios::time_limit(of, network)) / kSecond;
  }

  ScenarioFolder folder_;
};

constexpr auto kTiny = R"({"profile":"tiny"})";

TEST_F(TimeLimitTest, IsWhatTheScenarioStates) {
  EXPECT_EQ(limit(kTiny, R"("time_limit":"2.5s",)"), 2.5);
}

TEST_F(TimeLimitTest, IsAtLeastAMinuteAndWritten) {
  const auto tiny = scenario(kTiny);
  EXPECT_GE(tiny.time_limit_ps, 60 * kSecond);
  EXPECT_LE(tiny.time_limit_ps, 70 * kSecond);
  EXPECT_EQ(ina::scenarios::to_json(tiny)["time_limit"],
            ina::scenarios::format_time(*tiny.time_limit_ps));
}

/// 8 x 10 frames of 306 B at 1 Mbps in sequence. Round trips and passes take less than a second.
TEST_F(TimeLimitTest, HasTenTimesComputationStartJitterAndFrames) {
  const std::string layer = R"("layers":[{"parameters":620,"forward":"1s","backward":"2s"}])";
  const std::string jobs = R"({"iterations":100,"start":{"uniform":["1s","5s"]},
      "jitter":{"uniform":["0s","1s"]},"compute_time_factors":[[1],[0.5,2]],"profile":{)" +
                           layer + "}}";
  const double alone = 5 + 100 * (2 * 3 + 1) + 100 * 8 * 10 * 306 * 8e-6;
  const double of_slow_link = limit(jobs, R"("topology":{"link":{"rate":"1Mbps"}},)");
  EXPECT_GT(of_slow_link, 61 + 10 * alone);
  EXPECT_LT(of_slow_link, 61 + 10 * (alone + 5));
}

TEST_F(TimeLimitTest, TakesTheSlowestOfJobsThatShareNothing) {
  const std::string slow = R"({"profile":{"layers":[{"parameters":1,"forward":"10s"}]}})";
  EXPECT_NEAR(limit("[" + slow + "," + kTiny + "," + slow + "]"), limit(slow), 1);
}

TEST_F(TimeLimitTest, GrowsWithWhatMakesRunsLong) {
  const std::string dnn = R"({"profile":{"layers":[{"parameters":6200000}]}})";
  const auto longer = [&](const std::string& more) {
    EXPECT_GT(limit(dnn, more + ","), limit(dnn) + 1) << more;
  };
  longer(R"("topology":{"link":{"rate":"1Gbps"}})");
  longer(R"("topology":{"link":{"delay":"1ms"}})");
  longer(R"("switch":{"pipeline_latency":"1ms"})");
  longer(R"("switch":{"pass_latency":"1ms"})");
  longer(R"("switch":{"passes":"charged","resubmit_bandwidth":"1Gbps"})");
  longer(R"("system":"atp","topology":{"racks":2,"uplink":{"rate":"1Gbps"}})");
  longer(R"("system":"switchml","switchml":{"slots":1})");
  longer(R"("dsa":{"initial_window_packets":1})");
  longer(R"("dsa":{"min_rto":"100ms"})");
  longer(R"("dsa":{"reminder_min_timeout":"100ms"})");
  longer(R"("faults":{"links":[{"loss":0.01}]})");
  longer(R"("faults":{"links":[{"corruption":0.01}]})");
  longer(R"("faults":{"links":[{"burst":{"start":0.01,"end":0.5}}]})");
  longer(R"("faults":{"links":[{"reordering":0.1,"reordering_delay":"1ms"}]})");
  longer(R"("dsa":{"min_rto":"100ms"},"faults":{"links":[{"lost_frames":[7]}]})");
  longer(R"("faults":{"nodes":[{"fault":"switch_reboots","at":"1s","duration":"7s"}]})");
}

/// Eight workers on one link take the same time as one worker on a link with an eighth of its rate.
TEST_F(TimeLimitTest, GrowsWithWhoSharesALink) {
  const auto of = [this](const std::string& place) {
    return limit(
        R"({"count":4,"workers":2,)" + place + R"("profile":{"layers":[{"parameters":6200000}]}})",
        R"("topology":{"link":{"rate":"1Gbps"}},)");
  };
  const double apart = of("");
  EXPECT_GT(of(R"("hosts":[0,0],)"), apart + 10 * 4 * 2 * 1e5 * 306 * 8e-9 - 1);
  EXPECT_GT(of(R"("server":"ps0",)"), apart + 10 * 4 * 2 * 1e5 * 306 * 8e-9 - 1);
}

TEST_F(TimeLimitTest, IsAtMostTenDays) {
  EXPECT_EQ(limit(R"({"profile":{"layers":[{"parameters":1,"forward":"864000s"}]}})"), 864000);
  EXPECT_EQ(limit(R"({"iterations":1000000000,"profile":{"layers":[{"parameters":1}]}})",
                  R"("topology":{"link":{"rate":"1Mbps"}},)"),
            864000);
}

/// A job that is killed need not finish its iterations.
TEST_F(TimeLimitTest, MayBeBelowTheComputationOfAJobThatIsGivenUp) {
  const std::string endless =
      R"({"iterations":1000000000,"profile":{"layers":[{"parameters":1,"forward":"1s"}]}})";
  const auto with = [&](const std::string& fault, const std::string& time) {
    return folder_.error(folder_.write("b.json", R"({"time_limit":")" + time +
                                                     R"(","faults":{"nodes":[)" + fault +
                                                     R"(]},"jobs":)" + endless + "}"));
  };
  const std::string killed = R"({"fault":"job_is_killed","at":"12ms","job":0})";
  const std::string lost =
      R"({"fault":"worker_is_lost","at":"2s","duration":"10s","job":0,"worker":0})";
  EXPECT_EQ(with(killed, "13ms"), "no error");
  EXPECT_EQ(with(lost, "13s"), "no error");
  EXPECT_EQ(
      with(killed, "11ms")
          .find("b.json: /time_limit: found 11ms, but the start and the computation of job 0"),
      0U);
  EXPECT_EQ(with(lost, "11s")
                .find("b.json: /time_limit: found 11s, but the start and the computation of job 0"),
            0U);
}

}  // namespace
}  // namespace ina::test
