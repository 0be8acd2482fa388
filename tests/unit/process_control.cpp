// SPDX-License-Identifier: BSD-3-Clause
#include "hw/processes/process_control.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "hw/cluster/topologies/leaf_spine.hpp"
#include "hw/processes/input_error.hpp"

namespace ina::processes {
namespace {

using faults::NodeFault;
using faults::PlannedNodeFault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

constexpr Time kAt(100);
constexpr Time kLasts(50);

PlannedNodeFault fault(NodeFault kind) { return {{.fault = kind, .at = kAt, .duration = kLasts}}; }

class Control {
 public:
  /// Two jobs of two workers and four iterations under one switch.
  explicit Control(std::vector<PlannedNodeFault> faults, bool jobs_survive_reboots = true)
      : Control({.jobs_survive_reboots = jobs_survive_reboots},
                {{{{0, 1}, {0, 0}, 4}, 4}, {{{2, 3}, {0, 0}, 5}, 4}}, faults) {}
  Control(const cluster::ControlPlane::Config& config, const std::vector<ProcessControl::Job>& jobs,
          const std::vector<PlannedNodeFault>& faults)
      : control_(config, jobs, faults, out_) {}

  /// The actions at a time, without quotes.
  std::vector<std::string> at(Time now, const std::string& iterations_ended = "") {
    control_.take("{\"now_ps\": " + std::to_string(now.count()) + ", \"iterations_ended\": [" +
                  iterations_ended + "]}");
    return actions();
  }
  std::vector<std::string> actions() {
    std::vector<std::string> actions;
    for (std::string line; std::getline(out_, line);) {
      std::erase(line, '"');
      actions.push_back(line);
    }
    out_.clear();
    return actions;
  }
  ProcessControl& operator*() { return control_; }

 private:
  std::stringstream out_;
  ProcessControl control_;
};

TEST(ProcessControl, BeginsWithoutActionsAndWaitsForTheFirstFault) {
  Control control({fault(NodeFault::worker_pauses)});
  (*control).wait();
  EXPECT_THAT(control.actions(), ElementsAre("{do:wait,until_ps:100}"));
}

TEST(ProcessControl, WaitsForEverWithoutFaults) {
  Control control({});
  (*control).wait();
  EXPECT_THAT(control.actions(), ElementsAre("{do:wait,until_ps:null}"));
}

TEST(ProcessControl, PausesAndResumesAWorker) {
  Control control({fault(NodeFault::worker_pauses)});
  EXPECT_THAT(control.at(kAt), ElementsAre("{do:pause,job:0,worker:0}"));
  EXPECT_THAT(control.at(kAt + kLasts), ElementsAre("{do:resume,job:0,worker:0}"));
}

TEST(ProcessControl, StartsAServerAgainUnderItsId) {
  Control control({fault(NodeFault::server_restarts)});
  EXPECT_THAT(control.at(kAt), ElementsAre("{do:stop,job:0,server:0}"));
  EXPECT_THAT(control.at(kAt + kLasts), ElementsAre("{do:start_server,job:0,server:0,id:0}"));
}

TEST(ProcessControl, NamesOneOfSeveralServersByItsIndex) {
  PlannedNodeFault pause = fault(NodeFault::server_pauses);
  pause.server = 1;
  const wire::JobServers servers(std::vector<HostId>{4, 5});
  Control control({}, {{{{0, 1}, {0, 0}, servers, {0, 0}}, 1}}, {pause});
  EXPECT_THAT(control.at(kAt), ElementsAre("{do:pause,job:0,server:1}"));
  EXPECT_THAT(control.at(kAt + kLasts), ElementsAre("{do:resume,job:0,server:1}"));
}

TEST(ProcessControl, StartsAllServersOfAJobThatIsRegisteredAgain) {
  const wire::JobServers servers(std::vector<HostId>{4, 5});
  Control control({}, {{{{0, 1}, {0, 0}, servers, {0, 0}}, 1}}, {fault(NodeFault::worker_returns)});
  control.at(kAt);
  EXPECT_THAT(control.at(kAt + kLasts), IsSupersetOf({"{do:start_server,job:0,server:0,id:1}",
                                                      "{do:start_server,job:0,server:1,id:1}"}));
}

/// Switches 0 and 1 are leaves, 2 and 3 are spines. Leaf 1 reboots. The seed picks spine 2 for jobs
/// 0 and 2.
TEST(ProcessControl, TellsSwitchesTheRootThatIsLeastLoadedByThen) {
  const cluster::ControlPlane::Config config{
      .topology = topology_of(
          cluster::LeafSpine{.racks = 2, .hosts_per_rack = 2, .spines = 2, .parameter_servers = 1}),
      .root = cluster::RootChoice::least_loaded,
      .path_choice = {.seed = 5},
      .levels = wire::Levels::two,
      .jobs_survive_reboots = false};
  const ProcessControl::Job job{{{0, 2}, {0, 1}, {}, {}}, 1};
  PlannedNodeFault reboot = fault(NodeFault::switch_reboots);
  reboot.rack = config.topology.of_servers();
  Control control(config, {job, job, job}, {reboot});
  control.at(kAt);
  const auto actions = control.at(kAt + kLasts, "[1, 0, 1], [1, 1, 1]");
  EXPECT_THAT(actions, IsSupersetOf({"{do:order,switch:0,order:register 0 3 3}",
                                     "{do:order,switch:1,order:register 0 3 3}",
                                     "{do:order,switch:3,order:register 0 3 3}",
                                     "{do:order,switch:2,order:register 2 4 2}"}))
      << "job 0 leaves spine 2, where job 2 is, for that of job 1, which has ended";
}

TEST(ProcessControl, RegistersAgainFromTheIterationThatNotAllHaveEnded) {
  Control control({fault(NodeFault::worker_returns)});
  EXPECT_THAT(control.at(kAt, "[0, 0, 2], [0, 1, 1]"), ElementsAre("{do:stop,job:0,worker:0}"));
  EXPECT_THAT(
      control.at(kAt + kLasts, "[0, 1, 2]"),
      ElementsAre("{do:order,switch:0,order:remove 0}", "{do:order,switch:0,order:register 0 2 0}",
                  "{do:start_workers,job:0,id:2,first_iteration:2}",
                  "{do:start_server,job:0,server:0,id:2}", "{do:count,job:0,registrations:2}"));
}

TEST(ProcessControl, DoesNothingForAJobWhoseIterationsAreOver) {
  Control control({fault(NodeFault::worker_returns)});
  EXPECT_THAT(control.at(kAt, "[0, 0, 4], [0, 1, 4]"), ElementsAre());
}

TEST(ProcessControl, TellsTheSwitchThatIsBackTheJobsUnderTheirIds) {
  Control control({fault(NodeFault::switch_reboots)});
  EXPECT_THAT(control.at(kAt), ElementsAre("{do:order,switch:0,order:down}"));
  EXPECT_THAT(control.at(kAt + kLasts), ElementsAre("{do:order,switch:0,order:up}",
                                                    "{do:order,switch:0,order:register 0 0 0}",
                                                    "{do:order,switch:0,order:register 1 1 0}"));
}

TEST(ProcessControl, RegistersJobsThatAreLostWithTheSwitchAgain) {
  Control control({fault(NodeFault::switch_reboots)}, false);
  EXPECT_THAT(control.at(kAt), ElementsAre("{do:order,switch:0,order:down}"));
  const auto actions = control.at(kAt + kLasts, "[1, 0, 1], [1, 1, 1]");
  ASSERT_EQ(actions.size(), 9);
  EXPECT_THAT(
      std::vector(actions.begin(), actions.begin() + 3),
      ElementsAre("{do:order,switch:0,order:up}", "{do:order,switch:0,order:register 0 2 0}",
                  "{do:start_workers,job:0,id:2,first_iteration:0}"));
  EXPECT_THAT(actions, ::testing::Contains("{do:start_workers,job:1,id:3,first_iteration:1}"));
}

TEST(ProcessControl, DoesNotRegisterAJobAgainThatFailedWhileTheSwitchWasDown) {
  PlannedNodeFault kills{{.fault = NodeFault::job_is_killed, .at = kAt + kLasts / 2}};
  Control control({fault(NodeFault::switch_reboots), kills});
  control.at(kAt);
  EXPECT_THAT(control.at(kills.at),
              ElementsAre("{do:stop,job:0,worker:0}", "{do:stop,job:0,worker:1}",
                          "{do:stop,job:0,server:0}", "{do:fail,job:0,status:killed,end_ps:125}"));
  EXPECT_THAT(control.at(kAt + kLasts), ElementsAre("{do:order,switch:0,order:up}",
                                                    "{do:order,switch:0,order:register 1 1 0}"));
}

/// Even if the actions are requested late, the job fails at the time in the plan.
TEST(ProcessControl, FailsAJobWhenItsFaultSaysSo) {
  Control control({fault(NodeFault::worker_is_lost)});
  EXPECT_THAT(control.at(kAt + 10 * kLasts),
              ::testing::Contains("{do:fail,job:0,status:worker_lost,end_ps:150}"));
}

class WrongEvent : public ::testing::TestWithParam<const char*> {};

TEST_P(WrongEvent, IsRefusedInOneLine) {
  Control control({});
  try {
    (*control).take(GetParam());
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("standard input: "));
    EXPECT_THAT(error.what(), HasSubstr("; allowed: "));
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("\n")));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, WrongEvent,
                         ::testing::Values("", "now", "{}", R"({"now_ps": 1})",
                                           R"({"now_ps": "x", "iterations_ended": []})",
                                           R"({"now_ps": 1, "iterations_ended": [[0, 0]]})",
                                           R"({"now_ps": 1, "iterations_ended": [[2, 0, 1]]})",
                                           R"({"now_ps": 1, "iterations_ended": [[0, 2, 1]]})",
                                           R"({"now_ps": 1, "iterations_ended": [[0, 0, 5]]})"));

}  // namespace
}  // namespace ina::processes
