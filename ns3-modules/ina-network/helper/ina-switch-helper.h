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

#include <functional>
#include <memory>
#include <string>

namespace ns3
{

/**
 * \ingroup ina-network
 * Turns nodes into programmable switches and connects hosts to them.
 */
class InaSwitchHelper
{
  public:
    /// Creates the program of a switch.
    using ProgramFactory = std::function<std::unique_ptr<ina::programs::SwitchProgram>()>;

    InaSwitchHelper();

    void SetAttribute(const std::string& name, const AttributeValue& value);

    /** Sets the function that creates each switch's program, such as ina::programs::make_dsa(). By
     * default, a switch's program only forwards the frames of installed jobs. */
    void SetProgram(ProgramFactory factory);

    /** Makes each switch run its own Program, which is constructed from copies of `args`. */
    template <class Program, class... Args>
    void
    SetProgram(const Args&... args)
    {
        SetProgram([args...]() { return std::make_unique<Program>(args...); });
    }

    /** \returns the new switch of `node`, which node->GetObject<InaSwitch>() also returns. */
    Ptr<InaSwitch> Install(Ptr<Node> node) const;
    void Install(const NodeContainer& nodes) const;

    /**
     * Connects each host by a separate link to a switch that Install() returned.
     *
     * \param inaSwitch The switch.
     * \param hosts The hosts; their addresses are consecutive.
     * \param links Helper that creates the links.
     * \param first Address of the first host.
     * \returns the hosts' devices.
     */
    static NetDeviceContainer Connect(Ptr<InaSwitch> inaSwitch,
                                      const NodeContainer& hosts,
                                      const InaLinkHelper& links,
                                      ina::HostId first = 0);

  private:
    ObjectFactory m_factory;
    ProgramFactory m_programs;
};

} // namespace ns3

#endif // INA_SWITCH_HELPER_H
