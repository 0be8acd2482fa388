/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-switch-helper.h"

#include "switch-models/programs/make_program.hpp"

#include "ns3/abort.h"
#include "ns3/ina-net-device.h"
#include "ns3/log.h"
#include "ns3/node.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaSwitchHelper");

InaSwitchHelper::InaSwitchHelper() : m_programs(&ina::programs::make_forwarding)
{
    m_factory.SetTypeId(InaSwitch::GetTypeId());
}

void
InaSwitchHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_factory.Set(name, value);
}

void
InaSwitchHelper::SetProgram(ProgramFactory factory)
{
    NS_ABORT_MSG_UNLESS(factory, "InaSwitchHelper::SetProgram() needs a program factory");
    m_programs = std::move(factory);
}

Ptr<InaSwitch>
InaSwitchHelper::Install(Ptr<Node> node) const
{
    NS_ABORT_MSG_UNLESS(node, "InaSwitchHelper::Install() needs a node");
    const auto inaSwitch = m_factory.Create<InaSwitch>();
    node->AggregateObject(inaSwitch);
    inaSwitch->SetProgram(m_programs());
    return inaSwitch;
}

void
InaSwitchHelper::Install(const NodeContainer& nodes) const
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        Install(*node);
    }
}

NetDeviceContainer
InaSwitchHelper::Connect(Ptr<InaSwitch> inaSwitch,
                         const NodeContainer& hosts,
                         const InaLinkHelper& links,
                         ina::HostId first)
{
    NS_LOG_FUNCTION(inaSwitch);
    NS_ABORT_MSG_UNLESS(inaSwitch, "InaSwitchHelper::Connect() needs an InaSwitch");
    const auto node = inaSwitch->GetObject<Node>();
    NS_ABORT_MSG_UNLESS(node, "an InaSwitch has no node: call InaSwitchHelper::Install() first");
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < hosts.GetN(); ++i)
    {
        const NetDeviceContainer ends = links.Install(hosts.Get(i), node);
        devices.Add(ends.Get(0));
        inaSwitch->AddPort(DynamicCast<InaNetDevice>(ends.Get(1)),
                           static_cast<ina::HostId>(first + i));
    }
    return devices;
}

} // namespace ns3
