/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_ECN_MARKER_H
#define INA_ECN_MARKER_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

namespace ns3
{

/**
 * \ingroup ina-traffic
 * Function for InaSwitch::SetPacketMarker(). It sets "congestion experienced" (RFC 3168) in an IPv4
 * packet if the sender supports ECN.
 *
 * \param packet Packet that begins with its Ethernet header.
 * \returns whether the packet now has the mark.
 */
bool InaMarkCongestion(Ptr<Packet> packet);

} // namespace ns3

#endif // INA_ECN_MARKER_H
