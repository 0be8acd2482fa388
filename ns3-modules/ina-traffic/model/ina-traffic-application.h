/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_TRAFFIC_APPLICATION_H
#define INA_TRAFFIC_APPLICATION_H

#include "hw/cluster/traffic/traffic_host.hpp"

#include "ns3/ina-host-application.h"

#include <optional>

namespace ns3
{

/**
 * \ingroup ina-traffic
 * Application that sends and receives the background traffic of one host
 * (ina::cluster::traffic::TrafficHost). It shares the device with the host's workers and servers.
 */
class InaTrafficApplication : public InaHostApplication
{
  public:
    static TypeId GetTypeId();

    /** Installs the traffic of the host with this address. Call Share() first. `observer` must
     * outlive the traffic. */
    void Install(Ptr<InaNetDevice> device,
                 ina::HostId address,
                 const ina::cluster::traffic::TrafficHost::Config& config,
                 ina::cluster::traffic::FlowObserver& observer);

    /** Calls `use(host)` with the host's traffic, and sends what it has to send. */
    template <class Use>
    void
    With(Use&& use)
    {
        use(*m_host);
        SendAll(Simulator::Now().GetTimeStep());
    }

    void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) override;

  protected:
    void DoDispose() override;
    bool SendOne(int64_t ts) override;
    void Expire(int64_t ts) override;

  private:
    void SendAll(int64_t ts);

    std::optional<ina::cluster::traffic::TrafficHost> m_host;
};

} // namespace ns3

#endif // INA_TRAFFIC_APPLICATION_H
