/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_CONTROL_PLANE_H
#define INA_CONTROL_PLANE_H

#include "ina-training-job.h"

#include "hw/cluster/control/control_plane.hpp"
#include "switch-models/programs/switch_program.hpp"

#include "ns3/ina-server-application.h"
#include "ns3/ina-switch.h"
#include "ns3/ina-system.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup ina-cluster
 * Control plane of a simulated cluster. It applies the decisions of ina::cluster::ControlPlane to
 * the InaSwitches and host applications, and traces them.
 */
class InaControlPlane : public Object, private ina::cluster::ControlWorld
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of registrations.
     *
     * \param [in] job The job.
     * \param [in] id The job's id in frames from now on.
     * \param [in] iteration Iteration with which the registration begins.
     */
    typedef void (*RegisteredTracedCallback)(uint16_t job, uint16_t id, uint32_t iteration);
    /**
     * TracedCallback signature of events at a worker.
     *
     * \param [in] job The job.
     * \param [in] rank The worker.
     */
    typedef void (*WorkerTracedCallback)(uint16_t job, uint16_t rank);
    /**
     * TracedCallback signature of events of a job.
     *
     * \param [in] job The job.
     */
    typedef void (*JobTracedCallback)(uint16_t job);
    /**
     * TracedCallback signature of the end of all jobs.
     *
     * \param [in] end Time at which the last job ended. It is the current time.
     */
    typedef void (*EndTracedCallback)(Time end);

    /// State shared by all jobs.
    struct Setup
    {
        Ptr<InaSystem> system;
        ina::cluster::ControlPlane::Config control;
        std::vector<Ptr<InaSwitch>> switches; //!< in the order of the topology's switches
        /// For each switch: its ports to trunks.
        std::vector<std::map<ina::cluster::TrunkIndex, ina::node::PortIndex>> trunkPorts;
        ina::ValuePool* pool{nullptr};
        uint32_t jobs{0};
        std::size_t carriedValues{0}; //!< number of values in a simulated frame
    };

    struct Host
    {
        ina::HostId id;
        uint16_t rack;
        Ptr<InaNetDevice> device;
    };

    struct Server
    {
        Host host;
        Ptr<InaServerApplication> application;
    };

    InaControlPlane();
    ~InaControlPlane() override;

    /** Installs the switches' programs and routes. */
    void Configure(const Setup& setup);
    /**
     * Registers a job for the first time.
     *
     * \param job The job; its workers must have applications.
     * \param hosts Hosts of the job's workers, by rank.
     * \param servers Parameter servers of the job; empty if the system has none.
     */
    void AddJob(const Ptr<InaTrainingJob>& job,
                const std::vector<Host>& hosts,
                const std::vector<Server>& servers);
    /** Plans faults. Call this after all jobs were added and before the simulation starts. */
    void Plan(const std::vector<ina::faults::PlannedNodeFault>& faults);

    /** Sets the function that is called when the last job has ended or failed. At this call, the
     * simulator's clock may be earlier than `end`. */
    void
    SetEndSink(std::function<void(Time end)> sink)
    {
        m_endSink = std::move(sink);
    }

    bool HasEnded() const;
    ina::cluster::JobStatus GetStatus(std::size_t job) const;
    /** Time at which the job finished or failed. */
    Time GetEnd(std::size_t job) const;
    uint32_t GetRegistrations(std::size_t job) const;
    /** Id that the job's frames have since its latest registration. */
    ina::JobId GetId(std::size_t job) const;
    /** The job whose frames have or had this id; nothing if there is no such job. */
    std::optional<uint16_t> GetJob(ina::JobId id) const;
    /** Tree of the job's latest registration. */
    const ina::cluster::JobTree& GetTree(std::size_t job) const;
    /** Number of the job's aggregator events at switch `at`, under all of the job's ids. */
    ina::programs::AggregatorCounters GetCounters(std::size_t job, std::size_t at) const;
    /** Sum of the job's aggregator events over all switches. */
    ina::programs::AggregatorCounters GetCounters(std::size_t job) const;
    /** Removes all jobs from the switches. Returns the number of aggregators that the jobs held. */
    uint64_t RemoveJobs();

  protected:
    void DoDispose() override;

  private:
    struct Job
    {
        Ptr<InaTrainingJob> training;
        std::vector<Host> hosts;
        std::vector<Server> servers;
        std::vector<ina::JobId> ids; //!< ids of all its registrations
    };

    void install_job(std::size_t rack, const ina::cluster::Registration& registration) override;
    void remove_job(std::size_t rack, const ina::cluster::Registration& registration) override;
    void take_switch_down(std::size_t rack) override;
    void bring_switch_back(std::size_t rack) override;
    void set_routes(const ina::cluster::Topology& topology) override;
    void start_workers(const ina::cluster::Registration& registration, ina::Time now) override;
    void start_server(const ina::cluster::Registration& registration,
                      uint16_t index,
                      ina::Time now) override;
    void stop(const ina::cluster::JobHost& host, ina::Time now) override;
    void pause(const ina::cluster::JobHost& host, ina::Time until, ina::Time now) override;
    void resume(const ina::cluster::JobHost& host, ina::Time now) override;
    void expect(const ina::cluster::JobHost& host, ina::Time at) override;
    void job_event(ina::cluster::JobEvent event, const ina::cluster::JobHost& host) override;

    ina::cluster::ControlPlane& Control() const;
    uint32_t Checked(std::size_t job) const;
    void TraceEnd();
    void KeepToClock();
    std::unique_ptr<ina::programs::SwitchProgram> MakeProgram(std::size_t at) const;
    InaHostApplication& Application(const ina::cluster::JobHost& host) const;
    void ScheduleExpiry(ina::Time at);

    Setup m_setup;
    std::unique_ptr<ina::cluster::ControlPlane> m_control;
    std::vector<Job> m_jobs;
    std::vector<std::optional<uint16_t>> m_jobOf; //!< by id in frames
    std::function<void(Time)> m_endSink;
    uint64_t m_heldAtRemoval{0}; //!< aggregators held by removed jobs

    TracedCallback<uint16_t, uint16_t, uint32_t> m_registeredTrace;
    TracedCallback<uint16_t, uint16_t> m_workerDiedTrace;
    TracedCallback<uint16_t, uint16_t> m_workerReturnedTrace;
    TracedCallback<uint16_t> m_serverRestartedTrace;
    TracedCallback<uint16_t> m_killedTrace;
    TracedCallback<uint16_t> m_failedTrace;
    TracedCallback<Time> m_allEndedTrace;
};

} // namespace ns3

#endif // INA_CONTROL_PLANE_H
