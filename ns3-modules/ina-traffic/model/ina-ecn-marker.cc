/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-ecn-marker.h"

#include "ns3/ethernet-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/node.h"

namespace ns3
{

bool
InaMarkCongestion(Ptr<Packet> packet)
{
    EthernetHeader ethernet(false);
    packet->PeekHeader(ethernet);
    if (ethernet.GetLengthType() != Ipv4L3Protocol::PROT_NUMBER)
    {
        return false;
    }
    packet->RemoveHeader(ethernet);
    Ipv4Header ip;
    packet->RemoveHeader(ip);
    const bool mayBeMarked = ip.GetEcn() != Ipv4Header::ECN_NotECT;
    if (mayBeMarked)
    {
        ip.SetEcn(Ipv4Header::ECN_CE);
    }
    if (Node::ChecksumEnabled())
    {
        ip.EnableChecksum();
    }
    packet->AddHeader(ip);
    packet->AddHeader(ethernet);
    return mayBeMarked;
}

} // namespace ns3
