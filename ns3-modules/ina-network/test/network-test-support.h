/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_NETWORK_TEST_SUPPORT_H
#define INA_NETWORK_TEST_SUPPORT_H

#include "ns3/data-rate.h"
#include "ns3/global-value.h"
#include "ns3/ina-channel.h"
#include "ns3/ina-host-stage.h"
#include "ns3/ina-net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/** All simulator implementations that must give the same results. */
inline const std::array<const char*, 2> SIMULATORS{"ns3::InaSimulatorImpl",
                                                   "ns3::DefaultSimulatorImpl"};

/** Name of a simulator's class without "ns3::", for the names of tests. */
inline std::string
NameOfSimulator(const testing::TestParamInfo<const char*>& info)
{
    return std::string(info.param).substr(5);
}

/** Configures an empty simulation in picoseconds. The destructor ends the simulation. */
class FreshSimulator
{
  public:
    explicit FreshSimulator(const std::string& implementation = SIMULATORS[0])
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        GlobalValue::Bind("SimulatorImplementationType", StringValue(implementation));
    }

    ~FreshSimulator()
    {
        Simulator::Destroy();
    }

    FreshSimulator(const FreshSimulator&) = delete;
    FreshSimulator& operator=(const FreshSimulator&) = delete;
};

inline Time
Picoseconds(int64_t ps)
{
    return TimeStep(static_cast<uint64_t>(ps));
}

constexpr uint16_t GRADIENT_BYTES = 306; // 24.48 ns at 100 Gbps
constexpr int64_t GRADIENT_PS = 24480;
constexpr int64_t DELAY_PS = 2500000;

inline ina::Frame
MakeFrame(ina::Psn psn, ina::HostId destination = 0, uint16_t bytes = GRADIENT_BYTES)
{
    ina::Frame frame;
    frame.psn = psn;
    frame.destination = destination;
    frame.bytes = bytes;
    return frame;
}

/** Time and PSN of a frame that arrived. */
struct Arrival
{
    int64_t ts;
    ina::Psn psn;

    bool operator==(const Arrival&) const = default;

    friend std::ostream&
    operator<<(std::ostream& out, const Arrival& arrival)
    {
        return out << "PSN " << arrival.psn << " at " << arrival.ts << " ps";
    }
};

/** Receives and records frames. */
class Recorder : public InaFrameHandler
{
  public:
    void
    HandleFrame(InaNetDevice&, ina::Frame& frame, int64_t ts) override
    {
        m_arrivals.push_back({ts, frame.psn});
        m_frames.push_back(frame);
        m_clocks.push_back(Simulator::Now().GetTimeStep());
    }

    const std::vector<Arrival>&
    Arrivals() const
    {
        return m_arrivals;
    }

    const std::vector<ina::Frame>&
    Frames() const
    {
        return m_frames;
    }

    /** The simulator's clock at each arrival. */
    const std::vector<int64_t>&
    Clocks() const
    {
        return m_clocks;
    }

  private:
    std::vector<Arrival> m_arrivals;
    std::vector<ina::Frame> m_frames;
    std::vector<int64_t> m_clocks;
};

/** A link between two nodes. */
struct TestLink
{
    Ptr<InaNetDevice> left;
    Ptr<InaNetDevice> right;

    static Ptr<InaNetDevice>
    AddDevice(Ptr<Node> node,
              Ptr<InaChannel> channel,
              const std::string& rate,
              uint32_t framingBytes)
    {
        const auto device = CreateObject<InaNetDevice>();
        device->SetAttribute("DataRate", DataRateValue(DataRate(rate)));
        device->SetAttribute("FramingBytes", UintegerValue(framingBytes));
        node->AddDevice(device);
        device->Attach(channel);
        return device;
    }

    explicit TestLink(const std::string& rate = "100Gbps",
                      int64_t delayPs = DELAY_PS,
                      uint32_t framingBytes = 0,
                      Ptr<Node> leftNode = CreateObject<Node>(),
                      Ptr<Node> rightNode = CreateObject<Node>())
    {
        const auto channel = CreateObject<InaChannel>();
        channel->SetAttribute("Delay", TimeValue(Picoseconds(delayPs)));
        left = AddDevice(leftNode, channel, rate, framingBytes);
        right = AddDevice(rightNode, channel, rate, framingBytes);
    }
};

constexpr uint64_t STAGE_SEED = 1;

/** Gives the device an InaHostStage, in which frames and packets take time. */
inline void
SetHostStage(const Ptr<InaNetDevice>& device, const ina::cluster::HostStage::Config& config)
{
    const auto stage = CreateObject<InaHostStage>();
    stage->Configure(config, STAGE_SEED);
    device->SetAttribute("HostStage", PointerValue(stage));
}

} // namespace ns3

#endif // INA_NETWORK_TEST_SUPPORT_H
