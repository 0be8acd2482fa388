/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "network-test-support.h"

#include "hw/protocol/wire/codec.hpp"

#include "ns3/ina-link-helper.h"
#include "ns3/pcap-file.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

namespace ns3
{
namespace
{

std::vector<std::string>
LinesOf(std::istream& in)
{
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

class LinkHelperTest : public testing::Test
{
  protected:
    FreshSimulator m_fresh;
    InaLinkHelper m_helper{ina::wire::Format::dsa};
    NodeContainer m_nodes{2};
    std::filesystem::path m_folder{testing::TempDir()};

    /** Path of a file in the folder of the test. */
    std::string
    File(const std::string& name) const
    {
        return (m_folder / ("link-helper-" + name)).string();
    }

    /** Sends a frame from the first to the second device, which has the number 7. */
    static void
    SendOne(const NetDeviceContainer& devices)
    {
        const auto sender = DynamicCast<InaNetDevice>(devices.Get(0));
        ina::Frame frame = MakeFrame(7, 1);
        frame.aggregator().bitmap0 = 0x12;
        sender->PutFrame(std::move(frame), 0);
    }
};

TEST_F(LinkHelperTest, ItsAttributesAreThoseOfTheLink)
{
    m_helper.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    m_helper.SetChannelAttribute("Delay", StringValue("1us"));
    const NetDeviceContainer devices = m_helper.Install(m_nodes);
    Recorder recorder;
    DynamicCast<InaNetDevice>(devices.Get(1))->SetHandler(&recorder);
    SendOne(devices);
    Simulator::Run();
    EXPECT_EQ(recorder.Arrivals(), (std::vector<Arrival>{{10 * GRADIENT_PS + 1'000'000, 7}}));
}

TEST_F(LinkHelperTest, ALinkJoinsItsTwoNodes)
{
    const NetDeviceContainer devices = m_helper.Install(m_nodes);
    ASSERT_EQ(devices.GetN(), 2U);
    for (uint32_t i = 0; i < 2; ++i)
    {
        EXPECT_EQ(devices.Get(i)->GetNode(), m_nodes.Get(i));
        EXPECT_EQ(devices.Get(i)->GetChannel(), devices.Get(0)->GetChannel());
    }
}

TEST_F(LinkHelperTest, AnAsciiTraceOfOneDeviceTellsWhatItSendsAndTakes)
{
    const NetDeviceContainer devices = m_helper.Install(m_nodes);
    m_helper.EnableAscii(File("one.tr"), devices.Get(1), true);
    SendOne(devices);
    Simulator::Run();
    std::ifstream trace(File("one.tr"));
    EXPECT_EQ(LinesOf(trace),
              (std::vector<std::string>{"r 0.000002524480 gradient job 0 PSN 7 aggregator 0 "
                                        "bitmap 0x12 from 0 to 1 306 bytes"}));
}

TEST_F(LinkHelperTest, AnAsciiTraceOfAllDevicesNamesTheDevice)
{
    const NetDeviceContainer devices = m_helper.Install(m_nodes);
    std::ostringstream trace;
    m_helper.EnableAsciiAll(Create<OutputStreamWrapper>(&trace));
    SendOne(devices);
    Simulator::Run();
    std::istringstream in(trace.str());
    const std::vector<std::string> lines = LinesOf(in);
    ASSERT_EQ(lines.size(), 2U);
    const auto start = [&](std::size_t i, const char* event)
    {
        std::ostringstream text;
        text << event << " /NodeList/" << m_nodes.Get(static_cast<uint32_t>(i))->GetId()
             << "/DeviceList/0/$ns3::InaNetDevice/" << (i == 0 ? "Tx" : "Rx") << " gradient job 0";
        return text.str();
    };
    EXPECT_EQ(lines[0].rfind(start(0, "+ 0.000000000000"), 0), 0U) << lines[0];
    EXPECT_EQ(lines[1].rfind(start(1, "r 0.000002524480"), 0), 0U) << lines[1];
}

TEST_F(LinkHelperTest, AnAsciiTraceTellsWhatIsDropped)
{
    const NetDeviceContainer devices = m_helper.Install(m_nodes);
    m_helper.EnableAscii(File("drop.tr"), devices.Get(0), true);
    DynamicCast<InaNetDevice>(devices.Get(0))->CountDrop(MakeFrame(3), 0);
    std::ifstream trace(File("drop.tr"));
    const std::vector<std::string> lines = LinesOf(trace);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].substr(0, 17), "d 0.000000000000 ");
}

TEST_F(LinkHelperTest, APcapFileHasTheBytesOfTheProtocolAndTheTimeInNanoseconds)
{
    {
        const NetDeviceContainer devices = m_helper.Install(m_nodes);
        m_helper.EnablePcap(File("one.pcap"), devices.Get(1), false, true);
        SendOne(devices);
        Simulator::Run();
        Simulator::Destroy();
    } // destroys the device and closes its file

    PcapFile file;
    file.Open(File("one.pcap"), std::ios::in | std::ios::binary);
    ASSERT_FALSE(file.Fail());
    EXPECT_TRUE(file.IsNanoSecMode());
    std::array<uint8_t, 400> bytes{};
    uint32_t seconds = 1;
    uint32_t nanoseconds = 0;
    uint32_t included = 0;
    uint32_t original = 0;
    uint32_t read = 0;
    file.Read(bytes.data(), bytes.size(), seconds, nanoseconds, included, original, read);
    EXPECT_EQ(seconds, 0U);
    EXPECT_EQ(nanoseconds, 2524U);
    EXPECT_EQ(read, GRADIENT_BYTES);
    ina::ValuePool pool(ina::wire::kFragmentValues);
    const auto frame = ina::wire::decode(ina::wire::Format::dsa,
                                         std::as_bytes(std::span(bytes).first(read)),
                                         pool);
    ASSERT_TRUE(frame.has_value());
    EXPECT_EQ(frame->psn, 7U);
    EXPECT_EQ(frame->aggregator().bitmap0, 0x12U);
}

TEST_F(LinkHelperTest, APcapFileHasFramesOfAnyLength)
{
    constexpr ina::wire::Format SWITCHML = ina::wire::Format::switchml;
    const uint16_t longest = ina::frame_bytes(SWITCHML, ina::wire::kSwitchmlValues.back());
    {
        InaLinkHelper helper(SWITCHML);
        const NetDeviceContainer devices = helper.Install(m_nodes);
        helper.EnablePcap(File("long.pcap"), devices.Get(1), false, true);
        ina::Frame frame = MakeFrame(7, 1, longest);
        frame.fields = ina::SwitchmlFields();
        DynamicCast<InaNetDevice>(devices.Get(0))->PutFrame(std::move(frame), 0);
        Simulator::Run();
        Simulator::Destroy();
    }
    constexpr std::size_t FILE_AND_PACKET_HEADER = 24 + 16;
    EXPECT_EQ(std::filesystem::file_size(File("long.pcap")), FILE_AND_PACKET_HEADER + longest);
}

TEST_F(LinkHelperTest, APcapFileRefusesAFrameThatIsShorterThanItsHeaders)
{
    const NetDeviceContainer devices = m_helper.Install(m_nodes);
    m_helper.EnablePcap(File("short.pcap"), devices.Get(1), false, true);
    DynamicCast<InaNetDevice>(devices.Get(0))->PutFrame(MakeFrame(7, 1, 10), 0);
    EXPECT_DEATH(Simulator::Run(), "a frame of 10 bytes, shorter than its headers");
}

TEST_F(LinkHelperTest, APcapFileThatCannotBeWrittenIsAnError)
{
    const NetDeviceContainer devices = m_helper.Install(m_nodes);
    EXPECT_DEATH(m_helper.EnablePcap(File("no-folder/one.pcap"), devices.Get(1), false, true),
                 "no-folder/one.pcap: cannot be written");
}

} // namespace
} // namespace ns3
