/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Trace sources, ReceiveErrorModel, pcap and flow control of packets. */
#include "packet-test-support.h"

#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/dynamic-queue-limits.h"
#include "ns3/error-model.h"
#include "ns3/ina-link-faults.h"
#include "ns3/ina-link-helper.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/pcap-file.h"
#include "ns3/pointer.h"

#include <array>
#include <filesystem>

namespace ns3
{
namespace
{

using Times = std::vector<int64_t>;

/** Records when a trace source of packets fires. */
class TraceRecorder
{
  public:
    TraceRecorder(Ptr<InaNetDevice> device, const char* source)
    {
        EXPECT_TRUE(
            device->TraceConnectWithoutContext(source, MakeCallback(&TraceRecorder::Record, this)))
            << source;
    }

    Times times;
    std::vector<uint32_t> bytes;

  private:
    void
    Record(Ptr<const Packet> packet)
    {
        times.push_back(Simulator::Now().GetTimeStep());
        bytes.push_back(packet->GetSize());
    }
};

/** All trace sources of packets at a device. */
struct AllTraces
{
    explicit AllTraces(Ptr<InaNetDevice> device) :
        macTx(device, "MacTx"),
        macTxDrop(device, "MacTxDrop"),
        macRx(device, "MacRx"),
        macRxDrop(device, "MacRxDrop"),
        phyTxBegin(device, "PhyTxBegin"),
        phyTxEnd(device, "PhyTxEnd"),
        phyRxDrop(device, "PhyRxDrop"),
        sniffer(device, "Sniffer"),
        promiscSniffer(device, "PromiscSniffer")
    {
    }

    TraceRecorder macTx;
    TraceRecorder macTxDrop;
    TraceRecorder macRx;
    TraceRecorder macRxDrop;
    TraceRecorder phyTxBegin;
    TraceRecorder phyTxEnd;
    TraceRecorder phyRxDrop;
    TraceRecorder sniffer;
    TraceRecorder promiscSniffer;
};

/** Packets from left to right on a link of two hosts. */
class PacketTraceTest : public testing::TestWithParam<const char*>
{
  protected:
    PacketTraceTest()
    {
        CarryPackets(m_link);
        m_received = std::make_unique<PacketRecorder>(m_link.right);
        m_left = std::make_unique<AllTraces>(m_link.left);
        m_right = std::make_unique<AllTraces>(m_link.right);
    }

    bool
    Send(uint32_t bytes = PACKET_BYTES)
    {
        return m_link.left->Send(MakePacket(bytes), m_link.right->GetAddress(), PROTOCOL);
    }

    void
    LimitTxQueue(const char* size)
    {
        const auto queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(size));
        m_link.left->SetAttribute("TxQueue", PointerValue(queue));
    }

    /** Adds faults for everything that leaves on the left. */
    Ptr<InaLinkFaults>
    AddFaults(const char* kind)
    {
        const auto faults = CreateObject<InaLinkFaults>();
        faults->SetAttribute(kind, DoubleValue(1));
        m_link.left->AddFaults(faults);
        return faults;
    }

    FreshSimulator m_simulator{GetParam()};
    TestLink m_link;
    std::unique_ptr<PacketRecorder> m_received;
    std::unique_ptr<AllTraces> m_left;
    std::unique_ptr<AllTraces> m_right;
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         PacketTraceTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(PacketTraceTest, TransmissionBeginsWithTheFirstBitAndEndsWithTheLast)
{
    m_link.left->PutFrame(MakeFrame(0), 0);
    Send();
    m_link.left->PutFrame(MakeFrame(1), 0);
    Send();
    Simulator::Run();
    const Times begins{GRADIENT_PS, 2 * GRADIENT_PS + PACKET_PS};
    const Times ends{GRADIENT_PS + PACKET_PS, 2 * (GRADIENT_PS + PACKET_PS)};
    EXPECT_EQ(m_left->macTx.times, (Times{0, 0}));
    EXPECT_EQ(m_left->phyTxBegin.times, begins);
    EXPECT_EQ(m_left->sniffer.times, begins);
    EXPECT_EQ(m_left->promiscSniffer.times, begins);
    EXPECT_EQ(m_left->phyTxEnd.times, ends);
    EXPECT_EQ(m_left->phyTxEnd.bytes, (std::vector<uint32_t>{PACKET_BYTES, PACKET_BYTES}))
        << "with the Ethernet header";
    for (const TraceRecorder* drop : {&m_left->macTxDrop,
                                      &m_left->macRxDrop,
                                      &m_left->phyRxDrop,
                                      &m_right->macTxDrop,
                                      &m_right->macRxDrop,
                                      &m_right->phyRxDrop})
    {
        EXPECT_TRUE(drop->times.empty());
    }
}

TEST_P(PacketTraceTest, ReceptionIsTracedOnceOnArrival)
{
    Send();
    Send();
    Simulator::Run();
    const Times arrivals{PACKET_PS + DELAY_PS, 2 * PACKET_PS + DELAY_PS};
    EXPECT_EQ(m_right->promiscSniffer.times, arrivals);
    EXPECT_EQ(m_right->sniffer.times, arrivals);
    EXPECT_EQ(m_right->macRx.times, arrivals);
    EXPECT_EQ(m_right->macRx.bytes, (std::vector<uint32_t>{PACKET_BYTES, PACKET_BYTES}));
    EXPECT_EQ(m_received->arrivals, arrivals) << "sinks delay no packet";
    EXPECT_TRUE(m_right->phyTxBegin.times.empty());
    EXPECT_TRUE(m_right->macTx.times.empty());
}

TEST_P(PacketTraceTest, OnlyThePromiscuousSnifferSeesPacketsForOthers)
{
    m_link.left->Send(MakePacket(), Mac48Address::Allocate(), PROTOCOL);
    Simulator::Run();
    EXPECT_EQ(m_right->promiscSniffer.times, Times{PACKET_PS + DELAY_PS});
    EXPECT_TRUE(m_right->sniffer.times.empty());
    EXPECT_TRUE(m_right->macRx.times.empty());
    EXPECT_EQ(m_left->sniffer.times, Times{0}) << "whatever it sends";
}

TEST_P(PacketTraceTest, AFullTxQueueIsAMacTxDrop)
{
    LimitTxQueue("2p");
    for (int packet = 0; packet < 10; ++packet) // four on the line, two in the queue
    {
        Send();
    }
    Simulator::Run();
    EXPECT_EQ(m_left->macTx.times.size(), 10U);
    EXPECT_EQ(m_left->macTxDrop.times, (Times{0, 0, 0, 0}));
    EXPECT_EQ(m_left->phyTxBegin.times.size(), 6U);
}

TEST_P(PacketTraceTest, APacketLongerThanTheMtuIsAMacTxDrop)
{
    EXPECT_TRUE(Send(1500 + ETHERNET_BYTES));
    EXPECT_FALSE(Send(1501 + ETHERNET_BYTES));
    Simulator::Run();
    EXPECT_EQ(m_left->macTxDrop.bytes, std::vector<uint32_t>{1501 + ETHERNET_BYTES});
    EXPECT_EQ(m_received->bytes, 1500U);
    const InaPacketCounters counters = m_link.left->GetPacketCounters();
    EXPECT_EQ(counters.offered, 2U);
    EXPECT_EQ(counters.sent, 1U);
    EXPECT_EQ(counters.dropped, 1U);
}

TEST_P(PacketTraceTest, TheReceiveErrorModelDropsPacketsOnArrival)
{
    const auto errors = CreateObject<ReceiveListErrorModel>();
    errors->SetList({1});
    m_link.right->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    for (int packet = 0; packet < 3; ++packet)
    {
        Send();
    }
    Simulator::Run();
    EXPECT_EQ(m_right->phyRxDrop.times, Times{2 * PACKET_PS + DELAY_PS});
    EXPECT_EQ(m_received->arrivals, (Times{PACKET_PS + DELAY_PS, 3 * PACKET_PS + DELAY_PS}));
    EXPECT_EQ(m_right->promiscSniffer.times, m_received->arrivals);
    EXPECT_EQ(m_left->phyTxEnd.times.size(), 3U);
    EXPECT_EQ(m_link.left->GetPacketCounters().lost, 1U);
    EXPECT_EQ(m_link.right->GetPacketCounters().received, 2U);
}

TEST_P(PacketTraceTest, ALossOnTheLinkIsAPhyRxDropWhenThePacketWouldArrive)
{
    const auto faults = AddFaults("Loss");
    faults->SetAttribute("Until", TimeValue(Picoseconds(2 * PACKET_PS)));
    Send();
    Send();
    Simulator::Run();
    EXPECT_EQ(m_right->phyRxDrop.times, Times{PACKET_PS + DELAY_PS});
    EXPECT_EQ(m_right->promiscSniffer.times, Times{2 * PACKET_PS + DELAY_PS});
    EXPECT_EQ(m_left->phyTxEnd.times, (Times{PACKET_PS, 2 * PACKET_PS}));
}

TEST_P(PacketTraceTest, ACorruptedPacketIsAPhyRxDropWhenItArrives)
{
    AddFaults("Corruption");
    Send();
    Simulator::Run();
    EXPECT_EQ(m_right->phyRxDrop.times, Times{PACKET_PS + DELAY_PS});
    EXPECT_TRUE(m_right->promiscSniffer.times.empty());
    EXPECT_EQ(m_link.left->GetPacketsInFlight(), 0U);
}

TEST_P(PacketTraceTest, AFullQueueOfTheHostIsAMacRxDropOnArrival)
{
    constexpr int64_t TAKES_PS = 1000000; // per packet, longer than three on the line
    SetHostStage(m_link.right, {.per_packet = ina::Time(TAKES_PS), .queue = 1});
    for (int packet = 0; packet < 3; ++packet)
    {
        Send();
    }
    Simulator::Run();
    EXPECT_EQ(m_right->macRxDrop.times, Times{3 * PACKET_PS + DELAY_PS});
    EXPECT_EQ(m_right->macRx.times,
              (Times{PACKET_PS + DELAY_PS + TAKES_PS, PACKET_PS + DELAY_PS + 2 * TAKES_PS}));
    EXPECT_TRUE(m_right->phyRxDrop.times.empty());
}

TEST(NoPacketTraceTest, WithoutTheAttributePacketsASentPacketIsAMacTxDrop)
{
    const FreshSimulator simulator;
    const TestLink link;
    const TraceRecorder drops(link.left, "MacTxDrop");
    EXPECT_FALSE(link.left->Send(MakePacket(), link.right->GetAddress(), PROTOCOL));
    EXPECT_EQ(drops.times, Times{0});
}

TEST(PacketFramingTest, TransmissionEndsAfterTheFramingBytes)
{
    const FreshSimulator simulator;
    const TestLink link("100Gbps", DELAY_PS, 24);
    CarryPackets(link);
    const TraceRecorder begins(link.left, "PhyTxBegin");
    const TraceRecorder ends(link.left, "PhyTxEnd");
    link.left->Send(MakePacket(), link.right->GetAddress(), PROTOCOL);
    Simulator::Run();
    EXPECT_EQ(begins.times, Times{0});
    EXPECT_EQ(ends.times, Times{PACKET_PS + 24 * 80});
}

/** A switch with a pipeline latency. */
class PacketPortTraceTest : public testing::Test, protected PacketStar
{
  protected:
    static constexpr int64_t PIPELINE_PS = 400000;

    PacketPortTraceTest() : PacketStar(PIPELINE_PS)
    {
        m_switch->AddStation(Mac48Address::ConvertFrom(m_hosts[1]->GetAddress()), 1);
    }
};

TEST_F(PacketPortTraceTest, APortSendsWhenThePacketHasPassedThePipeline)
{
    const AllTraces in(GetPort(0));
    const AllTraces out(GetPort(1));
    Send(0, m_hosts[1]->GetAddress());
    Simulator::Run();
    EXPECT_EQ(in.promiscSniffer.times, Times{HOP});
    EXPECT_TRUE(in.sniffer.times.empty()) << "it is not for the port";
    EXPECT_TRUE(in.macRx.times.empty());
    EXPECT_EQ(out.phyTxBegin.times, Times{HOP + PIPELINE_PS});
    EXPECT_EQ(out.promiscSniffer.times, Times{HOP + PIPELINE_PS});
    EXPECT_EQ(out.phyTxEnd.times, Times{HOP + PIPELINE_PS + PACKET_PS});
    EXPECT_EQ(m_received[1]->arrivals, Times{2 * HOP + PIPELINE_PS});
}

TEST_F(PacketPortTraceTest, AFullBufferIsAMacTxDropAfterThePipeline)
{
    m_switch->SetAttribute("BufferSize", UintegerValue(PACKET_BYTES - 1));
    const AllTraces out(GetPort(1));
    Send(0, m_hosts[1]->GetAddress());
    Simulator::Run();
    EXPECT_EQ(out.macTxDrop.times, Times{HOP + PIPELINE_PS});
    EXPECT_TRUE(out.phyTxBegin.times.empty());
}

/** A record of a pcap file. */
struct PcapRecord
{
    uint32_t nanoseconds;
    uint32_t bytes;

    bool operator==(const PcapRecord&) const = default;

    friend std::ostream&
    operator<<(std::ostream& out, const PcapRecord& record)
    {
        return out << record.bytes << " bytes at " << record.nanoseconds << " ns";
    }
};

std::vector<PcapRecord>
ReadPcap(const std::string& name)
{
    PcapFile file;
    file.Open(name, std::ios::in | std::ios::binary);
    EXPECT_FALSE(file.Fail()) << name;
    std::vector<PcapRecord> records;
    std::array<uint8_t, 2000> bytes{};
    while (true)
    {
        uint32_t seconds = 0;
        uint32_t included = 0;
        uint32_t original = 0;
        PcapRecord record{};
        file.Read(bytes.data(),
                  bytes.size(),
                  seconds,
                  record.nanoseconds,
                  included,
                  original,
                  record.bytes);
        if (file.Fail())
        {
            return records;
        }
        EXPECT_EQ(seconds, 0U);
        records.push_back(record);
    }
}

TEST(PacketPcapTest, AFileHasPacketsAndFramesInTheOrderOfTime)
{
    const std::string name =
        (std::filesystem::path(testing::TempDir()) / "packets-and-frames.pcap").string();
    {
        const FreshSimulator simulator;
        InaLinkHelper links(ina::wire::Format::dsa);
        links.SetDeviceAttribute("Packets", BooleanValue(true));
        const NetDeviceContainer devices = links.Install(NodeContainer(2));
        links.EnablePcap(name, devices.Get(1), false, true);
        const auto left = DynamicCast<InaNetDevice>(devices.Get(0));
        left->PutFrame(MakeFrame(0), 0);
        left->Send(MakePacket(), devices.Get(1)->GetAddress(), PROTOCOL);
        left->PutFrame(MakeFrame(1), 0);
        devices.Get(1)->Send(MakePacket(1000), left->GetAddress(), PROTOCOL);
        Simulator::Run();
    } // destroys the device and closes its file
    EXPECT_EQ(ReadPcap(name),
              (std::vector<PcapRecord>{{0, 1000},
                                       {2524, GRADIENT_BYTES},
                                       {2644, PACKET_BYTES},
                                       {2668, GRADIENT_BYTES}}));
}

/** Sends packets while the device accepts them, like a queue disc. */
class Backlog
{
  public:
    Backlog(const TestLink& link, int packets) :
        m_link(link),
        m_queue(link.left->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0)),
        m_left(packets)
    {
        m_queue->SetWakeCallback(MakeCallback(&Backlog::Run, this));
    }

    void
    Run()
    {
        while (m_left > 0 && !m_queue->IsStopped())
        {
            --m_left;
            EXPECT_TRUE(m_link.left->Send(MakePacket(), m_link.right->GetAddress(), PROTOCOL));
        }
    }

    Ptr<NetDeviceQueue>
    Queue() const
    {
        return m_queue;
    }

    int
    Left() const
    {
        return m_left;
    }

  private:
    TestLink m_link;
    Ptr<NetDeviceQueue> m_queue;
    int m_left;
};

TEST_P(PacketTraceTest, AFullTxQueueStopsWhoSendsUntilThereIsRoom)
{
    constexpr int PACKETS = 30;
    LimitTxQueue("2p");
    Backlog backlog(m_link, PACKETS);
    backlog.Run();
    EXPECT_TRUE(backlog.Queue()->IsStopped());
    EXPECT_EQ(backlog.Left(), PACKETS - 6) << "four are on the line, two in the queue";
    Simulator::Run();
    EXPECT_EQ(backlog.Left(), 0);
    EXPECT_FALSE(backlog.Queue()->IsStopped());
    EXPECT_TRUE(m_left->macTxDrop.times.empty());
    ASSERT_EQ(m_received->arrivals.size(), std::size_t{PACKETS});
    EXPECT_EQ(m_received->arrivals.back(), PACKETS * PACKET_PS + DELAY_PS)
        << "the line is never idle";
}

TEST_P(PacketTraceTest, TheTxQueueCountsForQueueLimits)
{
    constexpr int PACKETS = 30;
    Backlog backlog(m_link, PACKETS);
    backlog.Queue()->SetQueueLimits(CreateObject<DynamicQueueLimits>());
    backlog.Run();
    Simulator::Run();
    EXPECT_EQ(backlog.Left(), 0);
    EXPECT_EQ(m_received->arrivals.size(), std::size_t{PACKETS});
}

TEST_P(PacketTraceTest, AQueueShorterThanAPacketStopsNobodyForEver)
{
    LimitTxQueue("1000B");
    const auto queue = m_link.left->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0);
    EXPECT_FALSE(Send());
    EXPECT_FALSE(queue->IsStopped());
    EXPECT_TRUE(Send(1000));
    Simulator::Run();
    EXPECT_FALSE(queue->IsStopped());
}

} // namespace
} // namespace ns3
