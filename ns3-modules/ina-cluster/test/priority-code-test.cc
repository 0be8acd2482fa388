/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/**
 * Checks that a 16-bit code, which one shift halves, can hold the priorities of the papers' models.
 */
#include "cluster-test-support.h"
#include "recording-transport.h"

#include "scenarios/reader/scenario_document.hpp"
#include "scenarios/reader/trace_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

constexpr uint64_t GBPS = 1'000'000'000;

/** Number of priorities, and of those that the code cannot represent. */
struct Shares
{
    uint64_t all{0};
    uint64_t tooLow{0};
    uint64_t tooHigh{0};
    uint64_t lowest{0};
    double least{1e9};
    double most{0};

    void
    Count(double exactly)
    {
        ++all;
        tooLow += exactly < 0.5;
        tooHigh += exactly >= 65'535.5;
        lowest += exactly < 1.5;
        least = std::min(least, exactly);
        most = std::max(most, exactly);
    }

    double
    Clamped() const
    {
        return static_cast<double>(tooLow + tooHigh) / static_cast<double>(all);
    }

    double
    Lowest() const
    {
        return static_cast<double>(lowest) / static_cast<double>(all);
    }

    std::string
    Text() const
    {
        const auto percent = [this](uint64_t some)
        { return 100 * static_cast<double>(some) / static_cast<double>(all); };
        return fmt::format("{:.2f} to {:.0f}; {:.2f} % too low, {:.2f} % too high; {:.0f} % are 1",
                           least,
                           most,
                           percent(tooLow),
                           percent(tooHigh),
                           percent(lowest));
    }
};

/** Counts the priorities of tensors on submission and of packets on sending. */
class CountingTransport : public RecordingTransport
{
  public:
    CountingTransport(std::unique_ptr<ina::WorkerTransport> inner,
                      std::vector<Submission>& log,
                      Shares& tensors,
                      Shares& packets) :
        RecordingTransport(std::move(inner), log),
        m_log(log),
        m_tensors(tensors),
        m_packets(packets)
    {
    }

    void
    submit(const ina::Tensor& tensor, ina::Time now) override
    {
        m_tensors.Count(tensor.priority.exactly_at(now));
        RecordingTransport::submit(tensor, now);
    }

    bool
    next(ina::Frame& out, ina::Time now) override
    {
        if (!RecordingTransport::next(out, now))
        {
            return false;
        }
        if (out.kind == ina::FrameKind::gradient)
        {
            const Submission& of = TensorOf(out.psn);
            m_packets.Count(of.priority.exactly_at(now));
            EXPECT_EQ(out.aggregator().priority, of.priority.at(now));
        }
        return true;
    }

  private:
    const Submission&
    TensorOf(ina::Psn psn)
    {
        const auto holds = [psn](const Submission& tensor)
        { return psn - tensor.firstPsn < tensor.fragments; };
        if (m_latest >= m_log.size() || !holds(m_log[m_latest]))
        {
            m_latest = static_cast<std::size_t>(std::ranges::find_if(m_log, holds) - m_log.begin());
        }
        return m_log.at(m_latest);
    }

    std::vector<Submission>& m_log;
    Shares& m_tensors;
    Shares& m_packets;
    std::size_t m_latest{0};
};

class PriorityCodeTest : public testing::Test
{
  protected:
    /** Trains two workers with the papers' jitter. */
    void
    Train(const char* profile, uint64_t gbps)
    {
        const auto document = ScenarioDocument::parse("profile.json", "{}");
        Scenario scenario = MakeScenario(system_called("dsa"), 2, {});
        scenario.jobs[0].profile = TraceFiles().profile(document, "", profile);
        scenario.jobs[0].iterations = 3;
        scenario.jobs[0].jitter.range = {0, 300 * US};
        scenario.topology.link.rate_bps = gbps * GBPS;
        scenario.payload = Payload::none;
        scenario.time_limit_ps = 10'000'000 * US;
        const InaOwnSimulator simulator(scenario);
        InaClusterRun run(scenario);
        InaCluster& cluster = run.Build();
        InaTrainingWorker& worker = cluster.jobs[0]->GetWorker(0);
        auto transport = CreateObject<InaSystemOf<ina::systems::Dsa>>()->MakeTransport(
            {cluster.control->GetId(0), 0, 2, 0, 2},
            *cluster.pool,
            worker);
        worker.GetApplication().Install(
            cluster.links[0].host,
            std::make_unique<CountingTransport>(std::move(transport), m_log, m_tensors, m_packets));
        run.Run();
    }

    std::vector<Submission> m_log;
    Shares m_tensors;
    Shares m_packets;
};

class PriorityCode : public PriorityCodeTest,
                     public testing::WithParamInterface<std::tuple<const char*, uint64_t>>
{
};

TEST_P(PriorityCode, HoldsAlmostAllPriorities)
{
    const auto& [profile, gbps] = GetParam();
    Train(profile, gbps);
    RecordProperty("tensors", m_tensors.Text());
    RecordProperty("packets", m_packets.Text());
    EXPECT_LT(m_tensors.Clamped(), 0.01) << m_tensors.Text();
    EXPECT_LT(m_packets.Clamped(), 0.01) << m_packets.Text();
}

INSTANTIATE_TEST_SUITE_P(Models,
                         PriorityCode,
                         testing::Combine(testing::Values("dnn-a", "dnn-b", "vgg16", "resnet50"),
                                          testing::Values(10, 100)),
                         [](const auto& of)
                         {
                             std::string name = std::get<0>(of.param);
                             std::erase(name, '-');
                             return fmt::format("{}At{}Gbps", name, std::get<1>(of.param));
                         });

/** A linear code that can represent DNN A at 10 Gbps has little resolution for models with long
 * computation. */
TEST_F(PriorityCodeTest, RoundsMostOfVgg16At100GbpsToItsLowestNumber)
{
    Train("vgg16", 100);
    EXPECT_NEAR(m_tensors.Lowest(), 0.85, 0.01) << m_tensors.Text();
    EXPECT_NEAR(m_packets.Lowest(), 0.85, 0.01) << m_packets.Text();
}

TEST_F(PriorityCodeTest, RoundsMostOfResnet50At100GbpsToItsLowestNumber)
{
    Train("resnet50", 100);
    EXPECT_NEAR(m_tensors.Lowest(), 0.53, 0.01) << m_tensors.Text();
    EXPECT_NEAR(m_packets.Lowest(), 0.87, 0.01) << m_packets.Text();
}

} // namespace
} // namespace ns3
