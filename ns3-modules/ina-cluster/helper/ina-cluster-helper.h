/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_CLUSTER_HELPER_H
#define INA_CLUSTER_HELPER_H

#include "hw/protocol/values.hpp"

#include "ns3/ina-control-plane.h"
#include "ns3/ina-server-application.h"
#include "ns3/ina-switch.h"
#include "ns3/ina-system.h"
#include "ns3/ina-worker-application.h"
#include "ns3/lean-net-device.h"
#include "ns3/node-container.h"
#include "ns3/scenario.h"
#include "ns3/training-job.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/** A full-duplex link of a cluster, by its two ends. */
struct ClusterLink
{
    std::string name; //!< "host3" or "ps0": what hangs on the switch
    Ptr<LeanNetDevice> host;
    Ptr<LeanNetDevice> port;
};

/** The nodes, links, programs and jobs of one scenario, ready to run. Pool and table must outlive
 * the simulation. */
struct Cluster
{
    std::unique_ptr<ina::ValuePool> pool;
    std::unique_ptr<ina::numeric::SyntheticTable> table;
    NodeContainer nodes;
    Ptr<InaSwitch> fabric;
    std::vector<ClusterLink> links;
    std::vector<Ptr<TrainingJob>> jobs;
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
    explicit InaClusterHelper(const Scenario& scenario);

    Cluster Build();

  private:
    void CheckPlaces() const;
    void BuildStar();
    void AddHost(const std::string& name, ina::HostId id);
    void AddFaults(int64_t stream);
    void AddControlPlane();
    void AddJob(ina::JobId id);
    Ptr<TrainingJob> MakeJob(ina::JobId id) const;
    InaControlPlane::Host HostAt(ina::HostId id) const;
    std::size_t CarriedValues() const;

    const Scenario& m_scenario;
    Ptr<InaSystem> m_system;
    Cluster m_cluster;
};

} // namespace ns3

#endif // INA_CLUSTER_HELPER_H
