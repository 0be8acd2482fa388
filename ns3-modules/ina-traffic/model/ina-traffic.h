/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_TRAFFIC_H
#define INA_TRAFFIC_H

#include "hw/cluster/traffic/flow_schedule.hpp"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/data-rate.h"
#include "ns3/ina-net-device.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet-sink.h"
#include "ns3/packet.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \defgroup ina-traffic In-Network Aggregation: Other Traffic
 *
 * Traffic of ns-3's Internet stack that shares links, hosts and switches with aggregation.
 */

/** One flow, as far as it came. */
struct InaFlowResult
{
    ina::cluster::traffic::Flow flow;
    uint64_t bytesReceived{0};            //!< by the application
    int64_t lastTs{0};                    //!< when the last of them came
    std::optional<int64_t> completedTs{}; //!< when all had come; of what has an end
};

/**
 * \ingroup ina-traffic
 * Runs the flows of a schedule between hosts by ns-3's own Internet stack and applications:
 * BulkSendApplication and PacketSink over TCP, OnOffApplication over UDP.
 *
 * Each host has one address of 10.0.0.0/8, and knows the Ethernet addresses of those to whom it
 * sends: without ARP, whose random delays of milliseconds exceed whole jobs.
 */
class InaTraffic : public Object
{
  public:
    static TypeId GetTypeId();

    /// Of a pattern of ns-3's OnOffApplication.
    struct OnOff
    {
        DataRate rate;
        Time on;
        Time off;
        uint32_t packetBytes{0};
    };

    struct Setup
    {
        std::vector<ina::cluster::traffic::Pattern> patterns;
        std::map<std::size_t, OnOff> onOffs; //!< by pattern, of those of that kind
        uint64_t seed{1};
    };

    /** Sets defaults of ns-3's TCP for all sockets that are made from now on. */
    struct Tcp
    {
        std::string congestionControl{"ns3::TcpCubic"}; //!< a TypeId
        bool ecn{false};
        Time minRto{MilliSeconds(1)};
        Time connectionTimeout{MilliSeconds(1)}; //!< of the first SYN; doubles with each
        uint32_t bufferBytes{4000000};
    };

    static void SetDefaults(const Tcp& tcp);

    /** What is to be sent, before Start(). */
    void Configure(const Setup& setup);
    /** Gives the node of a device an Internet stack, and the device the machine's address. */
    void AddHost(uint32_t machine, Ptr<InaNetDevice> device);

    /** Begins with the first flow of the schedule. */
    void Start();
    /** No flow starts any more, and hosts send no more packets, also of those that have. */
    void Stop();

    /** In the order of their numbers. */
    const std::vector<InaFlowResult>&
    GetFlows() const
    {
        return m_flows;
    }

  protected:
    void DoDispose() override;

  private:
    struct Host
    {
        Ptr<InaNetDevice> device;
        Ipv4Address address;
        std::set<uint16_t> ports{}; //!< of flows to it that are not over
        std::size_t sends{0};       //!< flows that are not over
    };

    static void Received(InaTraffic* traffic,
                         std::size_t flow,
                         Ptr<const Packet> packet,
                         const Address& from);

    /// Of a flow that is not over.
    struct Running
    {
        Ptr<PacketSink> sink;
        Ptr<Application> sender;
        uint16_t port;
    };

    void ScheduleNext();
    void StartFlow(const ina::cluster::traffic::Flow& flow);
    void EndFlow(uint64_t number);
    uint16_t FreePort(const ina::cluster::traffic::Flow& flow);
    Ptr<PacketSink> MakeSink(const ina::cluster::traffic::Flow& flow, const Address& to);
    Ptr<Application> MakeSender(const ina::cluster::traffic::Flow& flow, const Address& to) const;
    void Introduce(const Host& host, const Host& other) const;
    const char* SocketFactoryOf(const ina::cluster::traffic::Flow& flow) const;

    std::optional<ina::cluster::traffic::FlowSchedule> m_schedule;
    std::map<std::size_t, OnOff> m_onOffs;
    std::map<uint32_t, Host> m_hosts; //!< by machine
    std::vector<InaFlowResult> m_flows;
    std::map<uint64_t, Running> m_running; //!< by number
    bool m_stopped{false};
};

} // namespace ns3

#endif // INA_TRAFFIC_H
