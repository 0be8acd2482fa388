/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_FLOW_TRAFFIC_H
#define INA_FLOW_TRAFFIC_H

#include "ina-traffic-application.h"
#include "ina-traffic.h"

#include "ns3/ina-host-interface.h"

#include <map>

namespace ns3
{

/**
 * \ingroup ina-traffic
 * Traffic as frames that switches forward like those of jobs: flows with the congestion control of
 * TCP, and datagrams. A packet-hop costs a fraction of one of InaStackTraffic, and switches and
 * hosts of jobs run as fast as without traffic.
 */
class InaFlowTraffic : public InaTraffic, private ina::cluster::traffic::FlowObserver
{
  public:
    static TypeId GetTypeId();

    /** Sets how all flows are sent. Call this before AddHost(). */
    void
    SetHosts(const ina::cluster::traffic::TrafficHost::Config& config)
    {
        m_config = config;
    }

    /** Adds the traffic of the machine with this number, and the address `machine`, which shares
     * the device of `interface`. */
    void AddHost(uint32_t machine, Ptr<InaNetDevice> device, Ptr<InaHostInterface> interface);

  protected:
    void StartFlow(const ina::cluster::traffic::Flow& flow) override;
    void StopHosts() override;
    bool HasHost(uint32_t machine) const override;
    void DoDispose() override;

  private:
    void received(uint64_t flow, uint64_t bytes, ina::Time now) override;

    ina::cluster::traffic::TrafficHost::Config m_config;
    std::map<uint32_t, Ptr<InaTrafficApplication>> m_hosts; //!< by machine
};

} // namespace ns3

#endif // INA_FLOW_TRAFFIC_H
