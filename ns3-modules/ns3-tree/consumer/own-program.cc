/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// A custom switch program: it answers the hosts with the maximum of their values.

#include "switch-models/programs/switch_program.hpp"

#include "ns3/ina-link-helper.h"
#include "ns3/ina-net-device.h"
#include "ns3/ina-switch-helper.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <bit>
#include <iostream>
#include <limits>
#include <map>
#include <utility>
#include <vector>

using namespace ns3;

constexpr uint16_t HOSTS = 3;
constexpr ina::JobId JOB = 0;

class MaximumProgram : public ina::programs::SwitchProgram
{
  public:
    explicit MaximumProgram(std::size_t width) : m_width(width) {}

    /** InaSwitch checks that each gradient has this many values. */
    std::size_t
    width() const override
    {
        return m_width;
    }

    ina::rmt::Verdict
    process(ina::Frame& frame, ina::Time) override
    {
        const uint16_t workers = job_entry(frame.job).workers;
        if (workers == 0)
        {
            return reject(); // the job is unknown
        }
        if (frame.kind != ina::FrameKind::gradient)
        {
            return ina::programs::forward(frame);
        }
        Fragment& fragment = m_fragments[{frame.job, frame.psn}];
        fragment.largest.resize(m_width, std::numeric_limits<int32_t>::min());
        std::ranges::transform(fragment.largest,
                               frame.values.span().first(m_width),
                               fragment.largest.begin(),
                               [](int32_t one, int32_t other) { return std::max(one, other); });
        fragment.workers |= 1U << frame.worker;
        if (std::popcount(fragment.workers) < workers)
        {
            return ina::rmt::kDrop; // the frame stays here
        }
        // Other frames may refer to the same values.
        frame.values = std::move(frame.values).into_unique();
        std::ranges::copy(fragment.largest, frame.values.data());
        frame.kind = ina::FrameKind::result;
        frame.destination = ina::kAllWorkers;
        m_fragments.erase({frame.job, frame.psn});
        return ina::rmt::kMulticast;
    }

  private:
    struct Fragment
    {
        std::vector<int32_t> largest; //!< maximum of each value
        uint32_t workers{0};          //!< bit mask of workers whose gradient has arrived
    };

    std::size_t m_width;
    std::map<std::pair<ina::JobId, ina::Psn>, Fragment> m_fragments;
};

int
main()
{
    Time::SetResolution(Time::PS);
    ina::ValuePool pool(ina::wire::kFragmentValues);
    InaSwitchHelper switches;
    switches.SetProgram<MaximumProgram>(pool.count());
    const Ptr<InaSwitch> inaSwitch = switches.Install(CreateObject<Node>());
    const NetDeviceContainer devices =
        InaSwitchHelper::Connect(inaSwitch,
                                 NodeContainer(HOSTS),
                                 InaLinkHelper(ina::wire::Format::dsa));
    inaSwitch->GetProgram().install_job(JOB, {.workers = HOSTS, .servers = {}});
    inaSwitch->SetGroup(JOB, {0, 1, 2});

    uint32_t rightResults = 0;
    const auto isLargest = [](int32_t value) { return value == 10 * HOSTS; };
    for (uint16_t host = 0; host < HOSTS; ++host)
    {
        const auto device = DynamicCast<InaNetDevice>(devices.Get(host));
        device->SetFrameReceiveCallback(InaNetDevice::FrameCallback(
            [&](Ptr<InaNetDevice>, ina::Frame& result)
            { rightResults += std::ranges::all_of(result.values.span(), isLargest) ? 1 : 0; }));
        ina::Frame frame;
        frame.job = JOB;
        frame.worker = host;
        frame.bytes = ina::frame_bytes(ina::wire::Format::dsa, pool.count());
        frame.values = pool.take();
        std::fill_n(frame.values.data(), pool.count(), 10 * (host + 1));
        device->SendFrame(frame);
    }
    Simulator::Run();
    Simulator::Destroy();

    std::cout << rightResults << " hosts have the largest values" << std::endl;
    return rightResults == HOSTS ? 0 : 1;
}
