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
 * Opens a pcap file of Ethernet frames with nanosecond timestamps. Throws std::runtime_error if it
 * cannot be written.
 */
Ptr<PcapFileWrapper> InaOpenFramePcap(const std::filesystem::path& path);

/**
 * \ingroup ina-network
 * Writes everything that a device sends and receives from now on, in the order of timestamps.
 * Frames are written in the wire format `format`. Their timestamp is the time at which they enter
 * the egress queue or have arrived; that of ns-3's packets (PromiscSniffer) is the time at which
 * their first bit leaves or they have arrived. Values that simulated frames do not carry are zeros.
 */
void InaWriteFrames(InaNetDevice& device, Ptr<PcapFileWrapper> file, ina::wire::Format format);

} // namespace ns3

#endif // INA_FRAME_PCAP_H
