// SPDX-License-Identifier: BSD-3-Clause
// Defaults, jobs, sweeps, seeds, "extends" and overrides.
#include "scenarios/reader/experiment.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>

#include "hw/cluster/network/host_stage.hpp"
#include "scenario_files.hpp"
#include "scenarios/resolve/sizes.hpp"
#include "scenarios/resolve/time_limit.hpp"

namespace ina::test {
namespace {

using ina::scenarios::Baseline;
using ina::scenarios::system_called;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

class ExperimentTest : public testing::Test {
 protected:
  ina::scenarios::Experiment read(const std::string& text,
                                  const std::vector<std::string>& overrides = {}) {
    return ina::scenarios::read_experiment(folder.write("a.json", text), overrides);
  }
  ina::scenarios::Scenario scenario(const std::string& text,
                                    const std::vector<std::string>& overrides = {}) {
    const auto experiment = read(text, overrides);
    EXPECT_EQ(experiment.points.size(), 1U);
    return experiment.points.front().with_seed();
  }
  std::string error(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return folder.error(folder.write("a.json", text), overrides);
  }

  ScenarioFolder folder;
};

TEST_F(ExperimentTest, DefaultsAreThoseOfTheStructs) {
  const auto read = scenario(R"({"jobs":{"profile":"tiny"}})");
  ina::scenarios::Scenario expected;
  expected.name = "a";
  expected.jobs.resize(1);
  expected.jobs[0].profile = read.jobs[0].profile;
  const ina::scenarios::Network network(expected.topology, expected.seed);
  expected = ina::scenarios::with_sizes(expected, network);
  expected.time_limit_ps = ina::scenarios::time_limit(expected, network);
  EXPECT_EQ(read, expected);
}

TEST_F(ExperimentTest, ReadsAProfileByName) {
  const auto profile = scenario(R"({"jobs":{"profile":"tiny"}})").jobs[0].profile;
  EXPECT_EQ(profile.name, "tiny");
  EXPECT_EQ(profile.partition_bytes, 4000U);
  ASSERT_EQ(profile.layers.size(), 3U);
  EXPECT_EQ(profile.layers[0], (ina::cluster::LayerProfile{"front", 1500, 10'000'000, 20'000'000}));
  EXPECT_EQ(profile.layers[1], (ina::cluster::LayerProfile{"layer2", 0, 1'000'000, 0}));
  EXPECT_THAT(profile.send_order, ElementsAre(Pair(3, 1), Pair(1, 2), Pair(1, 1)));
}

TEST_F(ExperimentTest, ReadsAProfileFromAFileBesideTheScenario) {
  folder.write("models/mine.json", R"({"layers":[{"parameters":5}]})");
  const auto job = scenario(R"({"jobs":{"profile":"models/mine.json"}})").jobs[0];
  EXPECT_EQ(job.profile.name, "mine");
  EXPECT_EQ(job.profile.partition_bytes, 4'000'000U);
}

TEST_F(ExperimentTest, AScaledProfileHasTheSharesOfAnother) {
  folder.write("m.json", R"({"partition_bytes":"4kB","layers":[
      {"parameters":1500,"forward":"10us"},{"parameters":3},{"parameters":0,"backward":"1us"}]})");
  const auto profile =
      scenario(R"({"jobs":{"profile":{"from":"m.json","scale":0.1}}})").jobs[0].profile;
  EXPECT_EQ(profile.name, "m x 0.1");
  EXPECT_EQ(profile.partition_bytes, 4000U);
  EXPECT_THAT(profile.layers, ElementsAre(ina::cluster::LayerProfile{"layer1", 150, 1'000'000, 0},
                                          ina::cluster::LayerProfile{"layer2", 1, 0, 0},
                                          ina::cluster::LayerProfile{"layer3", 0, 0, 100'000}));
}

TEST_F(ExperimentTest, AScaledProfileExposesWhatTheOtherDoesUnlessItSaysOtherwise) {
  folder.write("m.json", R"({"exposed":0.75,"layers":[{"parameters":1500}]})");
  const auto exposed = [this](const std::string& more) {
    return scenario(R"({"jobs":{"profile":{"from":"m.json","scale":0.1)" + more + "}}}")
        .jobs[0]
        .profile.exposed;
  };
  EXPECT_EQ(exposed(""), 0.75);
  EXPECT_EQ(exposed(R"(,"exposed":0.5)"), 0.5);
}

TEST_F(ExperimentTest, JobsTakeProfilesInTurn) {
  const auto jobs = scenario(R"({"jobs":{"count":3,"workers":2,"profile":[
      "tiny",{"name":"own","layers":[{"parameters":1}]}]}})")
                        .jobs;
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[0].profile.name, "tiny");
  EXPECT_EQ(jobs[1].profile.name, "own");
  EXPECT_EQ(jobs[2], jobs[0]);
}

TEST_F(ExperimentTest, ArrayOfJobsWithCounts) {
  const auto jobs = scenario(R"({"jobs":[
      {"profile":"tiny","workers":4,"count":2,"iterations":7},
      {"profile":"tiny","start":"0.5ms","jitter":{"uniform":["0s","1ms"],"per":"worker"}},
      {"profile":"tiny","start":{"uniform":["1us","2us"]},"jitter":"3us"}]})")
                        .jobs;
  ASSERT_EQ(jobs.size(), 4U);
  EXPECT_EQ(jobs[1].workers, 4U);
  EXPECT_EQ(jobs[1].iterations, 7U);
  EXPECT_EQ(jobs[2].workers, 8U);
  EXPECT_EQ(jobs[2].start, (ina::scenarios::TimeRange{500'000'000, 500'000'000}));
  EXPECT_EQ(jobs[2].jitter.range, (ina::scenarios::TimeRange{0, 1'000'000'000}));
  EXPECT_EQ(jobs[2].jitter.per, ina::cluster::JitterPer::worker);
  EXPECT_EQ(jobs[3].start, (ina::scenarios::TimeRange{1'000'000, 2'000'000}));
  EXPECT_EQ(jobs[3].jitter.range, (ina::scenarios::TimeRange{3'000'000, 3'000'000}));
}

TEST_F(ExperimentTest, SlotsFollowThePreset) {
  const auto slots = [this](const std::string& keys) {
    return scenario("{" + keys + R"(,"jobs":{"profile":"tiny","count":8}})")
        .of<ina::systems::Switchml>()
        .slots;
  };
  const std::string shared = R"("system":"switchml","switchml":{"slots":"even_share"})";
  EXPECT_EQ(slots(shared), 5'000'000U / 8 / 256);
  EXPECT_EQ(slots(shared + R"(,"switch":{"memory_bytes":"1GB"})"), 32'768U);
  EXPECT_EQ(slots(R"("system":"switchml")"), 512U);
  EXPECT_EQ(slots(R"("system":"switchml","switchml":{"slots":5})"), 5U);
  EXPECT_EQ(slots(R"("system":"atp")"), std::nullopt);
}

TEST_F(ExperimentTest, APresetGivesAHostTheDefaultsOfItsOtherKeys) {
  const auto host = [this](const std::string& keys) {
    return scenario(R"({"topology":{"host":{)" + keys + R"(}},"jobs":{"profile":"tiny"}})")
        .topology.host;
  };
  using ina::cluster::kHostPresets;
  for (std::size_t preset = 0; preset < std::size(kHostPresets); ++preset) {
    const auto read = host(fmt::format(R"("preset":"{}")", kHostPresets[preset].name));
    EXPECT_EQ(read.preset, preset);
    EXPECT_EQ(read.stage, kHostPresets[preset].config);
  }
  auto changed = host(R"("cores":2,"preset":"switchml","spread":0.1)").stage;
  EXPECT_EQ(changed.cores, 2U);
  EXPECT_EQ(changed.spread, 0.1);
  changed.cores = 4;
  changed.spread = 0;
  EXPECT_EQ(changed, host(R"("preset":"switchml")").stage);
  EXPECT_EQ(host("").stage, ina::cluster::HostStage::Config());
}

TEST_F(ExperimentTest, SweptPresetsKeepTheKeysThatAreGiven) {
  const auto points = read(R"({"topology":{"server":{"queue":7}},"jobs":{"profile":"tiny"},
      "sweep":{"/topology/server/preset":["switchml","atp-e1-wire"]}})")
                          .points;
  ASSERT_EQ(points.size(), 2U);
  for (const auto& point : points) EXPECT_EQ(point.combination->topology.server.stage.queue, 7U);
  EXPECT_EQ(points[0].combination->topology.server.stage.cores, 4U);
  EXPECT_EQ(points[1].combination->topology.server.stage.cores, 1U);
}

TEST_F(ExperimentTest, FactorsOfTheScenariosFolderComeFirst) {
  const std::string header = "worker,iteration,relative_time\n";
  const std::string text =
      R"({"jobs":{"profile":"tiny","compute_time_factors":"minibatch/two.csv"}})";
  EXPECT_EQ(scenario(text).jobs[0].compute_time_factors.size(), 2U);
  folder.write("minibatch/two.csv", header + "0,0,3\r\n");
  EXPECT_THAT(scenario(text).jobs[0].compute_time_factors, ElementsAre(ElementsAre(3.0)));
}

TEST_F(ExperimentTest, SeedsInEveryForm) {
  const auto seeds = [this](const std::string& value) {
    return read(R"({"jobs":{"profile":"tiny"},"seeds":)" + value + "}").seeds;
  };
  EXPECT_THAT(read(R"({"jobs":{"profile":"tiny"}})").seeds, ElementsAre(1));
  EXPECT_THAT(seeds("5"), ElementsAre(5));
  EXPECT_THAT(seeds("[3,1]"), ElementsAre(3, 1));
  EXPECT_THAT(seeds(R"("1-5")"), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(seeds(R"("1,3,7-9")"), ElementsAre(1, 3, 7, 8, 9));
  EXPECT_THAT(seeds(R"("4294967295")"), ElementsAre(4294967295));
  for (const auto* value : {"\"\"", "\"1,\"", "\"01\"", "\"1 - 2\"", "\"1-2-3\"", "\"4294967296\"",
                            "1.0", "-1", "null", "{}", "[[1]]", "[\"1\"]"}) {
    EXPECT_THAT(error(R"({"jobs":{"profile":"tiny"},"seeds":)" + std::string(value) + "}"),
                HasSubstr(": /seeds"))
        << value;
  }
}

TEST_F(ExperimentTest, SweepIsTheProductInTheOrderOfTheFile) {
  const auto experiment = read(R"({"description":"d","jobs":{"profile":"tiny"},"seeds":[7,8],
      "sweep":{"/system":["dsa","atp"],"/jobs/count":[1,2,3],"/topology/link/rate":["10Gbps"]}})");
  EXPECT_EQ(experiment.description, "d");
  ASSERT_EQ(experiment.axes.size(), 3U);
  EXPECT_EQ(experiment.axes[0].pointer, "/system");
  EXPECT_EQ(experiment.axes[1].values.size(), 3U);
  ASSERT_EQ(experiment.points.size(), 12U);
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    const auto& point = experiment.points[i];
    const auto scenario = point.with_seed();
    EXPECT_EQ(point.index, i % 6);
    EXPECT_EQ(point.seed, 7 + i / 6);
    EXPECT_EQ(scenario.seed, point.seed);
    EXPECT_EQ(scenario.jobs.size(), 1 + i % 3);
    EXPECT_EQ(scenario.system, i % 6 < 3 ? system_called("dsa") : system_called("atp"));
    EXPECT_EQ(scenario.topology.link.rate_bps, 10'000'000'000U);
    EXPECT_EQ(point.combination, experiment.points[i % 6].combination) << "shared by the seeds";
  }
  EXPECT_THAT(experiment.points[10].labels,
              ElementsAre(Pair("/system", "atp"), Pair("/jobs/count", "2"),
                          Pair("/topology/link/rate", "10Gbps")));
}

TEST_F(ExperimentTest, SweptQuantitiesAreNumbersInBaseUnits) {
  const auto experiment = read(R"({"jobs":{"profile":"tiny"},"sweep":{
      "/topology/link/rate":["10Gbps","2.5Mbps"],"/switch/memory_bytes":["5MB","1KiB"],
      "/jobs/jitter":["2.5us","0s"]}})");
  const auto& last = experiment.points.back().numbers;
  ASSERT_EQ(last.size(), 3U);
  EXPECT_EQ(last[0].pointer, "/topology/link/rate");
  EXPECT_EQ(last[0].column, "rate_bps");
  EXPECT_EQ(last[0].value, 2'500'000);
  EXPECT_EQ(last[1].column, "memory_bytes");
  EXPECT_EQ(last[1].value, 1024);
  EXPECT_EQ(last[2].column, "jitter_us");
  EXPECT_EQ(last[2].value, 0);
  EXPECT_EQ(experiment.points.front().numbers[2].value, 2.5);
  EXPECT_EQ(experiment.axes[2].column, "jitter_us");
  EXPECT_EQ(experiment.axes[2].numbers, (std::vector<ina::scenarios::Json>{2.5, 0}));
}

TEST_F(ExperimentTest, SizesWithAndWithoutAUnitAreNumbersOfOneAxis) {
  const auto experiment =
      read(R"({"jobs":{"profile":"tiny"},"sweep":{"/switch/memory_bytes":["1KiB",5000000]}})");
  EXPECT_EQ(experiment.axes[0].column, "memory_bytes");
  EXPECT_EQ(experiment.axes[0].numbers, (std::vector<ina::scenarios::Json>{1024, 5'000'000}));
}

TEST_F(ExperimentTest, OnlyAxesThatAreQuantitiesThroughoutAreNumbers) {
  const auto experiment = read(R"({"jobs":{"profile":"tiny"},"sweep":{"/jobs/workers":[1,2],
      "/jobs/jitter":["1us",{"uniform":["0s","1us"]}],"/system":["atp","dsa"]}})");
  EXPECT_TRUE(experiment.points.front().numbers.empty());
}

TEST_F(ExperimentTest, ColumnsOfSweptNumbersAreTheShortestThatNothingElseHas) {
  const auto columns = [this](const std::string& jobs, const std::string& sweep) {
    std::vector<std::string> names;
    for (const auto& axis : read(R"({"jobs":)" + jobs + R"(,"sweep":)" + sweep + "}").axes) {
      names.push_back(axis.column);
    }
    return names;
  };
  const std::string one = R"({"profile":"tiny"})";
  const std::string start = R"("/jobs/start":["1us"])";
  EXPECT_THAT(columns(one, "{" + start + "}"), ElementsAre("jobs_start_us"))
      << "start_us is a column of jobs.csv";
  EXPECT_THAT(columns("[" + one + "," + one + "]",
                      R"({"/jobs/0/jitter":["1us"],"/jobs/1/jitter":["1us"]})"),
              ElementsAre("0_jitter_us", "1_jitter_us"));
  EXPECT_THAT(columns(one, R"({"/atp/min_rto":["1ms"],"/dsa/min_rto":["1ms"]})"),
              ElementsAre("atp_min_rto_us", "dsa_min_rto_us"));
}

TEST_F(ExperimentTest, SweepsWholeObjectsAndElements) {
  const auto experiment = read(R"({"jobs":[{"profile":"tiny"}],"sweep":{
      "/jobs/0/profile":["tiny",{"name":"own","layers":[{"parameters":1}]}],
      "/jobs/0/jitter":["0s",{"uniform":["0s","1us"]}]}})");
  ASSERT_EQ(experiment.points.size(), 4U);
  EXPECT_EQ(experiment.points[3].labels[0].second, "own");
  EXPECT_EQ(experiment.points[3].labels[1].second, R"({"uniform":["0s","1us"]})");
  EXPECT_EQ(experiment.points[3].with_seed().jobs[0].jitter.range.high_ps, 1'000'000);
}

TEST_F(ExperimentTest, EveryPointIsChecked) {
  EXPECT_EQ(
      error(R"({"jobs":{"profile":"tiny"},"sweep":{"/jobs/workers":[1,2,33]}})"),
      "a.json: /jobs/workers: found 33 workers under switch; allowed: at most 32 of a job under "
      "one switch (the bits of a bitmap) (with /jobs/workers=33)");
}

TEST_F(ExperimentTest, ExpandsTenThousandPointsAndNoMore) {
  const std::string text = R"({"jobs":{"profile":"tiny"},"sweep":{"/system":["atp","dsa"]},)";
  EXPECT_EQ(read(text + R"("seeds":"1-5000"})").points.size(), 10'000U);
  EXPECT_THAT(error(text + R"("seeds":"1-5001"})"),
              StartsWith("a.json: /sweep: found more than 10000"));
}

TEST_F(ExperimentTest, ExtendsMergesObjectsAndReplacesTheRest) {
  folder.write("base/b.json", R"({"name":"b","description":"base","topology":{"hosts":16,
      "link":{"rate":"10Gbps"}},"jobs":{"profile":"own.json","workers":2},"seeds":[1,2]})");
  folder.write("base/own.json", R"({"layers":[{"parameters":1}]})");
  const auto experiment = read(R"({"extends":"base/b.json","topology":{"link":{"delay":"1us"}},
      "jobs":{"workers":3},"seeds":[9]})");
  EXPECT_EQ(experiment.name, "a");
  EXPECT_EQ(experiment.description, "base");
  EXPECT_THAT(experiment.seeds, ElementsAre(9));
  const auto& merged = experiment.points[0].with_seed();
  EXPECT_EQ(merged.topology.hosts, 16U);
  EXPECT_EQ(merged.topology.link, (ina::scenarios::LinkScenario{10'000'000'000, 1'000'000, 0}));
  EXPECT_EQ(merged.jobs[0].workers, 3U);
  EXPECT_EQ(merged.jobs[0].profile.name, "own");
}

TEST_F(ExperimentTest, ErrorsBlameTheFileThatIsWrong) {
  folder.write("b.json", R"({"topology":{"hosts":0,"link":{"delay":1}}})");
  const std::string jobs = R"("jobs":{"profile":"tiny"}})";
  EXPECT_THAT(error(R"({"extends":"b.json",)" + jobs), StartsWith("b.json: /topology/hosts: "));
  EXPECT_THAT(error(R"({"extends":"b.json","topology":{"hosts":"8"},)" + jobs),
              StartsWith("a.json: /topology/hosts: "));
  EXPECT_THAT(error(R"({"extends":"b.json","topology":{"hosts":8},)" + jobs),
              StartsWith("b.json: /topology/link/delay: "));
}

TEST_F(ExperimentTest, ExtendsNamesItsChain) {
  folder.write("b.json", R"({"extends":"c.json"})");
  EXPECT_EQ(error(R"({"extends":"b.json"})"),
            "b.json: /extends: a.json -> b.json -> c.json: the last file cannot be read: no such "
            "file");
  folder.write("c.json", R"({"extends":"a.json"})");
  EXPECT_EQ(
      error(R"({"extends":"b.json"})"),
      "c.json: /extends: found the cycle a.json -> b.json -> c.json -> a.json; allowed: a chain "
      "that ends");
}

TEST_F(ExperimentTest, ObjectsOfOneNameOnAnAxisShowAllThatTheySay) {
  const auto labels = [&](const std::string& values) {
    const auto experiment =
        read(R"({"jobs":{"profile":"tiny"},"sweep":{"/jobs/profile":)" + values + "}}");
    std::vector<std::string> labels;
    for (const auto& point : experiment.points) labels.push_back(point.labels[0].second);
    return labels;
  };
  EXPECT_THAT(labels(R"(["tiny",{"name":"a","layers":[{"parameters":1}]}])"),
              ElementsAre("tiny", "a"));
  EXPECT_THAT(labels(R"([{"name":"a","layers":[{"parameters":1}]},
                         {"name":"a","layers":[{"parameters":2}]}])"),
              ElementsAre(R"({"name":"a","layers":[{"parameters":1}]})",
                          R"({"name":"a","layers":[{"parameters":2}]})"));
  EXPECT_THAT(error(R"({"jobs":{"profile":"tiny"},
                        "sweep":{"/dsa/policy":[{"name":"fcfs"},{"name":"fcfs"}]}})"),
              HasSubstr("twice; allowed: different values"));
}

TEST_F(ExperimentTest, APolicyIsItsNameOrAnObject) {
  const std::string jobs = R"({"jobs":{"profile":"tiny"},"dsa":{"policy":)";
  const auto dsa = [&](const std::string& policy) {
    return scenario(jobs + policy).of<ina::systems::Dsa>();
  };
  EXPECT_EQ(dsa(R"("fcfs"}})"), dsa(R"({"name":"fcfs"}}})"));
  EXPECT_NE(dsa(R"("fcfs"}})"), dsa(R"("priority"}})"));
  EXPECT_THAT(error(jobs + R"({}}})"), HasSubstr("/dsa/policy/name: the key is missing; allowed: "
                                                 "\"fcfs\", \"priority\""));
  EXPECT_THAT(error(jobs + R"({"name":"fcsf"}}})"),
              HasSubstr("/dsa/policy/name: found \"fcsf\" (a string); allowed: \"fcfs\""));
  EXPECT_THAT(error(jobs + "5}}"), HasSubstr("or an object of a \"name\" and parameters"));
  EXPECT_THAT(error(jobs + R"({"name":"fcfs","after":"1us"}}})"),
              HasSubstr("/dsa/policy/after: unknown key; allowed: name"));
}

TEST_F(ExperimentTest, OverridesReplaceAndMake) {
  const std::string text = R"({"jobs":[{"profile":"tiny"}],"topology":{"hosts":9}})";
  const auto changed =
      scenario(text, {"/topology/hosts=20", "/topology/link/rate=10Gbps", "/system=atp",
                      "/outputs={\"pcap\":true}", "/jobs/0/workers=3", "/name=x"});
  EXPECT_EQ(changed.topology.hosts, 20U);
  EXPECT_EQ(changed.topology.link.rate_bps, 10'000'000'000U);
  EXPECT_EQ(changed.system, system_called("atp"));
  EXPECT_TRUE(changed.outputs.pcap);
  EXPECT_EQ(changed.jobs[0].workers, 3U);
}

TEST_F(ExperimentTest, OverrideReplacesAnAxis) {
  const std::string text = R"({"jobs":{"profile":"tiny"},
      "sweep":{"/jobs/workers":[2,4],"/system":["atp","dsa"]}})";
  const auto experiment = read(text, {"/jobs/workers=5", "/seeds=1-2"});
  ASSERT_EQ(experiment.axes.size(), 1U);
  EXPECT_EQ(experiment.points.size(), 4U);
  EXPECT_EQ(experiment.points[0].with_seed().jobs[0].workers, 5U);
  EXPECT_EQ(read(text, {"/sweep/~1system=[\"dsa\"]"}).points.size(), 2U);
  EXPECT_EQ(read(text, {"/sweep={}"}).points.size(), 1U);
}

TEST_F(ExperimentTest, VariantsAreMergedOverTheScenarioAndRunTheWholeSweepEach) {
  const auto experiment = read(R"({"jobs":{"profile":"tiny","workers":3},"seeds":[7,8],
      "switchml":{"rto":"2ms"},
      "variants":{"few slots":{"system":"switchml","switchml":{"slots":3}},"as it is":{}},
      "sweep":{"/jobs/count":[1,2,4]}})");
  ASSERT_EQ(experiment.axes.size(), 2U);
  EXPECT_EQ(experiment.axes[0].pointer, "/variants");
  ASSERT_EQ(experiment.points.size(), 12U);
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    const auto& point = experiment.points[i];
    const auto scenario = point.with_seed();
    const bool few = i % 6 < 3;
    EXPECT_EQ(point.variant(), few ? "few slots" : "as it is");
    EXPECT_EQ(scenario.system, few ? system_called("switchml") : system_called("dsa"));
    const auto& switchml = scenario.of<ina::systems::Switchml>();
    EXPECT_EQ(switchml.slots, few ? std::optional(3U) : std::nullopt);
    EXPECT_EQ(switchml.rto, std::chrono::milliseconds(2)) << "merged, not replaced";
    EXPECT_EQ(scenario.jobs[0].workers, 3U);
    EXPECT_EQ(scenario.jobs.size(), std::size_t{1} << (i % 3));
  }
  EXPECT_THAT(experiment.points[1].labels,
              ElementsAre(Pair("/variants", "few slots"), Pair("/jobs/count", "2")));
}

TEST_F(ExperimentTest, WithoutVariantsAPointHasNoVariant) {
  EXPECT_EQ(read(R"({"jobs":{"profile":"tiny"}})").points[0].variant(), "");
  EXPECT_EQ(read(R"({"jobs":{"profile":"tiny"},"sweep":{"/system":["dsa"]}})").points[0].variant(),
            "");
}

TEST_F(ExperimentTest, NamesOfVariantsAreNoQuantities) {
  const auto experiment =
      read(R"({"jobs":{"profile":"tiny"},"variants":{"1us":{},"2us":{"system":"atp"}}})");
  EXPECT_TRUE(experiment.axes[0].numbers.empty());
}

TEST_F(ExperimentTest, VariantsOfAnExtendedFileAreMergedByName) {
  folder.write("base/b.json", R"({"jobs":{"profile":"tiny"},"variants":{
      "own":{"jobs":{"profile":"own.json"}},"slots":{"system":"switchml","switchml":{"slots":3}}}})");
  folder.write("base/own.json", R"({"layers":[{"parameters":1}]})");
  const auto points = read(R"({"extends":"base/b.json","variants":{
      "slots":{"switchml":{"slots":4}},"ATP":{"system":"atp"}}})")
                          .points;
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].combination->jobs[0].profile.name, "own") << "relative to base/";
  EXPECT_EQ(points[1].combination->of<ina::systems::Switchml>().slots, 4U);
  EXPECT_EQ(points[2].variant(), "ATP");
  folder.write("base/b.json", R"({"jobs":{"profile":"tiny"},"variants":{"A":{"topology":{
      "hosts":0}}}})");
  EXPECT_EQ(error(R"({"extends":"base/b.json"})"),
            "base/b.json: /variants/A/topology/hosts: found 0 (a number); allowed: an integer from "
            "1 to 8192 (with /variants=A)");
}

TEST_F(ExperimentTest, TheBaselineIsTheSystemDsaUnlessTheScenarioNamesALine) {
  const auto baseline = [&](const std::string& keys) {
    return read(R"({"jobs":{"profile":"tiny"})" + keys + "}").baseline;
  };
  const std::string systems = R"(,"sweep":{"/system":["atp","dsa"]})";
  EXPECT_EQ(baseline(""), (Baseline{"/system", "dsa"}));
  EXPECT_EQ(baseline(systems), (Baseline{"/system", "dsa"}));
  EXPECT_EQ(baseline(systems + R"(,"baseline":"atp")"), (Baseline{"/system", "atp"}));
  EXPECT_EQ(baseline(R"(,"system":"atp","baseline":"atp")"), (Baseline{"/system", "atp"}));
  EXPECT_EQ(baseline(R"(,"system":"atp")"), std::nullopt);
}

TEST_F(ExperimentTest, TheBaselineOfVariantsIsTheOneNamedDsaUnlessTheScenarioNamesALine) {
  const auto baseline = [&](const std::string& keys) {
    return read(R"({"jobs":{"profile":"tiny"},"variants":{)" + keys + "}").baseline;
  };
  EXPECT_EQ(baseline(R"("P":{},"DSA":{}})"), (Baseline{"/variants", "DSA"}));
  EXPECT_EQ(baseline(R"("P":{},"DSA":{}},"baseline":"P")"), (Baseline{"/variants", "P"}));
  EXPECT_EQ(baseline(R"("P":{},"Q":{}})"), std::nullopt) << "also if they are under DSA";
}

TEST_F(ExperimentTest, TheBaselineOfVariantsAndSystemsMayBeEither) {
  const auto baseline = [&](const std::string& keys) {
    return read(R"({"jobs":{"profile":"tiny"},"variants":{"atp":{},"DSA":{}},
        "sweep":{"/system":["switchml","atp","dsa"]})" +
                keys + "}")
        .baseline;
  };
  EXPECT_EQ(baseline(""), (Baseline{"/system", "dsa"}));
  EXPECT_EQ(baseline(R"(,"baseline":"switchml")"), (Baseline{"/system", "switchml"}));
  EXPECT_EQ(baseline(R"(,"baseline":"atp")"), (Baseline{"/variants", "atp"}));
}

TEST_F(ExperimentTest, TheBaselineIsHandedDownAndMayBeOverridden) {
  folder.write("b.json", R"({"jobs":{"profile":"tiny"},"baseline":"atp",
      "sweep":{"/system":["atp","ps"]}})");
  EXPECT_EQ(read(R"({"extends":"b.json"})").baseline, (Baseline{"/system", "atp"}));
  EXPECT_EQ(read(R"({"extends":"b.json"})", {"/baseline=ps"}).baseline,
            (Baseline{"/system", "ps"}));
  EXPECT_EQ(error(R"({"extends":"b.json"})", {"/baseline=dsa"}),
            "a.json (--set): /baseline: found \"dsa\" (a string); allowed: \"atp\", \"ps\"");
}

TEST_F(ExperimentTest, OverridesReachIntoVariants) {
  const std::string text = R"({"jobs":{"profile":"tiny"},"switchml":{"slots":9},"variants":{
      "A":{"system":"switchml","switchml":{"slots":3}},"B":{"system":"atp"}}})";
  const auto slots = [&](const std::vector<std::string>& overrides) {
    return read(text, overrides).points.front().combination->of<ina::systems::Switchml>().slots;
  };
  EXPECT_EQ(slots({"/variants/A/switchml/slots=5"}), 5U);
  EXPECT_EQ(slots({"/variants/A={\"system\":\"switchml\"}"}), 9U);
  EXPECT_EQ(slots({"/switchml={\"slots\":7,\"rto\":\"2ms\"}"}), 3U) << "below what is set";
  EXPECT_EQ(slots({"/variants={}", "/system=switchml"}), 9U);
  EXPECT_EQ(read(text, {"/variants={\"B\":{}}"}).points.size(), 1U);
  EXPECT_EQ(read(text, {"/variants/C={\"system\":\"dsa\"}"}).points.size(), 3U);
  EXPECT_EQ(error(text, {"/variants/C/system=dsa"}),
            "a.json (--set): /variants/C/system: found a name that no variant has; allowed: \"A\", "
            "\"B\"");
  EXPECT_EQ(
      error(text, {"/switchml/slots=5"}),
      "a.json (--set): /switchml/slots: found an override that the variant \"A\" would replace; "
      "allowed: an override of /variants/A/switchml/slots, or a preceding /variants={}, which "
      "removes all variants");
  EXPECT_EQ(error(text, {"/variants/A/switchml/slots=0"}),
            "a.json (--set): /variants/A/switchml/slots: found 0 (a number); allowed: "
            "\"even_share\", or an integer from 1 to 32768 (with /variants=A)");
}

TEST_F(ExperimentTest, BadOverrides) {
  const std::string text = R"({"jobs":{"profile":"tiny"},
      "sweep":{"/dsa":[{"policy":"fcfs"}]}})";
  const auto of = [&](const std::string& override) { return error(text, {override}); };
  EXPECT_EQ(of("/seeds"), "a.json (--set): found \"/seeds\"; allowed: /json/pointer=value");
  EXPECT_THAT(of("seeds=1"), HasSubstr("allowed: a JSON pointer, which starts with"));
  EXPECT_THAT(of("/a~2=1"), HasSubstr("allowed: a JSON pointer, with"));
  EXPECT_THAT(of("=1"), HasSubstr("allowed: a JSON pointer"));
  const std::string longest = "/atp/" + std::string(251, '\x01');
  EXPECT_THAT(of(longest + "=1"), HasSubstr("unknown key"));
  EXPECT_THAT(of(longest + "1=1"), HasSubstr("allowed: a JSON pointer of at most 256 bytes"));
  EXPECT_THAT(of("/extends=b.json"), StartsWith("a.json (--set): /extends: "));
  EXPECT_THAT(of("/dsa/policy=priority"),
              HasSubstr("found an override of a part of /dsa, an axis of the sweep"));
  EXPECT_THAT(of("/topology/hosts=many"), StartsWith("a.json (--set): /topology/hosts: found"));
  EXPECT_THAT(of("/topology/hots=3"),
              HasSubstr("/topology/hots: unknown key (did you mean \"hosts\"?)"));
  EXPECT_THAT(of("/jobs/profile/x=3"), HasSubstr("found a pointer below /jobs/profile"));
  EXPECT_THAT(of("/jobs={\"workers\":1,\"workers\":2}"), HasSubstr("found the key twice"));
  EXPECT_THAT(of("/description=\xff"), HasSubstr("not UTF-8"));
}

TEST_F(ExperimentTest, AJobMayHave32WorkersOf256Jobs) {
  const auto jobs = scenario(R"({"topology":{"hosts":8192,"parameter_servers":256},
      "jobs":{"profile":"tiny","count":256,"workers":32}})")
                        .jobs;
  EXPECT_EQ(jobs.size(), 256U);
}

TEST_F(ExperimentTest, LastSequenceNumberIs32Bit) {
  const auto text = [](const std::string& iterations, const std::string& parameters) {
    return R"({"jobs":{"iterations":)" + iterations +
           R"(,"profile":{"partition_bytes":"1GB","layers":[{"parameters":)" + parameters + "}]}}}";
  };
  // 62 values per packet: 65 535 and 65 536 packets; 65 537 * 65 535 = 2^32 - 1.
  EXPECT_EQ(error(text("65537", "4063170")), "no error");
  EXPECT_THAT(error(text("65536", "4063232")), HasSubstr("allowed: fewer than 4294967296 packets"));
}

}  // namespace
}  // namespace ina::test
