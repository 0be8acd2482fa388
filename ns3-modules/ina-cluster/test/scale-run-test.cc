/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** If all rates are divided by a factor and all times multiplied by it, a run sends the same frames
 * and takes longer by that factor. Results depend on no time that scenarios do not state. */
#include "cluster-test-support.h"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

constexpr uint32_t WORKERS = 4;
constexpr uint32_t JOBS = 2;
constexpr uint64_t FRAGMENTS = 1500; // in each of two layers

/** Multiplies all times among a system's settings; all of them must be set. */
class TimeScaler
{
  public:
    explicit TimeScaler(int64_t factor) : m_factor(factor) {}

    template <typename... More>
    void
    time(std::string_view, ina::Time& time, More&&...) const
    {
        time *= m_factor;
    }

    template <typename... More>
    void
    time(std::string_view, std::optional<ina::Time>& time, More&&...) const
    {
        *time *= m_factor;
    }

    template <typename... More>
    void
    time_or(std::string_view, std::string_view key, std::optional<ina::Time>& time, More&&...) const
    {
        this->time(key, time);
    }

    // Settings of other types have no unit of time.
    template <typename... Any>
    void
    integer(Any&&...) const
    {
    }

    template <typename... Any>
    void
    integer_or(Any&&...) const
    {
    }

    template <typename... Any>
    void
    one_of(Any&&...) const
    {
    }

    template <typename... Any>
    void
    boolean(Any&&...) const
    {
    }

    template <typename... Any>
    void
    probability(Any&&...) const
    {
    }

    template <typename... Any>
    void
    choice(Any&&...) const
    {
    }

    template <typename... Any>
    void
    named(Any&&...) const
    {
    }

  private:
    int64_t m_factor;
};

/** Two jobs that collide in a small memory and lose frames, so that windows are cut, tasks
 * preempted, and timers expire. Sizes and timers are those of the fastest network. */
Scenario
FastestOf(System system)
{
    const uint64_t values = Scenario().systems.hosts(system).values_per_packet();
    Scenario scenario = MakeScenario(system,
                                     WORKERS,
                                     {MakeLayer(FRAGMENTS, 20 * US, 40 * US, values),
                                      MakeLayer(FRAGMENTS, 30 * US, 50 * US, values)});
    scenario.topology.hosts = JOBS * WORKERS;
    scenario.topology.parameter_servers = JOBS;
    scenario.switch_.memory_bytes = 50'000;
    scenario.switch_.pipeline_latency_ps = 400'000;
    scenario.switch_.passes = Passes::charged;
    scenario.jobs[0].iterations = 2;
    scenario.jobs[0].jitter.range = {5 * US, 5 * US}; // fixed, since draws would be rounded
    scenario.jobs.push_back(scenario.jobs[0]);
    scenario.jobs[1].start = {7 * US, 7 * US};
    scenario.faults.links = {Losses("all")};
    scenario.faults.links[0].loss = 0.001;
    return WithSizes(scenario);
}

Scenario
Scaled(Scenario scenario, int64_t factor)
{
    const auto rate = [factor](uint64_t& bps) { bps /= static_cast<uint64_t>(factor); };
    const auto range = [factor](ina::fields::TimeRange& times) {
        times = {times.low_ps * factor, times.high_ps * factor};
    };
    rate(scenario.topology.link.rate_bps);
    scenario.topology.link.delay_ps *= factor;
    SwitchScenario& ofSwitch = scenario.switch_;
    ofSwitch.pipeline_latency_ps *= factor;
    ofSwitch.pass_latency_ps *= factor;
    rate(ofSwitch.resubmit_bandwidth_bps);
    rate(ofSwitch.recirculate_bandwidth_bps);
    for (JobScenario& job : scenario.jobs)
    {
        range(job.start);
        range(job.jitter.range);
        for (LayerProfile& layer : job.profile.layers)
        {
            layer.forward_ps *= factor;
            layer.backward_ps *= factor;
        }
    }
    *scenario.time_limit_ps *= factor;
    scenario.outputs.switch_interval_ps *= factor;
    scenario.systems.with(scenario.system,
                          [factor](auto& settings)
                          {
                              TimeScaler scaler(factor);
                              settings.visit(scaler, settings);
                          });
    return scenario;
}

class ScaleRunTest : public testing::TestWithParam<System>
{
};

INSTANTIATE_TEST_SUITE_P(Every,
                         ScaleRunTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

TEST_P(ScaleRunTest, SlowerByAFactorEverythingTakesLongerByItAndTheFramesAreTheSame)
{
    const Scenario fastest = FastestOf(GetParam());
    const InaRunResult fast = RunAlone(fastest);
    for (const JobRow& job : fast.jobs)
    {
        EXPECT_GT(job.retransmissions, 0U);
        EXPECT_EQ(job.preemptions > 0, GetParam() == system_called("dsa"));
    }
    for (const int64_t factor : {10, 100})
    {
        const InaRunResult slow = RunAlone(Scaled(fastest, factor));
        EXPECT_EQ(FramesByLink(slow), FramesByLink(fast)) << factor;
        for (uint32_t job = 0; job < JOBS; ++job)
        {
            ASSERT_EQ(slow.iterations[job].size(), fast.iterations[job].size());
            for (std::size_t i = 0; i < fast.iterations[job].size(); ++i)
            {
                EXPECT_EQ(EndOf(slow.iterations[job][i]), factor * EndOf(fast.iterations[job][i]))
                    << factor << ' ' << job << ' ' << i;
            }
            EXPECT_EQ(slow.jobs[job].retransmissions, fast.jobs[job].retransmissions) << factor;
            EXPECT_EQ(slow.jobs[job].fallbacks, fast.jobs[job].fallbacks) << factor;
            EXPECT_EQ(slow.jobs[job].preemptions, fast.jobs[job].preemptions) << factor;
        }
    }
}

} // namespace
} // namespace ns3
