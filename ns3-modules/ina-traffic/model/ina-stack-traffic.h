/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_STACK_TRAFFIC_H
#define INA_STACK_TRAFFIC_H

#include "ina-traffic.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/ina-net-device.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/packet-sink.h"
#include "ns3/packet.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace ns3
{

/**
 * \ingroup ina-traffic
 * Runs the flows of a schedule between hosts with ns-3's own Internet stack. BulkSendApplication
 * sends over TCP, OnOffApplication over UDP, and PacketSink receives.
 *
 * Each host has one address in 10.0.0.0/8, and knows the Ethernet address of every host to which it
 * sends. ARP is not used, because its random delays of milliseconds may be longer than a job.
 */
class InaStackTraffic : public InaTraffic
{
  public:
    static TypeId GetTypeId();

    /** Settings of ns-3's TCP. SetDefaults() applies them to all sockets created later. */
    struct Tcp
    {
        std::string congestionControl{"ns3::TcpCubic"}; //!< name of a TypeId
        bool ecn{false};
        Time minRto{MilliSeconds(1)};
        Time connectionTimeout{MilliSeconds(1)}; //!< of the first SYN; doubles with each later SYN
        uint32_t bufferBytes{4000000};
    };

    static void SetDefaults(const Tcp& tcp);

    /** Installs an Internet stack on the node of `device`, and gives the device an IPv4 address for
     * the machine with this number. */
    void AddHost(uint32_t machine, Ptr<InaNetDevice> device);

  protected:
    void StartFlow(const ina::cluster::traffic::Flow& flow) override;
    void StopHosts() override;
    bool HasHost(uint32_t machine) const override;
    void DoDispose() override;

  private:
    struct Host
    {
        Ptr<InaNetDevice> device;
        Ipv4Address address;
        std::set<uint16_t> ports{}; //!< ports of unfinished flows to this host
        std::size_t sends{0};       //!< number of unfinished flows from this host
    };

    static void Received(InaStackTraffic* traffic,
                         std::size_t flow,
                         Ptr<const Packet> packet,
                         const Address& from);

    /// State of an unfinished flow.
    struct Running
    {
        Ptr<PacketSink> sink;
        Ptr<Application> sender;
        uint16_t port;
    };

    void EndFlow(uint64_t number);
    std::optional<uint16_t> FreePort(const ina::cluster::traffic::Flow& flow);
    Ptr<PacketSink> MakeSink(const ina::cluster::traffic::Flow& flow, const Address& to);
    Ptr<Application> MakeSender(const ina::cluster::traffic::Flow& flow, const Address& to) const;
    void Introduce(const Host& host, const Host& other) const;
    const char* SocketFactoryOf(const ina::cluster::traffic::Flow& flow) const;

    std::map<uint32_t, Host> m_hosts;      //!< by machine
    std::map<uint64_t, Running> m_running; //!< by number
};

} // namespace ns3

#endif // INA_STACK_TRAFFIC_H
