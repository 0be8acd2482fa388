/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_PACKET_TEST_SUPPORT_H
#define INA_PACKET_TEST_SUPPORT_H

#include "network-test-support.h"

#include "switch-models/programs/value_passes.hpp"

#include "ns3/boolean.h"
#include "ns3/ina-switch.h"
#include "ns3/packet.h"

#include <memory>
#include <vector>

namespace ns3
{

constexpr uint32_t PACKET_BYTES = 1500;
constexpr uint32_t ETHERNET_BYTES = 14;
constexpr int64_t PACKET_PS = 120000; // at 100 Gbps
constexpr uint16_t PROTOCOL = 0x1234;

inline Ptr<Packet>
MakePacket(uint32_t bytes = PACKET_BYTES)
{
    return Create<Packet>(bytes - ETHERNET_BYTES);
}

/** Records the times at which a device passes packets up. */
class PacketRecorder
{
  public:
    explicit PacketRecorder(Ptr<InaNetDevice> device)
    {
        device->SetReceiveCallback(MakeCallback(&PacketRecorder::Receive, this));
    }

    std::vector<int64_t> arrivals;
    uint32_t bytes{0};

  private:
    bool
    Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address&)
    {
        EXPECT_EQ(protocol, PROTOCOL);
        arrivals.push_back(Simulator::Now().GetTimeStep());
        bytes += packet->GetSize();
        return true;
    }
};

inline void
CarryPackets(const TestLink& link)
{
    for (const auto& device : {link.left, link.right})
    {
        device->SetAttribute("Packets", BooleanValue(true));
        device->SetAddress(Mac48Address::Allocate());
    }
}

/** A data plane that forwards every frame. */
class PassingProgram : public ina::programs::SwitchProgram
{
  public:
    ina::rmt::Verdict
    process(ina::Frame& frame, ina::Time) override
    {
        return ina::programs::forward(frame);
    }
};

/** Hosts 0 to 2, connected to a switch that only forwards. */
class PacketStar
{
  protected:
    static constexpr ina::HostId HOSTS = 3;
    static constexpr int64_t HOP = PACKET_PS + DELAY_PS;

    /** \param pipelinePs PipelineLatency of the switch */
    explicit PacketStar(int64_t pipelinePs = 0)
    {
        const auto node = CreateObject<Node>();
        m_switch->SetAttribute("PipelineLatency", TimeValue(Picoseconds(pipelinePs)));
        node->AggregateObject(m_switch);
        m_switch->SetProgram(std::make_unique<PassingProgram>());
        for (ina::HostId host = 0; host < HOSTS; ++host)
        {
            const TestLink link("100Gbps", DELAY_PS, 0, CreateObject<Node>(), node);
            CarryPackets(link);
            m_switch->AddPort(link.right, host);
            m_hosts.push_back(link.left);
            m_received.push_back(std::make_unique<PacketRecorder>(link.left));
        }
        m_switch->Initialize();
    }

    /** The switch's device on a host's link. */
    Ptr<InaNetDevice>
    GetPort(ina::HostId host) const
    {
        return DynamicCast<InaNetDevice>(m_hosts[host]->GetChannel()->GetDevice(1));
    }

    void
    Send(ina::HostId from, const Address& to)
    {
        m_hosts[from]->Send(MakePacket(), to, PROTOCOL);
    }

    FreshSimulator m_simulator;
    Ptr<InaSwitch> m_switch = CreateObject<InaSwitch>();
    std::vector<Ptr<InaNetDevice>> m_hosts;
    std::vector<std::unique_ptr<PacketRecorder>> m_received;
};

} // namespace ns3

#endif // INA_PACKET_TEST_SUPPORT_H
