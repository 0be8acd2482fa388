/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_CLUSTER_RUN_H
#define INA_CLUSTER_RUN_H

#include "ina-link-series.h"
#include "ina-occupation-times.h"
#include "ina-task-types.h"
#include "scenarios/resolve/resolved.hpp"

#include "switch-models/programs/switch_program.hpp"

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

/** A switch at one tick, as one job sees it; the counters run from the start. Between the first
 * tick and the last one, ticks are left out that change no counter. */
struct InaSwitchSample
{
    int64_t ts;
    std::string name; //!< the switch's
    ina::JobId job;
    ina::programs::AggregatorCounters counters;
};

/** One direction of a link at the end of the run. */
struct InaLinkResult
{
    std::string name; //!< "host3>switch", "switch>host3", "leaf0>spine1"
    InaLinkCounters sender;
    InaLinkCounters receiver;
    int64_t busySteps;  //!< in which the sender's line sent
    int64_t lastSentTs; //!< when it had sent its last frame or packet; 0: it sent none
};

struct InaJobResult
{
    std::string profile;
    uint32_t workers{0};
    uint64_t values{0}; //!< int32 values of its gradient
    ina::cluster::JobStatus status{ina::cluster::JobStatus::running};
    uint32_t registrations{0};
    std::optional<int64_t> start;                       //!< nothing if it failed before
    int64_t end{0};                                     //!< when it finished or failed
    uint32_t iterationsEnded{0};                        //!< by all workers
    std::vector<ina::cluster::JobIteration> iterations; //!< these, unless a sink took them
    ina::cluster::JctBreakdown breakdown;               //!< sum over those that were begun once
    uint64_t packetsSent{0};                            //!< by its workers and its servers
    uint64_t packetsReceived{0};                        //!< likewise
    uint64_t fallbacks{0}; //!< what went to a server because of a collision
    uint64_t preemptions{0};
    uint64_t retransmissions{0};
    InaTaskTypes::Counts losses{}; //!< by faults, of tasks of these types
    InaTaskTypes::Counts tasks{};  //!< of these types; without faults they are not told apart
    uint64_t rejectedFrames{0};    //!< that its workers and its servers dropped
};

/** One direction of a link between switches that carries several sums of the same fragment. */
struct InaSharedLink
{
    std::string name; //!< as InaLinkResult has it
    ina::cluster::TrunkIndex trunk{0};
    std::size_t job{0};
    uint32_t sums{0};
    bool hasResult{false}; //!< one of the sums is the servers' result, on its way to the root
};

/** One flow of the traffic that is no job's. */
struct InaFlow
{
    std::string kind;
    std::string from; //!< a host, by the name of its link
    std::string to;
    InaFlowResult result;
};

/** What of ns-3's packets crossed one direction of a link. */
struct InaPacketLinkResult
{
    std::string name; //!< as InaLinkResult has it
    InaPacketCounters sender;
    InaPacketCounters receiver;
};

struct InaRunResult
{
    std::vector<InaJobResult> jobs;
    std::vector<InaSwitchSample> samples;   //!< unless a sink took them
    std::vector<InaLinkSample> linkSamples; //!< if they were asked for, unless a sink took them
    std::vector<InaLinkResult> links;
    std::vector<InaSharedLink> sharedLinks;   //!< by job, on the way to the root of its tree
    std::vector<InaFlow> flows;               //!< by number
    std::size_t patternsWithoutAFlow{0};      //!< of the traffic: none began before the end
    std::vector<InaPacketLinkResult> packets; //!< of all links, if there are flows
    std::vector<InaOccupation> occupations;   //!< of each switch and job, if they were asked for
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
    std::function<void(const InaSwitchSample&)> sample{};
    std::function<void(const InaLinkSample&)> linkSample{};
    /** An iteration that all workers of a job ended; a job's come in order. */
    std::function<void(std::size_t job, uint32_t iteration, const ina::cluster::JobIteration&)>
        iteration{};
};

/**
 * \ingroup ina-cluster
 * Runs one scenario in this process, once, and verifies it: every result exactly once and exact,
 * all jobs finished but those that the scenario made fail, no aggregator occupied, every link's
 * frames in balance. Throws VerificationError.
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

    /** Runs and takes the cluster down. */
    InaRunResult Run();

  private:
    void Release();
    void RunUntilQuiet() const;
    void CollectWhatNobodyTakes();
    void Sample();
    void SampleLinks();
    EventId ScheduleTick(int64_t intervalSteps, void (InaClusterRun::*tick)());
    void Report(int64_t now);
    bool IsOver() const;
    void EndTraffic(int64_t lastJobEndTs);
    void SweepLateCopies();
    void VerifyEnd() const;
    void VerifyJobsEnded() const;
    void VerifyNothingOccupied(uint32_t at, const std::string& where) const;
    void CollectTimes();
    void CollectTraffic();
    void Collect();
    void CollectJob(std::size_t index, InaJobResult& result) const;
    void CollectSharedLinks(std::size_t job);
    void EndIteration(std::size_t job,
                      uint32_t iteration,
                      const ina::cluster::JobIteration& result);
    uint64_t PacketHops() const;

    const ina::scenarios::Resolved m_resolved;
    InaRunSinks m_sinks;
    bool m_built{false};
    InaCluster m_cluster;
    InaTaskTypes m_taskTypes;
    EventId m_sampleTick;
    EventId m_linkTick;
    std::vector<ina::programs::AggregatorCounters>
        m_lastCounters;                               //!< of the last tick, by switch and job
    std::unique_ptr<InaLinkSeries> m_linkSeries;      //!< if it was asked for
    std::unique_ptr<InaOccupationTimes> m_occupation; //!< likewise
    InaRunResult m_result;
};

} // namespace ns3

#endif // INA_CLUSTER_RUN_H
