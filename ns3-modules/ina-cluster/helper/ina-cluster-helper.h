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

/** A full-duplex link of a cluster, by its two ends. */
struct InaClusterLink
{
    std::string name;       //!< as link faults have it: "host3", "ps0", "leaf0-spine1"
    std::string below;      //!< what hangs on the switch: "host3", "ps0", "leaf0"
    std::string above;      //!< the switch: "switch", "spine1"
    Ptr<InaNetDevice> host; //!< of what hangs there
    Ptr<InaNetDevice> port;

    /** Its direction to the switch, in results. */
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
 * Clusters whose jobs train models, described by a scenario.
 */

/** The nodes, links, programs and jobs of one scenario, ready to run. Pool and table must outlive
 * the simulation. */
struct InaCluster
{
    std::unique_ptr<ina::ValuePool> pool;
    std::unique_ptr<ina::numeric::SyntheticTable> table;
    NodeContainer nodes;
    ina::cluster::Topology topology;
    std::vector<Ptr<InaSwitch>> switches; //!< of the topology
    std::vector<InaClusterLink> links;    //!< of the hosts, then the servers, then the trunks
    std::vector<Ptr<InaTrainingJob>> jobs;
    /// Of each job, by index; none under systems without.
    std::vector<std::vector<Ptr<InaServerApplication>>> servers;
    Ptr<InaControlPlane> control;
    Ptr<InaTraffic> traffic; //!< null: there is none besides the jobs'

    const InaClusterLink&
    LinkOf(ina::cluster::TrunkIndex trunk) const
    {
        return links[links.size() - topology.trunks.size() + trunk];
    }
};

/**
 * \ingroup ina-cluster
 * Builds a cluster from a scenario. The time resolution must be picoseconds, the simulator
 * implementation chosen.
 */
class InaClusterHelper
{
  public:
    /** \param resolved what follows from the scenario; it must outlive the helper. */
    explicit InaClusterHelper(const ina::scenarios::Resolved& resolved);

    InaCluster Build();

  private:
    void BuildSwitches();
    Ptr<InaSwitch> MakeSwitch();
    void BuildHosts();
    void BuildTrunks();
    void AddHost(const std::string& name, ina::HostId id);
    void ShareHosts();
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
    void AddJob(const ina::cluster::JobSpec& spec);
    void AddApplication(const Ptr<InaHostApplication>& application, ina::HostId address);
    Ptr<InaTrainingJob> MakeJob(const ina::cluster::JobSpec& spec) const;
    InaControlPlane::Host HostAt(ina::HostId id) const;

    const ina::scenarios::Resolved& m_resolved;
    const ina::cluster::Spec& m_spec;
    Ptr<InaSystem> m_system;
    /// Of each switch, to its trunks.
    std::vector<std::map<ina::cluster::TrunkIndex, ina::node::PortIndex>> m_trunkPorts;
    std::map<uint32_t, Ptr<InaHostInterface>> m_interfaces; //!< of machines that several share
    InaCluster m_cluster;
};

} // namespace ns3

#endif // INA_CLUSTER_HELPER_H
