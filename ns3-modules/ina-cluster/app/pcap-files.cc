/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "pcap-files.h"

#include "ns3/ina-frame-pcap.h"

#include <fmt/format.h>

#include <stdexcept>

namespace ns3
{

PcapFiles::PcapFiles(ina::wire::Format format) : m_format(format) {}

void
PcapFiles::Enable(const std::filesystem::path& folder, const InaCluster& cluster)
{
    for (const InaClusterLink& link : cluster.links)
    {
        const std::filesystem::path path = folder / (link.name + ".pcap");
        const Ptr<PcapFileWrapper> file = InaOpenFramePcap(path);
        if (file->Fail())
        {
            throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
        }
        m_files.push_back({path, file});
        InaWriteFrames(*link.host, file, m_format);
    }
}

void
PcapFiles::Close()
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
