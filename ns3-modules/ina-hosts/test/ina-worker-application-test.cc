/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "hosts-test-support.h"

#include "ns3-modules/ina-network/test/network-test-support.h"

#include "hw/protocol/prefetchable.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "switch-models/programs/make_program.hpp"

#include "ns3/ina-switch.h"
#include "ns3/ina-worker-application.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace ns3
{
namespace
{

/** A transport whose sends and deadlines the test sets; records all calls. */
class FakeTransport : public ina::WorkerTransport
{
  public:
    explicit FakeTransport(InaNetDevice& device) : m_device(device) {}

    void
    submit(const ina::Tensor& tensor, ina::Time) override
    {
        m_unsent += tensor.fragments;
    }

    void
    receive(const ina::Frame& frame, ina::Time now) override
    {
        m_received.push_back({now.count(), frame.psn});
        --m_inFlight;
        if (const auto timeout = m_timeouts.find(frame.psn); timeout != m_timeouts.end())
        {
            m_deadline = now + ina::Time(timeout->second);
        }
        m_onFrame(frame.psn);
    }

    bool
    next(ina::Frame& out, ina::Time now) override
    {
        m_mostBacklog = std::max(m_mostBacklog, m_device.Backlog(now.count()));
        if (m_unsent == 0)
        {
            return false;
        }
        --m_unsent;
        ++m_inFlight;
        out = MakeFrame(m_psn++);
        return true;
    }

    ina::Time
    deadline() const override
    {
        return m_deadline;
    }

    ina::Time
    no_deadline_before(ina::Time now) const override
    {
        return now + ina::Time(LEAST_TIMEOUT);
    }

    void
    expire(ina::Time now) override
    {
        m_expired.push_back(now.count());
        m_onExpiry();
        m_deadline = m_nextDeadline;
        m_nextDeadline = ina::kNever;
    }

    uint32_t
    in_flight() const override
    {
        return m_inFlight;
    }

    uint32_t
    window() const override
    {
        return 77;
    }

    const ina::WorkerStatistics&
    statistics() const override
    {
        return m_statistics;
    }

    static constexpr int64_t LEAST_TIMEOUT = 1'000'000;

    InaNetDevice& m_device;
    uint32_t m_unsent{0};
    uint32_t m_inFlight{0};
    ina::Psn m_psn{0};
    int64_t m_mostBacklog{0}; //!< maximum backlog when a frame was requested
    std::vector<Arrival> m_received;
    ina::Time m_deadline{ina::kNever};
    ina::Time m_nextDeadline{ina::kNever};
    std::map<ina::Psn, int64_t> m_timeouts; //!< by PSN: timeout that starts when the frame arrives
    std::function<void(ina::Psn)> m_onFrame{[](ina::Psn) {}};
    std::function<void()> m_onExpiry{[] {}};
    std::vector<int64_t> m_expired;
    ina::WorkerStatistics m_statistics;
};

class InaWorkerApplicationTest : public testing::TestWithParam<const char*>
{
  protected:
    void
    Install()
    {
        auto transport = std::make_unique<FakeTransport>(*m_link.left);
        m_transport = transport.get();
        m_link.left->GetNode()->AddApplication(m_worker);
        m_worker->SetRunAhead(true); // as in a cluster
        m_worker->Install(m_link.left, std::move(transport));
        m_link.right->SetHandler(&m_peer);
    }

    void
    At(int64_t ts, std::function<void(int64_t)> action)
    {
        m_worker->At(Picoseconds(ts),
                     [action = std::move(action)](const Time& at) { action(at.GetTimeStep()); });
    }

    void
    SubmitAt(int64_t ts, uint32_t fragments)
    {
        At(ts,
           [this, fragments](int64_t now)
           {
               ina::Tensor tensor;
               tensor.fragments = fragments;
               tensor.source = &m_source;
               m_worker->SubmitAt(tensor, now);
           });
    }

    FreshSimulator m_fresh{GetParam()};
    TestLink m_link;
    NoSource m_source;
    Recorder m_peer;
    Ptr<InaWorkerApplication> m_worker{CreateObject<InaWorkerApplication>()};
    FakeTransport* m_transport{nullptr};
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         InaWorkerApplicationTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(InaWorkerApplicationTest, TheInterfaceQueueIsShortAndTheLineNeverIdle)
{
    constexpr uint32_t FRAMES = 100;
    m_worker->SetAttribute("InterfaceQueue", UintegerValue(4 * GRADIENT_BYTES));
    Install();
    SubmitAt(0, FRAMES);
    Simulator::Run();
    EXPECT_LT(m_transport->m_mostBacklog, 4 * GRADIENT_PS);
    ASSERT_EQ(m_peer.Arrivals().size(), std::size_t{FRAMES});
    for (ina::Psn psn = 0; psn < FRAMES; ++psn)
    {
        ASSERT_EQ(m_peer.Arrivals()[psn], (Arrival{DELAY_PS + (psn + 1) * GRADIENT_PS, psn}));
    }
}

TEST_P(InaWorkerApplicationTest, WhatComesLaterCanStillOvertakeWhatTheTransportHolds)
{
    m_worker->SetAttribute("InterfaceQueue", UintegerValue(4 * GRADIENT_BYTES));
    Install();
    SubmitAt(0, 100);
    Simulator::Stop(Picoseconds(1));
    Simulator::Run();
    EXPECT_EQ(m_transport->m_psn, 4U) << "the rest is still the transport's";
}

std::vector<std::pair<uint32_t, uint32_t>> g_windows;

void
TraceWindow(uint32_t window, uint32_t inFlight)
{
    g_windows.emplace_back(window, inFlight);
}

/** A transport that records the steps in which it fetched. */
class FetchingTransport : public FakeTransport, public ina::Prefetchable
{
  public:
    FetchingTransport(InaNetDevice& device, std::vector<unsigned>& steps) :
        FakeTransport(device), m_steps(steps)
    {
    }

    void
    fetch_ahead(unsigned step) const override
    {
        m_steps.push_back(step);
    }

  private:
    std::vector<unsigned>& m_steps;
};

TEST_P(InaWorkerApplicationTest, TheTransportThatIsInstalledFetchesAfterTheHostIfItFetchesAtAll)
{
    std::vector<unsigned> steps;
    const auto fetch = [this]
    {
        for (unsigned step = 0; step < 5; ++step)
        {
            static_cast<const ina::Prefetchable&>(*m_worker).fetch_ahead(step);
        }
    };
    Install(); // a transport that does not fetch
    fetch();
    EXPECT_TRUE(steps.empty());
    m_worker->Install(m_link.left, std::make_unique<FetchingTransport>(*m_link.left, steps));
    fetch();
    EXPECT_EQ(steps, (std::vector<unsigned>{0, 1, 2}));
    m_worker->Install(m_link.left, std::make_unique<FakeTransport>(*m_link.left));
    fetch();
    EXPECT_EQ(steps.size(), 3U);
}

TEST_P(InaWorkerApplicationTest, TracesTheWindowAfterEachFrame)
{
    g_windows.clear();
    Install();
    m_worker->TraceConnectWithoutContext("Window", MakeCallback(&TraceWindow));
    SubmitAt(0, 3);
    m_link.right->PutFrame(MakeFrame(0), 1'000'000);
    m_link.right->PutFrame(MakeFrame(1), 1'000'000);
    Simulator::Run();
    EXPECT_EQ(m_transport->m_received,
              (std::vector<Arrival>{{1'000'000 + DELAY_PS + GRADIENT_PS, 0},
                                    {1'000'000 + DELAY_PS + 2 * GRADIENT_PS, 1}}));
    EXPECT_EQ(g_windows, (std::vector<std::pair<uint32_t, uint32_t>>{{77, 2}, {77, 1}}));
}

TEST_P(InaWorkerApplicationTest, TheTransportExpiresAtItsDeadlines)
{
    Install();
    m_transport->m_deadline = ina::Time(5'000'000);
    m_transport->m_nextDeadline = ina::Time(9'000'000);
    SubmitAt(0, 1);
    Simulator::Run();
    EXPECT_EQ(m_transport->m_expired, (std::vector<int64_t>{5'000'000, 9'000'000}));
}

/** Frames arrive at FIRST and at the given offsets after it, all in flight at the same time. */
class ArrivalsTogetherTest : public InaWorkerApplicationTest
{
  protected:
    static constexpr int64_t FIRST = DELAY_PS + GRADIENT_PS;
    static constexpr int64_t TIMEOUT = FakeTransport::LEAST_TIMEOUT;
    static constexpr int64_t LONG_TIMEOUT = 50 * TIMEOUT;

    void
    Run(const std::vector<int64_t>& arrivals)
    {
        for (std::size_t i = 0; i < arrivals.size(); ++i)
        {
            m_link.right->PutFrame(MakeFrame(static_cast<ina::Psn>(i)), arrivals[i]);
        }
        Simulator::Run();
    }
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         ArrivalsTogetherTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(ArrivalsTogetherTest, ADeadlineOfTheOnlyOneExpires)
{
    Install();
    m_transport->m_timeouts = {{0, TIMEOUT}};
    Run({0});
    EXPECT_EQ(m_transport->m_expired, (std::vector<int64_t>{FIRST + TIMEOUT}));
}

TEST_P(ArrivalsTogetherTest, ADeadlineOfTheLastOneExpires)
{
    Install();
    m_transport->m_timeouts = {{0, LONG_TIMEOUT}, {2, TIMEOUT}};
    Run({0, 100'000, 200'000});
    EXPECT_EQ(m_transport->m_expired, (std::vector<int64_t>{FIRST + 200'000 + TIMEOUT}));
}

TEST_P(ArrivalsTogetherTest, ADeadlineExpiresBeforeALaterOneComes)
{
    Install();
    m_transport->m_timeouts = {{0, LONG_TIMEOUT}, {1, TIMEOUT}};
    std::size_t receivedThen = 0;
    m_transport->m_onExpiry = [&] { receivedThen = m_transport->m_received.size(); };
    Run({0, 100'000, 100'000 + 2 * TIMEOUT});
    EXPECT_EQ(m_transport->m_expired, (std::vector<int64_t>{FIRST + 100'000 + TIMEOUT}));
    EXPECT_EQ(receivedThen, 2U);
}

TEST_P(ArrivalsTogetherTest, OfOneThatStopsTheWorkerNothingExpires)
{
    Install();
    m_transport->m_timeouts = {{0, TIMEOUT}, {1, TIMEOUT}};
    m_transport->m_onFrame = [this](ina::Psn psn)
    {
        if (psn == 1)
        {
            m_worker->Stop();
        }
    };
    Run({0, 100'000, 200'000});
    EXPECT_EQ(m_transport->m_received.size(), 2U);
    EXPECT_TRUE(m_transport->m_expired.empty());
}

TEST_P(InaWorkerApplicationTest, ADeadlineThatMovedAwayDoesNotExpire)
{
    Install();
    m_transport->m_deadline = ina::Time(5'000'000);
    SubmitAt(0, 1);
    SubmitAt(4'000'000, 1);
    At(3'000'000, [this](int64_t) { m_transport->m_deadline = ina::Time(8'000'000); });
    Simulator::Run();
    EXPECT_EQ(m_transport->m_expired, (std::vector<int64_t>{8'000'000}));
}

TEST_P(InaWorkerApplicationTest, TheAgendaRunsInOrderAtItsTimes)
{
    Install();
    std::vector<std::string> log;
    const auto note = [&log](const std::string& what)
    {
        return [&log, what](int64_t ts)
        {
            EXPECT_EQ(ts, Simulator::Now().GetTimeStep());
            log.push_back(what + " " + std::to_string(ts));
        };
    };
    At(20, note("c"));
    At(10, note("a"));
    At(10,
       [&](int64_t ts)
       {
           note("b")(ts);
           At(ts, note("now"));
           At(15, note("new"));
       });
    Simulator::Run();
    EXPECT_EQ(log, (std::vector<std::string>{"a 10", "b 10", "now 10", "new 15", "c 20"}));
}

TEST_P(InaWorkerApplicationTest, ASinkThatIsConnectedAfterInstallationHearsThatItBegins)
{
    Install();
    std::vector<Time> begins;
    m_worker->TraceConnectWithoutContext(
        "Begun",
        Callback<void, uint32_t>([&](uint32_t) { begins.push_back(Simulator::Now()); }));
    Simulator::Schedule(NanoSeconds(5),
                        [this]() { m_worker->Install<FakeTransport>(m_link.left, *m_link.left); });
    Simulator::Run();
    EXPECT_EQ(begins, (std::vector<Time>{Time(0), NanoSeconds(5)}));
}

TEST_P(InaWorkerApplicationTest, ItIsQuietUntilItsNextTimer)
{
    Install();
    EXPECT_EQ(m_worker->QuietUntil(3), std::numeric_limits<int64_t>::max());
    At(50, [](int64_t) {});
    EXPECT_EQ(m_worker->QuietUntil(3), 50);
    m_worker->TraceConnectWithoutContext("Window", MakeCallback(&TraceWindow));
    EXPECT_EQ(m_worker->QuietUntil(3), 3) << "who traces wants the right clock";
}

/** Applies faults as a control plane would schedule them. */
class InaHostFaultTest : public InaWorkerApplicationTest
{
  protected:
    static constexpr int64_t PAUSE = 3'000'000;
    static constexpr int64_t RESUME = 8'000'000;

    void
    Control(int64_t ts, std::function<void(int64_t)> action)
    {
        m_worker->HoldAt(Picoseconds(ts));
        Simulator::Schedule(Picoseconds(ts), [action, ts]() { action(ts); });
    }

    void
    PauseAndResume()
    {
        Control(PAUSE, [this](int64_t) { m_worker->Pause(Picoseconds(RESUME)); });
        Control(RESUME, [this](int64_t) { m_worker->Resume(); });
    }

    /** Sends a frame every 100 ns. The first one arrives at DELAY_PS + GRADIENT_PS. */
    void
    SendToWorker(uint32_t frames)
    {
        for (ina::Psn psn = 0; psn < frames; ++psn)
        {
            m_link.right->PutFrame(MakeFrame(psn), psn * 100'000);
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         InaHostFaultTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(InaHostFaultTest, WhatComesDuringAPauseIsFoundAfterwardsInItsOrder)
{
    constexpr uint32_t FRAMES = 80;
    Install();
    PauseAndResume();
    SendToWorker(FRAMES);
    Simulator::Run();
    ASSERT_EQ(m_transport->m_received.size(), std::size_t{FRAMES});
    for (ina::Psn psn = 0; psn < FRAMES; ++psn)
    {
        const int64_t arrival = psn * 100'000 + DELAY_PS + GRADIENT_PS;
        const bool paused = arrival >= PAUSE && arrival < RESUME;
        EXPECT_EQ(m_transport->m_received[psn], (Arrival{paused ? RESUME : arrival, psn}));
    }
}

TEST_P(InaHostFaultTest, AgendaAndDeadlinesOfAPauseAreSeenToAfterwards)
{
    Install();
    m_transport->m_deadline = ina::Time(5'000'000);
    SubmitAt(0, 1);
    std::vector<int64_t> actions;
    for (const int64_t ts : {1'000'000, 4'000'000, 9'000'000})
    {
        At(ts, [&actions](int64_t now) { actions.push_back(now); });
    }
    PauseAndResume();
    Simulator::Run();
    EXPECT_EQ(actions, (std::vector<int64_t>{1'000'000, RESUME, 9'000'000}));
    EXPECT_EQ(m_transport->m_expired, (std::vector<int64_t>{RESUME}));
}

TEST_P(InaHostFaultTest, APauseDoesNotEndBeforeALongerOne)
{
    Install();
    PauseAndResume();
    Control(PAUSE + 1, [this](int64_t) { m_worker->Pause(Picoseconds(PAUSE + 2)); });
    Control(PAUSE + 2, [this](int64_t) { m_worker->Resume(); });
    At(PAUSE + 3, [](int64_t now) { EXPECT_EQ(now, RESUME); });
    Simulator::Run();
    EXPECT_EQ(Simulator::Now().GetTimeStep(), RESUME);
}

TEST_P(InaHostFaultTest, APauseByACallbackOfWhatCameDuringAPauseKeepsTheRest)
{
    constexpr uint32_t FRAMES = 80;
    constexpr ina::Psn LAST = 40; // arrives between PAUSE and RESUME
    constexpr int64_t SECOND_RESUME = RESUME + 1'000'000;
    Install();
    PauseAndResume();
    m_transport->m_onFrame = [this](ina::Psn psn)
    {
        if (psn == LAST)
        {
            m_worker->Pause(Picoseconds(SECOND_RESUME));
        }
    };
    Control(SECOND_RESUME, [this](int64_t) { m_worker->Resume(); });
    SendToWorker(FRAMES);
    Simulator::Run();
    ASSERT_EQ(m_transport->m_received.size(), std::size_t{FRAMES});
    EXPECT_EQ(m_transport->m_received[LAST], (Arrival{RESUME, LAST}));
    for (ina::Psn psn = LAST + 1; psn < FRAMES; ++psn)
    {
        const int64_t arrival = psn * 100'000 + DELAY_PS + GRADIENT_PS;
        EXPECT_EQ(m_transport->m_received[psn], (Arrival{std::max(arrival, SECOND_RESUME), psn}));
    }
}

TEST_P(InaHostFaultTest, AStopByACallbackOfWhatCameDuringAPauseLosesTheRest)
{
    Install();
    PauseAndResume();
    m_transport->m_onFrame = [this](ina::Psn psn)
    {
        if (psn == 40)
        {
            m_worker->Stop();
        }
    };
    SendToWorker(80);
    Simulator::Run();
    EXPECT_EQ(m_transport->m_received.back(), (Arrival{RESUME, 40}));
}

TEST_P(InaHostFaultTest, WhatStoppedHandlesNothingAndForgetsItsAgenda)
{
    Install();
    m_transport->m_deadline = ina::Time(5'000'000);
    SubmitAt(0, 1);
    At(4'000'000, [](int64_t) { ADD_FAILURE() << "of a process that has stopped"; });
    Control(PAUSE, [this](int64_t) { m_worker->Stop(); });
    SendToWorker(80);
    Simulator::Run();
    EXPECT_TRUE(m_transport->m_expired.empty());
    EXPECT_EQ(m_transport->m_received.back().psn, 4U) << "the last one before PAUSE";
    EXPECT_TRUE(m_worker->IsStopped());
}

TEST_P(InaHostFaultTest, WhoTracesAnArrivalMayStopItBeforeItIsHandled)
{
    Install();
    m_link.left->TraceConnectWithoutContext("Rx",
                                            Callback<void, const ina::Frame&>(
                                                [this](const ina::Frame& frame)
                                                {
                                                    if (frame.psn == 2)
                                                    {
                                                        m_worker->Stop();
                                                    }
                                                }));
    SendToWorker(5);
    Simulator::Run();
    ASSERT_EQ(m_transport->m_received.size(), 2U);
    EXPECT_EQ(m_transport->m_received.back().psn, 1U);
}

TEST_P(InaHostFaultTest, WhoTracesTheWindowMayGiveItAnotherTransport)
{
    Install();
    auto fresh = std::make_unique<FakeTransport>(*m_link.left);
    FakeTransport* const second = fresh.get();
    std::size_t received = 0;
    m_worker->TraceConnectWithoutContext("Window",
                                         Callback<void, uint32_t, uint32_t>(
                                             [&](uint32_t, uint32_t)
                                             {
                                                 if (++received == 2)
                                                 {
                                                     m_worker->Install(m_link.left,
                                                                       std::move(fresh));
                                                 }
                                             }));
    SendToWorker(5);
    Simulator::Run();
    ASSERT_EQ(second->m_received.size(), 3U);
    EXPECT_EQ(second->m_received.front().psn, 2U);
}

TEST_P(InaHostFaultTest, BegunAnewItHandlesWhatComesFromThenOn)
{
    Install();
    m_transport->m_statistics.retransmissions = 3;
    auto fresh = std::make_unique<FakeTransport>(*m_link.left);
    FakeTransport* const transport = fresh.get();
    transport->m_statistics.retransmissions = 4;
    Control(PAUSE, [this](int64_t) { m_worker->Stop(); });
    Control(RESUME,
            [&](int64_t)
            {
                m_worker->Install(m_link.left, std::move(fresh));
                At(RESUME + 1, [&](int64_t) { transport->m_psn = 100; });
            });
    SendToWorker(80);
    Simulator::Run();
    EXPECT_EQ(transport->m_received.front().psn, 55U) << "the first one after RESUME";
    EXPECT_EQ(transport->m_received.size(), 25U);
    EXPECT_EQ(transport->m_psn, 100U);
    EXPECT_EQ(m_worker->GetStatistics().retransmissions, 7U);
}

constexpr int64_t START = 3'000'000;
constexpr int64_t END = 5'000'000;

/** Applications with StartTime and StopTime, set after the installation as by ApplicationContainer.
 */
class InaHostTimesTest : public InaHostFaultTest
{
  protected:
    void
    SetTimes(int64_t start, int64_t stop)
    {
        Install();
        m_worker->SetStartTime(Picoseconds(start));
        m_worker->SetStopTime(Picoseconds(stop));
    }
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         InaHostTimesTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(InaHostTimesTest, BeforeStartTimeItTakesAndSendsNothing)
{
    SetTimes(START, 0);
    m_transport->m_deadline = ina::Time(1'000'000);
    ina::Tensor tensor;
    tensor.fragments = 1;
    tensor.source = &m_source;
    m_worker->SubmitAt(tensor, 0);
    SendToWorker(80);
    Simulator::Run();
    EXPECT_GE(m_transport->m_received.front().ts, START);
    EXPECT_EQ(m_transport->m_received.back().psn, 79U);
    EXPECT_EQ(m_transport->m_expired, (std::vector<int64_t>{START}));
    EXPECT_EQ(m_peer.Arrivals(), (std::vector<Arrival>{{START + GRADIENT_PS + DELAY_PS, 0}}));
}

TEST_P(InaHostTimesTest, WhatWasDueBeforeStartTimeIsDoneThen)
{
    SetTimes(START, 0);
    std::vector<int64_t> actions;
    for (const int64_t ts : {int64_t{0}, START - 1, START + 1})
    {
        At(ts, [&](int64_t now) { actions.push_back(now); });
    }
    Simulator::Run();
    EXPECT_EQ(actions, (std::vector<int64_t>{START, START, START + 1}));
}

TEST_P(InaHostTimesTest, FromStopTimeOnItTakesAndSendsNothing)
{
    SetTimes(0, END);
    m_transport->m_deadline = ina::Time(END + 1);
    At(END + 1, [](int64_t) { ADD_FAILURE() << "of a process that has stopped"; });
    SendToWorker(80);
    Simulator::Run();
    ASSERT_FALSE(m_transport->m_received.empty());
    EXPECT_LT(m_transport->m_received.back().ts, END);
    EXPECT_GE(m_transport->m_received.back().ts + 100'000, END);
    EXPECT_TRUE(m_transport->m_expired.empty());
    EXPECT_TRUE(m_worker->IsStopped());
}

TEST_P(InaHostTimesTest, WhatStopTimeEndedDoesNotBeginAnew)
{
    SetTimes(0, PAUSE);
    auto fresh = std::make_unique<FakeTransport>(*m_link.left);
    FakeTransport* const transport = fresh.get();
    Control(RESUME, [&](int64_t) { m_worker->Install(m_link.left, std::move(fresh)); });
    SendToWorker(80);
    Simulator::Run();
    EXPECT_TRUE(transport->m_received.empty());
    EXPECT_TRUE(m_worker->IsStopped());
}

TEST_P(InaHostTimesTest, WhatIsStoppedBeforeStartTimeDoesNotStart)
{
    SetTimes(START, 0);
    At(0, [](int64_t) { ADD_FAILURE() << "of a process that has stopped"; });
    Control(1, [this](int64_t) { m_worker->Stop(); });
    SendToWorker(80);
    Simulator::Run();
    EXPECT_TRUE(m_transport->m_received.empty());
    EXPECT_TRUE(m_worker->IsStopped());
}

TEST(InaWorkerApplication, RefusesAnInterfaceQueueOfNothing)
{
    EXPECT_FALSE(CreateObject<InaWorkerApplication>()->SetAttributeFailSafe("InterfaceQueue",
                                                                            UintegerValue(0)));
}

/** Every value of fragment p of a worker is (rank + 1) * 1000 + p. */
class RankSource : public ina::GradientSource
{
  public:
    explicit RankSource(int32_t rank) : m_rank(rank) {}

    void
    read(ina::Psn psn, std::span<int32_t> out) const override
    {
        std::fill(out.begin(), out.end(), (m_rank + 1) * 1000 + static_cast<int32_t>(psn));
    }

  private:
    int32_t m_rank;
};

class SumSink : public ina::ResultSink
{
  public:
    void
    fragment_complete(const ina::Frame& result, const ina::Delivery&, ina::Time) override
    {
        m_sums.push_back(result.values.data()[0]);
    }

    void
    tensor_complete(ina::Psn, ina::Time now) override
    {
        m_completed.push_back(now.count());
    }

    std::vector<int32_t> m_sums;
    std::vector<int64_t> m_completed;
};

TEST(InaWorkerApplication, TwoWorkersSumTheirGradientsThroughASwitch)
{
    constexpr uint16_t WORKERS = 2;
    constexpr uint32_t FRAGMENTS = 3;
    constexpr uint32_t VALUES = 32;
    constexpr int64_t UPDATE_PS = 14400; // 180 B at 100 Gbps
    const FreshSimulator fresh;
    ina::ValuePool pool(VALUES);
    const auto node = CreateObject<Node>();
    const auto inaSwitch = CreateObject<InaSwitch>();
    node->AggregateObject(inaSwitch);
    inaSwitch->SetProgram(ina::programs::make_switchml(8, VALUES));
    inaSwitch->GetProgram().install_job(0, {WORKERS, 0, 0, 8});
    std::array<RankSource, WORKERS> sources{RankSource(0), RankSource(1)};
    std::array<SumSink, WORKERS> sinks;
    for (uint16_t rank = 0; rank < WORKERS; ++rank)
    {
        const TestLink link("100Gbps", DELAY_PS, 0, CreateObject<Node>(), node);
        inaSwitch->AddPort(link.right, rank);
        const auto worker = CreateObject<InaWorkerApplication>();
        link.left->GetNode()->AddApplication(worker);
        ina::SwitchmlWorker::Config config;
        config.slots = 8;
        worker->Install(
            link.left,
            std::make_unique<ina::SwitchmlWorker>(ina::WorkerIdentity{0, rank, WORKERS, rank, 0},
                                                  config,
                                                  pool,
                                                  sinks[rank]));
        worker->At(Time(0),
                   [worker, source = &sources[rank]](const Time& now)
                   {
                       ina::Tensor tensor;
                       tensor.fragments = FRAGMENTS;
                       tensor.source = source;
                       worker->SubmitAt(tensor, now.GetTimeStep());
                   });
    }
    inaSwitch->SetGroup(0, {0, 1});
    Simulator::Run();
    for (const SumSink& sink : sinks)
    {
        EXPECT_EQ(sink.m_sums, (std::vector<int32_t>{3000, 3002, 3004}));
        EXPECT_EQ(sink.m_completed,
                  (std::vector<int64_t>{(FRAGMENTS + 1) * UPDATE_PS + 2 * DELAY_PS}));
    }
    EXPECT_EQ(pool.taken(), 0U);
    Simulator::Destroy();
}

} // namespace
} // namespace ns3
