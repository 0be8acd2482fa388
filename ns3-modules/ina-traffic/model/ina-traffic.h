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
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \defgroup ina-traffic In-Network Aggregation: Other Traffic
 *
 * Traffic of ns-3's Internet stack, which shares links, hosts and switches with aggregation.
 */

/** Progress of one flow. */
struct InaFlowResult
{
    ina::cluster::traffic::Flow flow;
    uint64_t bytesReceived{0};       //!< by the application
    Time last{};                     //!< when the last byte so far arrived
    std::optional<Time> completed{}; //!< when all bytes had arrived; empty if unlimited
};

/**
 * \ingroup ina-traffic
 * Runs the flows of a schedule between hosts with ns-3's own Internet stack. BulkSendApplication
 * sends over TCP, OnOffApplication over UDP, and PacketSink receives.
 *
 * Each host has one address in 10.0.0.0/8, and knows the Ethernet address of every host to which it
 * sends. ARP is not used, because its random delays of milliseconds may be longer than a job.
 */
class InaTraffic : public Object
{
  public:
    static TypeId GetTypeId();

    /// Attributes of an ns3::OnOffApplication.
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
        std::map<std::size_t, OnOff> onOffs; //!< for on-off patterns, by index in `patterns`
        uint64_t seed{1};
    };

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

    /** Sets the traffic. Call this before Start(). */
    void Configure(const Setup& setup);
    /** Installs an Internet stack on the node of `device`, and gives the device an IPv4 address for
     * the machine with this number. */
    void AddHost(uint32_t machine, Ptr<InaNetDevice> device);

    /** Starts the schedule with its first flow. */
    void Start();
    /** Ends the traffic: no flow starts, and hosts send no packets, not even for running flows. */
    void Stop();

    /** Called with a message if a flow cannot start, because a host has too many. By default, the
     * program aborts with that message. */
    using FailureSink = std::function<void(const std::string& what)>;

    void
    SetFailureSink(FailureSink sink)
    {
        m_failureSink = std::move(sink);
    }

    /** Results by flow number. */
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
        std::set<uint16_t> ports{}; //!< ports of unfinished flows to this host
        std::size_t sends{0};       //!< number of unfinished flows from this host
    };

    static void Received(InaTraffic* traffic,
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

    void ScheduleNext();
    void StartFlow(const ina::cluster::traffic::Flow& flow);
    void EndFlow(uint64_t number);
    void Fail(const std::string& what) const;
    std::optional<uint16_t> FreePort(const ina::cluster::traffic::Flow& flow);
    Ptr<PacketSink> MakeSink(const ina::cluster::traffic::Flow& flow, const Address& to);
    Ptr<Application> MakeSender(const ina::cluster::traffic::Flow& flow, const Address& to) const;
    void Introduce(const Host& host, const Host& other) const;
    const char* SocketFactoryOf(const ina::cluster::traffic::Flow& flow) const;

    std::optional<ina::cluster::traffic::FlowSchedule> m_schedule;
    std::map<std::size_t, OnOff> m_onOffs;
    std::map<uint32_t, Host> m_hosts; //!< by machine
    std::vector<InaFlowResult> m_flows;
    std::map<uint64_t, Running> m_running; //!< by number
    FailureSink m_failureSink;
    bool m_stopped{false};
};

} // namespace ns3

#endif // INA_TRAFFIC_H
