/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-frame-pcap.h"

#include "hw/protocol/wire/codec.hpp"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/simulator.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t LINK_TYPE_ETHERNET = 1;

void
WriteFrame(Ptr<PcapFileWrapper> file, ina::wire::Format format, const ina::Frame& frame)
{
    if (frame.job == ina::kNoJob)
    {
        return; // no format describes background traffic
    }
    NS_ABORT_MSG_IF(frame.bytes < ina::frame_bytes(format, 0),
                    "a pcap file received a frame of "
                        << frame.bytes << " bytes, shorter than its headers: set Frame::bytes to "
                        << "ina::frame_bytes()");
    std::vector<std::byte> bytes(frame.bytes);
    NS_ABORT_MSG_IF(frame.fields.index() != ina::wire::fields_of(format).index(),
                    "a pcap file of an InaLinkHelper received a frame whose packet format is not "
                    "the one passed to its constructor");
    const std::size_t size = ina::wire::encode(format, frame, bytes);
    file->Write(Simulator::Now(),
                reinterpret_cast<const uint8_t*>(bytes.data()),
                static_cast<uint32_t>(size));
}

void
WritePacket(Ptr<PcapFileWrapper> file, Ptr<const Packet> packet)
{
    file->Write(Simulator::Now(), packet);
}

} // namespace

Ptr<PcapFileWrapper>
InaOpenFramePcap(const std::filesystem::path& path)
{
    const auto file = CreateObject<PcapFileWrapper>();
    file->SetAttribute("NanosecMode", BooleanValue(true));
    file->Open(path.string(), std::ios::out | std::ios::binary);
    if (!file->Fail())
    {
        file->Init(LINK_TYPE_ETHERNET);
    }
    return file;
}

void
InaWriteFrames(InaNetDevice& device, Ptr<PcapFileWrapper> file, ina::wire::Format format)
{
    for (const char* trace : {"Tx", "Rx"})
    {
        device.TraceConnectWithoutContext(trace, MakeBoundCallback(&WriteFrame, file, format));
    }
    device.TraceConnectWithoutContext("PromiscSniffer", MakeBoundCallback(&WritePacket, file));
}

} // namespace ns3
