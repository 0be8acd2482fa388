/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-link-helper.h"

#include "ina-frame-pcap.h"

#include "hw/cluster/faults/link_faults.hpp"

#include "ns3/abort.h"
#include "ns3/config.h"
#include "ns3/ina-channel.h"
#include "ns3/ina-net-device.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <iomanip>
#include <sstream>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaLinkHelper");

namespace
{

/// Characters for the events of these trace sources.
constexpr std::pair<const char*, char> EVENTS[] = {{"Tx", '+'},
                                                   {"Rx", 'r'},
                                                   {"Drop", 'd'},
                                                   {"Lost", 'd'},
                                                   {"Corrupted", 'd'}};

constexpr int PICOSECOND_DIGITS = 12; // resolution of seconds

void
WriteFields(std::ostream& out, const ina::AggregatorFields& fields)
{
    out << " aggregator " << fields.index << " bitmap 0x" << std::hex << fields.bitmap0 << std::dec;
}

void
WriteFields(std::ostream& out, const ina::SwitchmlFields& fields)
{
    out << " slot " << fields.slot << " version " << fields.version;
}

void
WriteFields(std::ostream& out, const ina::FlowFields& fields)
{
    out << " sequence " << fields.sequence;
}

void
WriteLine(std::ostream& out, char event, const std::string& path, const ina::Frame& frame)
{
    std::ostringstream line; // keeps the format of the other stream
    line << event << ' ' << std::fixed << std::setprecision(PICOSECOND_DIGITS)
         << Simulator::Now().GetSeconds() << ' ' << path << (path.empty() ? "" : " ");
    if (frame.job == ina::kNoJob)
    {
        line << "traffic flow " << frame.psn;
    }
    else
    {
        line
            << ina::faults::kFrameClassNames[static_cast<std::size_t>(ina::faults::class_of(frame))]
            << " job " << frame.job << " PSN " << frame.psn;
    }
    std::visit([&line](const auto& fields) { WriteFields(line, fields); }, frame.fields);
    line << " from " << frame.source << " to " << frame.destination << ' ' << frame.bytes
         << " bytes";
    out << line.str() << std::endl;
}

void
WriteEvent(Ptr<OutputStreamWrapper> stream, char event, const ina::Frame& frame)
{
    WriteLine(*stream->GetStream(), event, "", frame);
}

void
WriteEventOf(Ptr<OutputStreamWrapper> stream, char event, std::string path, const ina::Frame& frame)
{
    WriteLine(*stream->GetStream(), event, path, frame);
}

} // namespace

InaLinkHelper::InaLinkHelper(ina::wire::Format format) : m_format(format)
{
    m_deviceFactory.SetTypeId(InaNetDevice::GetTypeId());
    m_channelFactory.SetTypeId(InaChannel::GetTypeId());
}

void
InaLinkHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_deviceFactory.Set(name, value);
}

void
InaLinkHelper::SetChannelAttribute(const std::string& name, const AttributeValue& value)
{
    m_channelFactory.Set(name, value);
}

NetDeviceContainer
InaLinkHelper::Install(Ptr<Node> one, Ptr<Node> other) const
{
    NS_LOG_FUNCTION(this << one << other);
    NS_ABORT_MSG_UNLESS(one && other, "InaLinkHelper::Install() needs two nodes");
    const auto channel = m_channelFactory.Create<InaChannel>();
    NetDeviceContainer devices;
    for (const auto& node : {one, other})
    {
        const auto device = m_deviceFactory.Create<InaNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        node->AddDevice(device);
        device->Attach(channel);
        devices.Add(device);
    }
    return devices;
}

NetDeviceContainer
InaLinkHelper::Install(const NodeContainer& nodes) const
{
    NS_ABORT_MSG_UNLESS(nodes.GetN() == 2, "a link connects two nodes: found " << nodes.GetN());
    return Install(nodes.Get(0), nodes.Get(1));
}

void
InaLinkHelper::EnablePcapInternal(std::string prefix,
                                  Ptr<NetDevice> device,
                                  bool,
                                  bool explicitFilename)
{
    const auto ours = DynamicCast<InaNetDevice>(device);
    if (!ours)
    {
        NS_LOG_INFO("device " << device << " is no InaNetDevice");
        return;
    }
    const std::string name =
        explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, device);
    const Ptr<PcapFileWrapper> file = InaOpenFramePcap(name);
    NS_ABORT_MSG_IF(file->Fail(), name << ": cannot be written");
    InaWriteFrames(*ours, file, m_format);
}

void
InaLinkHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                   std::string prefix,
                                   Ptr<NetDevice> device,
                                   bool explicitFilename)
{
    const auto ours = DynamicCast<InaNetDevice>(device);
    if (!ours)
    {
        NS_LOG_INFO("device " << device << " is no InaNetDevice");
        return;
    }
    if (stream) // a file for several devices: with paths that distinguish them
    {
        for (const auto& [trace, event] : EVENTS)
        {
            std::ostringstream path;
            path << "/NodeList/" << device->GetNode()->GetId() << "/DeviceList/"
                 << device->GetIfIndex() << "/$ns3::InaNetDevice/" << trace;
            Config::Connect(path.str(), MakeBoundCallback(&WriteEventOf, stream, event));
        }
        return;
    }
    AsciiTraceHelper files;
    const auto file = files.CreateFileStream(
        explicitFilename ? prefix : files.GetFilenameFromDevice(prefix, device));
    for (const auto& [trace, event] : EVENTS)
    {
        ours->TraceConnectWithoutContext(trace, MakeBoundCallback(&WriteEvent, file, event));
    }
}

} // namespace ns3
