/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "network-test-support.h"

#include "switch-models/programs/make_program.hpp"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ina-link-faults.h"
#include "ns3/ina-switch.h"

#include <algorithm>
#include <memory>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using ina::rmt::Verdict;

/** The PSN of a frame selects one of all actions that a program may take. */
class AnythingProgram : public ina::programs::SwitchProgram
{
  public:
    Verdict
    process(ina::Frame& frame, ina::Time) override
    {
        Verdict verdict = ina::rmt::kForward;
        switch (frame.psn % 8)
        {
        case 0:
            return ina::rmt::kDrop;
        case 1:
            m_kept = frame.values;
            frame.set(ina::flag::second_level);
            return ina::rmt::kMulticast;
        case 2:
            std::swap(m_kept, frame.values);
            break;
        case 3:
            verdict.resubmits = 1;
            break;
        case 4:
            verdict.recirculations = 1;
            verdict.recirculated_bytes = frame.bytes;
            break;
        default:
            break;
        }
        return verdict;
    }

  private:
    ina::Values m_kept; //!< held like those of an aggregator
};

/** A program that also sends some frames again, at once or after a timeout. */
class AnythingActiveProgram : public AnythingProgram
{
  public:
    Verdict
    process(ina::Frame& frame, ina::Time now) override
    {
        const bool againAtOnce = frame.psn % 8 == 5;
        const bool againLater = frame.psn % 8 == 6;
        if (againAtOnce)
        {
            m_own.insert(m_own.end(), 2, frame);
        }
        if (againLater)
        {
            m_later.push_back({now + (frame.psn % 5 + 1) * ina::Time(GRADIENT_PS / 3), frame});
        }
        return AnythingProgram::process(frame, now);
    }

    bool
    is_active() const override
    {
        return true;
    }

    Verdict
    next(ina::Frame& out, ina::Time) override
    {
        if (m_own.empty())
        {
            return ina::rmt::kDrop;
        }
        out = std::move(m_own.back());
        m_own.pop_back();
        ++sent;
        Verdict verdict = ina::rmt::kForward;
        verdict.resubmits = out.psn % 3 == 0 ? 1 : 0;
        return verdict;
    }

    ina::Time
    deadline() const override
    {
        const auto first = std::ranges::min_element(m_later, {}, &Later::due);
        return first == m_later.end() ? ina::kNever : first->due;
    }

    void
    expire(ina::Time now) override
    {
        for (const Later& later : m_later)
        {
            if (later.due <= now)
            {
                m_own.push_back(later.frame);
            }
        }
        std::erase_if(m_later, [now](const Later& later) { return later.due <= now; });
    }

    std::size_t sent{0};

  private:
    struct Later
    {
        ina::Time due;
        ina::Frame frame;
    };

    std::vector<ina::Frame> m_own;
    std::vector<Later> m_later;
};

struct Seen
{
    ina::HostId host;
    Arrival arrival;
    uint8_t flags;
    int32_t firstValue;

    bool operator==(const Seen&) const = default;
};

/** Records the frames of one host in a list that all hosts share. */
class Host : public InaFrameHandler
{
  public:
    Host(ina::HostId host, std::vector<Seen>& seen) : m_host(host), m_seen(seen) {}

    void
    HandleFrame(InaNetDevice&, ina::Frame& frame, int64_t ts) override
    {
        const int32_t first = frame.values ? frame.values.span()[0] : -1;
        m_seen.push_back({m_host, {ts, frame.psn}, frame.flags, first});
    }

  private:
    ina::HostId m_host;
    std::vector<Seen>& m_seen;
};

/** Forwards to the previous handler. */
class InFront : public InaFrameHandler
{
  public:
    explicit InFront(InaNetDevice& device) : m_behind(*device.GetHandler())
    {
        device.SetHandler(this);
    }

    void
    HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) override
    {
        ++handled;
        m_behind.HandleFrame(device, frame, ts);
    }

    std::size_t handled{0};

  private:
    InaFrameHandler& m_behind;
};

using Counters = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t>;

Counters
CountersOf(const InaNetDevice& device)
{
    const InaLinkCounters all = device.GetCounters();
    return {all.framesReceived,
            all.bytesReceived,
            all.framesSent,
            all.bytesSent,
            all.framesMarked,
            all.framesDropped};
}

/** Hosts at a switch, with random numbers of hosts, frames, buffer sizes and faults. */
class RandomSwitch
{
  public:
    RandomSwitch(const char* simulator,
                 unsigned seed,
                 std::unique_ptr<ina::programs::SwitchProgram> program =
                     std::make_unique<AnythingProgram>()) :
        m_fresh(simulator), m_random(seed)
    {
        const auto node = CreateObject<Node>();
        node->AggregateObject(inaSwitch);
        inaSwitch->SetRunAhead(true);
        inaSwitch->SetAttribute("BufferSize", UintegerValue(5000 + m_random() % 20'000));
        inaSwitch->SetAttribute("EcnThreshold",
                                UintegerValue(GRADIENT_BYTES * (1 + m_random() % 9)));
        inaSwitch->SetAttribute("ChargePasses", BooleanValue(m_random() % 3 == 0));
        inaSwitch->SetProgram(std::move(program));
        const std::size_t hosts = 2 + m_random() % 70;
        const int64_t delay = m_random() % 4 == 0 ? 0 : DELAY_PS;
        while (m_hosts.size() < hosts)
        {
            AddHost(node, delay);
        }
        inaSwitch->SetGroup(0, {0, static_cast<ina::HostId>(hosts - 1)});
    }

    void
    SendAll()
    {
        int64_t ts = 0;
        for (ina::Psn psn = 0; psn < 2000; ++psn)
        {
            ts += static_cast<int64_t>(m_random() % 3) * GRADIENT_PS / 4;
            const auto beyondTheLast = static_cast<ina::HostId>(m_hosts.size());
            const auto to = static_cast<ina::HostId>(m_random() % (beyondTheLast + 1U));
            ina::Frame frame = MakeFrame(psn, to);
            if (m_random() % 2 == 0)
            {
                frame.values = m_pool.take();
                frame.values.data()[0] = static_cast<int32_t>(psn);
            }
            devices[m_random() % devices.size()]->PutFrame(std::move(frame), ts);
        }
        Simulator::Run();
        for (const auto& port : ports)
        {
            counters.push_back(CountersOf(*port));
        }
        const std::size_t keptByProgram = 1;
        EXPECT_LE(m_pool.taken(), keptByProgram);
    }

  private:
    void
    AddHost(Ptr<Node> node, int64_t delay)
    {
        const TestLink link("100Gbps", delay, 0, CreateObject<Node>(), node);
        const auto host = static_cast<ina::HostId>(m_hosts.size());
        m_hosts.push_back(std::make_unique<Host>(host, seen));
        link.left->SetHandler(m_hosts.back().get());
        devices.push_back(link.left);
        ports.push_back(link.right);
        inaSwitch->AddPort(link.right, host);
        if (m_random() % 2 == 0)
        {
            const auto faults = CreateObject<InaLinkFaults>();
            faults->SetAttribute("Reordering", DoubleValue(0.2));
            faults->SetAttribute("ReorderingDelay", TimeValue(Picoseconds(20 * GRADIENT_PS)));
            faults->SetAttribute("Duplication", DoubleValue(0.05));
            faults->AssignStreams(host + 1);
            link.left->AddFaults(faults);
        }
    }

    ina::ValuePool m_pool{62}; //!< must outlive everything that holds values
    FreshSimulator m_fresh;
    std::mt19937 m_random;
    std::vector<std::unique_ptr<Host>> m_hosts;

  public:
    Ptr<InaSwitch> inaSwitch{CreateObject<InaSwitch>()};
    std::vector<Ptr<InaNetDevice>> devices;
    std::vector<Ptr<InaNetDevice>> ports;
    std::vector<Seen> seen; //!< in the order of events
    std::vector<Counters> counters;
};

bool
IsEarlier(const Seen& one, const Seen& other)
{
    const auto key = [](const Seen& seen)
    { return std::tuple(seen.arrival.ts, seen.host, seen.arrival.psn, seen.flags); };
    return key(one) < key(other);
}

void
ExpectTheSame(RandomSwitch& one, RandomSwitch& other)
{
    EXPECT_EQ(one.counters, other.counters);
    std::ranges::sort(one.seen, IsEarlier);
    std::ranges::sort(other.seen, IsEarlier);
    EXPECT_EQ(one.seen, other.seen);
    EXPECT_GT(one.seen.size(), 500U);
}

class SwitchWindowTest : public testing::TestWithParam<unsigned>
{
};

INSTANTIATE_TEST_SUITE_P(Seeds, SwitchWindowTest, testing::Range(20261126U, 20261136U));

TEST_P(SwitchWindowTest, DoesWhatIsDoneInstantByInstantWhateverTheProgramSays)
{
    RandomSwitch windows(SIMULATORS[0], GetParam());
    windows.SendAll();
    Simulator::Destroy();
    RandomSwitch instants(SIMULATORS[0], GetParam());
    instants.inaSwitch->SetRunAhead(false);
    instants.SendAll();
    ExpectTheSame(windows, instants);
    Simulator::Destroy();
    RandomSwitch reference(SIMULATORS[1], GetParam());
    reference.SendAll();
    ExpectTheSame(windows, reference);
}

TEST_P(SwitchWindowTest, AnActiveProgramSendsTheSameUnderEverySimulator)
{
    auto program = std::make_unique<AnythingActiveProgram>();
    const AnythingActiveProgram& sender = *program;
    RandomSwitch active(SIMULATORS[0], GetParam(), std::move(program));
    active.SendAll();
    EXPECT_GT(sender.sent, 500U);
    Simulator::Destroy();
    RandomSwitch reference(SIMULATORS[1], GetParam(), std::make_unique<AnythingActiveProgram>());
    reference.SendAll();
    ExpectTheSame(active, reference);
}

TEST_P(SwitchWindowTest, GoesByWhoHandlesFramesAtAPortInFrontOfTheSwitch)
{
    RandomSwitch windows(SIMULATORS[0], GetParam());
    windows.SendAll();
    Simulator::Destroy();
    RandomSwitch watched(SIMULATORS[0], GetParam());
    InFront inFront(*watched.ports[0]);
    watched.SendAll();
    EXPECT_EQ(inFront.handled, watched.ports[0]->GetCounters().framesReceived);
    EXPECT_GT(inFront.handled, 0U);
    ExpectTheSame(windows, watched);
}

TEST(SwitchWindow, WhoTracesDropsMaySendByTheLinksThatFramesCameBy)
{
    constexpr ina::Psn FRAMES = 200;
    constexpr ina::Psn MORE = 1000; //!< exceeds the ring of a link
    RandomSwitch built(SIMULATORS[0], 20261126);
    built.inaSwitch->SetAttribute("BufferSize", UintegerValue(10 * GRADIENT_BYTES));
    std::size_t dropped = 0;
    built.ports[0]->TraceConnectWithoutContext(
        "Drop",
        Callback<void, const ina::Frame&>(
            [&](const ina::Frame&)
            {
                for (ina::Psn psn = 0; dropped == 0 && psn < MORE; ++psn)
                {
                    built.devices[1]->PutFrame(MakeFrame(8 * psn, 0),
                                               Simulator::Now().GetTimeStep());
                }
                ++dropped;
            }));
    for (ina::Psn psn = 0; psn < FRAMES; ++psn)
    {
        built.devices[0]->PutFrame(MakeFrame(8 * psn + 5, 0), 0);
        built.devices[1]->PutFrame(MakeFrame(8 * psn + 5, 0), 0);
    }
    Simulator::Run();
    EXPECT_GT(dropped, 0U);
    EXPECT_GE(built.ports[1]->GetCounters().framesReceived, FRAMES + MORE);
}

} // namespace
} // namespace ns3
