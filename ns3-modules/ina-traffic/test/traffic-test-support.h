/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef TRAFFIC_TEST_SUPPORT_H
#define TRAFFIC_TEST_SUPPORT_H

#include "ns3/bulk-send-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/uinteger.h"

#include <cstdint>

namespace ns3
{

constexpr uint16_t SINK_PORT = 9;
constexpr uint64_t BULK_BYTES = 1'000'000;

/** Sends BULK_BYTES over TCP with ns-3's own helpers. Returns the receiving application. */
inline Ptr<PacketSink>
SendFromFirstToSecond(const NodeContainer& hosts, const Ipv4InterfaceContainer& addresses)
{
    PacketSinkHelper sinks("ns3::TcpSocketFactory",
                           InetSocketAddress(Ipv4Address::GetAny(), SINK_PORT));
    const auto sink = sinks.Install(hosts.Get(1));
    BulkSendHelper senders("ns3::TcpSocketFactory",
                           InetSocketAddress(addresses.GetAddress(1), SINK_PORT));
    senders.SetAttribute("MaxBytes", UintegerValue(BULK_BYTES));
    senders.Install(hosts.Get(0));
    return DynamicCast<PacketSink>(sink.Get(0));
}

} // namespace ns3

#endif // TRAFFIC_TEST_SUPPORT_H
