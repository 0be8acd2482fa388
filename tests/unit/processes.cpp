// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "hw/cluster/systems/dsa.hpp"
#include "hw/cluster/training/verification_error.hpp"
#include "hw/processes/cluster_file.hpp"
#include "hw/processes/endpoints.hpp"
#include "hw/processes/input_error.hpp"
#include "hw/processes/process_training.hpp"
#include "hw/protocol/numeric/synthetic_tensor.hpp"

namespace ina::processes {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr Time kMs = std::chrono::milliseconds(1);
constexpr std::int64_t kTwelveDaysPs = Time(std::chrono::days(12)).count();

nlohmann::json cluster_json() {
  return nlohmann::json::parse(R"({
    "format": 9, "system": "dsa",
    "settings": {"initial_window_packets": 10, "max_window_packets": 200, "min_rto": "1ms"},
    "environment": {"aggregators": 100, "hash": "crc64", "line_rate": "1Gbps", "slowest_rate": "1Gbps",
                    "framing_bytes": 0, "to_switch_and_back": "5us", "to_server_and_back": "10us",
                    "ecn_threshold_bytes": "60kB", "seed": 1},
    "loses_jobs_with_switch": false, "switch": {"buffer_bytes": 16000000},
    "topology": {"switches": [{"name": "switch", "height": 0}], "trunks": [],
                 "hosts": [0, 0, 0, 0, 0, 0, 0, 0], "parameter_servers": 2, "root": "server_leaf"},
    "jobs": [{
      "profile": "two-layers", "workers": [3, 5], "servers": [7], "seed": 1, "iterations": 2,
      "start_ps": 5, "compute_time_factors": [],
      "jitter": {"low_ps": 0, "high_ps": 0, "per": "partition", "first_stream": 1},
      "layers": [{"parameters": 62, "forward_ps": 3000000000, "backward_ps": 2000000000},
                 {"parameters": 124, "forward_ps": 4000000000, "backward_ps": 1000000000}],
      "partitions": [{"layer": 1, "fragments": 2}, {"layer": 0, "fragments": 1}],
      "exposed_partitions": 1}],
    "faults": [{"host": 5, "direction": "from_switch", "seed": 3, "frames": ["gradient", "result"],
                "from": "4ps", "until": "864000s", "lost_frames": [0, 7], "loss": 0.01,
                "burst": {"start": 0.1, "mean_duration": "0s", "end": 0.5, "loss": 0.75},
                "corruption": 0.02, "duplication": 0.03, "reordering": 0.04,
                "reordering_delay": "10us"}],
    "node_faults": [{"fault": "worker_returns", "at": "6ps", "duration": "7ps", "job": 0,
                     "worker": 1}]
  })");
}

/// Two racks: hosts 0 to 3 with worker 0, hosts 4 to 7 with worker 1 and the server.
void put_in_racks(nlohmann::json& json) {
  json["topology"] = nlohmann::json::parse(R"({
    "switches": [{"name": "rack0", "height": 0}, {"name": "rack1", "height": 0}],
    "trunks": [{"lower": 0, "upper": 1}], "hosts": [0, 0, 0, 0, 1, 1, 1, 1],
    "parameter_servers": 2, "root": "server_leaf"})");
}

class File {
 public:
  explicit File(const std::string& content)
      : path_(std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::ofstream(path_) << content;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Spec read(const nlohmann::json& json) { return read_cluster_file(File(json.dump()).path()); }

std::string refusal_of(const std::string& content) {
  try {
    read_cluster_file(File(content).path());
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ClusterFile, IsRead) {
  const Spec cluster = read(cluster_json());
  const auto* const dsa = dynamic_cast<const cluster::Dsa*>(cluster.system.get());
  ASSERT_NE(dsa, nullptr);
  EXPECT_EQ(dsa->worker.addressing.aggregators, 100U);
  EXPECT_EQ(dsa->worker.addressing.hash, wire::Hash::crc64);
  EXPECT_EQ(dsa->worker.min_rto, kMs);
  EXPECT_EQ(dsa->worker.addressing.table_entries, 400U) << "twice as many as in flight";
  ASSERT_EQ(cluster.jobs.size(), 1U);
  const cluster::TrainingPlan& plan = cluster.jobs[0].training;
  EXPECT_EQ(plan.partitions.fragments_per_iteration(), 3U);
  EXPECT_EQ(plan.partitions.partitions()[1].first_fragment, 2U);
  EXPECT_EQ(plan.exposed_partitions, 1U);
  EXPECT_EQ(plan.layers[0].parameters + plan.layers[1].parameters, 186U);
  EXPECT_EQ(Time(plan.layers[1].forward_ps + plan.layers[1].backward_ps), 5 * kMs);
  EXPECT_EQ(find_worker(cluster, 5).rank, 1U);
  EXPECT_EQ(find_server(cluster, 7).job, 0U);
  EXPECT_EQ(find_server(cluster, 7).index, 0U);
  EXPECT_EQ(cluster.name_of(5), "host5");
  EXPECT_EQ(cluster.name_of(7), "ps1");
  EXPECT_THROW(find_worker(cluster, 7), InputError);
  EXPECT_THROW(find_server(cluster, 3), InputError);
}

std::vector<wire::AggregationPath> paths_of(const nlohmann::json& json) {
  const Spec cluster = read(json);
  return cluster.registration_for_hosts(cluster.jobs[0]).paths;
}

TEST(ClusterFile, SaysWhereGradientsAreAddedUp) {
  nlohmann::json json = cluster_json();
  EXPECT_THAT(paths_of(json), ElementsAre(wire::one_level(2, 0), wire::one_level(2, 1)));
  put_in_racks(json);
  const auto of_two_levels = ElementsAre(wire::AggregationPath{1, 2, 0, 1, 1},
                                         wire::AggregationPath{1, 2, flag::second_level, 0, 2});
  EXPECT_THAT(paths_of(json), of_two_levels);
  json["system"] = "atp";
  EXPECT_THAT(paths_of(json), of_two_levels);
  json["settings"]["levels"] = 1;
  EXPECT_THAT(paths_of(json), ElementsAre(wire::AggregationPath{1, 0, 0, 1, 1},
                                          wire::AggregationPath{1, 0, 0, 1, 2}));
}

TEST(ClusterFile, IsRefusedWithPlaceAndWhatIsAllowed) {
  using nlohmann::json;
  const json none = json::array();
  const std::vector<std::pair<std::string, json>> cases = {
      {"/format: found 2 (a number); allowed: an integer from 9 to 9", {{"/format", 2}}},
      {"/system: found \"tcp\" (a string); allowed: \"switchml\", \"atp\", \"dsa\", \"ps\"",
       {{"/system", "tcp"}}},
      {"/settings: found 3 (a number); allowed: an object", {{"/settings", 3}}},
      {"/settings/min_rto: found \"1\" (a string), no unit; allowed: a time",
       {{"/settings/min_rto", "1"}}},
      {"/settings/initial_window_packets: found 300 packets, but max_window_packets is 200; "
       "allowed: at most 200",
       {{"/settings/initial_window_packets", 300}}},
      {"/settings/remaining_time: found \"now\" (a string); allowed: \"at_submission\"",
       {{"/settings/remaining_time", "now"}}},
      {"/settings/levels: found 3", {{"/system", "atp"}, {"/settings/levels", 3}}},
      {"/settings/slots: found 0", {{"/system", "switchml"}, {"/settings/slots", 0}}},
      {"/environment/aggregators: found -1 (a number); allowed:",
       {{"/environment/aggregators", -1}}},
      {"/environment/aggregators: found 1.5", {{"/environment/aggregators", 1.5}}},
      {"/environment/jobs: unknown key", {{"/environment/jobs", 1}}},
      {"/loses_jobs_with_switch: found true (a boolean); allowed: false",
       {{"/loses_jobs_with_switch", true}}},
      {"/switch/buffer_bytes: found 0", {{"/switch/buffer_bytes", 0}}},
      {"/topology/switches: found 0 elements", {{"/topology/switches", none}}},
      {"/topology/switches/0/name: found \"3\" (a string); allowed: a unique name",
       {{"/topology/switches/0/name", "3"}}},
      {"/topology/switches/0/height: found 256", {{"/topology/switches/0/height", 256}}},
      {"/topology/switches/0/height: found 1; allowed: 0 for the first",
       {{"/topology/switches/0/height", 1}}},
      {"/topology/switches/1/name: found \"switch\" (a string); allowed: a unique name",
       {{"/topology/switches/1", {{"name", "switch"}, {"height", 0}}}}},
      {"/topology/switches/0: found no path to rack1; allowed: a path from each switch",
       {{"/topology/switches/1", {{"name", "rack1"}, {"height", 0}}}}},
      {"/topology/trunks/0: found 0 and 0; allowed: two switches",
       {{"/topology/trunks", {{{"lower", 0}, {"upper", 0}}}}}},
      {"/topology/trunks/0/upper: found 1", {{"/topology/trunks", {{{"lower", 0}, {"upper", 1}}}}}},
      {"/topology/hosts: found an empty array", {{"/topology/hosts", none}}},
      {"/topology/hosts/2: found 1", {{"/topology/hosts/2", 1}}},
      {"/colour: unknown key", {{"/colour", "red"}}},
      {"/jobs: found 0 elements; allowed: 1 to 256", {{"/jobs", none}}},
      {"/topology/parameter_servers: found 9 (a number); allowed: an integer from 0 to 8",
       {{"/topology/parameter_servers", 9}}},
      {"/jobs/0/server: unknown key (did you mean \"servers\"?)", {{"/jobs/0/server", 7}}},
      {"/jobs/0/workers: found an empty array; allowed: an array of 1 to 1024, each an integer "
       "from "
       "0 to 7",
       {{"/jobs/0/workers", none}}},
      {"/jobs/0/workers/0: found 65535", {{"/jobs/0/workers", {65535}}}},
      {"/jobs/0/servers: found 7 (a number); allowed: an array of 1 to 64, each an integer from 0 "
       "to "
       "7",
       {{"/jobs/0/servers", 7}}},
      {"/jobs/0/servers: found an empty array", {{"/jobs/0/servers", none}}},
      {"/jobs/0/servers/1: found 65536", {{"/jobs/0/servers", {6, 65536}}}},
      {"/jobs/0/iterations: found 0", {{"/jobs/0/iterations", 0}}},
      {"/jobs/0/start_ps: found", {{"/jobs/0/start_ps", kTwelveDaysPs}}},
      {"/jobs/0/jitter/high_ps: found 1",
       {{"/jobs/0/jitter/low_ps", 2}, {"/jobs/0/jitter/high_ps", 1}}},
      {"/jobs/0/compute_time_factors/0: found an empty array",
       {{"/jobs/0/compute_time_factors", {none}}}},
      {"/jobs/0/compute_time_factors/0/0: found -1", {{"/jobs/0/compute_time_factors", {{-1}}}}},
      {"/jobs/0/layers: found 0 elements", {{"/jobs/0/layers", none}}},
      {"/jobs/0/layers/1/backward_ps: found -5", {{"/jobs/0/layers/1/backward_ps", -5}}},
      {"/jobs/0/layers/0/forward_ps: found 1036800000000000000",
       {{"/jobs/0/layers/0/forward_ps", kTwelveDaysPs}}},
      {"/jobs/0/layers/0/forward_ps: found 3000000000",
       {{"/jobs/0/compute_time_factors", {{1e9}}}}},
      {"/jobs/0/partitions: found 0 elements", {{"/jobs/0/partitions", none}}},
      {"/jobs/0/partitions/0/layer: found 2", {{"/jobs/0/partitions/0/layer", 2}}},
      {"/jobs/0/partitions/1/fragments: found 0", {{"/jobs/0/partitions/1/fragments", 0}}},
      {"/jobs/0/partitions/1/fragments: found 2147483647 (a number); allowed: an integer from 1 "
       "to 2147483645",
       {{"/jobs/0/partitions/1/fragments", 2147483647}}},
      {"/jobs/0/exposed_partitions: found 3 (a number); allowed: an integer from 0 to 2",
       {{"/jobs/0/exposed_partitions", 3}}},
      {"/jobs/0: found host 3 twice;", {{"/jobs/0/workers", {3, 3}}}},
      {"/jobs/0: found host 5 twice;", {{"/jobs/0/servers", {7, 5}}}},
      {"/jobs/0: found host 7 twice;", {{"/jobs/0/servers", {7, 7}}}},
      {"/faults/0/host: found 4; allowed: the host of a worker or server", {{"/faults/0/host", 4}}},
      {"/faults/0: found both host and trunk, or neither", {{"/faults/0/trunk", 0}}},
      {"/faults/0/direction: found \"up\"", {{"/faults/0/direction", "up"}}},
      {"/faults/0/lost_frames/1: found 0 (a number); allowed: each number once",
       {{"/faults/0/lost_frames", {0, 0}}}},
      {"/faults/0/loss: found 1.5", {{"/faults/0/loss", 1.5}}},
      {"/node_faults/0/fault: found \"fire\"", {{"/node_faults/0/fault", "fire"}}},
      {"/node_faults/0/job: found 1", {{"/node_faults/0/job", 1}}},
      {"/node_faults/0/worker: found 2", {{"/node_faults/0/worker", 2}}},
      {"/node_faults/0/server: unknown key", {{"/node_faults/0/server", 0}}},
  };
  for (const auto& [words, changes] : cases) {
    json file = cluster_json();
    for (const auto& [place, value] : changes.items()) file[json::json_pointer(place)] = value;
    EXPECT_THAT(refusal_of(file.dump()), HasSubstr(words));
  }
}

/// `ina-sim plan` never writes the refused files.
TEST(ClusterFile, RefusesWhatASystemCannotDo) {
  nlohmann::json json = cluster_json();
  json["jobs"][0]["iterations"] = 1'431'655'766;
  EXPECT_THAT(
      refusal_of(json.dump()),
      HasSubstr("/jobs/0/iterations: found 1431655766 iterations of 3 packets; allowed: fewer "
                "than 4294967296 packets per worker in all iterations together"));
  json = cluster_json();
  json["system"] = "ring";
  json["settings"] = nlohmann::json::object();
  EXPECT_THAT(refusal_of(json.dump()), HasSubstr("/jobs/0/servers: unknown key"));
  json["jobs"][0].erase("servers");
  EXPECT_EQ(refusal_of(json.dump()), "accepted");
  json["jobs"][0]["workers"] = {3};
  json["faults"] = json["node_faults"] = nlohmann::json::array();
  EXPECT_EQ(refusal_of(json.dump()), "accepted");
}

/// SwitchML's packets have one byte for the job id. A larger id would look like another job's.
TEST(ClusterFile, RefusesMoreRegistrationsThanThereAreJobIds) {
  nlohmann::json json = cluster_json();
  json["system"] = "switchml";
  json["settings"] = nlohmann::json::object();
  json["loses_jobs_with_switch"] = true;
  json["jobs"][0].erase("servers");
  nlohmann::json& faults = json["node_faults"];
  faults[0]["fault"] = "worker_returns";
  const nlohmann::json fault = faults[0];
  while (faults.size() < 255) faults.push_back(fault);
  EXPECT_EQ(refusal_of(json.dump()), "accepted");
  faults.push_back(fault);
  EXPECT_THAT(
      refusal_of(json.dump()),
      HasSubstr("/node_faults: found up to 257 registrations of jobs; allowed: at most 256, "
                "the number of job ids in a packet of SwitchML"));
}

TEST(ClusterFile, HasFaultsOfTheLinksBetweenSwitches) {
  nlohmann::json json = cluster_json();
  put_in_racks(json);
  json["faults"][0].erase("host");
  json["faults"][0]["trunk"] = 0;
  EXPECT_EQ(read(json).link_faults[0].trunk, 0U);
  json["faults"][0]["trunk"] = 1;
  EXPECT_THAT(refusal_of(json.dump()),
              HasSubstr("/faults/0/trunk: found 1; allowed: an index below 1, "
                        "the number of links between switches"));
  json["faults"][0].erase("trunk");
  EXPECT_THAT(refusal_of(json.dump()), HasSubstr("/faults/0: found both host and trunk"));
}

TEST(ClusterFile, HasSwitchesAboveTheRacks) {
  nlohmann::json json = cluster_json();
  put_in_racks(json);
  json["topology"]["switches"][2] = {{"name", "spine"}, {"height", 1}};
  json["topology"]["trunks"] = {{{"lower", 0}, {"upper", 2}}, {{"lower", 1}, {"upper", 2}}};
  const Spec cluster = read(json);
  EXPECT_EQ(cluster.topology.of_servers(), 1);
  EXPECT_THAT(cluster.hosts(cluster.jobs[0]).racks, ElementsAre(0, 1));
  EXPECT_EQ(cluster.control().path_choice.seed, 1U);
  json["topology"]["hosts"][5] = 2;
  EXPECT_THAT(refusal_of(json.dump()),
              HasSubstr("/topology/hosts/5: found 2; allowed: the switch of a rack, 0 to 1"));
  json["topology"]["hosts"][5] = 1;
  json["topology"]["trunks"][1] = {{"lower", 0}, {"upper", 2}};
  EXPECT_THAT(refusal_of(json.dump()),
              HasSubstr("/topology/trunks/1: found 0 and 2; allowed: two switches that no other"));
  json["topology"]["trunks"][1] = {{"lower", 2}, {"upper", 1}};
  EXPECT_THAT(refusal_of(json.dump()), HasSubstr("/topology/trunks/1: found 2 and 1"));
  json["topology"]["trunks"].erase(1);
  EXPECT_THAT(refusal_of(json.dump()), HasSubstr("/topology/switches/0: found no path to rack1"));
}

TEST(ClusterFile, HasServersInAnyRackAndARootThatJoinsTheRacks) {
  nlohmann::json json = cluster_json();
  put_in_racks(json);
  json["topology"]["hosts"][7] = 0;
  EXPECT_EQ(refusal_of(json.dump()), "accepted");
  for (const char* root : {"spine", "least_loaded"}) {
    json["topology"]["root"] = root;
    EXPECT_EQ(refusal_of(json.dump()), "accepted") << root;
  }
}

/// The last topology is a - top - hub - other_top - b. The hub is the parameter servers' switch,
/// but the job's first server is at a. The only path from b to this server leads through the hub.
TEST(ClusterFile, SaysThatTheFirstServerIsAtFaultWhereAllWaysLeadThroughTheServersSwitch) {
  nlohmann::json json = cluster_json();
  json["topology"] = nlohmann::json::parse(R"({
    "switches": [{"name": "a", "height": 0}, {"name": "b", "height": 0},
                 {"name": "hub", "height": 0}, {"name": "top", "height": 1}],
    "trunks": [{"lower": 0, "upper": 3}, {"lower": 2, "upper": 3}, {"lower": 1, "upper": 3}],
    "hosts": [0, 0, 0, 0, 1, 1, 0, 0], "parameter_servers": 0, "root": "server_leaf"})");
  EXPECT_EQ(refusal_of(json.dump()), "accepted");
  json["topology"]["trunks"][2] = {{"lower", 1}, {"upper", 2}};
  EXPECT_EQ(refusal_of(json.dump()), "accepted") << "racks hang on the hub, which is the root";
  json["topology"]["trunks"] = nlohmann::json::parse(R"([
    {"lower": 0, "upper": 3}, {"lower": 2, "upper": 3}, {"lower": 2, "upper": 4},
    {"lower": 1, "upper": 4}])");
  json["topology"]["switches"][4] = {{"name", "other_top"}, {"height", 1}};
  EXPECT_THAT(
      refusal_of(json.dump()),
      HasSubstr("/jobs/0/servers: found no path from a rack of job 0 to its first server, except "
                "through \"hub\", the parameter servers' switch; allowed: a first server"));
}

TEST(ClusterFile, HasJobsWithTheRootsThatTheSimulatorsControlPlaneChooses) {
  nlohmann::json json = cluster_json();
  put_in_racks(json);
  json["topology"]["switches"][2] = {{"name", "spine0"}, {"height", 1}};
  json["topology"]["switches"][3] = {{"name", "spine1"}, {"height", 1}};
  json["topology"]["trunks"] = nlohmann::json::parse(R"([
    {"lower": 0, "upper": 2}, {"lower": 0, "upper": 3}, {"lower": 1, "upper": 2},
    {"lower": 1, "upper": 3}])");
  json["topology"]["root"] = "least_loaded";
  for (const auto& workers : {std::vector{0, 4}, {1, 2, 5}, {3, 6}}) {
    nlohmann::json job = json["jobs"][0];
    job["workers"] = workers;
    job.erase("servers");
    json["jobs"].push_back(job);
  }
  json["jobs"].erase(0);
  json["system"] = "switchml";
  json["settings"] = nlohmann::json::object();
  json["loses_jobs_with_switch"] = true;
  const Spec cluster = read(json);
  std::vector<cluster::SwitchIndex> roots;
  for (const cluster::Registration& job : cluster.registrations()) roots.push_back(job.tree.root());
  EXPECT_THAT(roots, AnyOf(ElementsAre(2, 3, 2), ElementsAre(3, 2, 3)))
      << "2 workers at the spine that the seed picks, then 3 at the other one";
}

/// Workers and servers agree on the server of each PSN.
TEST(ClusterFile, HasSeveralServersOfAJob) {
  nlohmann::json json = cluster_json();
  json["jobs"][0]["servers"] = {7, 2};
  const Spec cluster = read(json);
  EXPECT_EQ(find_server(cluster, 2).index, 1U);
  const wire::JobServers servers(std::vector<HostId>{7, 2});
  const cluster::Registration job = cluster.registration_for_hosts(cluster.jobs[0]);
  EXPECT_EQ(job.worker(0).servers, servers);
  EXPECT_EQ(job.server(1, 3).servers, servers);
  EXPECT_EQ(job.server(1, 3).host, 2);
}

TEST(ClusterFile, HasNoMoreWorkersUnderASwitchThanABitmapHasBits) {
  nlohmann::json json = cluster_json();
  json["topology"]["hosts"] = std::vector<int>(50, 0);
  json["jobs"][0]["workers"] = std::vector<int>(33);
  std::iota(json["jobs"][0]["workers"].begin(), json["jobs"][0]["workers"].end(), 8);
  EXPECT_THAT(refusal_of(json.dump()),
              HasSubstr("/jobs/0/workers: found 33 workers at switch; allowed: at most 32"));
}

TEST(ClusterFile, OfASystemWithoutServersHasNone) {
  nlohmann::json json = cluster_json();
  json["system"] = "switchml";
  json["settings"] = nlohmann::json::object();
  json["loses_jobs_with_switch"] = true;
  EXPECT_THAT(refusal_of(json.dump()), HasSubstr("/jobs/0/servers: unknown key"));
  json["jobs"][0].erase("servers");
  EXPECT_EQ(refusal_of(json.dump()), "accepted");
  json["node_faults"][0] = {
      {"fault", "server_restarts"}, {"at", "6ps"}, {"duration", "7ps"}, {"job", 0}, {"server", 0}};
  EXPECT_THAT(refusal_of(json.dump()),
              HasSubstr("/node_faults/0/fault: found \"server_restarts\""));
}

/// Adds the pointers of all members of objects, at any depth.
void add_places(const nlohmann::json& json, const nlohmann::json::json_pointer& place,
                std::vector<nlohmann::json::json_pointer>& places) {
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    const auto inner = json.is_array() ? place / std::stoul(key) : place / key;
    if (json.is_object()) places.push_back(inner);
    add_places(value, inner, places);
  }
}

TEST(ClusterFile, NeedsEveryKeyButSettingsWithDefaults) {
  std::vector<nlohmann::json::json_pointer> places;
  add_places(cluster_json(), nlohmann::json::json_pointer(), places);
  EXPECT_GT(places.size(), 60U);
  for (const auto& pointer : places) {
    const std::string place = pointer.to_string();
    nlohmann::json json = cluster_json();
    json[pointer.parent_pointer()].erase(pointer.back());
    const std::string refusal = refusal_of(json.dump());
    if (place.starts_with("/settings/")) {
      EXPECT_EQ(refusal, "accepted") << place << " has a default";
    } else if (place == "/faults/0/host") {
      EXPECT_THAT(refusal, HasSubstr("/faults/0: found both host and trunk, or neither"));
    } else {
      EXPECT_THAT(refusal, HasSubstr(": " + place + ": the key is missing"));
    }
  }
}

TEST(ClusterFile, RefusesAWrongTypeAtEveryKey) {
  std::vector<nlohmann::json::json_pointer> places;
  add_places(cluster_json(), nlohmann::json::json_pointer(), places);
  for (const auto& pointer : places) {
    const std::string place = pointer.to_string();
    nlohmann::json json = cluster_json();
    json[pointer] = json[pointer].is_boolean() ? nlohmann::json(1) : nlohmann::json(true);
    EXPECT_THAT(refusal_of(json.dump()), HasSubstr(": " + place + ": found ")) << place;
  }
}

TEST(ClusterFile, IsWrittenAsItWasRead) {
  const Spec cluster = read(cluster_json());
  const fields::Json written = cluster::write_spec(cluster, cluster::settings_on_hosts());
  nlohmann::json without_settings = nlohmann::json::parse(written.dump());
  nlohmann::json expected = cluster_json();
  EXPECT_EQ(without_settings["settings"]["initial_window_packets"], 10);
  without_settings.erase("settings");
  expected.erase("settings");
  EXPECT_EQ(without_settings, expected);
  const Spec again = cluster::read_spec(written, "again", cluster::settings_on_hosts());
  EXPECT_EQ(again.jobs, cluster.jobs);
  EXPECT_EQ(again.link_faults, cluster.link_faults);
  EXPECT_EQ(again.node_faults, cluster.node_faults);
  EXPECT_EQ(cluster::write_spec(again, cluster::settings_on_hosts()), written);
}

TEST(ClusterFile, MustBeJsonThatIsThere) {
  EXPECT_THAT(refusal_of("{"), HasSubstr("line 1, column 2"));
  EXPECT_THAT(refusal_of("[]"), HasSubstr("allowed: an object"));
  EXPECT_THROW(read_cluster_file("/nowhere/cluster.json"), InputError);
}

/// Records submitted tensors.
class RecordingTransport final : public WorkerTransport {
 public:
  void submit(const Tensor& tensor, Time now) override {
    handed_in.emplace_back(now, tensor.first_psn);
    low_watermark.push_back(tensor.low_watermark);
    priorities.push_back(tensor.priority.at(now));
  }
  void receive(const Frame&, Time) override {}
  bool next(Frame&, Time) override { return false; }
  Time deadline() const override { return kNever; }
  void expire(Time) override {}
  std::uint32_t in_flight() const override { return 0; }
  std::uint32_t window() const override { return 0; }
  const WorkerStatistics& statistics() const override { return statistics_; }

  std::vector<std::pair<Time, Psn>> handed_in;
  std::vector<Psn> low_watermark;
  std::vector<std::uint16_t> priorities;  // at submission

 private:
  WorkerStatistics statistics_;
};

class TrainingWorkerTest : public ::testing::Test {
 protected:
  TrainingWorkerTest() : TrainingWorkerTest(cluster_json()) {}
  explicit TrainingWorkerTest(const nlohmann::json& json)
      : cluster(read(json)), worker(cluster, {0, 1}) {
    worker.begin(transport);
  }

  /// Advances the time until nothing is due.
  void run() {
    while (worker.deadline() != kNever) {
      now = std::max(now, worker.deadline());
      worker.advance(now);
    }
  }

  /// The exact sum of a fragment.
  Frame sum_of(Psn psn) {
    const std::uint64_t seed = cluster.jobs[0].seed_of_gradients();
    Frame frame;
    frame.kind = FrameKind::result;
    frame.psn = psn;
    frame.values = pool.take();
    numeric::generate(table, numeric::synthetic_sum(seed, 2), numeric::synthetic_key(seed), psn,
                      frame.values.data(), frame.values.size());
    return frame;
  }

  void complete(Psn first, Psn fragments) {
    for (Psn psn = first; psn < first + fragments; ++psn) {
      worker.sink().fragment_complete(sum_of(psn), {}, now);
    }
    worker.sink().tensor_complete(first, now);
    worker.advance(now);
  }

  ValuePool pool{62};
  numeric::SyntheticTable table;
  Spec cluster;
  ProcessTraining worker;
  RecordingTransport transport;
  Time now{};
};

TEST_F(TrainingWorkerTest, TrainsByTheClock) {
  const Time start = worker.deadline();
  EXPECT_EQ(start, Time(5));
  run();  // backward pass: layer 1, then layer 0
  EXPECT_THAT(transport.handed_in, ElementsAre(Pair(start + kMs, 0), Pair(start + 3 * kMs, 2)));
  now = start + 10 * kMs;
  complete(0, 2);  // layer 1; the forward pass begins with layer 0
  EXPECT_EQ(worker.deadline(), kNever);
  complete(2, 1);
  EXPECT_EQ(worker.deadline(), now + 3 * kMs);
  run();  // both forward passes, then the next iteration's backward pass
  ASSERT_EQ(worker.iterations().size(), 1U);
  EXPECT_EQ(worker.iterations()[0].start, start);
  EXPECT_EQ(worker.iterations()[0].end, start + 17 * kMs);
  EXPECT_EQ(Time(worker.iterations()[0].breakdown.compute), 10 * kMs);
  EXPECT_THAT(transport.low_watermark, ElementsAre(0, 0, 3, 3));
  complete(3, 2);
  complete(5, 1);
  run();
  EXPECT_TRUE(worker.done());
  EXPECT_EQ(worker.iterations()[1].start, worker.iterations()[0].end);
}

/// Layer 1's results arrive 5 ms after the end of layer 0's forward pass, when the process wakes
/// up.
TEST_F(TrainingWorkerTest, ComputesNoForwardFromBeforeItsResultsCame) {
  run();
  complete(2, 1);
  now = worker.deadline() + 5 * kMs;
  complete(0, 2);
  EXPECT_EQ(worker.deadline(), now + 4 * kMs);
}

TEST_F(TrainingWorkerTest, FailsOnAWrongSum) {
  run();
  Frame wrong = sum_of(1);
  ++wrong.values.data()[61];
  EXPECT_THAT([&] { worker.sink().fragment_complete(wrong, {}, now); },
              ::testing::ThrowsMessage<cluster::VerificationError>(
                  HasSubstr("job 0, worker 1, PSN 1: value 61 is")));
}

/// Workers share results. Another worker has verified this one.
TEST_F(TrainingWorkerTest, FailsOnAResultThatWasWrittenAfterAnotherWorkerVerifiedIt) {
  ProcessTraining other(cluster, {0, 0});
  RecordingTransport others_transport;
  other.begin(others_transport);
  run();
  Frame shared = sum_of(1);
  other.sink().fragment_complete(shared, {}, now);
  Frame mine = shared;
  ++shared.values.data()[61];
  EXPECT_THROW(worker.sink().fragment_complete(mine, {}, now), cluster::VerificationError);
}

TEST_F(TrainingWorkerTest, FailsOnAResultThatWasVerifiedForAnotherFragment) {
  run();
  Frame shared = sum_of(1);
  worker.sink().fragment_complete(shared, {}, now);
  shared.psn = 0;
  EXPECT_THROW(worker.sink().fragment_complete(shared, {}, now), cluster::VerificationError);
}

/// Two partitions with 2 and 1 fragments of values, on 4 slots.
class BlocksTest : public ::testing::Test {
 protected:
  static Spec cluster_of_blocks() {
    nlohmann::json json = cluster_json();
    json["system"] = "switchml";
    json["settings"] = {
        {"values_per_packet", 64}, {"slots", 4}, {"quantisation", "block_floating_point"}};
    json["loses_jobs_with_switch"] = true;
    json["jobs"][0].erase("servers");
    return cluster::read_spec(json, "blocks", cluster::settings_on_hosts());
  }
  Frame result(Psn psn) {
    const numeric::SyntheticBlocks blocks(table, cluster.jobs[0].seed_of_gradients(), 2);
    const bool carries_values = psn == 2 || psn == 3 || psn == 5;
    Frame frame;
    frame.fields = SwitchmlFields();
    frame.psn = psn;
    frame.values = pool.take();
    frame.switchml().exponents = carries_values ? blocks.largest(psn) : numeric::ExponentCode{0};
    numeric::generate(table, carries_values ? blocks.sum(psn) : numeric::SyntheticGradient{},
                      numeric::synthetic_key(cluster.jobs[0].seed_of_gradients()), psn,
                      frame.values.data(), frame.values.size());
    return frame;
  }

  ValuePool pool{64};
  numeric::SyntheticTable table;
  Spec cluster = cluster_of_blocks();
  ProcessTraining worker{cluster, {0, 1}};
};

TEST_F(BlocksTest, ExponentsGoAheadInEachPartition) {
  const auto& partitions = cluster.jobs[0].training.partitions.partitions();
  EXPECT_EQ(partitions[0].fragments, 4U);
  EXPECT_EQ(partitions[0].exponent_lead, 2U);
  EXPECT_EQ(partitions[1].first_fragment, 4U);
  EXPECT_EQ(partitions[1].exponent_lead, 1U);
  for (Psn psn = 0; psn < 6; ++psn) {
    EXPECT_NO_THROW(worker.sink().fragment_complete(result(psn), {}, Time{})) << psn;
  }
}

TEST_F(BlocksTest, VerificationFailsOnAnExponentThatIsNotTheLargest) {
  Frame wrong = result(3);
  ++wrong.switchml().exponents;
  EXPECT_THAT([&] { worker.sink().fragment_complete(wrong, {}, Time{}); },
              ::testing::ThrowsMessage<cluster::VerificationError>(
                  HasSubstr("PSN 3: quantised by the exponent")));
}

TEST_F(TrainingWorkerTest, FailsOnAResultThatComesTwiceOrOutOfItsIteration) {
  run();
  worker.sink().fragment_complete(sum_of(1), {}, now);
  EXPECT_THROW(worker.sink().fragment_complete(sum_of(1), {}, now), cluster::VerificationError);
  EXPECT_THROW(worker.sink().fragment_complete(sum_of(3), {}, now), cluster::VerificationError);
}

class SlowWorkerTest : public TrainingWorkerTest {
 protected:
  SlowWorkerTest() : TrainingWorkerTest(json()) {}
  static nlohmann::json json() {
    nlohmann::json json = cluster_json();
    json["jobs"][0]["compute_time_factors"] = {{1.0}, {2.0, 0.5}};
    json["jobs"][0]["jitter"] = {
        {"low_ps", 7'000'000}, {"high_ps", 7'000'000}, {"per", "iteration"}, {"first_stream", 1}};
    return json;
  }
};

TEST_F(SlowWorkerTest, ComputesAtItsOwnSpeedAndSubmitsLate) {
  const Time start = worker.deadline();
  const Time jitter(7'000'000);
  run();
  EXPECT_THAT(transport.handed_in,
              ElementsAre(Pair(start + 2 * kMs + jitter, 0), Pair(start + 6 * kMs + jitter, 2)));
  complete(0, 2);
  complete(2, 1);
  run();
  EXPECT_EQ(Time(worker.iterations()[0].breakdown.compute), 20 * kMs);
  const Time second = worker.iterations()[0].end;
  EXPECT_THAT(transport.handed_in[2], Pair(second + kMs / 2 + jitter, 3));
}

class HiddenCommunicationTest : public TrainingWorkerTest {
 protected:
  HiddenCommunicationTest() : TrainingWorkerTest(json()) {}
  static nlohmann::json json() {
    nlohmann::json json = cluster_json();
    json["environment"]["line_rate"] = "40Mbps";  // Comm/Comp = 186 * 0.8 us / 10 ms
    json["jobs"][0]["iterations"] = kIterations;
    return json;
  }
  static constexpr Psn kIterations = 24;
};

/// The time from first submission to last result is all computation. It does not raise
/// priorities.
TEST_F(HiddenCommunicationTest, DoesNotRaisePriorities) {
  for (Psn iteration = 0; iteration < kIterations; ++iteration) {
    run();
    complete(3 * iteration, 2);
    complete(3 * iteration + 2, 1);
    run();
  }
  ASSERT_TRUE(worker.done());
  ASSERT_EQ(transport.priorities.size(), 2 * kIterations);
  for (std::size_t i = 0; i < transport.priorities.size(); ++i) {
    EXPECT_NEAR(transport.priorities[i], i % 2 == 0 ? 9 : 23, 1) << i;
  }
}

}  // namespace
}  // namespace ina::processes
