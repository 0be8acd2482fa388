/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Faults of nodes: their order, their trace sources, and agreement of both engines.
#include "cluster-test-support.h"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using ina::faults::NodeFault;
using testing::ElementsAre;

constexpr int64_t AT = 80 * US; // in the second of three iterations of 50 to 60 us
constexpr int64_t DURATION = 2000 * US;

class NodeFaultsRunTest : public testing::TestWithParam<System>
{
  protected:
    /** Two jobs of three workers; faults hit the first job. */
    static Scenario
    Make(const std::vector<NodeFaultScenario>& faults)
    {
        Scenario scenario = MakeScenario(GetParam(), 3, {MakeLayer(300, 20 * US, 20 * US)});
        scenario.jobs[0].iterations = 3;
        scenario.jobs.push_back(scenario.jobs[0]);
        scenario.topology.hosts = 6;
        scenario.topology.parameter_servers = 2;
        scenario.faults.nodes = faults;
        return scenario;
    }

    /** Reports of the trace sources during a run, in order. */
    std::vector<std::string>
    TracedIn(const Scenario& scenario)
    {
        const InaOwnSimulator simulator(scenario);
        InaClusterRun run(scenario);
        InaCluster& cluster = run.Build();
        m_events.clear();
        TellOfControl(*cluster.control);
        TellOfNode(*cluster.switches.back(), {"WentDown", "CameBack"});
        TellOfNode(cluster.jobs[0]->GetWorker(1).GetApplication(), {"Paused", "Resumed"});
        run.Run();
        return m_events;
    }

    std::vector<std::string> m_events;

  private:
    void
    TellOfControl(InaControlPlane& control)
    {
        m_ids = {control.GetId(0), control.GetId(1)};
        control.TraceConnectWithoutContext(
            "JobRegistered",
            Callback<void, uint16_t, uint16_t, uint32_t>(
                [this, &control](uint16_t job, uint16_t id, uint32_t iteration)
                {
                    m_events.push_back("job " + std::to_string(job) +
                                       (m_ids.insert(id).second ? " has a new id" : "") +
                                       " from iteration " + std::to_string(iteration));
                    EXPECT_EQ(control.GetId(job), id);
                    EXPECT_EQ(control.GetJob(id), job);
                }));
        for (const std::string source : {"WorkerDied", "WorkerReturned"})
        {
            control.TraceConnectWithoutContext(source,
                                               Callback<void, uint16_t, uint16_t>(
                                                   [this, source](uint16_t job, uint16_t rank) {
                                                       m_events.push_back(
                                                           source + " " + std::to_string(job) +
                                                           "." + std::to_string(rank));
                                                   }));
        }
        for (const std::string source : {"ServerRestarted", "JobKilled", "JobFailed"})
        {
            control.TraceConnectWithoutContext(
                source,
                Callback<void, uint16_t>(
                    [this, source](uint16_t job)
                    { m_events.push_back(source + " " + std::to_string(job)); }));
        }
    }

    void
    TellOfNode(ObjectBase& object, const std::vector<std::string>& sources)
    {
        for (const std::string& source : sources)
        {
            object.TraceConnectWithoutContext(
                source,
                Callback<void, uint32_t>([this, source](uint32_t) { m_events.push_back(source); }));
        }
    }

    std::set<uint16_t> m_ids; //!< ids that jobs have had
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         NodeFaultsRunTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

TEST_P(NodeFaultsRunTest, AWorkerThatReturnsIsTraced)
{
    EXPECT_THAT(
        TracedIn(Make({Fault(NodeFault::worker_returns, AT, DURATION, 0, 2)})),
        ElementsAre("WorkerDied 0.2", "WorkerReturned 0.2", "job 0 has a new id from iteration 1"));
}

TEST_P(NodeFaultsRunTest, AJobWaitsForTheLastOfItsDead)
{
    EXPECT_THAT(TracedIn(Make({Fault(NodeFault::worker_returns, AT, DURATION, 0, 2),
                               Fault(NodeFault::worker_returns, AT + US, DURATION, 0, 1),
                               Fault(NodeFault::worker_returns, AT + 2 * US, US, 0, 2)})),
                ElementsAre("WorkerDied 0.2",
                            "WorkerDied 0.1",
                            "WorkerDied 0.2",
                            "WorkerReturned 0.2",
                            "WorkerReturned 0.1",
                            "job 0 has a new id from iteration 1"));
}

TEST_P(NodeFaultsRunTest, AJobThatIsKilledWhileAWorkerIsDeadIsNotRegisteredAgain)
{
    EXPECT_THAT(TracedIn(Make({Fault(NodeFault::worker_returns, AT, DURATION, 0, 2),
                               Fault(NodeFault::job_is_killed, AT + DURATION / 2, 0, 0, 0)})),
                ElementsAre("WorkerDied 0.2", "JobKilled 0", "JobFailed 0"));
}

TEST_P(NodeFaultsRunTest, ALostWorkerIsTracedUntilItsJobIsGivenUp)
{
    const Scenario scenario = Make({Fault(NodeFault::worker_is_lost, AT, DURATION, 0, 0)});
    EXPECT_THAT(TracedIn(scenario), ElementsAre("WorkerDied 0.0", "JobFailed 0"));
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::worker_lost);
    EXPECT_EQ(result.jobs[0].end, AT + DURATION);
    EXPECT_EQ(result.jobs[1].status, ina::cluster::JobStatus::finished);
}

TEST_P(NodeFaultsRunTest, PausesThatOverlapEndWithTheLongest)
{
    const Scenario scenario = Make({Fault(NodeFault::worker_pauses, AT, DURATION, 0, 1),
                                    Fault(NodeFault::worker_pauses, AT + US, US, 0, 1)});
    EXPECT_THAT(TracedIn(scenario), ElementsAre("Paused", "Paused", "Resumed"));
    EXPECT_GT(RunAlone(scenario).jobs[0].end, AT + DURATION);
}

/** During the pause, the worker's backward pass ends and its peers send all their parts. The
 * worker's last tensors are therefore complete as soon as it submits them. */
TEST_P(NodeFaultsRunTest, AWorkerThatPausesThroughItsBackwardPassCatchesUp)
{
    for (const int64_t at : {10 * US, 30 * US, 50 * US})
    {
        Scenario scenario = Make({Fault(NodeFault::worker_pauses, at, DURATION, 0, 1)});
        scenario.jobs[0].profile.layers = {MakeLayer(28, 32 * US, 36 * US),
                                           MakeLayer(2, 3 * US, 34 * US),
                                           MakeLayer(38, 15 * US, 45 * US)};
        scenario.jobs[0].profile.partition_bytes = 2000;
        const InaRunResult result = RunAlone(scenario);
        EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::finished);
        EXPECT_GT(result.jobs[0].end, at + DURATION);
    }
}

TEST_P(NodeFaultsRunTest, OnlySwitchmlRegistersItsJobsAgainAfterAReboot)
{
    const auto events = TracedIn(Make({Fault(NodeFault::switch_reboots, AT, DURATION, 0, 0)}));
    if (GetParam() == system_called("switchml"))
    {
        EXPECT_THAT(events,
                    ElementsAre("WentDown",
                                "CameBack",
                                "job 0 has a new id from iteration 1",
                                "job 1 has a new id from iteration 1"));
    }
    else
    {
        EXPECT_THAT(events, ElementsAre("WentDown", "CameBack"));
    }
}

TEST_P(NodeFaultsRunTest, AServerThatRestartsIsTraced)
{
    if (ina::cluster::traits_of(GetParam()).has_servers)
    {
        EXPECT_THAT(TracedIn(Make({Fault(NodeFault::server_restarts, AT, 10 * US, 0, 0),
                                   Fault(NodeFault::server_restarts, AT + US, US, 0, 0)})),
                    ElementsAre("ServerRestarted 0"));
    }
}

// A worker that has ended all its iterations may die. The other workers finish without it.
TEST_P(NodeFaultsRunTest, AJobFinishesWithoutAWorkerThatHasEnded)
{
    Scenario scenario = Make({});
    scenario.jobs[0].compute_time_factors = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1000}};
    const int64_t end = *RunAlone(scenario).jobs[0].end;
    scenario.faults.nodes = {Fault(NodeFault::worker_returns, end - US, DURATION, 0, 0)};
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::finished);
    EXPECT_EQ(result.jobs[0].registrations, 1U);
    EXPECT_EQ(result.jobs[0].end, end);
}

// A host that handles several arrivals in one event must not run past a fault.
TEST_P(NodeFaultsRunTest, BothEnginesAgreeUnderFaults)
{
    Scenario scenario = Make({Fault(NodeFault::worker_pauses, AT, 100 * US, 0, 1),
                              Fault(NodeFault::switch_reboots, AT + 150 * US, 100 * US, 0, 0),
                              Fault(NodeFault::worker_returns, AT + 20 * US, 300 * US, 1, 0)});
    const InaRunResult fast = RunAlone(scenario);
    scenario.engine = Engine::reference;
    const InaRunResult reference = RunAlone(scenario);
    EXPECT_EQ(fast.packetHops, reference.packetHops);
    EXPECT_EQ(fast.framesWhileDown, reference.framesWhileDown);
    for (std::size_t job = 0; job < 2; ++job)
    {
        EXPECT_EQ(fast.jobs[job].end, reference.jobs[job].end);
        EXPECT_EQ(fast.jobs[job].retransmissions, reference.jobs[job].retransmissions);
    }
}

TEST_P(NodeFaultsRunTest, TheJobBesideOneThatIsKilledIsVerifiedAsEver)
{
    const InaRunResult result = RunAlone(Make({Fault(NodeFault::job_is_killed, AT, 0, 0, 0)}));
    EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::killed);
    EXPECT_EQ(result.iterations[0].size(), 1U);
    EXPECT_EQ(result.iterations[1].size(), 3U);
}

} // namespace
} // namespace ns3
