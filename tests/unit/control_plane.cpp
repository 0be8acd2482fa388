// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/control/control_plane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/cluster/topologies/fat_tree.hpp"
#include "hw/cluster/topologies/leaf_spine.hpp"
#include "hw/cluster/topologies/star.hpp"
#include "hw/protocol/wire/limits.hpp"

namespace ina::cluster {
namespace {

using faults::NodeFault;
using faults::PlannedNodeFault;
using std::chrono::microseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Records the calls of the control plane.
class RecordingWorld final : public ControlWorld {
 public:
  void install_job(std::size_t rack, const Registration& registration) override {
    say("install {} at {} for {}", registration.id, rack,
        fmt::join(registration.workers_below(rack), "+"));
  }
  void remove_job(std::size_t rack, const Registration& registration) override {
    say("remove {} at {}", registration.id, rack);
  }
  void take_switch_down(std::size_t rack) override { say("switch {} down", rack); }
  void bring_switch_back(std::size_t rack) override { say("switch {} back", rack); }
  void set_routes(const Topology& topology) override {
    say("routes without {}", std::ranges::count(topology.trunks, true, &Topology::Trunk::dead));
  }
  void start_workers(const Registration& registration, Time) override {
    say("start {} from {}", registration.id, registration.first_iteration);
  }
  void start_server(const Registration& registration, std::uint16_t index, Time) override {
    say("serve {}{}", registration.id, index == 0 ? "" : fmt::format(" by {}", index));
  }
  void stop(const JobHost& host, Time) override { say("stop {}", in_words(host)); }
  void pause(const JobHost& host, Time until, Time) override {
    say("pause {} until {}", in_words(host), until / microseconds(1));
  }
  void resume(const JobHost& host, Time) override { say("resume {}", in_words(host)); }
  void expect(const JobHost& host, Time at) override {
    expected.emplace_back(in_words(host), at / microseconds(1));
  }
  void job_event(JobEvent event, const JobHost& host) override {
    constexpr const char* kNames[] = {"again",     "died",   "returned", "restarted",
                                      "is killed", "failed", "finished"};
    say("{} {}", in_words(host), kNames[static_cast<std::size_t>(event)]);
  }

  /// Returns the calls since the last told().
  std::vector<std::string> told() { return std::exchange(told_, {}); }

  std::vector<std::pair<std::string, std::int64_t>> expected;

 private:
  static std::string in_words(const JobHost& host) {
    if (host.rank) return fmt::format("{}.{}", host.job, *host.rank);
    return fmt::format("{}{}", host.job, host.server == 0 ? "" : fmt::format("/{}", host.server));
  }
  template <class... Parts>
  void say(fmt::format_string<Parts...> text, Parts&&... parts) {
    told_.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  }

  std::vector<std::string> told_;
};

/// One job of two workers and three iterations under one switch.
class ControlPlaneTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kIterations = 3;

  void add_job(ControlPlane& control) {
    control.add_job({{1, 2}, {0, 0}, 3}, kIterations, Time{});
    world.told();
  }
  static PlannedNodeFault fault(NodeFault kind, int at, int duration, std::uint16_t worker = 0) {
    return {{kind, microseconds(at), microseconds(duration), 0, worker, 0}};
  }
  /// The calls at the time `at`, in us.
  std::vector<std::string> at(ControlPlane& control, int at) {
    control.expire(microseconds(at));
    return world.told();
  }
  static void end_iterations(ControlPlane& control, std::uint16_t rank, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) control.iteration_ended(0, rank, microseconds(7));
  }

  RecordingWorld world;
  ControlPlane control{{}, world};
};

TEST_F(ControlPlaneTest, RegistersAJobAtTheSwitchThenAtItsWorkersAndItsServer) {
  control.add_job({{1, 2}, {0, 0}, 3}, 1, Time{});
  EXPECT_THAT(world.told(), ElementsAre("install 0 at 0 for 1+2", "start 0 from 0", "serve 0"));
}

TEST_F(ControlPlaneTest, StartsNoServerWhereTheSystemHasNone) {
  control.add_job({{1, 2}, {0, 0}, {}}, 1, Time{});
  EXPECT_THAT(world.told(), ElementsAre("install 0 at 0 for 1+2", "start 0 from 0"));
}

class SeveralServersTest : public ControlPlaneTest {
 protected:
  SeveralServersTest() {
    control.add_job({{1, 2}, {0, 0}, wire::JobServers(std::vector<HostId>{3, 5})}, 1, Time{});
  }
  static PlannedNodeFault of_second(NodeFault kind, int at, int duration) {
    PlannedNodeFault second = fault(kind, at, duration);
    second.server = 1;
    return second;
  }
};

TEST_F(SeveralServersTest, AreEachStartedWithWhatItHas) {
  EXPECT_THAT(world.told(),
              ElementsAre("install 0 at 0 for 1+2", "start 0 from 0", "serve 0", "serve 0 by 1"));
  const Registration& registration = control.registration(0);
  EXPECT_EQ(registration.server(0, 17).host, 3);
  EXPECT_EQ(registration.server(1, 17).host, 5);
  EXPECT_EQ(registration.server(1, 17).servers, registration.hosts.servers);
  EXPECT_EQ(registration.worker(0).servers, registration.hosts.servers);
}

TEST_F(SeveralServersTest, AFaultStrikesOneOfThem) {
  world.told();
  control.plan(of_second(NodeFault::server_restarts, 10, 5));
  control.plan(of_second(NodeFault::server_pauses, 20, 5));
  control.plan(fault(NodeFault::server_pauses, 21, 9));
  EXPECT_THAT(at(control, 10), ElementsAre("stop 0/1"));
  EXPECT_THAT(at(control, 15), ElementsAre("serve 0 by 1", "0/1 restarted"));
  EXPECT_THAT(at(control, 20), ElementsAre("pause 0/1 until 25"));
  EXPECT_THAT(at(control, 21), ElementsAre("pause 0 until 30"));
  EXPECT_THAT(at(control, 25), ElementsAre("resume 0/1"));
  EXPECT_THAT(at(control, 30), ElementsAre("resume 0"));
}

TEST_F(SeveralServersTest, TheOthersStartWithANewRegistrationWhileOneIsDown) {
  world.told();
  control.plan(of_second(NodeFault::server_restarts, 10, 30));
  control.plan(fault(NodeFault::worker_returns, 10, 5, 1));
  control.expire(microseconds(10));
  world.told();
  EXPECT_THAT(at(control, 15),
              ElementsAre("0.1 returned", "remove 0 at 0", "install 1 at 0 for 1+2",
                          "start 1 from 0", "serve 1", "0 again"));
  EXPECT_THAT(at(control, 40), ElementsAre("serve 1 by 1", "0/1 restarted"));
}

TEST_F(SeveralServersTest, AllStopWithTheirJob) {
  world.told();
  control.plan(fault(NodeFault::job_is_killed, 10, 0));
  EXPECT_THAT(at(control, 10), ElementsAre("0 is killed", "remove 0 at 0", "stop 0.0", "stop 0.1",
                                           "stop 0", "stop 0/1", "0 failed"));
}

TEST_F(ControlPlaneTest, ToldWhatAHostIsMakesItsIdentity) {
  add_job(control);
  const Registration& registration = control.registration(0);
  const WorkerIdentity worker = registration.worker(1);
  EXPECT_EQ(worker.rank, 1);
  EXPECT_EQ(worker.workers, 2);
  EXPECT_EQ(worker.host, 2);
  EXPECT_EQ(worker.servers, HostId{3});
  EXPECT_EQ(worker.path, wire::one_level(2, 1));
  const ServerIdentity server = registration.server(0, 17);
  EXPECT_EQ(server.host, 3);
  EXPECT_EQ(server.psns_per_iteration, 17U);
  EXPECT_THAT(server.members, ElementsAre(1, 2));
}

TEST_F(ControlPlaneTest, InstallsAJobWhereItsWorkersAreAndAtTheServersSwitch) {
  ControlPlane racks({.topology = topology_of(Star{.racks = 3}), .levels = wire::Levels::two},
                     world);
  racks.add_job({{1, 2, 4}, {1, 1, 2}, 5, {2}}, 1, Time{});
  EXPECT_THAT(world.told(), ElementsAre("install 0 at 1 for 1+2", "install 0 at 2 for 1+2+4",
                                        "start 0 from 0", "serve 0"));
  EXPECT_THAT(wire::branches_of(racks.registration(0).paths), ElementsAre(0b11, 0b1));
  EXPECT_EQ(racks.registration(0).worker(1).path, racks.registration(0).paths[1]);
  EXPECT_EQ(racks.registration(0).tree.root(), 2);
  EXPECT_EQ(racks.registration(0).server(0, 17).paths, racks.registration(0).paths);
}

TEST_F(ControlPlaneTest, FinishesAJobWhenItsLastWorkerEndsTheLastIteration) {
  add_job(control);
  end_iterations(control, 0, kIterations);
  end_iterations(control, 1, kIterations - 1);
  EXPECT_EQ(control.status(0), JobStatus::running);
  EXPECT_THAT(world.told(), IsEmpty());
  control.iteration_ended(0, 1, microseconds(9));
  EXPECT_EQ(control.status(0), JobStatus::finished);
  EXPECT_EQ(control.ended_at(0), microseconds(9));
  EXPECT_TRUE(control.all_ended());
  EXPECT_THAT(world.told(), ElementsAre("0 finished"));
}

TEST_F(ControlPlaneTest, RegistersAgainFromTheIterationThatNotAllHaveEndedUnderAFreshId) {
  add_job(control);
  control.plan(fault(NodeFault::worker_returns, 10, 5, 1));
  end_iterations(control, 0, 2);
  end_iterations(control, 1, 1);
  EXPECT_THAT(at(control, 10), ElementsAre("stop 0.1", "0.1 died"));
  EXPECT_THAT(at(control, 15),
              ElementsAre("0.1 returned", "remove 0 at 0", "install 1 at 0 for 1+2",
                          "start 1 from 1", "serve 1", "0 again"));
  EXPECT_EQ(control.registrations(0), 2U);
}

TEST_F(ControlPlaneTest, LetsWorkersThatWereAheadRepeatWhatTheyHadEnded) {
  add_job(control);
  control.plan(fault(NodeFault::worker_returns, 10, 5, 1));
  end_iterations(control, 0, 2);
  control.expire(microseconds(15));
  end_iterations(control, 1, kIterations);
  end_iterations(control, 0, kIterations - 1);
  EXPECT_EQ(control.status(0), JobStatus::running);
  end_iterations(control, 0, 1);
  EXPECT_EQ(control.status(0), JobStatus::finished);
}

TEST_F(ControlPlaneTest, GivesNoIdTwice) {
  add_job(control);
  control.plan(fault(NodeFault::worker_returns, 10, 5));
  control.expire(microseconds(15));
  control.add_job({{4}, {0}, 5}, 1, microseconds(20));
  EXPECT_EQ(control.registration(0).id, 1);
  EXPECT_EQ(control.registration(1).id, 2);
}

TEST_F(ControlPlaneTest, GivesRegistrationsTheIdsOfItsConfigurationInTurn) {
  const JobIds ids(7, 2);
  ControlPlane drawn({.ids = ids}, world);
  drawn.add_job({{1, 2}, {0, 0}, 3}, 1, Time{});
  drawn.add_job({{4}, {0}, 5}, 1, Time{});
  EXPECT_EQ(drawn.registration(0).id, ids.at(0));
  EXPECT_EQ(drawn.registration(1).id, ids.at(1));
  EXPECT_EQ(drawn.registration(1).job, 1U);
  drawn.plan(fault(NodeFault::worker_returns, 10, 5));
  drawn.expire(microseconds(15));
  EXPECT_EQ(drawn.registration(0).id, ids.at(2));
  EXPECT_EQ(drawn.registration(0).job, 0U);
}

TEST_F(ControlPlaneTest, FailsWhenNoIdsAreLeft) {
  for (std::size_t i = 0; i < wire::kMaxJobs; ++i) control.add_job({{1}, {0}, 2}, 1, Time{});
  EXPECT_THROW(control.add_job({{1}, {0}, 2}, 1, Time{}), std::length_error);
}

TEST_F(ControlPlaneTest, WaitsForTheLastOfTheDead) {
  add_job(control);
  control.plan(fault(NodeFault::worker_returns, 10, 10, 0));
  control.plan(fault(NodeFault::worker_returns, 11, 5, 1));
  control.plan(fault(NodeFault::worker_returns, 12, 2, 0));
  EXPECT_THAT(at(control, 16), ElementsAre("stop 0.0", "0.0 died", "stop 0.1", "0.1 died",
                                           "stop 0.0", "0.0 died", "0.1 returned"));
  EXPECT_THAT(at(control, 20),
              ElementsAre("0.0 returned", "remove 0 at 0", "install 1 at 0 for 1+2",
                          "start 1 from 0", "serve 1", "0 again"));
}

TEST_F(ControlPlaneTest, GivesAJobUpThatLostAWorker) {
  add_job(control);
  control.plan(fault(NodeFault::worker_is_lost, 10, 5));
  EXPECT_THAT(at(control, 10), ElementsAre("stop 0.0", "0.0 died"));
  EXPECT_THAT(at(control, 15),
              ElementsAre("remove 0 at 0", "stop 0.0", "stop 0.1", "stop 0", "0 failed"));
  EXPECT_EQ(control.status(0), JobStatus::worker_lost);
  EXPECT_EQ(control.ended_at(0), microseconds(15));
}

TEST_F(ControlPlaneTest, RemovesAKilledJobFromEverySwitchAndStopsItsHosts) {
  ControlPlane racks({.topology = topology_of(Star{.racks = 3}), .levels = wire::Levels::two},
                     world);
  racks.add_job({{1, 2}, {0, 1}, 5, {2}}, 1, Time{});
  world.told();
  racks.plan(fault(NodeFault::job_is_killed, 10, 0));
  EXPECT_THAT(at(racks, 10),
              ElementsAre("0 is killed", "remove 0 at 0", "remove 0 at 1", "remove 0 at 2",
                          "stop 0.0", "stop 0.1", "stop 0", "0 failed"));
  EXPECT_EQ(racks.status(0), JobStatus::killed);
}

TEST_F(ControlPlaneTest, DoesNotRegisterAKilledJobAgain) {
  add_job(control);
  control.plan(fault(NodeFault::worker_returns, 10, 10));
  control.plan(fault(NodeFault::job_is_killed, 15, 0));
  control.expire(microseconds(15));
  world.told();
  EXPECT_THAT(at(control, 20), IsEmpty());
}

TEST_F(ControlPlaneTest, RemovesAJobThatFinishesWithoutOneOfItsWorkers) {
  add_job(control);
  end_iterations(control, 0, kIterations);
  control.plan(fault(NodeFault::worker_is_lost, 10, 100, 0));
  control.expire(microseconds(10));
  world.told();
  end_iterations(control, 1, kIterations);
  EXPECT_THAT(world.told(),
              ElementsAre("0 finished", "remove 0 at 0", "stop 0.0", "stop 0.1", "stop 0"));
  EXPECT_THAT(at(control, 110), IsEmpty());
  EXPECT_EQ(control.status(0), JobStatus::finished);
}

TEST_F(ControlPlaneTest, RestartsAServerWhenTheLastOfItsRestartsEnds) {
  add_job(control);
  control.plan(fault(NodeFault::server_restarts, 10, 10));
  control.plan(fault(NodeFault::server_restarts, 11, 2));
  EXPECT_THAT(at(control, 19), ElementsAre("stop 0", "stop 0"));
  EXPECT_THAT(at(control, 20), ElementsAre("serve 0", "0 restarted"));
}

TEST_F(ControlPlaneTest, StartsTheServerOfTheLatestRegistrationAfterItsRestart) {
  add_job(control);
  control.plan(fault(NodeFault::server_restarts, 10, 10));
  control.plan(fault(NodeFault::worker_returns, 11, 2));
  control.expire(microseconds(12));
  world.told();
  EXPECT_THAT(at(control, 13), ElementsAre("0.0 returned", "remove 0 at 0",
                                           "install 1 at 0 for 1+2", "start 1 from 0", "0 again"));
  EXPECT_THAT(at(control, 20), ElementsAre("serve 1", "0 restarted"));
}

TEST_F(ControlPlaneTest, ResumesWhatPausesWhenItsLongestPauseEnds) {
  add_job(control);
  control.plan(fault(NodeFault::worker_pauses, 10, 10, 1));
  control.plan(fault(NodeFault::worker_pauses, 11, 2, 1));
  control.plan(fault(NodeFault::server_pauses, 12, 2));
  EXPECT_THAT(at(control, 19), ElementsAre("pause 0.1 until 20", "pause 0.1 until 20",
                                           "pause 0 until 14", "resume 0"));
  EXPECT_THAT(at(control, 20), ElementsAre("resume 0.1"));
}

TEST_F(ControlPlaneTest, InstallsJobsAgainThatSurviveAReboot) {
  add_job(control);
  control.plan(fault(NodeFault::switch_reboots, 10, 10));
  EXPECT_THAT(at(control, 10), ElementsAre("switch 0 down"));
  EXPECT_FALSE(control.is_installed(0, 0));
  EXPECT_THAT(at(control, 20), ElementsAre("switch 0 back", "install 0 at 0 for 1+2"));
}

TEST_F(ControlPlaneTest, RegistersJobsAgainThatSurviveNoReboot) {
  ControlPlane fragile({.jobs_survive_reboots = false}, world);
  add_job(fragile);
  fragile.plan(fault(NodeFault::switch_reboots, 10, 10));
  EXPECT_THAT(at(fragile, 20),
              ElementsAre("switch 0 down", "switch 0 back", "install 1 at 0 for 1+2",
                          "start 1 from 0", "serve 1", "0 again"));
}

TEST_F(ControlPlaneTest, InstallsAtASwitchThatIsDownOnlyWhenItIsBack) {
  add_job(control);
  control.plan(fault(NodeFault::switch_reboots, 10, 10));
  control.plan(fault(NodeFault::worker_returns, 11, 2));
  EXPECT_THAT(at(control, 13), ElementsAre("switch 0 down", "stop 0.0", "0.0 died", "0.0 returned",
                                           "start 1 from 0", "serve 1", "0 again"));
  EXPECT_THAT(at(control, 20), ElementsAre("switch 0 back", "install 1 at 0 for 1+2"));
}

TEST_F(ControlPlaneTest, BringsASwitchBackWhenTheLastOfItsRebootsEnds) {
  add_job(control);
  control.plan(fault(NodeFault::switch_reboots, 10, 10));
  control.plan(fault(NodeFault::switch_reboots, 11, 2));
  EXPECT_THAT(at(control, 19), ElementsAre("switch 0 down"));
  EXPECT_THAT(at(control, 20), ElementsAre("switch 0 back", "install 0 at 0 for 1+2"));
}

TEST_F(ControlPlaneTest, StrikesNothingOfAJobThatHasEnded) {
  add_job(control);
  end_iterations(control, 0, kIterations);
  end_iterations(control, 1, kIterations);
  world.told();
  control.plan(fault(NodeFault::worker_pauses, 10, 5));
  control.plan(fault(NodeFault::server_restarts, 10, 5));
  control.plan(fault(NodeFault::worker_returns, 10, 5));
  control.plan(fault(NodeFault::job_is_killed, 10, 0));
  control.plan(fault(NodeFault::switch_reboots, 10, 5));
  EXPECT_THAT(at(control, 20), IsEmpty());
}

TEST_F(ControlPlaneTest, TakesAFinishedJobOffTheSwitchesOnRequestAndLetsItsHostsGoOn) {
  add_job(control);
  end_iterations(control, 0, kIterations);
  end_iterations(control, 1, kIterations);
  world.told();
  control.remove_from_switches(0);
  EXPECT_THAT(world.told(), ElementsAre("remove 0 at 0"));
  control.remove(0, microseconds(20));
  EXPECT_THAT(world.told(), ElementsAre("stop 0.0", "stop 0.1", "stop 0"));
  control.remove(0, microseconds(21));
  EXPECT_THAT(world.told(), IsEmpty());
}

TEST_F(ControlPlaneTest, TellsWhenItWantsToBeCalled) {
  add_job(control);
  EXPECT_EQ(control.deadline(), kNever);
  control.plan(fault(NodeFault::worker_pauses, 10, 5));
  EXPECT_EQ(control.deadline(), microseconds(10));
  control.expire(microseconds(10));
  EXPECT_EQ(control.deadline(), microseconds(15));
  control.expire(microseconds(15));
  EXPECT_EQ(control.deadline(), kNever);
}

TEST_F(ControlPlaneTest, NamesTheHostsThatAPlannedFaultConcerns) {
  add_job(control);
  control.add_job({{4}, {0}, {}}, 1, Time{});
  using Expected = std::pair<std::string, std::int64_t>;
  control.plan(fault(NodeFault::job_is_killed, 10, 0));
  EXPECT_THAT(world.expected,
              ElementsAre(Expected("0.0", 10), Expected("0.1", 10), Expected("0", 10)));
  world.expected.clear();
  control.plan(fault(NodeFault::switch_reboots, 10, 5));
  EXPECT_THAT(world.expected,
              ElementsAre(Expected("0.0", 10), Expected("0.1", 10), Expected("0", 10),
                          Expected("1.0", 10), Expected("0.0", 15), Expected("0.1", 15),
                          Expected("0", 15), Expected("1.0", 15)));
}

/// Two racks of two hosts under two spines. The second rack has the server (host 4). The trunks of
/// a leaf are numbered consecutively.
class FailuresTest : public ControlPlaneTest {
 protected:
  static constexpr std::uint32_t kTrunks = 4;

  void SetUp() override {
    leaves.add_job({{0, 2}, {0, 1}, 4, {1}}, kIterations, Time{});
    leaves.add_job({{3}, {1}, 5, {1}}, kIterations, Time{});
    world.told();
  }
  PlannedNodeFault failure(NodeFault kind, std::uint32_t what) const {
    return {{kind, microseconds(10), microseconds(5)}, static_cast<std::uint16_t>(what), what};
  }
  /// The spine that the first job uses.
  SwitchIndex spine() const { return leaves.registration(0).tree.passes(2) ? 2 : 3; }

  ControlPlane leaves{{.topology = topology_of(LeafSpine{
                           .racks = 2, .hosts_per_rack = 2, .spines = 2, .parameter_servers = 2}),
                       .levels = wire::Levels::two},
                      world};
};

TEST_F(FailuresTest, RegisterAJobAgainThatLosesItsTreeAndNoOtherOne) {
  const SwitchIndex dead = spine();
  leaves.plan(failure(NodeFault::switch_fails, dead));
  EXPECT_THAT(at(leaves, 10), ElementsAre(fmt::format("switch {} down", dead)));
  leaves.expire(microseconds(15));
  EXPECT_EQ(leaves.registrations(0), 2U);
  EXPECT_EQ(leaves.registrations(1), 1U);
  EXPECT_NE(spine(), dead);
  EXPECT_FALSE(leaves.is_installed(0, dead));
  EXPECT_TRUE(leaves.is_installed(0, spine()));
  EXPECT_EQ(world.told().front(), "routes without 2");
}

TEST_F(FailuresTest, OfALinkThatNoTreeUsesChangeTheRoutesAlone) {
  // Without this link, the first leaf has only one path left, which its job already uses.
  const std::uint32_t unused = spine() == 2 ? 1 : 0;
  leaves.plan(failure(NodeFault::link_fails, unused));
  EXPECT_THAT(at(leaves, 10), IsEmpty());
  EXPECT_THAT(at(leaves, 15), ElementsAre("routes without 1"));
  EXPECT_EQ(leaves.registrations(0), 1U);
}

/// A leaf picks one of three paths. Picking again among the remaining two might change a path that
/// still works.
TEST_F(FailuresTest, LeaveAJobItsTreeWhicheverOtherWayIsLost) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const TrunkIndex lost : {0U, 1U, 2U}) {
      ControlPlane plane(
          {.topology = topology_of(LeafSpine{.racks = 2, .hosts_per_rack = 2, .spines = 3}),
           .path_choice = {.seed = seed},
           .levels = wire::Levels::two},
          world);
      plane.add_job({{0, 2}, {0, 1}, {}}, kIterations, Time{});
      const bool uses_it = plane.registration(0).tree.up(0) == lost;
      plane.plan(failure(NodeFault::link_fails, lost));
      plane.expire(microseconds(15));
      EXPECT_EQ(plane.registrations(0), uses_it ? 2U : 1U) << seed << ", " << lost;
    }
  }
}

/// The second job of FailuresTest is entirely in the last rack.
TEST_F(FailuresTest, RebootsRegisterOnlyJobsAgainThatPassTheSwitch) {
  ControlPlane fragile({.topology = topology_of(LeafSpine{
                            .racks = 2, .hosts_per_rack = 2, .spines = 2, .parameter_servers = 2}),
                        .levels = wire::Levels::two,
                        .jobs_survive_reboots = false},
                       world);
  fragile.add_job({{0, 2}, {0, 1}, {}}, kIterations, Time{});
  fragile.add_job({{3}, {1}, {}}, kIterations, Time{});
  fragile.plan(failure(NodeFault::switch_reboots, 0));
  fragile.expire(microseconds(15));
  EXPECT_EQ(fragile.registrations(0), 2U);
  EXPECT_EQ(fragile.registrations(1), 1U);
}

TEST_F(FailuresTest, CutAJobOffOfWhichAHostHasNoLink) {
  leaves.plan(failure(NodeFault::link_fails, kTrunks + 2));
  leaves.expire(microseconds(15));
  EXPECT_EQ(leaves.status(0), JobStatus::cut_off);
  EXPECT_EQ(leaves.ended_at(0), microseconds(15));
  EXPECT_EQ(leaves.status(1), JobStatus::running);
}

TEST_F(FailuresTest, OfAllWaysToTheServersCutOffWhoIsInAnotherRack) {
  leaves.plan(failure(NodeFault::link_fails, 0));
  leaves.plan(failure(NodeFault::link_fails, 1));
  leaves.expire(microseconds(15));
  EXPECT_EQ(leaves.status(0), JobStatus::cut_off);
  EXPECT_EQ(leaves.status(1), JobStatus::running);
}

/// There are servers in both racks. Flows need a path from each worker to each server, which may
/// lead through the parameter servers' rack.
TEST_F(FailuresTest, CutAJobOfFlowsOffThatLosesTheWayToAnyOfItsServers) {
  const auto status_without = [&](const std::vector<std::uint32_t>& links,
                                  const std::vector<SwitchIndex>& server_racks) {
    ControlPlane flows({.topology = topology_of(LeafSpine{
                            .racks = 3, .hosts_per_rack = 1, .spines = 2, .parameter_servers = 1}),
                        .path_choice = {.by_flow = true}},
                       world);
    flows.add_job({{0}, {0}, wire::JobServers(std::vector<HostId>{3, 1}), server_racks}, 1, Time{});
    for (const std::uint32_t link : links) flows.plan(failure(NodeFault::link_fails, link));
    flows.expire(microseconds(15));
    return flows.status(0);
  };
  // Trunks to the spines: 0 and 1 from rack 0, 2 and 3 from rack 1.
  for (const auto& racks : {std::vector<SwitchIndex>{2, 1}, std::vector<SwitchIndex>{1, 2}}) {
    EXPECT_EQ(status_without({0, 3}, racks), JobStatus::running) << "through rack 2";
    EXPECT_EQ(status_without({2, 3}, racks), JobStatus::cut_off);
  }
}

/// Without servers, workers need paths to each other.
TEST_F(FailuresTest, CutAJobOfARingOffThatLosesTheWayBetweenItsWorkers) {
  const auto status_without = [&](const std::vector<std::uint32_t>& links) {
    ControlPlane flows(
        {.topology = topology_of(LeafSpine{.racks = 3, .hosts_per_rack = 1, .spines = 2}),
         .path_choice = {.by_flow = true}},
        world);
    flows.add_job({{0, 1}, {0, 1}, {}}, 1, Time{});
    EXPECT_TRUE(flows.registration(0).is_among_workers());
    EXPECT_EQ(flows.registration(0).worker(1).members, (std::vector<HostId>{0, 1}));
    for (const std::uint32_t link : links) flows.plan(failure(NodeFault::link_fails, link));
    flows.expire(microseconds(15));
    return flows.status(0);
  };
  // Trunks to the spines: 0 and 1 from rack 0, 2 to 5 from racks 1 and 2.
  EXPECT_EQ(status_without({0}), JobStatus::running);
  EXPECT_EQ(status_without({4, 5}), JobStatus::running);
  EXPECT_EQ(status_without({2, 3}), JobStatus::cut_off);
}

TEST_F(FailuresTest, OfASwitchOutlastItsReboots) {
  leaves.plan(failure(NodeFault::switch_reboots, spine()));
  leaves.plan(failure(NodeFault::switch_fails, spine()));
  leaves.expire(microseconds(10));
  world.told();
  leaves.expire(microseconds(15));
  for (const std::string& told : world.told()) EXPECT_FALSE(told.ends_with("back")) << told;
}

/// Four racks of two hosts under three spines (4 to 6). The servers are on hosts.
class RootsTest : public ControlPlaneTest {
 protected:
  static ControlPlane::Config config(RootChoice choice) {
    return {.topology = topology_of(LeafSpine{.racks = 4, .hosts_per_rack = 2, .spines = 3}),
            .root = choice,
            .levels = wire::Levels::two};
  }
  static JobHosts workers_in_two_racks(HostId first) {
    return {{first, static_cast<HostId>(first + 2)}, {0, 1}, first, {0}};
  }
  static void add_jobs(ControlPlane& plane, std::uint32_t jobs) {
    for (std::uint32_t job = 0; job < jobs; ++job)
      plane.add_job(workers_in_two_racks(0), 1, Time{});
  }
};

TEST_F(RootsTest, AJobIsInstalledOnTheWayToItsServerToo) {
  ControlPlane plane(config(RootChoice::spine), world);
  plane.add_job({{0, 2}, {0, 1}, 6, {3}}, 1, Time{});
  const SwitchIndex root = plane.registration(0).tree.root();
  EXPECT_GE(root, 4);
  for (const SwitchIndex at : {SwitchIndex{0}, SwitchIndex{1}, SwitchIndex{3}, root}) {
    EXPECT_TRUE(plane.is_installed(0, at)) << at;
  }
  EXPECT_FALSE(plane.is_installed(0, 2));
}

TEST_F(RootsTest, BySpineJobsUseAllOfThem) {
  ControlPlane plane(config(RootChoice::spine), world);
  add_jobs(plane, 30);
  std::map<SwitchIndex, int> jobs_of;
  for (std::uint32_t job = 0; job < 30; ++job) ++jobs_of[plane.registration(job).tree.root()];
  EXPECT_EQ(jobs_of.size(), 3U);
  for (const auto& [root, jobs] : jobs_of) EXPECT_GE(jobs, 4) << root;
}

TEST_F(RootsTest, ByLeastLoadedTheyUseAllOfThemEquallyByWorkers) {
  ControlPlane plane(config(RootChoice::least_loaded), world);
  plane.add_job({{0, 2, 4, 6}, {0, 1, 2, 3}, 1, {0}}, 1, Time{});
  add_jobs(plane, 4);
  std::map<SwitchIndex, std::size_t> workers_of;
  for (std::uint32_t job = 0; job < 5; ++job) {
    const Registration& registration = plane.registration(job);
    workers_of[registration.tree.root()] += registration.hosts.workers.size();
  }
  EXPECT_THAT(workers_of, ElementsAre(std::pair(4, 4U), std::pair(5, 4U), std::pair(6, 4U)));
}

TEST_F(RootsTest, AJobThatHasEndedLoadsNothing) {
  ControlPlane plane(config(RootChoice::least_loaded), world);
  add_jobs(plane, 3);
  end_iterations(plane, 1, 1);
  plane.iteration_ended(1, 0, Time{});
  plane.iteration_ended(1, 1, Time{});
  ASSERT_EQ(plane.status(1), JobStatus::finished);
  add_jobs(plane, 1);
  EXPECT_EQ(plane.registration(3).tree.root(), plane.registration(1).tree.root());
}

/// If all jobs took the first of their equally loaded switches, jobs without a common switch would
/// leave the others idle.
TEST_F(RootsTest, ASeedPicksOneOfThoseThatAreEquallyLoaded) {
  std::set<SwitchIndex> roots;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    ControlPlane::Config seeded = config(RootChoice::least_loaded);
    seeded.path_choice.seed = seed;
    ControlPlane plane(seeded, world);
    add_jobs(plane, 1);
    roots.insert(plane.registration(0).tree.root());
  }
  EXPECT_THAT(roots, ElementsAre(4, 5, 6));
}

/// The jobs are in pods 0 to 3 of a fat tree with aggregation switches 8 to 15. With one job per
/// pod, always taking the first switch would leave 9, 11, 13 and 15 idle.
TEST_F(RootsTest, JobsInPodsOfTheirOwnTakeNotAllTheFirstSwitchOfTheirs) {
  std::set<SwitchIndex> positions;
  ControlPlane plane({.topology = topology_of(FatTree{.k = 4, .parameter_servers = 1}),
                      .root = RootChoice::least_loaded,
                      .levels = wire::Levels::two},
                     world);
  for (SwitchIndex pod = 0; pod < 4; ++pod) {
    const auto edge = static_cast<SwitchIndex>(2 * pod);
    const auto host = static_cast<HostId>(2 * edge);
    plane.add_job(
        {{host, static_cast<HostId>(host + 2)}, {edge, static_cast<SwitchIndex>(edge + 1)}, {}}, 1,
        Time{});
    positions.insert(plane.registration(pod).tree.root() % 2);
  }
  EXPECT_THAT(positions, ElementsAre(0, 1));
}

/// Frames from the job of pod 0 to its server in pod 3 pass a switch of that pod.
TEST_F(RootsTest, AreLoadedByFramesToTheServersOfOtherJobs) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    ControlPlane plane({.topology = topology_of(FatTree{.k = 4, .parameter_servers = 1}),
                        .root = RootChoice::least_loaded,
                        .path_choice = {.seed = seed},
                        .levels = wire::Levels::two},
                       world);
    plane.add_job({{0, 2}, {0, 1}, 16, {7}}, 1, Time{});
    plane.add_job({{12, 14}, {6, 7}, 15, {7}}, 1, Time{});
    EXPECT_FALSE(plane.registration(0).tree.passes(plane.registration(1).tree.root())) << seed;
  }
}

TEST_F(RootsTest, ThatFailMoveTheirJobsAndNoOther) {
  ControlPlane plane(config(RootChoice::least_loaded), world);
  add_jobs(plane, 3);
  const SwitchIndex root = plane.registration(1).tree.root();
  plane.plan({{NodeFault::switch_fails, microseconds(10), microseconds(5)}, root});
  plane.expire(microseconds(15));
  EXPECT_EQ(plane.registrations(0), 1U);
  EXPECT_EQ(plane.registrations(1), 2U);
  EXPECT_EQ(plane.registrations(2), 1U);
  EXPECT_NE(plane.registration(1).tree.root(), root);
}

TEST_F(RootsTest, WithoutASwitchThatJoinsTheRacksAreAnError) {
  Topology apart = topology_of(Star{.hosts = 4, .racks = 2});
  apart.trunks[0].dead = true;
  ControlPlane plane({.topology = apart, .root = RootChoice::spine}, world);
  EXPECT_THROW(plane.add_job({{0, 2}, {0, 1}, 3, {1}}, 1, Time{}), std::invalid_argument);
}

}  // namespace
}  // namespace ina::cluster
