/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-switch-helper.h"

#include "ns3/ina-net-device.h"
#include "ns3/node.h"

#include <utility>

namespace ns3
{

InaSwitchHelper::InaSwitchHelper()
{
    m_factory.SetTypeId(InaSwitch::GetTypeId());
}

void
InaSwitchHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

Ptr<InaSwitch>
InaSwitchHelper::Install(Ptr<Node> node,
                         std::unique_ptr<ina::programs::SwitchProgram> program) const
{
    const auto inaSwitch = m_factory.Create<InaSwitch>();
    node->AggregateObject(inaSwitch);
    inaSwitch->SetProgram(std::move(program));
    return inaSwitch;
}

NetDeviceContainer
InaSwitchHelper::Connect(Ptr<InaSwitch> inaSwitch,
                         const NodeContainer& hosts,
                         const InaLinkHelper& links,
                         ina::HostId first)
{
    const auto node = inaSwitch->GetObject<Node>();
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
