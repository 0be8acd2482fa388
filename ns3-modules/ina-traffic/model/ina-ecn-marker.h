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
 * For InaSwitch::SetPacketMarker(): sets "congestion experienced" (RFC 3168) in a packet of IPv4
 * whose sender can do with it.
 *
 * \param packet It begins with its Ethernet header.
 * \returns whether it is marked now.
 */
bool InaMarkCongestion(Ptr<Packet> packet);

} // namespace ns3

#endif // INA_ECN_MARKER_H
