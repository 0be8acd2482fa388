// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/job_roots.hpp"

#include <gmock/gmock.h>

#include "scenarios/resolve/resolved.hpp"
#include "scenarios/resolve/sizes.hpp"
#include "scenarios/resolve/topologies.hpp"
#include "tests/scenarios/scenario_files.hpp"

namespace ina::test {
namespace {

using cluster::RootChoice;

class JobRootsTest : public testing::Test {
 protected:
  scenarios::Scenario read(const std::string& system, const std::string& topology,
                           const std::string& jobs = R"("workers":4)") {
    const auto file =
        folder_.write("a.json", R"({"system":")" + system + R"(","topology":{)" + topology +
                                    R"(},"jobs":{)" + jobs + R"(,"profile":"tiny"}})");
    return scenarios::read_experiment(file).points.front().with_seed();
  }
  RootChoice choice(const std::string& system, const std::string& topology,
                    const std::string& jobs = R"("workers":4)") {
    return read(system, topology, jobs).topology.root.value();
  }

  ScenarioFolder folder_;
};

const std::string kLeafSpine =
    R"("type":"leaf_spine","racks":2,"hosts_per_rack":2,"spines":2,"parameter_servers":1)";
const std::string kRacks = R"("hosts":4,"racks":2,"parameter_servers":1)";

const std::string kGraph =
    R"("type":"graph","switches":[{"name":"a","hosts":2},{"name":"b","hosts":2}],)"
    R"("trunks":[{"from":"a","to":"b"}],"parameter_servers":1)";

TEST_F(JobRootsTest, AreByDefaultChosenUnderSwitchmlAndDsaWhereAJobIsInSeveralRacks) {
  for (const std::string system : {"switchml", "dsa"}) {
    for (const std::string& topology : {kLeafSpine, kRacks, kGraph}) {
      EXPECT_EQ(choice(system, topology), RootChoice::least_loaded) << system << topology;
      EXPECT_EQ(choice(system, topology + R"(,"root":"auto")"), RootChoice::least_loaded);
    }
    EXPECT_EQ(choice(system, R"("hosts":4,"parameter_servers":1)"), RootChoice::server_leaf);
  }
}

TEST_F(JobRootsTest, AreByDefaultAtTheServersLeafUnderEveryOtherSystem) {
  for (const std::string system : {"atp", "ps", "ring", "halving_doubling", "tree", "byteps"}) {
    EXPECT_EQ(choice(system, kLeafSpine), RootChoice::server_leaf) << system;
  }
}

TEST_F(JobRootsTest, AreAsTheScenarioSays) {
  for (const std::string system : {"switchml", "atp"}) {
    for (const std::string& topology : {kLeafSpine, kRacks, kGraph}) {
      EXPECT_EQ(choice(system, topology + R"(,"root":"spine")"), RootChoice::spine) << system;
      EXPECT_EQ(choice(system, topology + R"(,"root":"server_leaf")"), RootChoice::server_leaf)
          << system;
    }
  }
}

TEST_F(JobRootsTest, OfJobsInOneRackNeedNoSwitchAboveIt) {
  EXPECT_EQ(choice("switchml", kLeafSpine, R"("hosts":[0,1])"), RootChoice::server_leaf);
}

TEST_F(JobRootsTest, StandInTheClusterFileAsTheyWereChosen) {
  EXPECT_EQ(scenarios::resolve(read("dsa", kLeafSpine)).spec.root, RootChoice::least_loaded);
  EXPECT_EQ(scenarios::resolve(read("atp", kLeafSpine)).spec.root, RootChoice::server_leaf);
}

/// The path to the root is host, leaf, spine. The path to a server has two more links: to another
/// leaf and to the server.
TEST_F(JobRootsTest, AboveTheRacksAreNearerThanTheServersLeaf) {
  const auto environment = scenarios::resolve(read("dsa", kLeafSpine)).spec.environment;
  EXPECT_EQ(environment.to_switch_and_back, std::chrono::microseconds(2 * 5));
  EXPECT_EQ(environment.to_server_and_back, std::chrono::microseconds(2 * 10));
}

}  // namespace
}  // namespace ina::test
