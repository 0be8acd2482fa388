/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_HOST_HELPER_H
#define INA_HOST_HELPER_H

#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/values.hpp"

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/ina-server-application.h"
#include "ns3/ina-switch.h"
#include "ns3/ina-system.h"
#include "ns3/ina-worker-application.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/** A job whose workers and servers are connected to one switch. */
struct InaJob
{
    ina::JobId id{0};
    std::vector<ina::HostId> workers;   //!< addresses by rank
    std::vector<ina::HostId> servers{}; //!< empty if the system has none
};

/**
 * \ingroup ina-hosts
 * Installs the workers and parameter servers of jobs on nodes, for one system. Each node must have
 * one InaNetDevice, which the application uses from then on.
 */
class InaHostHelper
{
  public:
    /// Returns the result sink of the worker with that rank. Sinks must outlive the simulation.
    using SinkOfRank = std::function<ina::ResultSink&(uint16_t rank)>;

    /**
     * \param system System that creates the transports and the servers.
     * \param pool Pool of value buffers for frames; with ValuePool::count() 0, frames have no
     * values. It must outlive the traffic.
     */
    InaHostHelper(Ptr<const InaSystem> system, ina::ValuePool& pool);

    void SetWorkerAttribute(const std::string& name, const AttributeValue& value);
    void SetServerAttribute(const std::string& name, const AttributeValue& value);

    /** Makes the switch aggregate the frames of the job's workers and multicast the results to
     * them. From then on, only members of a job may send its frames. */
    void InstallJob(Ptr<InaSwitch> inaSwitch, const InaJob& job) const;

    /**
     * Installs the workers of a job.
     *
     * \param job The job.
     * \param nodes Nodes of the workers, by rank.
     * \param sinks Result sink of each worker.
     * \returns an InaWorkerApplication for each.
     */
    ApplicationContainer InstallWorkers(const InaJob& job,
                                        const NodeContainer& nodes,
                                        const SinkOfRank& sinks) const;

    /**
     * Installs the parameter servers of a job.
     *
     * \param job The job.
     * \param nodes Nodes of the servers, in the order of InaJob::servers.
     * \param fragments Number of fragments of all tensors that each worker submits per iteration.
     * \returns an InaServerApplication for each.
     */
    ApplicationContainer InstallServers(const InaJob& job,
                                        const NodeContainer& nodes,
                                        uint32_t fragments) const;

  private:
    static void CheckAddresses(const InaJob& job);

    Ptr<const InaSystem> m_system;
    ina::ValuePool& m_pool;
    ObjectFactory m_workers;
    ObjectFactory m_servers;
};

} // namespace ns3

#endif // INA_HOST_HELPER_H
