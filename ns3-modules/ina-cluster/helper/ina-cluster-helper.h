/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_CLUSTER_HELPER_H
#define INA_CLUSTER_HELPER_H

#include "hw/protocol/values.hpp"

#include "ns3/ina-control-plane.h"
#include "ns3/ina-net-device.h"
#include "ns3/ina-server-application.h"
#include "ns3/ina-switch.h"
#include "ns3/ina-system.h"
#include "ns3/ina-traffic.h"
#include "ns3/ina-training-job.h"
#include "ns3/ina-worker-application.h"
#include "ns3/node-container.h"
#include "scenarios/resolve/resolved.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/** A full-duplex link of a cluster, with its two ends. */
struct InaClusterLink
{
    std::string name;       //!< name for link faults: "host3", "ps0", "leaf0-spine1"
    std::string below;      //!< lower end: "host3", "ps0", "leaf0"
    std::string above;      //!< upper end, a switch: "switch", "spine1"
    Ptr<InaNetDevice> host; //!< device at the lower end (host or switch)
    Ptr<InaNetDevice> port;

    /** Name of the upward direction in results. */
    std::string
    Up() const
    {
        return below + ">" + above;
    }

    std::string
    Down() const
    {
        return above + ">" + below;
    }
};

/**
 * \defgroup ina-cluster In-Network Aggregation: Cluster
 *
 * Clusters that are described by scenarios, and whose jobs train models.
 */

/** Nodes, links, programs and jobs of one scenario, ready to run. `pool` and `table` must outlive
 * the simulation. */
struct InaCluster
{
    std::unique_ptr<ina::ValuePool> pool;
    std::unique_ptr<ina::numeric::SyntheticTable> table;
    NodeContainer nodes;
    ina::cluster::Topology topology;
    std::vector<Ptr<InaSwitch>> switches; //!< in the order of topology.switches
    std::vector<InaClusterLink> links;    //!< first links of hosts, then of servers, then trunks
    std::vector<Ptr<InaTrainingJob>> jobs;
    /// Servers of each job; empty for systems without servers.
    std::vector<std::vector<Ptr<InaServerApplication>>> servers;
    Ptr<InaControlPlane> control;
    Ptr<InaTraffic> traffic; //!< null without background traffic

    const InaClusterLink&
    LinkOf(ina::cluster::TrunkIndex trunk) const
    {
        return links[links.size() - topology.trunks.size() + trunk];
    }
};

/**
 * \ingroup ina-cluster
 * Builds a cluster from a scenario. Before, the time resolution must be set to picoseconds, and the
 * simulator implementation must be chosen.
 */
class InaClusterHelper
{
  public:
    /** \param resolved scenario with all derived values; must outlive the helper */
    explicit InaClusterHelper(const ina::scenarios::Resolved& resolved);

    InaCluster Build();

  private:
    void BuildSwitches();
    Ptr<InaSwitch> MakeSwitch();
    void BuildHosts();
    void BuildTrunks();
    void AddHost(const std::string& name, ina::HostId id);
    void ShareHosts();
    void ShareDeviceOf(uint32_t machine);
    bool CarriesPackets() const;
    InaClusterLink Connect(const std::string& name,
                           const std::string& below,
                           const Ptr<Node>& node,
                           ina::cluster::SwitchIndex above,
                           const ina::scenarios::NetworkLink& link,
                           bool carriesPackets);
    void AddFaults();
    void AddFailures();
    void AddControlPlane();
    void AddTraffic();
    void AddFlowTraffic();
    void AddStackTraffic();
    ina::Time ConnectionTimeout() const;
    void AddJob(const ina::cluster::JobSpec& spec);
    void AddApplication(const Ptr<InaHostApplication>& application, ina::HostId address);
    Ptr<InaTrainingJob> MakeJob(const ina::cluster::JobSpec& spec) const;
    InaControlPlane::Host HostAt(ina::HostId id) const;

    const ina::scenarios::Resolved& m_resolved;
    const ina::cluster::Spec& m_spec;
    Ptr<InaSystem> m_system;
    /// For each switch: its ports to trunks.
    std::vector<std::map<ina::cluster::TrunkIndex, ina::node::PortIndex>> m_trunkPorts;
    /// by machine; only for machines with several workers or servers
    std::map<uint32_t, Ptr<InaHostInterface>> m_interfaces;
    InaCluster m_cluster;
};

} // namespace ns3

#endif // INA_CLUSTER_HELPER_H
