// SPDX-License-Identifier: BSD-3-Clause
// Effects of single links on the numbers that follow from links.
#include "scenarios/resolve/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "scenario_files.hpp"
#include "scenarios/resolve/placement.hpp"
#include "scenarios/resolve/sizes.hpp"
#include "scenarios/resolve/time_limit.hpp"
#include "scenarios/resolve/unloaded_path.hpp"

namespace ina::test {
namespace {

using scenarios::Network;

constexpr std::uint64_t kGbps = 1'000'000'000;
constexpr std::int64_t kNs = 1000;

std::vector<std::int64_t> delays(const std::vector<scenarios::NetworkLink>& links) {
  std::vector<std::int64_t> delays;
  for (const auto& link : links) delays.push_back(link.line.delay_ps);
  return delays;
}

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
    return scenarios::environment_of(scenario, Network(scenario.topology, scenario.seed));
  }

  static Network network(const scenarios::Scenario& scenario, std::uint64_t seed = 1) {
    return {scenario.topology, seed};
  }

  ScenarioFolder folder_;
};

TEST_F(NetworkTest, HaveWhatTheirKindHasUnlessOneSaysMore) {
  const Network links =
      network(scenario(R"("type":"leaf_spine","racks":2,"hosts_per_rack":2,"spines":1,
                  "parameter_servers":2,"link":{"delay_spread":"0s"},
                  "uplink":{"rate":"40Gbps","delay_spread":"0s"},
                  "links":[{"link":"hosts","rate":"10Gbps","delay":"1us"},
                           {"link":"host1","rate":"25Gbps"},
                           {"link":"leaf1-spine0","framing_bytes":24}])"));
  EXPECT_EQ(links.hosts[0].line, (scenarios::LinkScenario{10 * kGbps, 1'000'000, 0, 0}));
  EXPECT_EQ(links.hosts[1].line, (scenarios::LinkScenario{25 * kGbps, 1'000'000, 0, 0}));
  EXPECT_EQ(links.hosts[4].line, (scenarios::LinkScenario{100 * kGbps, 2'500'000, 0, 0}));
  EXPECT_EQ(links.trunks[0].line, (scenarios::LinkScenario{40 * kGbps, 2'500'000, 0, 0}));
  EXPECT_EQ(links.trunks[1].line, (scenarios::LinkScenario{40 * kGbps, 2'500'000, 24, 0}));
}

TEST_F(NetworkTest, OfAHostOnRailsAreNamedTogetherAndOneByOne) {
  const Network links = network(scenario(R"("type":"rail","hosts":2,"rails":2,
                                            "links":[{"link":"host1","rate":"10Gbps"},
                                                     {"link":"host0.rail1","rate":"20Gbps"}])"));
  EXPECT_EQ(links.hosts[0].line.rate_bps, 100 * kGbps);
  EXPECT_EQ(links.hosts[1].line.rate_bps, 10 * kGbps);
  EXPECT_EQ(links.hosts[2].line.rate_bps, 20 * kGbps);
  EXPECT_EQ(links.hosts[3].line.rate_bps, 10 * kGbps);
}

/// 306 B take 24.48 ns on the line.
TEST_F(NetworkTest, OfSlowHostsAreAsFastAsTheirHost) {
  scenarios::NetworkLink link{.line = {100 * kGbps, 0, 0},
                              .stage = {.per_packet = Time(1000 * kNs)}};
  EXPECT_EQ(link.rate_bps_of(306), 306U * 8 * 1'000'000);
  EXPECT_EQ(link.frame_ps(306), 1e6);
  link.stage.cores = 4;
  EXPECT_EQ(link.rate_bps_of(306), std::uint64_t{4} * 306 * 8 * 1'000'000);
  EXPECT_EQ(link.frame_ps(306), 2.5e5);
  EXPECT_EQ(link.host_ps(306), 1e6);
  link.stage.per_packet = Time(4 * kNs);
  EXPECT_EQ(link.rate_bps_of(306), 100 * kGbps);
  EXPECT_NEAR(link.frame_ps(306), 24'480, 1e-6);
}

TEST_F(NetworkTest, OfHostsTakeLongestWithBothSpreadsAtTheirEnd) {
  const scenarios::NetworkLink link{
      .line = {100 * kGbps, 0, 0},
      .stage = {.per_packet = Time(100 * kNs), .spread = 0.5, .host_spread = 0.25, .cores = 2}};
  EXPECT_DOUBLE_EQ(link.longest_host_ps(306), 1.5 * 1.25 * 100'000);
  EXPECT_DOUBLE_EQ(link.longest_frame_ps(306), 1.5 * 1.25 * 50'000);
  EXPECT_DOUBLE_EQ(link.frame_ps(306), 50'000);
}

TEST_F(NetworkTest, HaveTheDelayOfTheirKindWithoutASpread) {
  const Network links = network(scenario(R"("racks":2,"link":{"delay_spread":"0s"},
                                            "uplink":{"delay":"3us","delay_spread":"0s"})"),
                                7);
  for (const std::int64_t delay : delays(links.hosts)) EXPECT_EQ(delay, 2500 * kNs);
  for (const std::int64_t delay : delays(links.trunks)) EXPECT_EQ(delay, 3000 * kNs);
}

/// Draws are uniform: of 64 hosts some are in the outer tenths.
TEST_F(NetworkTest, DrawEachDelayWithinTheSpread) {
  const Network links = network(scenario(R"("type":"fat_tree","link":{"delay_spread":"50ns"},
                                            "uplink":{"delay":"1us","delay_spread":"1us"},
                                            "core":{"delay_spread":"2ns"},"k":8)"));
  const std::vector<std::int64_t> of_hosts = delays(links.hosts);
  EXPECT_GE(std::ranges::min(of_hosts), 2450 * kNs);
  EXPECT_LT(std::ranges::min(of_hosts), 2460 * kNs);
  EXPECT_LE(std::ranges::max(of_hosts), 2550 * kNs);
  EXPECT_GT(std::ranges::max(of_hosts), 2540 * kNs);
  EXPECT_GT(std::set<std::int64_t>(of_hosts.begin(), of_hosts.end()).size(), of_hosts.size() - 5);
  for (std::size_t trunk = 0; trunk < links.trunks.size(); ++trunk) {
    const bool of_rack = links.topology.trunks[trunk].tier == cluster::Tier::uplink;
    const std::int64_t delay = of_rack ? 1000 * kNs : 2500 * kNs;
    const std::int64_t spread = of_rack ? 1000 * kNs : 2 * kNs;
    EXPECT_LE(std::abs(links.trunks[trunk].line.delay_ps - delay), spread);
  }
}

TEST_F(NetworkTest, DifferByDefaultByTheCablesOfARackAndBetweenRacks) {
  const Network links = network(scenario(R"("type":"leaf_spine","racks":8,"hosts_per_rack":8)"));
  const auto most = [](const std::vector<std::int64_t>& delays) {
    const auto [least, longest] = std::ranges::minmax(delays);
    return std::max(2500 * kNs - least, longest - 2500 * kNs);
  };
  EXPECT_LE(most(delays(links.hosts)), 5 * kNs);
  EXPECT_GT(most(delays(links.hosts)), 4 * kNs);
  EXPECT_LE(most(delays(links.trunks)), 50 * kNs);
  EXPECT_GT(most(delays(links.trunks)), 35 * kNs);
}

TEST_F(NetworkTest, DifferByTheirDelayAtMost) {
  const Network links =
      network(scenario(R"("link":{"delay":"2ns"},"racks":2,"uplink":{"delay":"0s"})"));
  EXPECT_GE(std::ranges::min(delays(links.hosts)), 0);
  EXPECT_LE(std::ranges::max(delays(links.hosts)), 4 * kNs);
  EXPECT_GT(std::ranges::max(delays(links.hosts)), 3 * kNs);
  EXPECT_EQ(std::ranges::max(delays(links.trunks)), 0);
}

TEST_F(NetworkTest, DrawTheSameDelaysBySeed) {
  const auto spread = scenario(R"("racks":4,"link":{"delay_spread":"50ns"},
                                  "uplink":{"delay_spread":"50ns"})");
  const Network links = network(spread, 3);
  const Network again = network(spread, 3);
  const Network others = network(spread, 4);
  EXPECT_EQ(delays(again.hosts), delays(links.hosts));
  EXPECT_EQ(delays(again.trunks), delays(links.trunks));
  for (std::size_t host = 0; host < links.hosts.size(); ++host) {
    EXPECT_NE(others.hosts[host].line.delay_ps, links.hosts[host].line.delay_ps);
  }
  EXPECT_NE(delays(others.trunks), delays(links.trunks));
}

TEST_F(NetworkTest, KeepTheirDrawsWhereThereAreMoreOfThem) {
  const std::string spreads =
      R"(,"link":{"delay_spread":"50ns"},"host":{"preset":"switchml"},"server":{"preset":"switchml"})";
  const Network few = network(scenario(R"("hosts":8,"parameter_servers":2)" + spreads));
  const Network more = network(scenario(R"("hosts":9,"parameter_servers":3)" + spreads));
  for (std::size_t link = 0; link < few.hosts.size(); ++link) {
    const std::size_t same = link < 8 ? link : link + 1;
    EXPECT_EQ(more.hosts[same].line.delay_ps, few.hosts[link].line.delay_ps);
    EXPECT_EQ(more.hosts[same].stage_seed, few.hosts[link].stage_seed);
  }
}

TEST_F(NetworkTest, OfAnOwnDelayHaveNoSpread) {
  const Network links = network(scenario(R"("hosts":8,"link":{"delay_spread":"50ns"},
                  "links":[{"link":"host3","delay":"2us"},{"link":"host4","rate":"10Gbps"}])"));
  EXPECT_EQ(links.hosts[3].line.delay_ps, 2000 * kNs);
  EXPECT_EQ(links.hosts[3].longest_delay_ps, 2000 * kNs);
  EXPECT_NE(links.hosts[4].line.delay_ps, 2500 * kNs);
  EXPECT_EQ(links.hosts[4].longest_delay_ps, 2550 * kNs);
}

TEST_F(NetworkTest, HaveTheHostsOfWorkersAndOfServers) {
  const Network links = network(scenario(R"("type":"leaf_spine","racks":2,"parameter_servers":2,
                  "host":{"preset":"switchml"},"server":{"per_packet":"1us"})"));
  std::set<std::uint64_t> seeds;
  for (std::size_t machine = 0; machine < links.hosts.size(); ++machine) {
    const cluster::HostStage::Config& stage = links.hosts[machine].stage;
    EXPECT_EQ(stage.per_packet, machine < links.host_count ? Time(144 * kNs) : Time(1000 * kNs));
    EXPECT_EQ(stage.cores, machine < links.host_count ? 4U : 1U);
    seeds.insert(links.hosts[machine].stage_seed);
  }
  EXPECT_EQ(seeds.size(), links.hosts.size());
  for (const auto& trunk : links.trunks) EXPECT_FALSE(trunk.stage.is_on());
}

TEST_F(NetworkTest, GiveSizesThatDoNotDependOnTheSeed) {
  auto spread =
      scenario(R"("link":{"delay_spread":"2us"},"host":{"per_packet":"1us","spread":0.5})");
  const auto environment = [&](std::uint64_t seed) {
    return scenarios::environment_of(spread, network(spread, seed));
  };
  const std::int64_t to_switch = 2 * (4500 * kNs + 1500 * kNs);
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_EQ(environment(seed).to_switch_and_back.count(), to_switch);
    EXPECT_EQ(environment(seed).to_server_and_back.count(), to_switch + 2 * 4500 * kNs);
  }
}

/// Four workers have equal links. A loop goes to a server and back, each way by a sender and a
/// receiver.
TEST_F(NetworkTest, GiveUnloadedPathsTheTimeOfTheHostsAtBothEnds) {
  const auto path = [&](const std::string& more) {
    const auto of = scenario(R"("hosts":4)" + more);
    const Network links = network(of);
    return scenarios::unloaded_path(of, links, scenarios::placements_of(of, links), 0).count();
  };
  const std::int64_t usual = path("");
  EXPECT_EQ(path(R"(,"host":{"per_packet":"1us","cores":4,"spread":0.5})"), usual + 2 * 1000 * kNs);
  EXPECT_EQ(path(R"(,"host":{"per_packet":"1us"},"server":{"per_byte":"1ns"})"),
            usual + 2 * 1000 * kNs + 2 * 306 * kNs);
}

/// A window must hold the packets that the fastest job may have in flight. The slowest worker of
/// this job determines their number.
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
                  "link":{"delay_spread":"0s"},
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

TEST_F(NetworkTest, OfTheMostDistantWorkerDecidesOnTheRoundTripBetweenWorkers) {
  auto distant = scenario(R"("hosts":4,"links":[{"link":"all","delay":"1us"},
                                                 {"link":"host1","delay":"7us"}])");
  distant.system = cluster::system_called("ring");
  const auto environment = environment_of(distant);
  EXPECT_EQ(environment.to_server_and_back.count(), 2 * (7'000'000 + 7'000'000));
}

TEST_F(NetworkTest, OnTheLongestWayDecideOnTheRoundTrip) {
  const auto environment =
      environment_of(scenario(R"("type":"leaf_spine","racks":2,"hosts_per_rack":2,"spines":2,
                  "link":{"delay_spread":"0s"},"uplink":{"delay_spread":"0s"},
                  "links":[{"link":"leaf0-spine1","delay":"20us"}])"));
  EXPECT_EQ(environment.to_switch_and_back.count(), 2 * (2'500'000 + 20'000'000 + 2'500'000));
}

TEST_F(NetworkTest, LetATimeLimitFollowTheSlowestOfThem) {
  const std::string leaves = R"("type":"leaf_spine","racks":2,"hosts_per_rack":2,"spines":2)";
  const auto limit = [&](const std::string& own) {
    const auto of = scenario(leaves + R"(,"links":[)" + own + "]");
    return scenarios::time_limit(of, Network(of.topology, of.seed));
  };
  const auto usual = limit("");
  EXPECT_GT(limit(R"({"link":"host3","rate":"1Mbps"})"), usual);
  EXPECT_GT(limit(R"({"link":"leaf0-spine1","rate":"1Mbps"})"), usual);
}

TEST_F(NetworkTest, LetATimeLimitFollowTheLongestTimesOfHosts) {
  const auto limit = [&](const std::string& more) {
    const auto of = scenario(R"("hosts":4)" + more);
    return scenarios::time_limit(of, Network(of.topology, of.seed));
  };
  const auto exact = limit(R"(,"server":{"per_packet":"1ms"})");
  EXPECT_GT(exact, limit(""));
  EXPECT_GT(limit(R"(,"host":{"per_packet":"1ms"})"), limit(""));
  EXPECT_GT(limit(R"(,"server":{"per_packet":"1ms","spread":0.1})"), exact);
  EXPECT_GT(limit(R"(,"server":{"per_packet":"1ms","host_spread":0.1})"), exact);
}

}  // namespace
}  // namespace ina::test
