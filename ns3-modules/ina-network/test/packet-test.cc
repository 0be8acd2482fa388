/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "packet-test-support.h"

#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/ina-link-faults.h"
#include "ns3/ina-packet-flow.h"
#include "ns3/pointer.h"

#include <limits>

namespace ns3
{
namespace
{

class PacketTest : public testing::TestWithParam<const char*>
{
  protected:
    PacketTest()
    {
        CarryPackets(m_link);
        m_link.right->SetHandler(&m_frames);
        m_fromLeft = std::make_unique<PacketRecorder>(m_link.right);
    }

    bool
    Send(uint32_t bytes = PACKET_BYTES)
    {
        return m_link.left->Send(MakePacket(bytes), m_link.right->GetAddress(), PROTOCOL);
    }

    FreshSimulator m_simulator{GetParam()};
    TestLink m_link;
    Recorder m_frames;
    std::unique_ptr<PacketRecorder> m_fromLeft;
};

INSTANTIATE_TEST_SUITE_P(Simulators, PacketTest, testing::ValuesIn(SIMULATORS), NameOfSimulator);

TEST_P(PacketTest, FollowFramesOnTheLineInOrder)
{
    m_link.left->PutFrame(MakeFrame(0), 0);
    EXPECT_TRUE(Send());
    m_link.left->PutFrame(MakeFrame(1), 0);
    Simulator::Run();
    const std::vector<Arrival> frames = {{GRADIENT_PS + DELAY_PS, 0},
                                         {2 * GRADIENT_PS + PACKET_PS + DELAY_PS, 1}};
    EXPECT_EQ(m_frames.Arrivals(), frames);
    EXPECT_EQ(m_fromLeft->arrivals, std::vector<int64_t>{GRADIENT_PS + PACKET_PS + DELAY_PS});
    EXPECT_EQ(m_fromLeft->bytes, PACKET_BYTES - ETHERNET_BYTES);
}

TEST_P(PacketTest, OfAHostStandOnTheLineAheadUpToALimit)
{
    constexpr int PACKETS = 10;
    constexpr int AHEAD = InaPacketLine::PACKETS_AHEAD_BYTES / PACKET_BYTES;
    for (int packet = 0; packet < PACKETS; ++packet)
    {
        EXPECT_TRUE(Send());
    }
    m_link.left->PutFrame(MakeFrame(0), 0);
    Simulator::Run();
    ASSERT_EQ(m_frames.Arrivals().size(), 1U);
    EXPECT_EQ(m_frames.Arrivals()[0].ts, AHEAD * PACKET_PS + GRADIENT_PS + DELAY_PS);
    ASSERT_EQ(m_fromLeft->arrivals.size(), std::size_t{PACKETS});
    EXPECT_EQ(m_fromLeft->arrivals[AHEAD - 1], AHEAD * PACKET_PS + DELAY_PS);
    EXPECT_EQ(m_fromLeft->arrivals.back(), PACKETS * PACKET_PS + GRADIENT_PS + DELAY_PS)
        << "the line is never idle";
}

TEST_P(PacketTest, HaveAsMuchOfTheLineAsFramesThatWaitThere)
{
    constexpr ina::Psn FRAMES = 98; // as long as 20 packets
    constexpr int PACKETS = 30;
    for (ina::Psn psn = 0; psn < FRAMES; ++psn)
    {
        m_link.left->PutFrame(MakeFrame(psn), 0);
    }
    for (int packet = 0; packet < PACKETS; ++packet)
    {
        Send();
    }
    constexpr int64_t FRAMES_PS = FRAMES * GRADIENT_PS;
    constexpr int64_t BESIDE = (FRAMES_PS + PACKET_PS - 1) / PACKET_PS;
    EXPECT_EQ(m_link.left->Backlog(0), FRAMES_PS + BESIDE * PACKET_PS);
    Simulator::Run();
    EXPECT_EQ(m_fromLeft->arrivals.back(), FRAMES_PS + PACKETS * PACKET_PS + DELAY_PS);
}

TEST_P(PacketTest, FindNoRoomInAFullQueue)
{
    const auto queue = CreateObject<DropTailQueue<Packet>>();
    queue->SetMaxSize(QueueSize("2p"));
    m_link.left->SetAttribute("TxQueue", PointerValue(queue));
    int taken = 0;
    for (int packet = 0; packet < 10; ++packet)
    {
        taken += Send() ? 1 : 0;
    }
    Simulator::Run();
    EXPECT_EQ(taken, 4 + 2);
    EXPECT_EQ(m_fromLeft->arrivals.size(), 6U);
    const InaPacketCounters counters = m_link.left->GetPacketCounters();
    EXPECT_EQ(counters.offered, 10U);
    EXPECT_EQ(counters.sent, 6U);
    EXPECT_EQ(counters.dropped, 4U);
    EXPECT_EQ(m_link.right->GetPacketCounters().bytesReceived, 6U * PACKET_BYTES);
}

TEST_P(PacketTest, WaitInAClosedDeviceForNothing)
{
    for (int packet = 0; packet < 10; ++packet)
    {
        Send();
    }
    m_link.left->ClosePackets();
    EXPECT_FALSE(Send());
    Simulator::Run();
    EXPECT_EQ(m_fromLeft->arrivals.size(), 4U) << "what was on the line";
    EXPECT_EQ(m_link.left->GetPacketCounters().dropped, 7U);
    EXPECT_EQ(m_link.left->GetPacketsInFlight(), 0U);
}

/** A recorder that would accept all arrivals in one event. */
class PatientRecorder : public Recorder
{
  public:
    int64_t
    QuietUntil(int64_t) const override
    {
        return std::numeric_limits<int64_t>::max();
    }
};

TEST_P(PacketTest, KeepTheClockRight)
{
    PatientRecorder frames;
    m_link.right->SetHandler(&frames);
    for (ina::Psn psn = 0; psn < 3; ++psn)
    {
        m_link.left->PutFrame(MakeFrame(psn), 0);
    }
    Simulator::Run();
    std::vector<int64_t> times;
    for (const Arrival& arrival : frames.Arrivals())
    {
        times.push_back(arrival.ts);
    }
    EXPECT_EQ(frames.Clocks(), times);
}

TEST_P(PacketTest, AreLostByFaultsOfAllFrames)
{
    const auto faults = CreateObject<InaLinkFaults>();
    faults->SetAttribute("Loss", DoubleValue(1));
    faults->SetAttribute("Until", TimeValue(Picoseconds(2 * PACKET_PS)));
    m_link.left->AddFaults(faults);
    Send();
    Send();
    Simulator::Run();
    EXPECT_EQ(m_fromLeft->arrivals, std::vector<int64_t>{2 * PACKET_PS + DELAY_PS});
    EXPECT_EQ(m_link.left->GetPacketCounters().lost, 1U);
}

TEST_P(PacketTest, AreNotConcernedByFaultsOfSomeFrames)
{
    const auto faults = CreateObject<InaLinkFaults>();
    faults->SetAttribute("Loss", DoubleValue(1));
    faults->SetAttribute("Frames", UintegerValue(1));
    m_link.left->AddFaults(faults);
    Send();
    m_link.left->PutFrame(MakeFrame(0), 0);
    Simulator::Run();
    EXPECT_EQ(m_fromLeft->arrivals.size(), 1U);
    EXPECT_TRUE(m_frames.Arrivals().empty());
}

TEST_P(PacketTest, ComeTwiceByDuplication)
{
    const auto faults = CreateObject<InaLinkFaults>();
    faults->SetAttribute("Duplication", DoubleValue(1));
    m_link.left->AddFaults(faults);
    Send();
    Simulator::Run();
    EXPECT_EQ(m_fromLeft->arrivals, (std::vector<int64_t>(2, PACKET_PS + DELAY_PS)));
}

/** Time of a packet in a slow host. */
constexpr int64_t TAKES_PS = 1000000;

TEST_P(PacketTest, WaitForASlowHost)
{
    SetHostStage(m_link.right, {.per_packet = ina::Time(TAKES_PS)});
    Send();
    Send();
    Simulator::Run();
    EXPECT_EQ(m_fromLeft->arrivals,
              (std::vector<int64_t>{PACKET_PS + DELAY_PS + TAKES_PS,
                                    PACKET_PS + DELAY_PS + 2 * TAKES_PS}));
}

TEST_P(PacketTest, OfASlowHostWaitInItsQueueAndLeaveWithoutAGap)
{
    SetHostStage(m_link.left, {.per_packet = ina::Time(TAKES_PS)});
    std::vector<int64_t> arrivals;
    for (int packet = 1; packet <= 10; ++packet)
    {
        Send();
        arrivals.push_back(packet * TAKES_PS + PACKET_PS + DELAY_PS);
    }
    EXPECT_EQ(m_link.left->Backlog(0), TAKES_PS) << "one is in the host";
    Simulator::Run();
    EXPECT_EQ(m_fromLeft->arrivals, arrivals);
}

TEST_P(PacketTest, OfASlowHostOccupyAllItsCores)
{
    constexpr int CORES = 8;
    SetHostStage(m_link.left, {.per_packet = ina::Time(TAKES_PS), .cores = CORES});
    for (int packet = 0; packet < 2 * CORES; ++packet)
    {
        Send();
    }
    Simulator::Run();
    ASSERT_EQ(m_fromLeft->arrivals.size(), std::size_t{2 * CORES});
    EXPECT_EQ(m_fromLeft->arrivals.front(), TAKES_PS + PACKET_PS + DELAY_PS);
    EXPECT_EQ(m_fromLeft->arrivals.back(), 2 * TAKES_PS + CORES * PACKET_PS + DELAY_PS);
}

TEST(NoPacketTest, WithoutTheAttributeNothingIsSent)
{
    const FreshSimulator simulator;
    const TestLink link;
    EXPECT_FALSE(link.left->Send(MakePacket(), link.right->GetAddress(), PROTOCOL));
    EXPECT_EQ(link.left->GetPacketCounters().offered, 0U);
    EXPECT_FALSE(link.left->NeedsArp());
}

class PacketSwitchTest : public testing::Test, protected PacketStar
{
};

TEST_F(PacketSwitchTest, LearnsWhereStationsAre)
{
    Send(0, Mac48Address::GetBroadcast());
    Simulator::Run();
    EXPECT_TRUE(m_received[0]->arrivals.empty());
    EXPECT_EQ(m_received[1]->arrivals, std::vector<int64_t>{2 * HOP});
    EXPECT_EQ(m_received[2]->arrivals, std::vector<int64_t>{2 * HOP});
    Send(1, m_hosts[0]->GetAddress());
    Simulator::Run();
    EXPECT_EQ(m_received[0]->arrivals, std::vector<int64_t>{4 * HOP});
    EXPECT_EQ(m_hosts[2]->GetPacketCounters().received, 1U) << "it goes to one port only";
}

TEST_F(PacketSwitchTest, SendsToStationsThatItWasToldOf)
{
    m_switch->AddStation(Mac48Address::ConvertFrom(m_hosts[2]->GetAddress()), 2);
    Send(0, m_hosts[2]->GetAddress());
    Send(0, m_hosts[1]->GetAddress());
    Simulator::Run();
    EXPECT_EQ(m_received[2]->arrivals, std::vector<int64_t>{2 * HOP});
    EXPECT_EQ(m_hosts[1]->GetPacketCounters().received, 0U);
    EXPECT_EQ(m_switch->GetPacketsNotForwarded(), 1U);
}

TEST_F(PacketSwitchTest, IsDownForPacketsToo)
{
    m_switch->GoDown(std::make_unique<PassingProgram>());
    Send(0, Mac48Address::GetBroadcast());
    Simulator::Run();
    EXPECT_EQ(m_switch->GetPacketsNotForwarded(), 1U);
    EXPECT_EQ(m_hosts[1]->GetPacketCounters().received, 0U);
}

TEST_F(PacketSwitchTest, SharesTheBufferWithFrames)
{
    m_switch->SetAttribute("BufferSize", UintegerValue(2000));
    m_switch->AddStation(Mac48Address::ConvertFrom(m_hosts[2]->GetAddress()), 2);
    m_hosts[1]->PutFrame(MakeFrame(0, 2, PACKET_BYTES), 0);
    Send(0, m_hosts[2]->GetAddress());
    Simulator::Run();
    const Ptr<InaNetDevice> port = GetPort(2);
    EXPECT_EQ(port->GetPacketCounters().dropped, 1U);
    EXPECT_EQ(port->GetCounters().framesSent, 1U);
    EXPECT_TRUE(m_received[2]->arrivals.empty());
}

bool
CountMarks(uint32_t* marks, Ptr<Packet>)
{
    ++*marks;
    return true;
}

TEST_F(PacketSwitchTest, MarksPacketsBehindALongQueue)
{
    constexpr uint32_t FRAMES = 50; // exceeds EcnThreshold, 60 kB
    uint32_t marks = 0;
    m_switch->SetPacketMarker(MakeBoundCallback(&CountMarks, &marks));
    m_switch->AddStation(Mac48Address::ConvertFrom(m_hosts[2]->GetAddress()), 2);
    const Ptr<InaNetDevice> port = GetPort(2);
    Send(0, m_hosts[2]->GetAddress());
    Simulator::Run();
    EXPECT_EQ(marks, 0U);
    for (uint32_t frame = 0; frame < FRAMES; ++frame)
    {
        port->PutFrame(MakeFrame(frame, 2, PACKET_BYTES), Simulator::Now().GetTimeStep() + HOP);
    }
    Send(0, m_hosts[2]->GetAddress());
    Simulator::Run();
    EXPECT_EQ(marks, 1U);
    EXPECT_EQ(port->GetPacketCounters().marked, 1U);
}

/// A packet of IPv4 and TCP between two hosts, from the given port.
Ptr<Packet>
MakeTcp(uint8_t port, uint8_t sequence)
{
    std::vector<uint8_t> bytes(54, 0);
    bytes[12] = 0x08;
    bytes[14] = 0x45;
    bytes[23] = 6;
    bytes[35] = port;
    bytes[41] = sequence;
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

TEST(PacketFlowTest, IsTheSameForAllPacketsOfAConnectionOnly)
{
    EXPECT_EQ(InaFlowOf(MakeTcp(1, 1)), InaFlowOf(MakeTcp(1, 2)));
    EXPECT_NE(InaFlowOf(MakeTcp(1, 1)), InaFlowOf(MakeTcp(2, 1)));
}

} // namespace
} // namespace ns3
