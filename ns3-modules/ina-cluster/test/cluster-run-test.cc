/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Runs verify themselves: any internal error results in an ina::cluster::VerificationError that
// states the location.
#include "cluster-test-support.h"

#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/wire/addressing.hpp"
#include "switch-models/programs/make_program.hpp"

#include "hw/cluster/training/verification_error.hpp"
#include "ns3/simulator.h"
#include "scenarios/resolve/resolved.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using ina::programs::AggregatorEvent;
using ina::rmt::Verdict;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

constexpr ina::Psn PSN = 6; // PSN at which faults are injected
constexpr uint32_t FRAGMENTS = 20;
constexpr std::size_t AGGREGATORS = 20161; // in 5 MB of memory
constexpr std::size_t WIDTH = 62;
constexpr ina::JobId NO_JOB = 999; // unknown to all programs

/** DSA's data plane with a fault: a function that sees each frame with its verdict and may change
 * both. */
class FaultyProgram : public ina::programs::SwitchProgram, private ina::programs::AggregatorObserver
{
  public:
    using Fault = std::function<void(FaultyProgram&, ina::Frame&, Verdict&)>;

    FaultyProgram(std::size_t width, ina::JobId job, uint16_t workers, Fault fault) :
        m_inner(ina::programs::make_dsa({.aggregators = AGGREGATORS, .width = width})),
        m_fault(std::move(fault))
    {
        const ina::HostId server = workers; // the first host after the workers
        m_inner->install_job(job, {workers, server, 0, 0});
        m_inner->set_observer(this);
        install_job(job, {workers, server, 0, 0});
    }

    Verdict
    process(ina::Frame& frame, ina::Time now) override
    {
        Verdict verdict = m_inner->process(frame, now);
        m_fault(*this, frame, verdict);
        return verdict;
    }

    void
    visit_occupied(const OccupiedVisitor& visit) const override
    {
        m_inner->visit_occupied(visit);
    }

    /** Processes a frame that the fault injects. */
    void
    ProcessToo(ina::Frame frame)
    {
        m_inner->process(frame, ina::Time(0));
    }

    /** Counts an aggregator as allocated that was not. */
    void
    Miscount(const ina::Frame& frame)
    {
        note(AggregatorEvent::allocated, frame.job, frame.psn, frame.aggregator().index);
    }

  private:
    void
    aggregator_event(AggregatorEvent event, ina::JobId job, ina::Psn psn, uint32_t index) override
    {
        note(event, job, psn, index);
    }

    std::unique_ptr<ina::programs::SwitchProgram> m_inner;
    Fault m_fault;
};

bool
IsResult(const ina::Frame& frame)
{
    return frame.kind == ina::FrameKind::result && frame.psn == PSN;
}

/** A copy of worker 0's packet that arrives after the result. The job has three workers. */
ina::Frame
LateCopy(const ina::Frame& result)
{
    ina::Frame late = result;
    late.kind = ina::FrameKind::gradient;
    late.aggregator().bitmap0 = 1;
    late.destination = 3;
    return late;
}

class ClusterProofTest : public testing::Test
{
  protected:
    static constexpr uint16_t WORKERS = 3;

    ClusterProofTest() :
        m_scenario(MakeScenario(system_called("dsa"), WORKERS, {MakeLayer(FRAGMENTS, US, US)}))
    {
        m_scenario.time_limit_ps = 50'000 * US;
    }

    void
    Break(InaClusterRun& run, FaultyProgram::Fault fault, std::size_t width = WIDTH)
    {
        const InaCluster& cluster = run.Build();
        cluster.switches.back()->SetProgram(
            std::make_unique<FaultyProgram>(width,
                                            cluster.control->GetId(0),
                                            WORKERS,
                                            std::move(fault)));
    }

    /** Message of the verification, or "nothing". */
    static std::string
    ViolationOf(InaClusterRun& run)
    {
        try
        {
            run.Run();
        }
        catch (const ina::cluster::VerificationError& violation)
        {
            return violation.what();
        }
        return "nothing";
    }

    std::string
    ViolationWith(FaultyProgram::Fault fault, std::size_t width = WIDTH)
    {
        const InaOwnSimulator simulator(m_scenario);
        InaClusterRun run(m_scenario);
        Break(run, std::move(fault), width);
        return ViolationOf(run);
    }

    Scenario m_scenario;
};

/** Adds 1 to a value of a result. */
void
SpoilResult(FaultyProgram&, ina::Frame& frame, Verdict&)
{
    if (IsResult(frame))
    {
        frame.values = std::move(frame.values).into_unique();
        frame.values.data()[0] += 1;
    }
}

TEST_F(ClusterProofTest, NoExceptionPassesThroughTheSimulator)
{
    const InaOwnSimulator simulator(m_scenario);
    InaClusterRun run(m_scenario);
    Break(run, SpoilResult);
    InaTrainingJob& job = *run.Build().jobs[0];
    std::vector<std::string> failures;
    job.SetFailureSink(
        [&failures](const std::string& what)
        {
            failures.push_back(what);
            Simulator::Stop();
        });
    job.Start();
    EXPECT_NO_THROW(Simulator::Run());
    ASSERT_FALSE(failures.empty());
    EXPECT_THAT(failures[0], MatchesRegex("job 0, worker ., PSN 6: value 0 is .*"));
}

using ClusterProofDeathTest = ClusterProofTest;

TEST_F(ClusterProofDeathTest, AWrongResultAbortsAProgramThatRunsTheClusterItself)
{
    const InaOwnSimulator simulator(m_scenario);
    InaClusterRun run(m_scenario);
    Break(run, SpoilResult);
    run.Build().jobs[0]->Start();
    EXPECT_DEATH(Simulator::Run(), "job 0, worker ., PSN 6: value 0 is");
}

TEST_F(ClusterProofTest, AFaultyProgramWithoutAFaultViolatesNothing)
{
    EXPECT_EQ(ViolationWith([](FaultyProgram&, ina::Frame&, Verdict&) {}), "nothing");
}

TEST_F(ClusterProofTest, AWrongValueIsNamed)
{
    const std::string violation = ViolationWith(
        [](FaultyProgram&, ina::Frame& frame, Verdict&)
        {
            if (IsResult(frame))
            {
                frame.values = std::move(frame.values).into_unique();
                ++frame.values.data()[5];
            }
        });
    EXPECT_THAT(violation, StartsWith("job 0, worker 0, PSN 6: value 5 is "));
    EXPECT_THAT(violation, HasSubstr("but the workers' sum is "));
}

TEST_F(ClusterProofTest, AWrongValueAtOneWorkerNamesThatWorker)
{
    const InaOwnSimulator simulator(m_scenario);
    InaClusterRun run(m_scenario);
    InaCluster& cluster = run.Build();
    // Flips one bit in results on the way to worker 2; installed as the handler of its device.
    class BitFlip : public InaFrameHandler
    {
      public:
        explicit BitFlip(InaFrameHandler& behind) : m_behind(behind) {}

        void
        HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) override
        {
            if (IsResult(frame))
            {
                frame.values = std::move(frame.values).into_unique();
                frame.values.data()[61] ^= 1 << 30;
            }
            m_behind.HandleFrame(device, frame, ts);
        }

      private:
        InaFrameHandler& m_behind;
    };

    BitFlip flip(cluster.jobs[0]->GetWorker(2).GetApplication());
    cluster.links[2].host->SetHandler(&flip);
    EXPECT_THAT(ViolationOf(run), StartsWith("job 0, worker 2, PSN 6: value 61 is "));
}

TEST_F(ClusterProofTest, AMissingContributionIsSeenInTheSum)
{
    const std::string violation = ViolationWith(
        [](FaultyProgram&, ina::Frame& frame, Verdict& verdict)
        {
            // The result has zeros instead of the sum.
            if (IsResult(frame))
            {
                frame.values = std::move(frame.values).into_unique();
                std::fill_n(frame.values.data(), WIDTH, 0);
                verdict = ina::rmt::kMulticast;
            }
        });
    EXPECT_THAT(violation, StartsWith("job 0, worker 0, PSN 6: value "));
}

TEST_F(ClusterProofTest, ADigestFindsAWrongValueToo)
{
    m_scenario.payload = Payload::digest;
    const std::string violation = ViolationWith(
        [](FaultyProgram&, ina::Frame& frame, Verdict&)
        {
            if (IsResult(frame))
            {
                frame.values = std::move(frame.values).into_unique();
                --frame.values.data()[1];
            }
        },
        2);
    EXPECT_THAT(violation, StartsWith("job 0, worker 0, PSN 6: value 1 is "));
}

/** Forwards every result, and one of them a second time under a given PSN. */
class RepeatingSink : public ina::ResultSink
{
  public:
    RepeatingSink(ina::ResultSink& behind, ina::Psn again) : m_behind(behind), m_again(again) {}

    void
    fragment_complete(const ina::Frame& result,
                      const ina::Delivery& delivery,
                      ina::Time now) override
    {
        m_behind.fragment_complete(result, delivery, now);
        if (result.psn == PSN)
        {
            ina::Frame frame = result;
            frame.psn = m_again;
            m_behind.fragment_complete(frame, delivery, now);
        }
    }

    void
    tensor_complete(ina::Psn firstPsn, ina::Time now) override
    {
        m_behind.tensor_complete(firstPsn, now);
    }

  private:
    ina::ResultSink& m_behind;
    ina::Psn m_again;
};

class DeliveryProofTest : public ClusterProofTest
{
  protected:
    /** Gives worker 1 the result of PSN twice, the second time as `again`. */
    std::string
    ViolationWithRepeated(ina::Psn again)
    {
        const InaOwnSimulator simulator(m_scenario);
        InaClusterRun run(m_scenario);
        InaCluster& cluster = run.Build();
        InaTrainingWorker& worker = cluster.jobs[0]->GetWorker(1);
        RepeatingSink sink(worker, again);
        ina::DsaWorker::Config config;
        config.addressing.aggregators = AGGREGATORS;
        worker.GetApplication().Install(
            cluster.links[1].host,
            std::make_unique<ina::DsaWorker>(
                ina::WorkerIdentity{cluster.control->GetId(0), 1, WORKERS, 1, WORKERS},
                config,
                *cluster.pool,
                sink));
        return ViolationOf(run);
    }
};

TEST_F(DeliveryProofTest, AResultThatIsDeliveredTwiceIsNamed)
{
    EXPECT_EQ(ViolationWithRepeated(PSN), "job 0, worker 1, PSN 6: the result was delivered twice");
}

TEST_F(DeliveryProofTest, AResultOfAnotherIterationIsNamed)
{
    EXPECT_EQ(ViolationWithRepeated(PSN + FRAGMENTS),
              "job 0, worker 1, PSN 26: a result outside of iteration 0");
}

TEST_F(DeliveryProofTest, AResultUnderAWrongPsnIsNamed)
{
    EXPECT_THAT(ViolationWithRepeated(PSN + 1), StartsWith("job 0, worker 1, PSN 7: value "));
}

// A late copy of a contribution reserves the aggregator forever.
TEST_F(ClusterProofTest, ALeakedAggregatorIsNamed)
{
    const std::string violation = ViolationWith(
        [](FaultyProgram& program, ina::Frame& frame, Verdict&)
        {
            if (IsResult(frame))
            {
                program.ProcessToo(LateCopy(frame));
            }
        });
    const uint32_t index =
        ina::wire::aggregator_index(ina::cluster::JobIds(m_scenario.seed, 1).at(0),
                                    PSN,
                                    AGGREGATORS);
    EXPECT_EQ(violation,
              "still occupied when all jobs have ended: job 0, PSN 6, aggregator " +
                  std::to_string(index));
}

TEST_F(ClusterProofTest, OfManyLeakedAggregatorsThreeAreNamed)
{
    const std::string violation = ViolationWith(
        [](FaultyProgram& program, ina::Frame& frame, Verdict&)
        {
            if (frame.kind == ina::FrameKind::result)
            {
                program.ProcessToo(LateCopy(frame));
            }
        });
    EXPECT_THAT(violation,
                MatchesRegex("still occupied when all jobs have ended: "
                             "(job 0, PSN [0-9]+, aggregator [0-9]+; ){3}and 17 more"));
}

TEST_F(ClusterProofTest, AnAggregatorThatWasAllocatedOnceTooOftenIsFound)
{
    const std::string violation = ViolationWith(
        [](FaultyProgram& program, ina::Frame& frame, Verdict&)
        {
            if (IsResult(frame))
            {
                program.Miscount(frame);
            }
        });
    EXPECT_EQ(violation, "job 0: 21 aggregators allocated, but 20 freed");
}

TEST_F(ClusterProofTest, AFragmentThatNeverArrivesIsNamed)
{
    const std::string violation = ViolationWith(
        [](FaultyProgram&, ina::Frame& frame, Verdict& verdict)
        {
            if (frame.psn == PSN)
            {
                verdict = ina::rmt::kDrop;
            }
        });
    EXPECT_THAT(
        violation,
        AllOf(StartsWith("/time_limit: not done after 50ms of simulated time: job 0, worker "
                         "0, in iteration 0 of 1, with 19 of 20 results (PSN 6 is missing) "
                         "and 1 packet in flight; and 2 more workers; allowed: a longer")));
}

TEST_F(ClusterProofTest, TheTimeLimitIsWrittenAsInScenarios)
{
    m_scenario.time_limit_ps = 999'990;
    const InaOwnSimulator simulator(m_scenario);
    InaClusterRun run(m_scenario);
    EXPECT_THAT(ViolationOf(run), HasSubstr("not done after 999.99ns of simulated time"));
}

TEST_F(ClusterProofTest, ALostResultIsRecoveredAndViolatesNothing)
{
    int losses = 0;
    EXPECT_EQ(ViolationWith(
                  [&losses](FaultyProgram&, ina::Frame& frame, Verdict& verdict)
                  {
                      if (IsResult(frame) && losses++ == 0)
                      {
                          verdict = ina::rmt::kDrop;
                      }
                  }),
              "nothing");
    EXPECT_GT(losses, 1);
}

TEST_F(ClusterProofTest, AFrameToNowhereIsFound)
{
    int astray = 0;
    EXPECT_EQ(ViolationWith(
                  [&astray](FaultyProgram&, ina::Frame& frame, Verdict& verdict)
                  {
                      if (IsResult(frame) && astray++ == 0)
                      {
                          frame.destination = 999;
                          verdict = ina::rmt::kForward;
                      }
                  }),
              "switch: 1 frame to nowhere");
}

TEST_F(ClusterProofTest, AFrameThatNobodySentIsFound)
{
    const InaOwnSimulator simulator(m_scenario);
    InaClusterRun run(m_scenario);
    InaCluster& cluster = run.Build();
    InaNetDevice& host = *cluster.links[1].host;
    ina::Frame frame;
    frame.job = NO_JOB;
    DynamicCast<InaChannel>(host.GetChannel())->DirectionFrom(host).Push(std::move(frame), 1000);
    EXPECT_EQ(
        ViolationOf(run),
        "link host1, to the switch: 20 frames offered, 20 sent (6120 B), 0 dropped, 21 received "
        "(6120 B), 0 under way");
}

TEST_F(ClusterProofTest, AFrameThatNobodyOfferedIsFound)
{
    const InaOwnSimulator simulator(m_scenario);
    InaClusterRun run(m_scenario);
    ina::Frame frame;
    frame.bytes = 58;
    run.Build().links[2].port->PutFrame(std::move(frame), 0); // bypasses the traffic manager
    EXPECT_EQ(ViolationOf(run),
              "link host2, from the switch: 20 frames offered, 21 sent (6178 B), 0 dropped, 21 "
              "received (6178 B), 0 under way");
}

TEST_F(ClusterProofTest, AnOfferThatWasNeitherSentNorDroppedIsFound)
{
    const InaOwnSimulator simulator(m_scenario);
    InaClusterRun run(m_scenario);
    run.Build().links[0].host->CountOffer();
    EXPECT_EQ(ViolationOf(run),
              "link host0, to the switch: 21 frames offered, 20 sent (6120 B), 0 dropped, 20 "
              "received (6120 B), 0 under way");
}

TEST_F(ClusterProofTest, ADropThatNobodyOfferedIsFound)
{
    const InaOwnSimulator simulator(m_scenario);
    InaClusterRun run(m_scenario);
    run.Build().links[3].port->CountDrop(ina::Frame(), 0);
    EXPECT_EQ(ViolationOf(run),
              "link ps0, from the switch: 0 frames offered, 0 sent (0 B), 1 dropped, 0 received (0 "
              "B), 0 under way");
}

TEST_F(ClusterProofTest, AFrameUnderWayIsFound)
{
    const InaOwnSimulator simulator(m_scenario);
    InaClusterRun run(m_scenario);
    InaNetDevice& server = *run.Build().links[3].host; // has nothing else to send
    server.CountOffer();
    server.PutFrame(ina::Frame(), 2 * resolve(m_scenario).time_limit_ps);
    EXPECT_EQ(ViolationOf(run),
              "link ps0, to the switch: 1 frame offered, 1 sent (0 B), 0 dropped, 0 received (0 "
              "B), 1 under way");
}

TEST_F(ClusterProofTest, WhatIsUnderWayAtTheTimeLimitArrivesIfAllJobsHaveEnded)
{
    const InaOwnSimulator simulator(m_scenario);
    InaClusterRun run(m_scenario);
    InaNetDevice& server = *run.Build().links[3].host;
    server.CountOffer();
    ina::Frame frame;
    frame.job = NO_JOB;
    server.PutFrame(std::move(frame), resolve(m_scenario).time_limit_ps);
    EXPECT_EQ(ViolationOf(run), "nothing");
}

TEST_F(ClusterProofTest, DroppedFramesAreInTheBalance)
{
    m_scenario = MakeScenario(system_called("dsa"), 8, {MakeLayer(200, 0, 0)});
    m_scenario.switch_.memory_bytes = 248; // nearly all frames go to the server
    m_scenario.switch_.buffer_bytes = 20'000;
    m_scenario.jobs[0].jitter = {{0, 20 * US}, JitterPer::worker};
    const InaRunResult result = RunAlone(m_scenario);
    const LinkRow& toServer = result.links.back();
    EXPECT_EQ(toServer.link, "switch>ps0");
    EXPECT_GT(toServer.dropped, 0U);
    EXPECT_EQ(toServer.frames_sent, toServer.frames_received);
}

/** Two jobs of two workers: hosts 0 and 1, 2 and 3, servers 4 and 5. */
class RejectedFramesTest : public testing::Test
{
  protected:
    RejectedFramesTest() : m_simulator(TwoJobs()), m_run(TwoJobs()) {}

    static Scenario
    TwoJobs()
    {
        Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(FRAGMENTS, US, US)});
        scenario.topology.hosts = 4;
        scenario.topology.parameter_servers = 2;
        scenario.jobs.push_back(scenario.jobs[0]);
        return scenario;
    }

    /** Puts a frame onto the link of a host or server before any other event. `job`: the frame's
     * job; nothing: an unknown job. */
    InaRunResult
    RunWith(ina::FrameKind kind, std::optional<uint16_t> job, bool toSwitch, ina::HostId host)
    {
        const InaCluster& cluster = m_run.Build();
        ina::Frame frame;
        frame.kind = kind;
        frame.flags = ina::flag::resend; // bypasses the aggregators
        frame.psn = 4'000'000'000;
        frame.job = job ? cluster.control->GetId(*job) : NO_JOB;
        frame.destination = host;
        frame.bytes = 58;
        const InaClusterLink& link = cluster.links[host];
        InaNetDevice& sender = toSwitch ? *link.host : *link.port;
        sender.CountOffer();
        sender.PutFrame(std::move(frame), 0);
        return m_run.Run();
    }

    InaOwnSimulator m_simulator;
    InaClusterRun m_run;
};

TEST_F(RejectedFramesTest, OfAJobThatTheSwitchDoesNotKnowAreTheSwitchs)
{
    const InaRunResult result = RunWith(ina::FrameKind::gradient, std::nullopt, true, 3);
    EXPECT_EQ(result.switchRejectedFrames, 1U);
    EXPECT_EQ(result.jobs[0].rejected_frames, 0U);
    EXPECT_EQ(result.jobs[1].rejected_frames, 0U);
}

TEST_F(RejectedFramesTest, ThatReachAWorkerOfAnotherJobAreThatJobs)
{
    const InaRunResult result = RunWith(ina::FrameKind::result, 1, false, 0);
    EXPECT_EQ(result.switchRejectedFrames, 0U);
    EXPECT_EQ(result.jobs[0].rejected_frames, 1U);
    EXPECT_EQ(result.jobs[1].rejected_frames, 0U);
}

TEST_F(RejectedFramesTest, OfNoWorkerAtAServerAreItsJobs)
{
    const InaRunResult result = RunWith(ina::FrameKind::gradient, 1, false, 5);
    EXPECT_EQ(result.switchRejectedFrames, 0U);
    EXPECT_EQ(result.jobs[0].rejected_frames, 0U);
    EXPECT_EQ(result.jobs[1].rejected_frames, 1U);
}

class ClusterRunTest : public testing::TestWithParam<System>
{
  protected:
    static Scenario
    Crowded(System system)
    {
        Scenario scenario =
            MakeScenario(system, 3, {MakeLayer(300, US, US), MakeLayer(300, US, US)});
        scenario.topology.hosts = 6;
        scenario.topology.parameter_servers = 2;
        scenario.switch_.memory_bytes = 100'000;
        scenario.jobs[0].iterations = 2;
        scenario.jobs[0].jitter.range = {0, 20 * US};
        scenario.jobs.push_back(scenario.jobs[0]);
        return scenario;
    }

    static std::vector<int64_t>
    TimesOf(const InaRunResult& result)
    {
        std::vector<int64_t> times;
        for (const auto& iterations : result.iterations)
        {
            for (const IterationRow& iteration : iterations)
            {
                times.insert(times.end(),
                             {iteration.start, EndOf(iteration), iteration.worker_mean});
            }
        }
        times.push_back(static_cast<int64_t>(result.packetHops));
        return times;
    }
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         ClusterRunTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

TEST_P(ClusterRunTest, TheSameScenarioTwiceInOneProcessGivesTheSame)
{
    const Scenario scenario = Crowded(GetParam());
    const auto first = TimesOf(RunAlone(scenario));
    EXPECT_EQ(TimesOf(RunAlone(scenario)), first);
}

TEST_P(ClusterRunTest, BothEnginesGiveTheSame)
{
    Scenario scenario = Crowded(GetParam());
    const auto fast = TimesOf(RunAlone(scenario));
    scenario.engine = Engine::reference;
    EXPECT_EQ(TimesOf(RunAlone(scenario)), fast);
}

TEST_P(ClusterRunTest, WhatThePayloadCarriesDoesNotChangeTheTimes)
{
    Scenario scenario = Crowded(GetParam());
    const auto values = TimesOf(RunAlone(scenario));
    for (const Payload payload : {Payload::digest, Payload::none})
    {
        scenario.payload = payload;
        EXPECT_EQ(TimesOf(RunAlone(scenario)), values);
    }
}

// Each overflow costs a further round trip for a request, all workers' floats and their sum. Every
// result is verified as floats.
TEST(ClusterRunOverflow, CollectsFloatsOfWhatOverflowedInAtpAlone)
{
    const auto end = [](System system, Payload payload, double overflow)
    {
        Scenario scenario = MakeScenario(system, 4, {MakeLayer(200, 0, 0)});
        scenario.payload = payload;
        scenario.of<ina::systems::Atp>().overflow_share = overflow;
        return EndOf(RunAlone(scenario).iterations[0][0]);
    };
    for (const Payload payload : {Payload::values, Payload::digest})
    {
        const int64_t never = end(system_called("atp"), payload, 0);
        const int64_t some = end(system_called("atp"), payload, 0.1);
        const int64_t always = end(system_called("atp"), payload, 1);
        EXPECT_LT(never, some);
        EXPECT_LT(some, always);
        EXPECT_GT(always, never + 10 * US);
    }
    EXPECT_EQ(end(system_called("dsa"), Payload::values, 1),
              end(system_called("dsa"), Payload::values, 0));
}

// Verifies that every sum is that of floats quantised by the largest exponent of the workers.
class BlockFloatingPoint : public testing::Test
{
  protected:
    static Scenario
    InBlocks(uint32_t workers, std::vector<LayerProfile> layers)
    {
        Scenario scenario = MakeScenario(system_called("switchml"), workers, std::move(layers));
        scenario.of<ina::systems::Switchml>().quantisation =
            ina::cluster::Quantisation::block_floating_point;
        scenario.of<ina::systems::Switchml>().slots = 64;
        return scenario;
    }
};

TEST_F(BlockFloatingPoint, CostsAPacketForEachSlotThatATensorUses)
{
    for (const uint64_t fragments : {10, 64, 300})
    {
        Scenario scenario = InBlocks(4, {MakeLayer(fragments, 0, 0, 32)});
        const InaRunResult blocks = RunAlone(scenario);
        scenario.of<ina::systems::Switchml>().quantisation =
            ina::cluster::Quantisation::fixed_point;
        const InaRunResult fixed = RunAlone(scenario);
        const uint64_t more = std::min<uint64_t>(fragments, 64);
        EXPECT_EQ(blocks.jobs[0].packets_sent, fixed.jobs[0].packets_sent + 4 * more);
        EXPECT_EQ(blocks.packetHops, fixed.packetHops + 2 * 4 * more);
        EXPECT_GT(EndOf(blocks.iterations[0][0]), EndOf(fixed.iterations[0][0]));
    }
}

TEST_F(BlockFloatingPoint, IsVerifiedUnderLossesWithEachSizeOfPackets)
{
    for (const uint32_t values : {32, 64, 256})
    {
        Scenario scenario =
            InBlocks(5, {MakeLayer(200, US, US, values), MakeLayer(30, US, US, values)});
        scenario.of<ina::systems::Switchml>().values = values;
        scenario.jobs[0].iterations = 3;
        scenario.jobs[0].jitter.range = {0, 20 * US};
        LinkFaultsScenario faults;
        faults.loss = 0.01;
        faults.duplication = 0.01;
        scenario.faults.links.push_back(faults);
        const InaRunResult result = RunAlone(scenario);
        EXPECT_EQ(result.iterations[0].size(), 3U);
        EXPECT_GT(result.jobs[0].retransmissions, 0U);
    }
}

TEST_F(BlockFloatingPoint, TakesNoLongerWhateverFramesCarry)
{
    Scenario scenario = InBlocks(3, {MakeLayer(300, US, US, 32)});
    const int64_t values = EndOf(RunAlone(scenario).iterations[0][0]);
    for (const Payload payload : {Payload::digest, Payload::none})
    {
        scenario.payload = payload;
        EXPECT_EQ(EndOf(RunAlone(scenario).iterations[0][0]), values);
    }
}

TEST_P(ClusterRunTest, BothEnginesGiveTheSameWhenPassesTakeTime)
{
    for (const Passes passes : {Passes::charged, Passes::separate})
    {
        Scenario scenario = Crowded(GetParam());
        scenario.switch_.passes = passes;
        const auto fast = TimesOf(RunAlone(scenario));
        scenario.engine = Engine::reference;
        EXPECT_EQ(TimesOf(RunAlone(scenario)), fast);
    }
}

TEST_P(ClusterRunTest, AllPayloadsTakeTheSameTimeWhenPassesAreSeparate)
{
    Scenario scenario = Crowded(GetParam());
    scenario.switch_.passes = Passes::separate;
    const auto values = TimesOf(RunAlone(scenario));
    for (const Payload payload : {Payload::digest, Payload::none})
    {
        scenario.payload = payload;
        EXPECT_EQ(TimesOf(RunAlone(scenario)), values);
    }
}

/** Additional time until the end of a job of two workers and one fragment if passes take time. */
int64_t
DelayByPasses(Scenario scenario, Passes passes)
{
    const int64_t end = EndOf(RunAlone(scenario).iterations[0][0]);
    scenario.switch_.passes = passes;
    return EndOf(RunAlone(scenario).iterations[0][0]) - end;
}

class PassesThatTakeTime : public testing::TestWithParam<Passes>
{
};

constexpr int64_t PASS_PS = 400'000;
constexpr int64_t LOOP_BYTE_PS = 5; // at 1.6 Tbps

TEST_P(PassesThatTakeTime, DelayAResultOfAtpAndDsaByARecirculation)
{
    for (const System system : {system_called("atp"), system_called("dsa")})
    {
        EXPECT_EQ(DelayByPasses(MakeScenario(system, 2, {MakeLayer(1, 0, 0)}), GetParam()),
                  PASS_PS + 306 * LOOP_BYTE_PS);
    }
}

TEST_P(PassesThatTakeTime, DoNotDelayResultsOfSwitchmlsPaper)
{
    const Scenario scenario = MakeScenario(system_called("switchml"), 2, {MakeLayer(1, 0, 0, 32)});
    EXPECT_EQ(DelayByPasses(scenario, GetParam()), 0);
}

/** If passes are charged, a packet occupies the ports once for all its passes. If passes are
 * separate, it occupies the ports once per pass. */
TEST_P(PassesThatTakeTime, DelayAResultOf256ValuesByTenBehindThoseOfTheOtherWorker)
{
    Scenario scenario = MakeScenario(system_called("switchml"), 2, {MakeLayer(1, 0, 0, 256)});
    scenario.of<ina::systems::Switchml>().values = 256;
    const int64_t otherBytes = GetParam() == Passes::charged ? 820 + 564 + 308 : 820;
    EXPECT_EQ(DelayByPasses(scenario, GetParam()),
              10 * PASS_PS + (otherBytes + 5640) * LOOP_BYTE_PS);
}

INSTANTIATE_TEST_SUITE_P(Every,
                         PassesThatTakeTime,
                         testing::Values(Passes::charged, Passes::separate));

TEST_P(ClusterRunTest, ReportsItsProgressToTheEnd)
{
    std::vector<InaRunProgress> reports;
    const Scenario scenario = Crowded(GetParam());
    const InaRunResult result =
        RunAlone(scenario,
                 {.progress = [&reports](const InaRunProgress& now) { reports.push_back(now); }});
    ASSERT_GE(reports.size(), 2U);
    EXPECT_EQ(reports.front().fragmentsDone, 0U);
    EXPECT_EQ(reports.back().fragmentsDone, reports.back().fragmentsInAll);
    EXPECT_EQ(reports.back().packetHops, result.packetHops);
    EXPECT_EQ(reports.back().simulatedTime.GetTimeStep(), result.simulatedTime.GetTimeStep());
    EXPECT_LT(result.simulatedTime.GetTimeStep(), resolve(scenario).time_limit_ps);
}

TEST_P(ClusterRunTest, WhatASinkTakesIsNotInTheResult)
{
    Scenario scenario = Crowded(GetParam());
    for (JobScenario& job : scenario.jobs)
    {
        job.iterations = 3;
    }
    const InaRunResult collected = RunAlone(scenario);
    std::vector<SwitchRow> samples;
    std::vector<std::vector<int64_t>> ends(scenario.jobs.size());
    const InaRunResult streamed =
        RunAlone(scenario,
                 {.sample = [&](const SwitchRow& sample) { samples.push_back(sample); },
                  .iteration =
                      [&](const IterationRow& iteration)
                  {
                      EXPECT_EQ(iteration.iteration, ends[iteration.job].size());
                      ends[iteration.job].push_back(EndOf(iteration));
                  }});
    EXPECT_EQ(samples.size(), collected.samples.size());
    EXPECT_TRUE(streamed.samples.empty());
    for (std::size_t job = 0; job < ends.size(); ++job)
    {
        const auto& of = collected.iterations[job];
        EXPECT_EQ(streamed.jobs[job].times.count, 3U);
        EXPECT_TRUE(streamed.iterations[job].empty());
        ASSERT_EQ(ends[job].size(), of.size());
        EXPECT_EQ(ends[job].back(), EndOf(of.back()));
    }
}

TEST_F(ClusterProofTest, ARunAfterAViolationIsSound)
{
    const auto timesOf = [this] { return EndOf(RunAlone(m_scenario).iterations[0][0]); };
    const int64_t before = timesOf();
    EXPECT_NE(ViolationWith(
                  [](FaultyProgram&, ina::Frame& frame, Verdict& verdict)
                  {
                      if (frame.psn == PSN)
                      {
                          verdict = ina::rmt::kDrop;
                      }
                  }),
              "nothing");
    EXPECT_EQ(timesOf(), before);
}

TEST(ClusterRunBuild, IsDoneOnce)
{
    const Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(1, 0, 0)});
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    EXPECT_EQ(&run.Build(), &run.Build());
    EXPECT_EQ(run.Build().links.size(), 3U);
    EXPECT_EQ(run.Build().links[2].name, "ps0");
}

TEST(ClusterRunDeathTest, WhatDoesNotFitIsRefused)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(1, 0, 0)});
    scenario.topology.hosts = 1;
    EXPECT_THROW(InaClusterRun run(scenario), std::invalid_argument) << "more workers than hosts";
    scenario.topology.hosts = 2;
    scenario.topology.parameter_servers = 0;
    EXPECT_THROW(InaClusterRun run(scenario), std::invalid_argument) << "more jobs than servers";
    scenario.topology.parameter_servers = 1;
    for (const int64_t interval : {int64_t{0}, -US})
    {
        scenario.outputs.switch_interval_ps = interval;
        EXPECT_DEATH(RunAlone(scenario), "samples of the switch must be positive");
    }
}

} // namespace
} // namespace ns3
