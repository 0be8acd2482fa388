/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-pcap-helper.h"

#include "hw/protocol/wire/codec.hpp"

#include "ns3/boolean.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/simulator.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr uint32_t LINK_TYPE_ETHERNET = 1;
constexpr std::size_t LARGEST_FRAME = 1500;

void
Write(Ptr<PcapFileWrapper> file, ina::wire::Protocol protocol, const ina::Frame& frame)
{
    std::array<std::byte, LARGEST_FRAME> bytes;
    const std::size_t size = ina::wire::encode(protocol, frame, bytes);
    file->Write(Simulator::Now(),
                reinterpret_cast<const uint8_t*>(bytes.data()),
                static_cast<uint32_t>(size));
}

} // namespace

InaPcapHelper::InaPcapHelper(ina::wire::Protocol protocol) : m_protocol(protocol) {}

void
InaPcapHelper::EnablePcap(const std::filesystem::path& folder, const Cluster& cluster)
{
    for (const ClusterLink& link : cluster.links)
    {
        const std::filesystem::path path = folder / (link.name + ".pcap");
        const auto file = CreateObject<PcapFileWrapper>();
        file->SetAttribute("NanosecMode", BooleanValue(true));
        file->Open(path.string(), std::ios::out | std::ios::binary);
        if (file->Fail())
        {
            throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
        }
        file->Init(LINK_TYPE_ETHERNET);
        m_files.push_back({path, file});
        for (const char* trace : {"Tx", "Rx"})
        {
            link.host->TraceConnectWithoutContext(trace,
                                                  MakeBoundCallback(&Write, file, m_protocol));
        }
    }
}

void
InaPcapHelper::Close()
{
    for (const OpenFile& open : m_files)
    {
        open.file->Close();
        if (open.file->Fail())
        {
            throw std::runtime_error(
                fmt::format("{}: cannot be written to its end", open.path.string()));
        }
    }
    m_files.clear();
}

} // namespace ns3
