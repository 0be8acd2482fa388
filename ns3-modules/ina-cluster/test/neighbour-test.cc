/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// InaClusterRun in a program that simulates other things, too. It must not change the simulator,
// nodes and random generators of that program.
#include "cluster-test-support.h"

#include "hw/cluster/training/verification_error.hpp"

#include "ns3/default-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/node-list.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <string>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

Scenario
TwoIterations()
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(200, US, US)});
    scenario.jobs[0].iterations = 2;
    return scenario;
}

/** A program that has chosen the implementation, picoseconds, and a run number of the generators.
 */
class UsersProgram : public testing::TestWithParam<std::string>
{
  protected:
    static constexpr uint64_t RUN = 7;

    UsersProgram()
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        GlobalValue::Bind("SimulatorImplementationType", StringValue(GetParam()));
        RngSeedManager::SetRun(RUN);
    }

    ~UsersProgram() override
    {
        Simulator::Destroy();
    }
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         UsersProgram,
                         testing::Values("ns3::InaSimulatorImpl", "ns3::DefaultSimulatorImpl"),
                         [](const auto& info) { return info.param.substr(5); });

TEST_P(UsersProgram, KeepsItsNodesAndTheClockAfterARun)
{
    const auto users = CreateObject<Node>();
    InaClusterRun run(TwoIterations());
    const InaRunResult result = run.Run();
    EXPECT_EQ(NodeList::GetNode(users->GetId()), users);
    EXPECT_GE(Simulator::Now().GetTimeStep(), result.simulatedTime.GetTimeStep());
    EXPECT_LT(Simulator::Now().GetTimeStep(), result.simulatedTime.GetTimeStep() + 10'000 * US)
        << "it stops when all is quiet, and not at the time limit";
    bool isCalled = false;
    Simulator::Schedule(MicroSeconds(1), [&]() { isCalled = true; });
    Simulator::Run();
    EXPECT_TRUE(isCalled);
}

TEST_P(UsersProgram, KeepsTheImplementationThatItChose)
{
    Scenario scenario = TwoIterations();
    for (const Engine engine : {Engine::fast, Engine::reference})
    {
        scenario.engine = engine;
        InaClusterRun(scenario).Run();
        EXPECT_EQ(Simulator::GetImplementation()->GetInstanceTypeId().GetName(), GetParam());
        Simulator::Destroy();
    }
}

TEST_P(UsersProgram, KeepsItsRunOfTheGenerators)
{
    InaClusterRun(TwoIterations()).Run();
    EXPECT_EQ(RngSeedManager::GetRun(), RUN);
}

TEST_P(UsersProgram, SimulatesOneClusterAfterAnotherWithTheSameResults)
{
    std::vector<int64_t> ends;
    for (int i = 0; i < 2; ++i)
    {
        ends.push_back(InaClusterRun(TwoIterations()).Run().simulatedTime.GetTimeStep());
        Simulator::Destroy();
    }
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_EQ(ends[0], RunAlone(TwoIterations()).simulatedTime.GetTimeStep());
}

TEST_P(UsersProgram, MayDropARunThatItHasBuilt)
{
    {
        InaClusterRun dropped(TwoIterations());
        dropped.Build();
    }
    const InaRunResult result = InaClusterRun(TwoIterations()).Run();
    EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::finished);
}

TEST_P(UsersProgram, MayGoOnAfterARunThatItHasStopped)
{
    Simulator::Stop(MicroSeconds(5));
    InaClusterRun run(TwoIterations());
    try
    {
        run.Run();
        ADD_FAILURE() << "it was stopped";
    }
    catch (const ina::cluster::VerificationError& error)
    {
        EXPECT_NE(std::string(error.what()).find("Simulator::Stop() was called at 5us"),
                  std::string::npos)
            << error.what();
    }
    Simulator::Stop(Seconds(1));
    Simulator::Run();
}

TEST_P(UsersProgram, MayDestroyTheSimulatorBeforeTheRun)
{
    InaClusterRun run(TwoIterations());
    run.Build();
    Simulator::Destroy();
}

/** Records traced events with their times. */
class Watcher
{
  public:
    explicit Watcher(InaCluster& cluster)
    {
        cluster.jobs[0]->TraceConnectWithoutContext("IterationEnd",
                                                    MakeCallback(&Watcher::IterationEnd, this));
        cluster.control->TraceConnectWithoutContext("AllEnded",
                                                    MakeCallback(&Watcher::AllEnded, this));
    }

    std::vector<int64_t> iterationEnds;
    std::vector<int64_t> scheduled; //!< times of events, each 1 us after an iteration's end
    int64_t allEnded{0};

  private:
    void
    IterationEnd(uint16_t, uint32_t, Time)
    {
        iterationEnds.push_back(Simulator::Now().GetTimeStep());
        Simulator::Schedule(MicroSeconds(1),
                            [this]() { scheduled.push_back(Simulator::Now().GetTimeStep()); });
    }

    void
    AllEnded(Time end)
    {
        EXPECT_EQ(end, Simulator::Now());
        allEnded = end.GetTimeStep();
    }
};

TEST_P(UsersProgram, IsToldOfIterationsWhenTheyEnd)
{
    InaClusterRun run(TwoIterations());
    Watcher watcher(run.Build());
    const InaRunResult result = run.Run();
    ASSERT_EQ(watcher.iterationEnds.size(), 2U);
    ASSERT_EQ(watcher.scheduled.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i)
    {
        EXPECT_EQ(watcher.iterationEnds[i], EndOf(result.iterations[0][i]));
        EXPECT_EQ(watcher.scheduled[i], watcher.iterationEnds[i] + US);
    }
    EXPECT_EQ(watcher.allEnded, result.simulatedTime.GetTimeStep());
    Simulator::Destroy();
    EXPECT_EQ(result.simulatedTime.GetTimeStep(),
              RunAlone(TwoIterations()).simulatedTime.GetTimeStep())
        << "who watches moves nothing";
}

using UsersProgramDeathTest = UsersProgram;

INSTANTIATE_TEST_SUITE_P(Default,
                         UsersProgramDeathTest,
                         testing::Values("ns3::DefaultSimulatorImpl"),
                         [](const auto& info) { return info.param.substr(5); });

TEST_P(UsersProgramDeathTest, RunsARunOnce)
{
    InaClusterRun run(TwoIterations());
    run.Run();
    EXPECT_DEATH(run.Run(), "an InaClusterRun can run only once");
}

TEST_P(UsersProgramDeathTest, DestroysTheSimulatorBetweenTwoRuns)
{
    InaClusterRun(TwoIterations()).Run();
    EXPECT_DEATH(InaClusterRun(TwoIterations()).Run(),
                 "must begin at time 0, but the time is .*call Simulator::Destroy\\(\\)");
}

TEST_P(UsersProgramDeathTest, RunsOneAtATime)
{
    InaClusterRun first(TwoIterations());
    InaClusterRun second(TwoIterations());
    first.Build();
    EXPECT_DEATH(second.Build(), "another InaClusterRun has not ended");
}

TEST_P(UsersProgramDeathTest, DoesNotRunWhatItHasDestroyed)
{
    InaClusterRun run(TwoIterations());
    run.Build();
    Simulator::Destroy();
    EXPECT_DEATH(run.Run(), "Simulator::Destroy\\(\\) was called between Build\\(\\) and Run");
}

TEST_P(UsersProgramDeathTest, NamesAJobThatTheClusterDoesNotHave)
{
    InaClusterRun run(TwoIterations());
    const auto control = run.Build().control;
    constexpr const char* message = "InaControlPlane: found job 7; allowed: below 1";
    EXPECT_DEATH(control->GetEnd(7), message);
    EXPECT_DEATH(control->GetStatus(7), message);
    EXPECT_DEATH(control->GetCounters(7), message);
}

TEST_P(UsersProgramDeathTest, ConfiguresAControlPlaneAndAJobFirst)
{
    const auto control = CreateObject<InaControlPlane>();
    constexpr const char* message = "has no switches: call Configure\\(\\) first";
    EXPECT_DEATH(control->HasEnded(), message);
    EXPECT_DEATH(control->AddJob(CreateObject<InaTrainingJob>(), {}, {}), message);
    EXPECT_DEATH(CreateObject<InaTrainingJob>()->Configure({}), "set Setup::table");
}

TEST_P(UsersProgramDeathTest, InstallsTheApplicationsOfAJobBeforeItStarts)
{
    InaClusterRun run(TwoIterations());
    InaTrainingJob::Setup setup;
    const auto& resolved = run.GetResolved();
    setup.job = resolved.spec.jobs[0];
    setup.table = run.Build().table.get();
    setup.partitionNumbers.resize(setup.job.training.partitions.partitions().size());
    const auto job = CreateObject<InaTrainingJob>();
    job->Configure(setup);
    EXPECT_DEATH(job->Configure(setup), "Configure\\(\\) was called twice");
    EXPECT_DEATH(job->Start(), "worker 0 of job 0 has no application");
}

TEST_P(UsersProgramDeathTest, NamesAWorkerThatTheJobDoesNotHave)
{
    InaClusterRun run(TwoIterations());
    EXPECT_DEATH(run.Build().jobs[0]->GetWorker(7), "job 0: found worker 7; allowed: below 2");
}

} // namespace
} // namespace ns3
