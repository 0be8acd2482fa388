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

/** A job. All of its workers and servers are connected to the same switch. */
struct InaJob
{
    ina::JobId id{0};
    std::vector<ina::HostId> workers;   //!< addresses by rank
    std::vector<ina::HostId> servers{}; //!< empty if the system has none
};

/**
 * \ingroup ina-hosts
 * Installs the workers and parameter servers of one system's jobs on nodes. Each node must have
 * exactly one InaNetDevice, which its application uses from then on.
 */
class InaHostHelper
{
  public:
    /// Returns the result sink of the worker with rank `rank`. Sinks must outlive the simulation.
    using SinkOfRank = std::function<ina::ResultSink&(uint16_t rank)>;

    /**
     * \param system System that creates the transports and the servers.
     * \param pool Pool of value buffers for frames; if ValuePool::count() is 0, frames have no
     * values. The pool must outlive the traffic.
     */
    InaHostHelper(Ptr<const InaSystem> system, ina::ValuePool& pool);

    void SetWorkerAttribute(const std::string& name, const AttributeValue& value);
    void SetServerAttribute(const std::string& name, const AttributeValue& value);

    /** Makes the switch aggregate the frames of the job's workers, and multicast results to them.
     * From then on, the switch accepts frames of this job only from its members. */
    void InstallJob(Ptr<InaSwitch> inaSwitch, const InaJob& job) const;

    /**
     * Installs the workers of a job.
     *
     * \param job The job.
     * \param nodes Nodes of the workers, by rank.
     * \param sinks Function that returns each worker's result sink.
     * \returns the InaWorkerApplications, by rank.
     */
    ApplicationContainer InstallWorkers(const InaJob& job,
                                        const NodeContainer& nodes,
                                        const SinkOfRank& sinks) const;

    /**
     * Installs the parameter servers of a job.
     *
     * \param job The job.
     * \param nodes Nodes of the servers, in the order of InaJob::servers.
     * \param fragments Number of fragments that each worker submits per iteration, in all tensors.
     * \returns the InaServerApplications, in the same order.
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
