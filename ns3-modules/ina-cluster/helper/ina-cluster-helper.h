/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_CLUSTER_HELPER_H
#define INA_CLUSTER_HELPER_H

#include "hw/protocol/values.hpp"

#include "ns3/ina-control-plane.h"
#include "ns3/ina-net-device.h"
#include "ns3/ina-server-application.h"
#include "ns3/ina-switch.h"
#include "ns3/ina-system.h"
#include "ns3/ina-training-job.h"
#include "ns3/ina-worker-application.h"
#include "ns3/node-container.h"
#include "scenarios/reader/scenario.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/** A full-duplex link of a cluster, by its two ends. */
struct InaClusterLink
{
    std::string name;       //!< "host3", "ps0" or "rack1": what hangs on the switch
    std::string above;      //!< the switch: "switch" or "rack2"
    Ptr<InaNetDevice> host; //!< of what hangs there
    Ptr<InaNetDevice> port;
};

/** The nodes, links, programs and jobs of one scenario, ready to run. Pool and table must outlive
 * the simulation. */
struct InaCluster
{
    std::unique_ptr<ina::ValuePool> pool;
    std::unique_ptr<ina::numeric::SyntheticTable> table;
    NodeContainer nodes;
    std::vector<Ptr<InaSwitch>> switches; //!< by rack; the servers hang on the last one
    std::vector<InaClusterLink> links;    //!< of the hosts, then the servers, then the leaves
    std::vector<Ptr<InaTrainingJob>> jobs;
    std::vector<Ptr<InaServerApplication>> servers; //!< of each job; none with SwitchML
    Ptr<InaControlPlane> control;
};

/**
 * \ingroup ina-cluster
 * Builds a cluster from a scenario. The time resolution must be picoseconds, the simulator
 * implementation chosen.
 */
class InaClusterHelper
{
  public:
    explicit InaClusterHelper(const ina::scenarios::Scenario& scenario);

    InaCluster Build();

  private:
    void CheckPlaces() const;
    void BuildSwitches();
    Ptr<InaSwitch> MakeSwitch();
    void BuildHosts();
    void BuildUplinks();
    void AddHost(const std::string& name, ina::HostId id, std::uint16_t rack);
    InaClusterLink Connect(const std::string& name,
                           const Ptr<Node>& node,
                           std::uint16_t rack,
                           const ina::scenarios::LinkScenario& link);
    void AddFaults(int64_t stream);
    void AddControlPlane();
    void AddJob(ina::JobId id);
    Ptr<InaTrainingJob> MakeJob(ina::JobId id) const;
    InaControlPlane::Host HostAt(ina::HostId id, std::uint16_t rack) const;
    std::uint16_t ServerRack() const;
    std::size_t CarriedValues() const;

    const ina::scenarios::Scenario& m_scenario;
    Ptr<InaSystem> m_system;
    InaCluster m_cluster;
};

} // namespace ns3

#endif // INA_CLUSTER_HELPER_H
