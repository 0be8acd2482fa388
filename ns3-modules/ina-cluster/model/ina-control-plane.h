/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_CONTROL_PLANE_H
#define INA_CONTROL_PLANE_H

#include "scenarios/reader/scenario.hpp"
#include "training-job.h"

#include "hw/protocol/wire/aggregation_path.hpp"
#include "switch-models/programs/switch_program.hpp"

#include "ns3/ina-server-application.h"
#include "ns3/ina-switch.h"
#include "ns3/ina-system.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

enum class JobStatus
{
    running,
    finished,
    killed,
    worker_lost, ///< failed, since a worker died for good
};

/// As in jobs.csv.
const char* NameOf(JobStatus status);

/**
 * \ingroup ina-cluster
 * What runs the jobs of a cluster: registers them at the switches and at their hosts; registers
 * them again under a fresh id where they cannot go on, from the iteration that not all workers have
 * ended (ATP A.4); removes those that fail. And strikes nodes with a plan of faults. A fault of a
 * job that has ended does nothing.
 */
class InaControlPlane : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of registrations.
     *
     * \param [in] job The job.
     * \param [in] id Its id in frames from now on.
     * \param [in] iteration The iteration that it begins with.
     */
    typedef void (*RegisteredTracedCallback)(uint16_t job, uint16_t id, uint32_t iteration);
    /**
     * TracedCallback signature of what happens to a worker.
     *
     * \param [in] job The job.
     * \param [in] rank The worker.
     */
    typedef void (*WorkerTracedCallback)(uint16_t job, uint16_t rank);
    /**
     * TracedCallback signature of what happens to a job.
     *
     * \param [in] job The job.
     */
    typedef void (*JobTracedCallback)(uint16_t job);

    /// What the jobs share.
    struct Setup
    {
        Ptr<InaSystem> system;
        std::vector<Ptr<InaSwitch>> switches; //!< by rack; the servers hang on the last one
        ina::wire::Levels levels{ina::wire::Levels::one};
        ina::ValuePool* pool{nullptr};
        uint32_t jobs{0};
        std::size_t carriedValues{0}; //!< in simulated frames
        uint64_t gradientSeed{0};     //!< of the registration with id 0; others add their id
    };

    struct Host
    {
        ina::HostId id;
        uint16_t rack;
        Ptr<LeanNetDevice> device;
    };

    struct Server
    {
        Host host;
        Ptr<InaServerApplication> application;
    };

    /** Makes the switches' programs. */
    void Configure(const Setup& setup);
    /**
     * Registers a job for the first time.
     *
     * \param job The job, whose workers have applications.
     * \param hosts Theirs, by rank.
     * \param server Nothing if the system has none.
     */
    void AddJob(const Ptr<TrainingJob>& job,
                const std::vector<Host>& hosts,
                const std::optional<Server>& server);
    /** Plans faults, before the simulation starts and after all jobs were added. */
    void Plan(const std::vector<ina::scenarios::NodeFaultScenario>& faults);

    bool AllEnded() const;
    JobStatus Status(std::size_t job) const;
    /** When it finished or failed, as a time step. */
    int64_t EndedAt(std::size_t job) const;
    uint32_t Registrations(std::size_t job) const;
    /** What happened to its aggregators at a rack's switch, under all of its ids. */
    ina::programs::AggregatorCounters Counters(std::size_t job, std::size_t rack) const;
    /** At all switches. */
    ina::programs::AggregatorCounters Counters(std::size_t job) const;
    /** Frames that the switches' programs dropped. */
    uint64_t ForeignFrames() const;
    /** Removes all jobs from the switches; returns how many aggregators they held. */
    uint64_t RemoveJobs();

  protected:
    void DoDispose() override;

  private:
    /// What a job is to a switch.
    struct Share
    {
        std::vector<ina::HostId> workers; //!< below it; none: the job is unknown there
        bool installed{false};
        ina::programs::AggregatorCounters earlier; //!< of earlier ids, and before reboots
    };

    struct Job
    {
        Ptr<TrainingJob> training;
        std::vector<Host> hosts;
        std::optional<Server> server;
        ina::JobId id{0};
        uint32_t registrations{0};
        std::vector<Share> shares;                     //!< by rack
        std::vector<ina::wire::AggregationPath> paths; //!< of the workers' gradients
        JobStatus status{JobStatus::running};
        int64_t endedAt{0};
        std::map<uint16_t, int64_t> deadUntil; //!< by rank
        int64_t serverDownUntil{0};
        bool removed{false}; //!< from switches and hosts, for good
    };

    void Register(Job& job);
    void RegisterAgain(Job& job);
    void StartServer(Job& job);
    void Admit(const Job& job);
    void Install(Job& job, std::size_t rack);
    void Uninstall(Job& job);
    ina::HostId ServerHost(const Job& job) const;
    std::vector<Share> Shares(const std::vector<Host>& hosts) const;
    std::vector<ina::wire::AggregationPath> Paths(const std::vector<Host>& hosts) const;
    std::size_t ServerRack() const;

    void IterationEnded(uint16_t job, uint32_t iteration, Time completion);
    void Fail(Job& job, JobStatus status);
    void Remove(Job& job);
    void StopHosts(Job& job);

    void PlanOne(const ina::scenarios::NodeFaultScenario& fault);
    void HoldHosts(const Job& job, int64_t ts);
    void Strike(const ina::scenarios::NodeFaultScenario& fault);
    void End(const ina::scenarios::NodeFaultScenario& fault);
    void Kill(Job& job, uint16_t rank, int64_t untilTs);
    void Return(Job& job, uint16_t rank);
    void TakeSwitchDown(std::size_t rack, int64_t untilTs);
    void BringSwitchBack(std::size_t rack);

    Setup m_setup;
    std::vector<Job> m_jobs;
    ina::JobId m_nextId{0};
    std::vector<int64_t> m_switchDownUntil; //!< by rack
    uint64_t m_earlierForeignFrames{0};

    TracedCallback<uint16_t, uint16_t, uint32_t> m_registeredTrace;
    TracedCallback<uint16_t, uint16_t> m_workerDiedTrace;
    TracedCallback<uint16_t, uint16_t> m_workerReturnedTrace;
    TracedCallback<uint16_t> m_serverRestartedTrace;
    TracedCallback<uint16_t> m_killedTrace;
    TracedCallback<uint16_t> m_failedTrace;
};

} // namespace ns3

#endif // INA_CONTROL_PLANE_H
