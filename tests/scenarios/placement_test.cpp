// SPDX-License-Identifier: BSD-3-Clause
// Placement of workers and servers, and their addresses.
#include "scenarios/resolve/placement.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario_files.hpp"

namespace ina::test {
namespace {

using scenarios::Network;
using scenarios::Placements;
using scenarios::Scenario;
using testing::ElementsAre;

class PlacementTest : public testing::Test {
 protected:
  /// `jobs`: JSON of each job without its profile.
  Scenario scenario(const std::vector<std::string>& jobs, const std::string& topology,
                    const std::string& system = "atp") const {
    std::string all;
    for (const std::string& job : jobs) {
      all += fmt::format(R"({}{{"profile":"tiny",{}}})", all.empty() ? "" : ",", job);
    }
    const auto file = folder_.write(
        "a.json",
        fmt::format(R"({{"system":"{}","topology":{{{}}},"jobs":[{}]}})", system, topology, all));
    return scenarios::read_experiment(file).points.front().with_seed();
  }
  Placements places(const std::vector<std::string>& jobs, const std::string& topology,
                    const std::string& system = "atp") const {
    return placements_of(scenario(jobs, topology, system));
  }

  static Placements placements_of(const Scenario& scenario) {
    return scenarios::placements_of(scenario, Network(scenario.topology, scenario.seed));
  }

  ScenarioFolder folder_;
};

constexpr auto kEightHosts = R"("hosts":8,"parameter_servers":2)";

TEST_F(PlacementTest, ByDefaultEveryoneIsAloneAndHasTheNumberOfTheMachine) {
  const Scenario of_two = scenario({R"("workers":3)", R"("workers":2)"}, kEightHosts);
  const Placements places = placements_of(of_two);
  EXPECT_THAT(places.workers, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4)));
  EXPECT_THAT(places.servers, ElementsAre(ElementsAre(8), ElementsAre(9)));
  EXPECT_THAT(places.machine_of, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_FALSE(places.are_shared(Network(of_two.topology, of_two.seed)));
}

TEST_F(PlacementTest, WhoComesToOthersHasAnAddressBehindAllMachines) {
  const Scenario shared =
      scenario({R"("hosts":[2,2,0])", R"("hosts":[0,5],"server":"ps0")"}, kEightHosts);
  const Placements places = placements_of(shared);
  EXPECT_THAT(places.workers, ElementsAre(ElementsAre(2, 10, 0), ElementsAre(11, 5)));
  EXPECT_THAT(places.servers, ElementsAre(ElementsAre(8), ElementsAre(12)));
  EXPECT_THAT(places.machine_of, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 0, 8));
  EXPECT_TRUE(places.are_shared(Network(shared.topology, shared.seed)));
}

TEST_F(PlacementTest, JobsThatNameNoHostsTakeThoseThatNoJobNames) {
  const Placements places =
      this->places({R"("workers":2)", R"("hosts":[0,2])", R"("workers":3)"}, "\"hosts\":7");
  EXPECT_THAT(places.workers,
              ElementsAre(ElementsAre(1, 3), ElementsAre(0, 2), ElementsAre(4, 5, 6)));
}

TEST_F(PlacementTest, EqualJobsAreOnTheHostsOfTheFirstAndAtItsServer) {
  const Placements places =
      this->places({R"("count":2,"hosts":[1,4],"server":"ps1")"}, kEightHosts);
  EXPECT_THAT(places.workers, ElementsAre(ElementsAre(1, 4), ElementsAre(10, 11)));
  EXPECT_THAT(places.servers, ElementsAre(ElementsAre(9), ElementsAre(12)));
}

TEST_F(PlacementTest, AServerBesideWorkersLeavesThemTheirHost) {
  const Placements places = this->places({R"("workers":2,"server":"host0")"}, "\"hosts\":2");
  EXPECT_THAT(places.workers, ElementsAre(ElementsAre(0, 1)));
  EXPECT_EQ(places.machine_of[places.servers[0][0]], 0U);
}

TEST_F(PlacementTest, JobsThatNameTheirServersNeedNoneOfTheirNumber) {
  const Placements places = this->places({R"("workers":2)", R"("workers":2,"server":"ps0")"},
                                         R"("hosts":4,"parameter_servers":1)");
  EXPECT_EQ(places.machine_of[places.servers[1][0]], 4U);
}

TEST_F(PlacementTest, SeveralServersOfAJobAreWhereItNamesThemInThatOrder) {
  const Placements places = this->places(
      {R"("workers":2,"server":["ps1","host0","ps0"])", R"("workers":2,"server":["ps1"])"},
      R"("hosts":4,"parameter_servers":2)");
  EXPECT_THAT(places.servers, ElementsAre(ElementsAre(5, 6, 4), ElementsAre(7)));
  EXPECT_THAT(places.machine_of, ElementsAre(0, 1, 2, 3, 4, 5, 0, 5));
}

TEST_F(PlacementTest, ASystemWithoutServersHasNoAddressesForThem) {
  const Placements places =
      this->places({R"("workers":2,"server":"host0")"}, R"("hosts":2)", "switchml");
  EXPECT_TRUE(places.servers.empty());
  EXPECT_EQ(places.machine_of.size(), 2U + 8U);
}

TEST_F(PlacementTest, EveryAddressIsAtTheSwitchOfItsMachine) {
  const Scenario shared = scenario({R"("hosts":[0,3,3])"}, R"("hosts":4,"racks":2)");
  const auto topology = scenarios::placed_topology(Network(shared.topology, shared.seed).topology,
                                                   placements_of(shared));
  EXPECT_EQ(topology.switch_of.size(), 4U + 8U + 1U);
  EXPECT_EQ(topology.switch_of.back(), 1);
}

TEST_F(PlacementTest, HostsSayHowManyWorkersThereAre) {
  EXPECT_EQ(scenario({R"("hosts":[0,0,0])"}, kEightHosts).jobs[0].workers, 3U);
}

}  // namespace
}  // namespace ina::test
