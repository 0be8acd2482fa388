/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SWITCH_HELPER_H
#define INA_SWITCH_HELPER_H

#include "ns3/ina-link-helper.h"
#include "ns3/ina-switch.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * \ingroup ina-network
 * Makes nodes programmable switches, and connects hosts to them.
 */
class InaSwitchHelper
{
  public:
    InaSwitchHelper();

    void SetAttribute(const std::string& name, const AttributeValue& value);

    /** \returns the switch that `node` has become, which runs `program`. */
    Ptr<InaSwitch> Install(Ptr<Node> node,
                           std::unique_ptr<ina::programs::SwitchProgram> program) const;

    /**
     * Connects hosts to a switch that is installed on a node, by a link each.
     *
     * \param inaSwitch The switch.
     * \param hosts Their addresses are `first` and those that follow.
     * \param links What makes the links.
     * \param first The first address.
     * \returns the hosts' devices.
     */
    static NetDeviceContainer Connect(Ptr<InaSwitch> inaSwitch,
                                      const NodeContainer& hosts,
                                      const InaLinkHelper& links,
                                      ina::HostId first = 0);

  private:
    ObjectFactory m_factory;
};

} // namespace ns3

#endif // INA_SWITCH_HELPER_H
