/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-host-helper.h"

#include "hw/protocol/wire/aggregation_path.hpp"
#include "hw/protocol/wire/job_servers.hpp"

#include "ns3/abort.h"
#include "ns3/ina-abort.h"
#include "ns3/ina-net-device.h"
#include "ns3/log.h"
#include "ns3/node.h"

#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaHostHelper");

namespace
{

/// The only InaNetDevice of a node.
Ptr<InaNetDevice>
DeviceOf(Ptr<Node> node)
{
    Ptr<InaNetDevice> device;
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        if (const auto other = DynamicCast<InaNetDevice>(node->GetDevice(i)))
        {
            NS_ABORT_MSG_IF(device,
                            "node " << node->GetId() << " has several InaNetDevices; allowed: one");
            device = other;
        }
    }
    NS_ABORT_MSG_UNLESS(device,
                        "node " << node->GetId()
                                << " has no InaNetDevice: call InaSwitchHelper::Connect() first");
    return device;
}

ina::wire::JobServers
ServersOf(const InaJob& job)
{
    return job.servers.empty()
               ? ina::wire::JobServers()
               : InaAbortIfThrown([&]() { return ina::wire::JobServers(job.servers); });
}

uint16_t
WorkersOf(const InaJob& job)
{
    return static_cast<uint16_t>(job.workers.size());
}

} // namespace

InaHostHelper::InaHostHelper(Ptr<const InaSystem> system, ina::ValuePool& pool) :
    m_system(system), m_pool(pool)
{
    NS_ABORT_MSG_UNLESS(system, "an InaHostHelper needs an InaSystem");
    m_workers.SetTypeId(InaWorkerApplication::GetTypeId());
    m_servers.SetTypeId(InaServerApplication::GetTypeId());
}

void
InaHostHelper::SetWorkerAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_workers.Set(name, value);
}

void
InaHostHelper::SetServerAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_servers.Set(name, value);
}

/// Addresses must differ, since frames identify hosts of a job by them.
void
InaHostHelper::CheckAddresses(const InaJob& job)
{
    NS_ABORT_MSG_IF(job.workers.empty(), "job " << job.id << " has no workers");
    std::set<ina::HostId> addresses;
    for (const auto& hosts : {job.workers, job.servers})
    {
        for (const ina::HostId host : hosts)
        {
            NS_ABORT_MSG_UNLESS(addresses.insert(host).second,
                                "job " << job.id << " has address " << host << " twice");
        }
    }
}

void
InaHostHelper::InstallJob(Ptr<InaSwitch> inaSwitch, const InaJob& job) const
{
    NS_LOG_FUNCTION(this << inaSwitch << job.id);
    NS_ABORT_MSG_UNLESS(inaSwitch, "InaHostHelper::InstallJob() needs an InaSwitch");
    CheckAddresses(job);
    const ina::wire::JobServers servers = ServersOf(job);
    const auto paths = InaAbortIfThrown([&]() { return ina::wire::default_paths(WorkersOf(job)); });
    inaSwitch->InstallJob(job.id,
                          m_system->MakeJobEntry(job.id, WorkersOf(job), servers),
                          {.workers = job.workers,
                           .servers = servers,
                           .paths = paths,
                           .group = job.workers,
                           .among_workers = m_system->SendsAmongWorkers()});
}

ApplicationContainer
InaHostHelper::InstallWorkers(const InaJob& job,
                              const NodeContainer& nodes,
                              const SinkOfRank& sinks) const
{
    NS_LOG_FUNCTION(this << job.id);
    NS_ABORT_MSG_IF(nodes.GetN() != job.workers.size(),
                    "job " << job.id << " has " << job.workers.size()
                           << " workers, but InstallWorkers() got " << nodes.GetN() << " nodes");
    NS_ABORT_MSG_UNLESS(sinks,
                        "InaHostHelper::InstallWorkers() needs a function that returns sinks");
    ApplicationContainer applications;
    for (uint16_t rank = 0; rank < WorkersOf(job); ++rank)
    {
        ina::WorkerIdentity identity{.job = job.id,
                                     .rank = rank,
                                     .workers = WorkersOf(job),
                                     .host = job.workers[rank],
                                     .servers = ServersOf(job),
                                     .members = job.workers};
        const auto application = m_workers.Create<InaWorkerApplication>();
        nodes.Get(rank)->AddApplication(application);
        application->Install(DeviceOf(nodes.Get(rank)),
                             m_system->MakeTransport(identity, m_pool, sinks(rank)));
        applications.Add(application);
    }
    return applications;
}

ApplicationContainer
InaHostHelper::InstallServers(const InaJob& job,
                              const NodeContainer& nodes,
                              uint32_t fragments) const
{
    NS_LOG_FUNCTION(this << job.id);
    NS_ABORT_MSG_IF(nodes.GetN() != job.servers.size(),
                    "job " << job.id << " has " << job.servers.size()
                           << " servers, but InstallServers() got " << nodes.GetN() << " nodes");
    ApplicationContainer applications;
    for (uint32_t index = 0; index < nodes.GetN(); ++index)
    {
        const auto application = m_servers.Create<InaServerApplication>();
        nodes.Get(index)->AddApplication(application);
        application->Install(DeviceOf(nodes.Get(index)),
                             m_system->MakeServer({.job = job.id,
                                                   .workers = WorkersOf(job),
                                                   .host = job.servers[index],
                                                   .psns_per_iteration = fragments,
                                                   .members = job.workers,
                                                   .servers = ServersOf(job)},
                                                  m_pool));
        applications.Add(application);
    }
    return applications;
}

} // namespace ns3
