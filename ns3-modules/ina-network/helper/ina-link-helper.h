/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_LINK_HELPER_H
#define INA_LINK_HELPER_H

#include "hw/protocol/wire/format.hpp"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/trace-helper.h"

#include <string>

namespace ns3
{

/**
 * \ingroup ina-network
 * Connects nodes by InaNetDevices, as PointToPointHelper does by its devices. EnablePcap() and
 * EnableAscii() come from ns-3's trace helpers. pcap files contain frames and, if the attribute
 * Packets is true, ns-3's packets. ASCII traces contain only frames.
 *
 * A line of an ASCII trace has an event, the time in seconds, the path of the trace source if the
 * file is for several devices, and the frame. The events are "+" (enters the egress queue), "r"
 * (arrived), and "d" (dropped before the link, lost or corrupted).
 */
class InaLinkHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    /**
     * \param format Wire format of the frames in pcap files.
     */
    explicit InaLinkHelper(ina::wire::Format format);

    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);

    /** \returns the devices, in the order of the nodes. */
    NetDeviceContainer Install(Ptr<Node> one, Ptr<Node> other) const;
    /** \param nodes two nodes */
    NetDeviceContainer Install(const NodeContainer& nodes) const;

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;

    ina::wire::Format m_format;
    ObjectFactory m_deviceFactory;
    ObjectFactory m_channelFactory;
};

} // namespace ns3

#endif // INA_LINK_HELPER_H
