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

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/** One direction of a link between switches that carries several sums of the same fragment. */
struct InaSharedLink
{
    std::string name; //!< as in ina::results::LinkRow
    ina::cluster::TrunkIndex trunk{0};
    std::size_t job{0};
    uint32_t sums{0};
    bool hasResult{false}; //!< one of the sums is the servers' result, on its way to the root
};

struct InaRunResult
{
    std::vector<ina::results::JobRow> jobs;
    /** By job, over its iterations that were begun once. */
    std::vector<ina::cluster::JctBreakdown> breakdowns;
    /** By job, unless a sink took them. */
    std::vector<std::vector<ina::results::IterationRow>> iterations;
    /** Ticks between the first and the last one are left out if they change no counter. Empty if a
     * sink took them. */
    std::vector<ina::results::SwitchRow> samples;
    /** Empty unless the scenario asks for them, and if a sink took them. */
    std::vector<ina::results::LinkSeriesRow> linkSamples;
    std::vector<ina::results::LinkRow> links;
    std::vector<InaSharedLink> sharedLinks;               //!< by job, toward the root of its tree
    std::vector<ina::results::FlowRow> flows;             //!< by number
    std::size_t patternsWithoutAFlow{0};                  //!< that started none before the end
    std::vector<ina::results::PacketRow> packets;         //!< of all links, if there are flows
    std::vector<ina::results::OccupationRow> occupations; //!< if the scenario asks for them
    uint64_t packetHops{0};
    uint64_t switchRejectedFrames{0}; //!< that its program dropped
    uint64_t framesWithoutRoute{0};   //!< at a switch
    uint64_t framesWhileDown{0};      //!< at switches, lost during their reboots
    uint64_t sweptLateCopies{0};      //!< aggregators that copies of packets held at the end
    int64_t simulatedPs{0};           //!< until the last job ended, or the traffic's end
    double cpuSeconds{0};             //!< of the simulation, without building and verifying
};

/** How far a run is. */
struct InaRunProgress
{
    uint64_t fragmentsDone;
    uint64_t fragmentsInAll;
    uint64_t packetHops;
    int64_t simulatedPs;
};

/** Who takes what a run reports as it comes. Rows that nobody takes are collected in the
 * result: a long run has more of them than fit the memory. */
struct InaRunSinks
{
    std::function<void(const InaRunProgress&)> progress{}; //!< now and then, in simulated time
    std::function<void(const ina::results::SwitchRow&)> sample{};
    std::function<void(const ina::results::LinkSeriesRow&)> linkSample{};
    /** An iteration that all workers of a job ended; a job's come in order. */
    std::function<void(const ina::results::IterationRow&)> iteration{};
};

/**
 * \ingroup ina-cluster
 * Runs one scenario, once, and verifies it: every result exactly once and exact, all jobs finished
 * but those that the scenario made fail, no aggregator occupied, every link's frames in balance.
 * Throws VerificationError.
 *
 * It begins at time 0 and uses the simulator as it is: the keys `engine` and `seed` do not choose
 * its implementation, nor ns-3's random generators (InaOwnSimulator does). Other nodes may be
 * simulated at the same time, but no other InaClusterRun. At the end its own nodes are disposed of;
 * Simulator::Destroy() is the caller's.
 */
class InaClusterRun
{
  public:
    explicit InaClusterRun(const ina::scenarios::Scenario& scenario, InaRunSinks sinks = {});

    ~InaClusterRun();
    InaClusterRun(const InaClusterRun&) = delete;
    InaClusterRun& operator=(const InaClusterRun&) = delete;

    /** Builds the cluster, once, for who wants to connect trace sinks or to change it before Run().
     */
    InaCluster& Build();

    /** The scenario with all that follows from it. */
    const ina::scenarios::Resolved&
    GetResolved() const
    {
        return m_resolved;
    }

    /** Runs the simulator until all jobs have ended and nothing of them is under way, at most until
     * the time limit, and takes the cluster down. */
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
    void StopIfQuiet();
    bool IsQuiet() const;
    void CollectWhatNobodyTakes();
    void Sample();
    void SampleLinks();
    EventId ScheduleTick(int64_t intervalSteps, void (InaClusterRun::*tick)());
    void Report(int64_t now);
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
    Time m_quietInterval{MicroSeconds(100)}; //!< until it looks again whether all is quiet
    bool m_isQuiet{false};
    std::shared_ptr<bool> m_isAbandoned{std::make_shared<bool>(false)};
    std::vector<ina::programs::AggregatorCounters>
        m_lastCounters;                               //!< of the last tick, by switch and job
    std::unique_ptr<InaLinkSeries> m_linkSeries;      //!< if it was asked for
    std::unique_ptr<InaOccupationTimes> m_occupation; //!< likewise
    InaRunResult m_result;
};

} // namespace ns3

#endif // INA_CLUSTER_RUN_H
