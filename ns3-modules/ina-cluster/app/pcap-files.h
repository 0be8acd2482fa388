/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_PCAP_FILES_H
#define INA_PCAP_FILES_H

#include "hw/protocol/wire/format.hpp"

#include "ns3/ina-cluster-helper.h"
#include "ns3/pcap-file-wrapper.h"

#include <filesystem>
#include <vector>

namespace ns3
{

/**
 * Writes the frames that each host sends and receives, as they would be on the wire, to one pcap
 * file per host, such as "host3.pcap". A timestamp, in nanoseconds, is the time when a frame enters
 * the egress queue or has arrived. Values that simulated frames do not carry are zeros.
 */
class PcapFiles
{
  public:
    explicit PcapFiles(ina::wire::Format format);

    /** Opens the files in `folder`, which must exist. Throws std::runtime_error if a file cannot be
     * written. */
    void Enable(const std::filesystem::path& folder, const InaCluster& cluster);

    /** Closes the files after the run. Throws std::runtime_error if a file could not be written
     * completely. */
    void Close();

  private:
    struct OpenFile
    {
        std::filesystem::path path;
        Ptr<PcapFileWrapper> file;
    };

    ina::wire::Format m_format;
    std::vector<OpenFile> m_files;
};

} // namespace ns3

#endif // INA_PCAP_FILES_H
