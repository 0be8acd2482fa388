/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-host-helper.h"

#include "ns3/abort.h"
#include "ns3/ina-net-device.h"
#include "ns3/node.h"

#include <utility>

namespace ns3
{

namespace
{

/// `state`: what the application runs with on the device.
template <typename Application, typename State>
Ptr<Application>
InstallOn(Ptr<NetDevice> device, const ObjectFactory& factory, std::unique_ptr<State> state)
{
    const auto ours = DynamicCast<InaNetDevice>(device);
    NS_ABORT_MSG_UNLESS(ours, "hosts of in-network aggregation have InaNetDevices");
    const auto application = factory.Create<Application>();
    ours->GetNode()->AddApplication(application);
    application->Install(ours, std::move(state));
    return application;
}

} // namespace

InaHostHelper::InaHostHelper()
{
    m_workers.SetTypeId(InaWorkerApplication::GetTypeId());
    m_servers.SetTypeId(InaServerApplication::GetTypeId());
}

void
InaHostHelper::SetWorkerAttribute(const std::string& name, const AttributeValue& value)
{
    m_workers.Set(name, value);
}

void
InaHostHelper::SetServerAttribute(const std::string& name, const AttributeValue& value)
{
    m_servers.Set(name, value);
}

Ptr<InaWorkerApplication>
InaHostHelper::InstallWorker(Ptr<NetDevice> device,
                             std::unique_ptr<ina::WorkerTransport> transport) const
{
    return InstallOn<InaWorkerApplication>(device, m_workers, std::move(transport));
}

Ptr<InaServerApplication>
InaHostHelper::InstallServer(Ptr<NetDevice> device,
                             std::unique_ptr<ina::ParameterServer> server) const
{
    return InstallOn<InaServerApplication>(device, m_servers, std::move(server));
}

} // namespace ns3
