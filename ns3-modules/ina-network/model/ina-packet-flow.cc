/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-packet-flow.h"

#include <array>
#include <cstddef>
#include <span>

namespace ns3
{

namespace
{

// Positions in Ethernet (IEEE 802.3), in IPv4 (RFC 791), and of the TCP and UDP ports after it.
constexpr std::size_t ETHERNET_ADDRESSES = 12;
constexpr std::size_t ETHER_TYPE_AT = 12;
constexpr std::size_t IP_AT = 14;
constexpr std::size_t PROTOCOL_AT = IP_AT + 9;
constexpr std::size_t ADDRESSES_AT = IP_AT + 12;
constexpr std::size_t ADDRESSES_AND_PORTS = 12;
constexpr std::size_t READ = ADDRESSES_AT + ADDRESSES_AND_PORTS;
constexpr uint8_t IPV4_WITHOUT_OPTIONS = 0x45;

/// Continues an FNV-1a hash.
uint64_t
Extended(uint64_t hash, std::span<const uint8_t> bytes)
{
    constexpr uint64_t PRIME = 0x100000001b3;
    for (const uint8_t byte : bytes)
    {
        hash = (hash ^ byte) * PRIME;
    }
    return hash;
}

} // namespace

uint64_t
InaFlowOf(Ptr<const Packet> packet)
{
    constexpr uint64_t BASIS = 0xcbf29ce484222325;
    std::array<uint8_t, READ> bytes{};
    packet->CopyData(bytes.data(), READ);
    const bool isIpv4 = bytes[ETHER_TYPE_AT] == 0x08 && bytes[ETHER_TYPE_AT + 1] == 0x00 &&
                        bytes[IP_AT] == IPV4_WITHOUT_OPTIONS;
    const std::span<const uint8_t> all(bytes);
    if (!isIpv4)
    {
        return Extended(BASIS, all.first(ETHERNET_ADDRESSES));
    }
    return Extended(Extended(BASIS, all.subspan(PROTOCOL_AT, 1)),
                    all.subspan(ADDRESSES_AT, ADDRESSES_AND_PORTS));
}

} // namespace ns3
