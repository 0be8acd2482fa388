/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_PACKET_FLOW_H
#define INA_PACKET_FLOW_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup ina-network
 * Hash by which a switch chooses among several shortest paths. It is the same for all packets of a
 * flow. If the packet is IPv4 without options, the hash covers protocol, addresses and ports.
 * Otherwise it covers the Ethernet addresses.
 *
 * \param packet Packet that begins with its Ethernet header.
 */
uint64_t InaFlowOf(Ptr<const Packet> packet);

} // namespace ns3

#endif // INA_PACKET_FLOW_H
