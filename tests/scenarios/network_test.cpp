// SPDX-License-Identifier: BSD-3-Clause
// What links of their own change of the numbers that follow from links.
#include "scenarios/resolve/network.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "scenario_files.hpp"
#include "scenarios/resolve/sizes.hpp"
#include "scenarios/resolve/time_limit.hpp"

namespace ina::test {
namespace {

using scenarios::Network;

constexpr std::uint64_t kGbps = 1'000'000'000;

class NetworkTest : public testing::Test {
 protected:
  /// Two jobs of two workers each, of ATP.
  scenarios::Scenario scenario(const std::string& topology) const {
    const std::string jobs = R"({"count":2,"workers":2,"iterations":1000,"profile":"tiny"})";
    const auto file = folder_.write(
        "a.json", R"({"system":"atp","topology":{)" + topology + R"(},"jobs":)" + jobs + "}");
    return scenarios::read_experiment(file).points.front().with_seed();
  }

  static cluster::Environment environment_of(const scenarios::Scenario& scenario) {
    return scenarios::environment_of(scenario, Network(scenario.topology));
  }

  ScenarioFolder folder_;
};

TEST_F(NetworkTest, HaveWhatTheirKindHasUnlessOneSaysMore) {
  const Network links(scenario(R"("type":"leaf_spine","racks":2,"hosts_per_rack":2,"spines":1,
                  "parameter_servers":2,"uplink":{"rate":"40Gbps"},
                  "links":[{"link":"hosts","rate":"10Gbps","delay":"1us"},
                           {"link":"host1","rate":"25Gbps"},
                           {"link":"leaf1-spine0","framing_bytes":24},
                           {"link":"ps1","packets_per_second":5000}])")
                          .topology);
  EXPECT_EQ(links.hosts[0].line, (scenarios::LinkScenario{10 * kGbps, 1'000'000, 0}));
  EXPECT_EQ(links.hosts[1].line, (scenarios::LinkScenario{25 * kGbps, 1'000'000, 0}));
  EXPECT_EQ(links.hosts[4].line, (scenarios::LinkScenario{100 * kGbps, 2'500'000, 0}));
  EXPECT_EQ(links.hosts[4].packets_per_second, std::nullopt);
  EXPECT_EQ(links.hosts[5].packets_per_second, 5000U);
  EXPECT_EQ(links.trunks[0].line, (scenarios::LinkScenario{40 * kGbps, 2'500'000, 0}));
  EXPECT_EQ(links.trunks[1].line, (scenarios::LinkScenario{40 * kGbps, 2'500'000, 24}));
}

TEST_F(NetworkTest, OfAHostOnRailsAreNamedTogetherAndOneByOne) {
  const Network links(scenario(R"("type":"rail","hosts":2,"rails":2,
                                       "links":[{"link":"host1","rate":"10Gbps"},
                                                {"link":"host0.rail1","rate":"20Gbps"}])")
                          .topology);
  EXPECT_EQ(links.hosts[0].line.rate_bps, 100 * kGbps);
  EXPECT_EQ(links.hosts[1].line.rate_bps, 10 * kGbps);
  EXPECT_EQ(links.hosts[2].line.rate_bps, 20 * kGbps);
  EXPECT_EQ(links.hosts[3].line.rate_bps, 10 * kGbps);
}

/// 306 B at a million a second.
TEST_F(NetworkTest, OfFewPacketsASecondAreAsFastAsTheirHost) {
  scenarios::NetworkLink link{{100 * kGbps, 0, 0}, 1'000'000};
  EXPECT_EQ(link.rate_bps_of(306), 306U * 8 * 1'000'000);
  EXPECT_EQ(link.frame_ps(306), 1e6);
  link.packets_per_second = 1'000'000'000;
  EXPECT_EQ(link.rate_bps_of(306), 100 * kGbps);
  EXPECT_NEAR(link.frame_ps(306), 24'480, 1e-6);
}

/// A window has to hold what the fastest job may have on its way, which its slowest worker decides.
TEST_F(NetworkTest, GiveWindowsTheFastestJobsSlowestWorkerAndTheLongestRoundTrip) {
  const auto environment = environment_of(scenario(R"("hosts":4,"parameter_servers":2,
                  "links":[{"link":"host0","rate":"40Gbps"},{"link":"host1","rate":"400Gbps"},
                           {"link":"host2","rate":"10Gbps","delay":"7us"},
                           {"link":"ps1","delay":"4us"}])"));
  EXPECT_EQ(environment.line_rate_bps, 40 * kGbps);
  EXPECT_EQ(environment.to_switch_and_back.count(), 2 * 7'000'000);
  EXPECT_EQ(environment.to_server_and_back.count(), 2 * (7'000'000 + 4'000'000));
}

TEST_F(NetworkTest, OfHostsThatNoJobUsesDoNotDecideOnTheRoundTrip) {
  const auto environment = environment_of(scenario(R"("hosts":5,"parameter_servers":3,
                  "links":[{"link":"host4","delay":"10ms"},{"link":"ps2","delay":"10ms"}])"));
  EXPECT_EQ(environment.to_switch_and_back.count(), 2 * 2'500'000);
  EXPECT_EQ(environment.to_server_and_back.count(), 2 * (2'500'000 + 2'500'000));
}

TEST_F(NetworkTest, OfAServersHostMeanNothingToSystemsWithoutServers) {
  const auto environment = [&](const std::string& system, const std::string& server) {
    const auto file = folder_.write(
        "b.json", R"({"topology":{"hosts":4,"racks":2,"parameter_servers":0},"system":")" + system +
                      R"(","jobs":{"hosts":[0,2],)" + server + R"("profile":"tiny"}})");
    return environment_of(scenarios::read_experiment(file).points.front().with_seed());
  };
  const std::string distant = R"("server":"host1",)";
  EXPECT_EQ(environment("ring", distant).to_server_and_back,
            environment("ring", "").to_server_and_back);
  EXPECT_GT(environment("ps", distant).to_server_and_back,
            environment("ps", R"("server":"host3",)").to_server_and_back);
}

TEST_F(NetworkTest, OnTheLongestWayDecideOnTheRoundTrip) {
  const auto environment =
      environment_of(scenario(R"("type":"leaf_spine","racks":2,"hosts_per_rack":2,"spines":2,
                  "links":[{"link":"leaf0-spine1","delay":"20us"}])"));
  EXPECT_EQ(environment.to_switch_and_back.count(), 2 * (2'500'000 + 20'000'000 + 2'500'000));
}

TEST_F(NetworkTest, LetATimeLimitFollowTheSlowestOfThem) {
  const std::string leaves = R"("type":"leaf_spine","racks":2,"hosts_per_rack":2,"spines":2)";
  const auto limit = [&](const std::string& own) {
    const auto of = scenario(leaves + R"(,"links":[)" + own + "]");
    return scenarios::time_limit(of, Network(of.topology));
  };
  const auto usual = limit("");
  EXPECT_GT(limit(R"({"link":"host3","rate":"1Mbps"})"), usual);
  EXPECT_GT(limit(R"({"link":"leaf0-spine1","rate":"1Mbps"})"), usual);
  EXPECT_GT(limit(R"({"link":"ps0","packets_per_second":1000})"), usual);
}

}  // namespace
}  // namespace ina::test
