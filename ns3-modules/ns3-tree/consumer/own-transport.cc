/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// A custom transport: workers of a plain parameter server use stop-and-wait. One frame is lost.

#include "hw/protocol/transport/windowed_worker.hpp"

#include "ns3/ina-host-helper.h"
#include "ns3/ina-link-faults.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-switch-helper.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <vector>

using namespace ns3;

constexpr uint32_t FRAGMENTS = 100;

/** Keeps one packet in flight. The base class makes packets and timeouts as for all systems. */
class StopAndWait : public ina::WindowedWorker
{
  public:
    StopAndWait(const ina::WorkerIdentity& identity, ina::ValuePool& pool, ina::ResultSink& sink) :
        WindowedWorker(identity,
                       ina::frame_bytes(ina::wire::Format::ps, pool.count()),
                       ina::RtoEstimator(std::chrono::microseconds(100)),
                       pool,
                       sink)
    {
    }

    uint32_t
    window() const override
    {
        return 1;
    }

    void
    receive(const ina::Frame& frame, ina::Time now) override
    {
        receive_by_kind(frame, [&]() { deliver(frame, hold_of(window()), now); });
    }

    bool
    next(ina::Frame& out, ina::Time now) override
    {
        if (next_pending(out, now)) // a retransmission
        {
            return true;
        }
        const ina::Tensor* const tensor = next_within(window());
        if (tensor != nullptr)
        {
            send_next(*tensor, out, now);
        }
        return tensor != nullptr;
    }

  private:
    void
    make_retransmission(ina::Psn psn, ina::Frame& out, ina::Time now) override
    {
        send_gradient(psn, out, now);
        out.set(ina::flag::resend);
    }
};

/** The gradient of all workers, and a count of correct sums. */
class Worker : public ina::GradientSource, public ina::ResultSink
{
  public:
    void
    read(ina::Psn psn, std::span<int32_t> out) const override
    {
        std::ranges::fill(out, static_cast<int32_t>(psn));
    }

    void
    fragment_complete(const ina::Frame& result, const ina::Delivery&, ina::Time) override
    {
        rightSums += result.values.data()[0] == static_cast<int32_t>(2 * result.psn) ? 1 : 0;
    }

    void
    tensor_complete(ina::Psn, ina::Time) override
    {
    }

    uint32_t rightSums{0};
};

int
main()
{
    Time::SetResolution(Time::PS);
    ina::ValuePool pool(ina::wire::kFragmentValues);
    const Ptr<InaSwitch> inaSwitch = InaSwitchHelper().Install(CreateObject<Node>());
    const NodeContainer nodes(3); // two workers and the server
    const NetDeviceContainer devices =
        InaSwitchHelper::Connect(inaSwitch, nodes, InaLinkHelper(ina::wire::Format::ps));
    const InaJob job{.id = 0, .workers = {0, 1}, .servers = {2}};
    const InaHostHelper hosts(ObjectFactory("ns3::InaPsSystem").Create<InaSystem>(), pool);
    hosts.InstallJob(inaSwitch, job);
    hosts.InstallServers(job, nodes.Get(2), FRAGMENTS);

    const auto faults = CreateObject<InaLinkFaults>();
    faults->SetLostFrames({10}); // a frame of worker 0
    DynamicCast<InaNetDevice>(devices.Get(0))->AddFaults(faults);

    Worker worker;
    ina::Tensor tensor;
    tensor.fragments = FRAGMENTS;
    tensor.source = &worker;
    std::vector<Ptr<InaWorkerApplication>> applications;
    for (uint16_t rank = 0; rank < 2; ++rank)
    {
        const auto application = CreateObject<InaWorkerApplication>();
        nodes.Get(rank)->AddApplication(application);
        application->Install<StopAndWait>(
            DynamicCast<InaNetDevice>(devices.Get(rank)),
            ina::WorkerIdentity{.rank = rank, .workers = 2, .host = rank, .servers = 2},
            pool,
            worker);
        Simulator::Schedule(Time(0), &InaWorkerApplication::Submit, application, tensor);
        applications.push_back(application);
    }
    Simulator::Run();
    const uint64_t resent = applications[0]->GetStatistics().retransmissions;
    Simulator::Destroy();

    std::cout << worker.rightSums << " sums are right; worker 0 sent " << resent
              << " of its packets again" << std::endl;
    return worker.rightSums == 2 * FRAGMENTS && resent == 1 ? 0 : 1;
}
