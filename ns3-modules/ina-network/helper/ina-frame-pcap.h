/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_FRAME_PCAP_H
#define INA_FRAME_PCAP_H

#include "hw/protocol/wire/format.hpp"

#include "ns3/ina-net-device.h"
#include "ns3/pcap-file-wrapper.h"

#include <filesystem>

namespace ns3
{

/**
 * \ingroup ina-network
 * Opens a pcap file for Ethernet frames with nanosecond timestamps. If the file cannot be written,
 * its Fail() is true.
 */
Ptr<PcapFileWrapper> InaOpenFramePcap(const std::filesystem::path& path);

/**
 * \ingroup ina-network
 * Writes the frames and packets that a device sends and receives from now on, by timestamp. Frames
 * have the wire format `format`; values that simulated frames do not carry are zeros. Timestamps of
 * received frames and packets are times of arrival. A sent frame has the time at which it enters
 * the egress queue. A sent packet (PromiscSniffer) has the time at which its first bit leaves.
 */
void InaWriteFrames(InaNetDevice& device, Ptr<PcapFileWrapper> file, ina::wire::Format format);

} // namespace ns3

#endif // INA_FRAME_PCAP_H
