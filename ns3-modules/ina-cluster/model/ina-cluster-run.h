/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_CLUSTER_RUN_H
#define INA_CLUSTER_RUN_H

#include "ina-link-series.h"
#include "ina-occupation-times.h"
#include "ina-task-types.h"
#include "scenarios/resolve/resolved.hpp"
#include "scenarios/results/rows.hpp"

#include "switch-models/programs/switch_program.hpp"

#include "ns3/application-container.h"
#include "ns3/event-id.h"
#include "ns3/ina-cluster-helper.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/** One direction of a link between switches that carries several sums of each fragment of a job. */
struct InaSharedLink
{
    std::string name; //!< the name in ina::results::LinkRow
    ina::cluster::TrunkIndex trunk{0};
    std::size_t job{0};
    uint32_t sums{0};
    bool hasResult{false}; //!< one sum is the servers' result on the way to the root
};

struct InaRunResult
{
    std::vector<ina::results::JobRow> jobs;
    /** By job: sum over all iterations that were not repeated. */
    std::vector<ina::cluster::JctBreakdown> breakdowns;
    /** By job. Empty if a sink received the rows. */
    std::vector<std::vector<ina::results::IterationRow>> iterations;
    /** Samples of switches. Those in which no counter changed are omitted, except the first and the
     * last. Empty if a sink received the rows. */
    std::vector<ina::results::SwitchRow> samples;
    /** Samples of links. Empty if the scenario has none, or if a sink received the rows. */
    std::vector<ina::results::LinkSeriesRow> linkSamples;
    std::vector<ina::results::LinkRow> links;
    std::vector<InaSharedLink> sharedLinks;       //!< in the order of jobs, toward their roots
    std::vector<ina::results::FlowRow> flows;     //!< by number
    std::size_t patternsWithoutAFlow{0};          //!< traffic patterns that started no flow
    std::vector<ina::results::PacketRow> packets; //!< for all links, if there is traffic
    std::vector<ina::results::OccupationRow> occupations; //!< empty if disabled
    uint64_t packetHops{0};
    uint64_t switchRejectedFrames{0};    //!< of unknown jobs, workers or senders
    uint64_t framesWithoutRoute{0};      //!< dropped by a switch without a route for them
    uint64_t framesLostBetweenPasses{0}; //!< dropped by full recirculation queues
    uint64_t framesWhileDown{0};         //!< lost at rebooting switches
    uint64_t sweptLateCopies{0}; //!< aggregators that late copies of packets held at the end
    Time simulatedTime;          //!< time when the last job or the traffic ended
    double cpuSeconds{0};        //!< CPU time of events, without building and verification
};

/** Progress of a run. */
struct InaRunProgress
{
    uint64_t fragmentsDone;
    uint64_t fragmentsInAll;
    uint64_t packetHops;
    Time simulatedTime;
};

/** Functions that receive a run's rows as they are produced. If a kind of row has no function, the
 * result collects these rows. In a long run, they may not fit into memory. */
struct InaRunSinks
{
    /// called repeatedly, at intervals of simulated time
    std::function<void(const InaRunProgress&)> progress{};
    std::function<void(const ina::results::SwitchRow&)> sample{};
    std::function<void(const ina::results::LinkSeriesRow&)> linkSample{};
    /** called when all workers of a job have ended an iteration, in the order of iterations */
    std::function<void(const ina::results::IterationRow&)> iteration{};
};

/**
 * \ingroup ina-cluster
 * Runs one scenario once and verifies it: every result was delivered exactly once and is exact, all
 * jobs finished except those that faults of the scenario end, no aggregator is occupied, and the
 * counters of every link balance. Otherwise throws VerificationError (or TimeLimitReached).
 *
 * The run begins at time 0. The caller sets up the simulator, for example with InaOwnSimulator: the
 * run itself ignores the key `engine`, and does not seed ns-3's random generators. Other nodes may
 * be simulated at the same time, but no other InaClusterRun. The run disposes of its own nodes. The
 * caller must call Simulator::Destroy().
 */
class InaClusterRun
{
  public:
    explicit InaClusterRun(const ina::scenarios::Scenario& scenario, InaRunSinks sinks = {});

    ~InaClusterRun();
    InaClusterRun(const InaClusterRun&) = delete;
    InaClusterRun& operator=(const InaClusterRun&) = delete;

    /** Builds the cluster. The caller can connect trace sinks or change the cluster before Run().
     * Until Run(), further calls of Build() return the same cluster. */
    InaCluster& Build();

    /** The scenario, with all values that were derived from it. */
    const ina::scenarios::Resolved&
    GetResolved() const
    {
        return m_resolved;
    }

    /** Runs the simulator until all jobs have ended and none of their frames is in flight, or until
     * the time limit. Then verifies the run and shuts the cluster down. Call this only once. */
    InaRunResult Run();

  private:
    enum class State
    {
        NEW,
        BUILT,
        ENDED
    };

    static void Keep(ApplicationContainer applications);
    static void Abandon(std::shared_ptr<bool> isAbandoned);
    static void AbortUnlessAtBegin();
    void Release();
    void RunUntilQuiet();
    void Fail(std::exception_ptr failure);
    void StopIfQuiet();
    bool IsQuiet() const;
    void CollectWhatNobodyTakes();
    void Sample();
    void SampleLinks();
    EventId ScheduleTick(int64_t intervalSteps, void (InaClusterRun::*tick)());
    void Report(const Time& now);
    bool IsOver() const;
    void EndJobs(const Time& lastJobEnd);
    void SweepLateCopies();
    void VerifyEnd() const;
    void VerifyJobsEnded() const;
    void VerifyNothingOccupied(uint32_t at, const std::string& where) const;
    void CollectTimes();
    void CollectTraffic();
    void Collect();
    void CollectJob(std::size_t index, ina::results::JobRow& row) const;
    void CollectSharedLinks(std::size_t job);
    void EndIteration(std::size_t job,
                      uint32_t iteration,
                      const ina::cluster::JobIteration& result);
    uint64_t PacketHops() const;

    const ina::scenarios::Resolved m_resolved;
    InaRunSinks m_sinks;
    State m_state{State::NEW};
    InaCluster m_cluster;
    InaTaskTypes m_taskTypes;
    EventId m_sampleTick;
    EventId m_linkTick;
    EventId m_timeLimit;
    EventId m_quietTick;
    Time m_quietInterval{MicroSeconds(100)}; //!< interval between calls of StopIfQuiet()
    bool m_isQuiet{false};
    std::exception_ptr m_failure; //!< of the first job or flow that failed; Run() throws it
    std::shared_ptr<bool> m_isAbandoned{std::make_shared<bool>(false)};
    std::vector<ina::programs::AggregatorCounters>
        m_lastCounters;                               //!< at the last tick, by switch and job
    std::unique_ptr<InaLinkSeries> m_linkSeries;      //!< null if not enabled
    std::unique_ptr<InaOccupationTimes> m_occupation; //!< null if not enabled
    InaRunResult m_result;
};

} // namespace ns3

#endif // INA_CLUSTER_RUN_H
